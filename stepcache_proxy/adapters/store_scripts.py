"""What the store's server runs by itself: each script touches one slot only."""

# KEYS: record, template, and its wider one, if any. ARGV: id, record, vector, template
# ("" for none), question, model, namespace, life in ms, created in ms, most ids of a
# template, record prefix, observed right, observed wrong, wider template ("" for none).
# The old hash is dropped whole, so that no field of it outlives the new record.
# A template lists the second halves of ids: up to 64 bytes the server packs them in a
# fifth of the memory. Whole ids are of older versions.
PUT = """
local function half(id) return #id > 32 and string.sub(id, 34) or id end
local function is(key, kind) return redis.call('TYPE', key).ok == kind end
local old = is(KEYS[1], 'hash')
  and redis.call('HMGET', KEYS[1], 'gen', 'tpl', 'kin') or {}
local generation = (tonumber(old[1] or '0') or 0) + 1
local lists = string.match(KEYS[2], '^.*:')
for _, name in ipairs({old[2] or '', old[3] or ''}) do
  if name ~= '' then redis.pcall('ZREM', lists .. name, ARGV[1], half(ARGV[1])) end
end
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'rec', ARGV[2], 'gen', generation, 'tpl', ARGV[4],
  'q', ARGV[5], 'm', ARGV[6], 'n', ARGV[7])
if ARGV[12] ~= '0' then redis.call('HSET', KEYS[1], 'right', ARGV[12]) end
if ARGV[13] ~= '0' then redis.call('HSET', KEYS[1], 'wrong', ARGV[13]) end
if ARGV[3] ~= '' then redis.call('HSET', KEYS[1], 'vec', ARGV[3]) end
if ARGV[14] ~= '' then redis.call('HSET', KEYS[1], 'kin', ARGV[14]) end
redis.call('PEXPIRE', KEYS[1], ARGV[8])
if ARGV[4] == '' then return generation end
for at = 2, #KEYS do
  local key = KEYS[at]
  if not is(key, 'zset') then redis.call('DEL', key) end
  for _, id in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    local is_new = half(id) == half(ARGV[1])
    if is_new or redis.call('EXISTS', ARGV[11] .. half(id)) == 0 then
      redis.call('ZREM', key, id)
    end
  end
  redis.call('ZADD', key, ARGV[9], half(ARGV[1]))
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - tonumber(ARGV[10]))
  if redis.call('PTTL', key) < tonumber(ARGV[8]) then
    redis.call('PEXPIRE', key, ARGV[8])
  end
end
return generation
"""

# KEYS: expiry, used, feed. ARGV: id, its end and now in ms, life of the three in ms,
# length of the feed, origin. Books a record that was put.
BOOK = """
redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[5], '*', '+', ARGV[1], 'by', ARGV[6])
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[4]) end
"""

# KEYS: record. ARGV: vector. A record that is gone stays gone.
ATTACH = """
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return 0 end
redis.call('HSET', KEYS[1], 'vec', ARGV[1])
return 1
"""

# KEYS: record. ARGV: field to count up. A record that is gone stays gone, and a field
# that holds no number stays as it is.
OBSERVE = """
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then return 0 end
redis.pcall('HINCRBY', KEYS[1], ARGV[1], 1)
return 1
"""

# KEYS: template, and its wider one, if any. ARGV: most ids, record prefix. Gives which
# is the first that has any records (from 1), and of each of these: record, generation,
# observed right and wrong.
FIND = """
local function half(id) return #id > 32 and string.sub(id, 34) or id end
local function is_list(key) return redis.call('TYPE', key).ok == 'zset' end
local found = {}
for nth, key in ipairs(KEYS) do
  local ids = is_list(key) and redis.call('ZREVRANGE', key, 0, ARGV[1] - 1) or {}
  for _, id in ipairs(ids) do
    local record = redis.pcall('HMGET', ARGV[2] .. half(id),
      'rec', 'gen', 'right', 'wrong')
    if not record.err and record[1] then
      for at = 1, 4 do found[#found + 1] = record[at] or '0' end
    end
  end
  if #found > 0 then
    table.insert(found, 1, nth)
    break
  end
end
return found
"""

# KEYS: record. ARGV: id, template prefix, prefix of vector sets. Gives how many there
# were, and the question. The vector leaves the set of the embedder that made it; a
# server without vector sets has none.
DELETE = """
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then
  return {redis.call('DEL', KEYS[1]), ''}
end
local is = redis.call('HMGET', KEYS[1], 'tpl', 'q', 'vec', 'kin')
for _, name in ipairs({is[1] or '', is[4] or ''}) do
  if name ~= '' then
    redis.pcall('ZREM', ARGV[2] .. name, ARGV[1], string.sub(ARGV[1], 34))
  end
end
if is[3] and is[3] ~= '' then
  local name = redis.sha1hex(string.sub(is[3], 2, 1 + string.byte(is[3], 1)))
  for kind in string.gmatch('nqb', '.') do
    local set = ARGV[3] .. string.sub(name, 1, 8) .. kind
    if redis.call('EXISTS', set) == 1 then
      redis.pcall('VREM', set, string.sub(ARGV[1], 34))
    end
  end
end
return {redis.call('DEL', KEYS[1]), is[2] or ''}
"""

# KEYS: question. ARGV: id. Forgets the question if this id was the last to ask it.
FORGET = """
local value = redis.pcall('GET', KEYS[1])
if type(value) == 'string' and string.sub(value, 1, #ARGV[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
"""

# KEYS: expiry, used, feed. ARGV: now in ms, most ids, origin, length and life of feed.
# Gives the ids that have expired and forgets them, in one go: an id that is written
# again meanwhile keeps its new place.
SWEEP = """
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(ids) do
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
  redis.call('XADD', KEYS[3], 'MAXLEN', '~', ARGV[4], '*', '-', id, 'by', ARGV[3])
end
if #ids > 0 then redis.call('PEXPIRE', KEYS[3], ARGV[5]) end
return ids
"""
