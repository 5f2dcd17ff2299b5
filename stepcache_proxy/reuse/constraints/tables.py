"""Closed classes of English words, as the constraints gate reads them."""

from stepcache_proxy.reuse.constraints.lists import counted, forms, words

QUESTION_WORDS = words("who whom whose what which when where why how")
AUXILIARIES = words("""
    is are am was were be been being do does did has have had can could may might
    must shall should will would
""")
PERSONS = forms("""
    i | me | my | mine | myself = i
    we | us | our | ours | ourselves = we
    you | your | yours | yourself | yourselves = you
    he | him | his | himself = he
    she | her | hers | herself = she
    they | them | their | theirs | themselves = they
""")
OWNERS = frozenset({"my", "our", "your"})
ARTICLES = frozenset({"a", "an", "the"})
# One form for each number of the verb.
ONE_NUMBER = {"are": "is", "am": "is", "does": "do", "were": "was"}
FILLERS = words("""
    um umm uh uhm erm hm hmm please pls plz kindly btw lol actually basically
""")
PREPOSITIONS = words("""
    about above across after against along among around at before behind below
    beside between beyond by despite down during for from in inside into near of off on
    onto out outside over past per since through throughout to toward towards under
    until up upon via with within
""")
CONNECTIVES = words("""
    and or but if because so than that then this these those there as while though
    although unless whether it its
""")
FUNCTION_WORDS = (
    QUESTION_WORDS
    | AUXILIARIES
    | PERSONS.keys()
    | PREPOSITIONS
    | CONNECTIVES
    | frozenset({"a", "an", "the", "not", "no", "any", "all", "some", "please", "me"})
)
# What a sentence may put before itself, set off by a comma, or behind itself.
OPENERS = PREPOSITIONS - {"of", "per", "than"} | {"if", "when", "because"}

POLARITY = words("""
    not no never none nobody nothing nowhere neither nor cannot without non
    un hardly barely
""")
COMPARISON = words("""
    more less fewer greater most least better best worse worst higher highest lower
    lowest larger largest smaller smallest bigger biggest longer longest shorter
    shortest older oldest younger youngest newer cheaper cheapest faster fastest slower
    slowest earlier earliest later than same different equal maximum minimum
    above below over under before after twice thrice half double
""")
QUANTIFIERS = words("""
    only just except excluding including all every each any some both either many
    few several most enough other another else alone always usually sometimes
    ever even also too extra additional entire whole first last next
""")
FORMATS = words("""
    json xml yaml csv html markdown table bullet bullets list paragraph paragraphs
    sentence sentences word words brief briefly short detail detailed summary steps
    code poem essay email letter haiku
""")
# Canonical forms that only questions take (see the tables of wordings).
ASKED_FORMS = words("""
    price calculate meaning author population height age weight depth distance
    difference hours minimum-age inventor founder
""")
# With one of them the answer hangs on the moment of asking.
TIME_BOUND = words("""
    today tonight tomorrow yesterday now nowadays currently current latest recent
    recently newest ago presently upcoming
""")
# "current account" is a kind of account; "electric current" flows.
TIMELESS_AFTER_CURRENT = frozenset({"account", "accounts", "transformer"})
TIMELESS_BEFORE_CURRENT = words("""
    alternating direct electric electrical eddy ocean
    rated max maximum
""")
PERIODS = words("""
    week weekend month year morning afternoon evening night day season quarter
    summer winter spring autumn monday tuesday wednesday thursday friday saturday
    sunday january february march april may june july august september october november
    december
""")
PERIOD_POINTERS = frozenset({"this", "next", "last", "past", "coming"})

UNITS = forms("""
    km | kilometre | kilometer | kms = km
    metre | meter = metre
    cm | centimetre | centimeter = cm
    mm | millimetre | millimeter = mm
    mile = mile
    foot = foot
    feet = feet
    inch = inch
    yard = yard
    kg | kilogram | kilogramme | kilo = kg
    gram | gramme = gram
    mg | milligram = mg
    lb | lbs = lb
    oz | ounce = ounce
    litre | liter = litre
    ml | millilitre | milliliter = ml
    hr | hrs | hour = hour
    min | mins | minute = minute
    sec | secs | seconds = sec
    day = day
    week = week
    month = month
    year = year
    decade = decade
    century = century
    celsius | centigrade = celsius
    fahrenheit = fahrenheit
    kelvin = kelvin
    degree = degree
    mph = mph
    kph = kph
    percent | pct = percent
    pound | gbp | quid = pound
    dollar | usd | buck = dollar
    euro | eur = euro
    cent = cent
    pence = pence
    penny = penny
    yen = yen
    rupee = rupee
    gallon = gallon
    pint = pint
    gb = gb
    mb = mb
    kb = kb
    tb = tb
    byte = byte
    bit = bit
    watt = watt
    volt = volt
    kwh = kwh
""")
CURRENCIES = {"=£": "pound", "=$": "dollar", "=€": "euro", "=¥": "yen"}

SMALL_NUMBERS = counted("""
    zero one two three four five six seven eight nine ten eleven twelve thirteen
    fourteen fifteen sixteen seventeen eighteen nineteen
""")
TENS = counted(
    "twenty thirty forty fifty sixty seventy eighty ninety", start=20, step=10
)
MULTIPLES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
_ORDERED = counted("""
    zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh
    twelfth
""")
ORDINALS = {word: f"#{value}th" for word, value in _ORDERED.items()}

CONTRACTIONS = forms("""
    can't | cannot | cant = can not
    won't | wont = will not
    shan't = shall not
    dont = do not
    doesnt = does not
    didnt = did not
    isnt | ain't = is not
    arent = are not
    whats = what is
    hows = how is
    wheres = where is
    whos = who is
    whens = when is
    thats = that is
    i'm | im = i am
    let's = let us
    y'all | u | yuo = you
    gonna = going to
    wanna = want to
    how'd = how did
    ur | yoru = your
    waht | wht | whta = what
    hwo | ohw = how
    teh | hte = the
    adn = and
    taht = that
    wich | whcih = which
    wher | whre = where
    hav = have
    cna | cann = can
    becuase | becasue = because
    wiht = with
    wihtout = without
    wehn | whne = when
    abuot = about
    thier = their
    untill = until
    shoud | shoudl = should
    coud | coudl | cud = could
    woudl = would
    ive = i have
    youre = you are
    theres = there is
    havent = have not
    hasnt = has not
    wasnt = was not
""")
CONTRACTED_ENDS = {"'re": "are", "'ve": "have", "'ll": "will", "n't": "not"}
# With these "'s" is "is"; with any other word it is an owner.
IS_CONTRACTED = QUESTION_WORDS | words("it that there here he she")

# Lower case and upper case name different things, or capitals alone tell the name.
CASED = words("""
    turkey china java python apple windows amazon mercury polish march august mars
    shell oracle excel access swift rust go ruby pearl teams slack zoom edge chrome
    safari signal discord square stripe gap target visa orange virgin boots next bash
    may mark bill frank will rose grace hope faith jack pat drew norm sue ray dean
    earth sun galaxy word meta reading bath sandwich nice cork split chad jordan guinea
    lima kiwi monday notion linear basic julia elm dart perl alphabet uber lotus jaguar
    puma aids ram jersey ford focus fiesta galaxy tide dove mini beetle polo
    fox cricket vodafone three sky
""")

# The plural of these is another word.
NOT_PLURALS = words("""
    goods customs arms contents glasses works means politics economics physics
    mathematics news lens series species this his its us bus gas yes always plus minus
    less his as is was has does thus perhaps besides alas atlas bias basis crisis virus
    campus status bonus focus chorus census tennis diabetes analysis thesis savings
    thanks towards upwards afterwards windows jeans trousers clothes shorts scissors
    news odds pants briefs spirits grounds premises proceeds earnings
    headquarters address process access business illness wellness express press less
    unless across loss cross boss class glass grass pass mass dress stress success
    christmas canvas pancreas kubernetes mercedes hermes postgres texas
""")
# They name the letter after them: "vitamin a" is not "vitamin".
LETTERED = words("""
    vitamin hepatitis plan type grade part option group team class schedule section
    appendix exhibit influenza level series factor note size form paper version tier
    category zone variable point vertex set event box angle side matrix string
""")


def plain_words(wording: str) -> tuple[str, ...]:
    """A wording of a table as the first passes leave it: no articles, one number."""
    words = (ONE_NUMBER.get(word, word) for word in wording.split())
    return tuple(word for word in words if word not in ARTICLES)


# Beside these a title or a performer is named, whose s is no plural: "Aliens".
CREATING_VERBS = words("""
    direct directs directed write writes wrote written play plays played sing sings
    sang sung star stars starred found founded founds compose composes composed act
    acts acted author authored produce produces produced paint painted perform
    performs performed record recorded release released publish published
""")
