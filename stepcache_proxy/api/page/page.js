"use strict";
// Every text comes in as a text node: what a client wrote is never markup here.

const OUTCOMES = ["exact", "reuse", "coalesced", "patch", "skip", "miss", "bypass"];
const EVERY_MS = 3000;
const SVG = "http://www.w3.org/2000/svg";
const $ = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children.map((child) => (child instanceof Node ? child : String(child))));
  return node;
}

function draw(tag, attributes, text) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function number(value) {
  return value >= 1e5
    ? Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(value)
    : Intl.NumberFormat("en").format(value);
}

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds >= 10) return `${seconds.toFixed(0)} s`;
  if (seconds >= 1) return `${seconds.toFixed(2)} s`;
  const ms = seconds * 1000;
  return `${ms >= 10 ? ms.toFixed(0) : ms.toPrecision(2)} ms`;
}

function percent(share) {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

function bytes(count) {
  if (count < 1024) return `${count} B`;
  const power = Math.min(Math.floor(Math.log2(count) / 10), 4);
  return `${(count / 1024 ** power).toFixed(1)} ${["KiB", "MiB", "GiB", "TiB"][power - 1]}`;
}

// -- asking the proxy

async function ask(path, method = "GET", body = undefined) {
  const headers = {};
  const token = sessionStorage.getItem("token");
  if (token) headers.authorization = `Bearer ${token}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const content = body === undefined ? undefined : JSON.stringify(body);
  const answer = await fetch(path, { method, headers, body: content, cache: "no-store" });
  const said = await answer.json().catch(() => ({}));
  if (answer.status === 401) $("token-form").hidden = false;
  if (!answer.ok) throw new Error(said.error?.message ?? `the proxy answered ${answer.status}`);
  return said;
}

async function refresh() {
  try {
    const stats = await ask("stats");
    $("token-form").hidden = true;
    show(stats);
    say(`updated ${clock(Date.now() / 1000)} · up ${age(stats.uptime_seconds)}`, false);
  } catch (fault) {
    say(fault.message, true);
  }
}

function say(text, isBad) {
  $("status").textContent = text;
  $("status").className = isBad ? "bad" : "";
}

function clock(seconds, style = "medium") {
  return new Date(seconds * 1000).toLocaleTimeString([], { timeStyle: style, hour12: false });
}

function age(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

// -- showing the figures

function show(stats) {
  showHeadline(stats);
  showAlerts(stats.degraded);
  showChart(stats.minutes);
  showLatency(stats);
  showRecent(stats.recent);
  showSkips(stats.skips);
  showVerdicts(stats);
  showParts(stats);
}

function figure(id, text, note, tone = "") {
  $(id).textContent = text;
  $(id).className = `figure ${tone}`;
  $(`${id}-note`).textContent = note;
}

function showHeadline({ requests, latency, tokens, shadow, price_per_million: price }) {
  const asked = requests.model_requests;
  if (asked) {
    const note = `${number(requests.answered_without_model)} of ${number(asked)} requests`;
    figure("share", percent(requests.share_without_model), note);
  }
  showSpeed(latency.from_cache, latency.from_model);
  const generated = `${number(tokens.generated)} generated, ${number(tokens.reused)} reused`;
  const worth = (tokens.saved * price) / 1e6;
  const money = price ? `worth ${worth < 10 ? worth.toPrecision(2) : worth.toFixed(0)}; ` : "";
  figure("saved", number(tokens.saved), money + generated);
  const judged = shadow.right + shadow.wrong;
  if (!judged) return;
  const high = percent(shadow.interval_95[1]);
  const note = `${shadow.wrong} of ${number(judged)} checked, at most ${high} (95 %)`;
  figure("wrong", percent(shadow.unsafe_served_ratio), note, shadow.wrong ? "bad" : "good");
}

function showSpeed(cache, model) {
  if (cache.p50 === null || model.p50 === null) {
    const [name, p50] = cache.p50 === null ? ["from the model", model.p50] : ["from the cache", cache.p50];
    return figure("speed", duration(p50), p50 === null ? "no request in ten minutes" : name);
  }
  const times = model.p50 / cache.p50;
  const note = `${duration(cache.p50)} from the cache, ${duration(model.p50)} from the model`;
  if (times < 1) return figure("speed", `${(1 / times).toFixed(1)} × slower`, note, "bad");
  return figure("speed", `${times >= 10 ? number(Math.round(times)) : times.toFixed(1)} × faster`, note, "good");
}

function showAlerts(degraded) {
  const lines = Object.entries(degraded).map(([seam, detail]) =>
    make("p", {}, make("strong", {}, seam), ` is out of use${detail ? `: ${detail}` : ""}`));
  $("alerts").replaceChildren(...lines);
}

function showChart(minutes) {
  const sum = (minute) => OUTCOMES.reduce((total, outcome) => total + minute[outcome], 0);
  const most = Math.max(1, ...minutes.map(sum));
  const wide = $("chart").clientWidth || 720;
  const [left, top, width, height] = [44, 10, wide - 46, 138];
  const step = width / minutes.length;
  const marks = [
    draw("line", { x1: left, x2: left + width, y1: top, y2: top }),
    draw("line", { x1: left, x2: left + width, y1: top + height, y2: top + height }),
    draw("text", { x: left - 6, y: top + 5, "text-anchor": "end" }, number(most)),
    draw("text", { x: left - 6, y: top + height + 4, "text-anchor": "end" }, "0"),
    draw("text", { x: left, y: 170 }, "an hour ago"),
    draw("text", { x: left + width, y: 170, "text-anchor": "end" }, "now"),
  ];
  minutes.forEach((minute, i) => {
    let y = top + height;
    for (const outcome of OUTCOMES.filter((name) => minute[name])) {
      const tall = (minute[outcome] / most) * height;
      y -= tall;
      const bar = { class: outcome, x: left + i * step + 0.5, y, width: step - 1, height: tall };
      marks.push(draw("rect", bar));
      const time = clock(minute.time, "short");
      marks.at(-1).append(draw("title", {}, `${time} ${outcome}: ${minute[outcome]}`));
    }
  });
  $("chart").setAttribute("viewBox", `0 0 ${wide} 180`);
  $("chart").replaceChildren(...marks);
  showLegend(minutes);
}

function showLegend(minutes) {
  const totals = OUTCOMES.map((name) => [name, minutes.reduce((n, m) => n + m[name], 0)]);
  const words = totals.map(([name, total]) => `${name} ${total}`).join(", ");
  $("chart").setAttribute("aria-label", `Outcomes per minute in the last hour: ${words}`);
  $("legend").replaceChildren(...totals.map(([name, total]) =>
    make("li", {}, make("span", { class: `dot ${name}` }), `${name} ${number(total)}`)));
}

function showLatency({ requests, latency }) {
  const rows = OUTCOMES.filter((outcome) => requests.by_outcome[outcome]).map((outcome) => {
    const total = latency.total[outcome];
    const cells = [
      [number(requests.by_outcome[outcome]), "n"], [number(total.count), "n"],
      [duration(total.p50), "n"], [duration(total.p95), "n"], [duration(total.p99), "n wide"],
      [duration(latency.overhead[outcome].p50), "n wide"],
      [duration(latency.ttft[outcome].p50), "n wide"],
    ];
    return make("tr", {}, outcomeCell(outcome), ...cells.map(([text, kind]) => make("td", { class: kind }, text)));
  });
  fill("latency", rows, "No request yet.");
}

function outcomeCell(outcome) {
  return make("th", { scope: "row" }, make("span", { class: `dot ${outcome}` }), outcome);
}

function fill(id, rows, empty) {
  const none = make("tr", {}, make("td", { class: "empty", colspan: 9 }, empty));
  $(id).replaceChildren(...(rows.length ? rows : [none]));
}

let newest = "";

function showRecent(recent) {
  // A row that holds the focus must not be taken from under the keyboard.
  const now = JSON.stringify(recent[0] ?? null) + recent.length;
  if (now === newest || $("recent").contains(document.activeElement)) return;
  newest = now;
  fill("recent", recent.map(recentRow), "No request yet.");
}

function recentRow(one) {
  const steps = Object.entries(one.steps ?? {}).filter(([, count]) => count);
  const request = `${one.endpoint} ${one.status}${one.is_stream ? " stream" : ""}`;
  const cells = [
    [one.reason, "reason"], [duration(one.seconds), "n"],
    [one.record ? recordButton(one.record, one.own) : "–", ""],
    [number(one.generated), "n wide"], [number(one.reused), "n wide"],
    [steps.map(([kind, count]) => `${count} ${kind}`).join(", ") || "–", "wide"], [request, "wide"],
  ];
  return make("tr", {}, make("td", {}, clock(one.time)), outcomeCell(one.outcome),
    ...cells.map(([text, kind]) => make("td", { class: kind }, text)));
}

function recordButton(id, own) {
  const label = `Look up record ${id}`;
  const button = make("button", { type: "button", class: "link", "aria-label": label }, id.split(".").at(-1).slice(0, 8));
  button.addEventListener("click", () => {
    $("record-id").value = id;
    lookUp(id, own).then(() => $("record-form").scrollIntoView({ block: "start" }));
  });
  return button;
}

function pairs(id, entries, empty) {
  fill(id, entries.map(([name, value]) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "n" }, value))), empty);
}

function showSkips(skips) {
  const most = Object.entries(skips).sort((a, b) => b[1] - a[1]).slice(0, 10);
  pairs("skips", most.map(([reason, count]) => [reason, number(count)]), "Reuse was never refused.");
}

function showVerdicts({ verdicts, fallbacks }) {
  const rows = Object.entries(verdicts).flatMap(([task, counts]) =>
    Object.entries(counts).map(([verdict, count]) => [`${task}: ${verdict}`, number(count)]));
  const written = Object.entries(fallbacks).map(([task, count]) => [`${task}: fallback`, number(count)]);
  pairs("verdicts", [...rows, ...written], "No step was checked yet.");
}

function showParts({ seams, store, index, requests, workers }) {
  pairs("parts", [
    ...Object.entries(seams), ["records", number(store.records)],
    ["store memory", bytes(store.bytes)], ["index vectors", number(index.vectors)],
    ["in flight", number(requests.inflight)], ["workers", workers],
  ], "");
}

// -- one record

async function lookUp(id, own = id) {
  const read = (one) => ask(`records/${encodeURIComponent(one)}`);
  try {
    // What was made of a record may be gone, or was never kept.
    const made = own && own !== id ? await read(own).catch(() => null) : null;
    showRecord(await read(id), made);
  } catch (fault) {
    $("record").replaceChildren(make("p", {}, fault.message));
  }
}

function showRecord(record, made) {
  const donor = described(record, made);
  if (!made) return $("record").replaceChildren(donor);
  const both = [["What was served", described(made, record)], ["The record it comes from", donor]];
  $("record").replaceChildren(make("div", { class: "pair" }, ...both.map(([title, node]) =>
    make("section", {}, make("h3", {}, title), node))));
}

// A record in full; steps that `other` does not have are marked.
function described(record, other) {
  const facts = [
    ["asked", record.text], ["model", record.model], ["namespace", record.namespace || "–"],
    ["task", record.task ?? "none"], ["provenance", record.provenance],
    ["created", new Date(record.created * 1000).toLocaleString()], ["expires in", age(record.ttl)],
  ];
  const list = make("dl", {}, ...facts.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
  const steps = make("ol", { class: "steps" }, ...record.steps.map((step) => {
    const verdict = make("p", { class: step.verdict }, step.verdict + (step.reason ? `: ${step.reason}` : ""));
    const isShared = !other || other.steps.some(({ text }) => text.trim() === step.text.trim());
    return make("li", { class: isShared ? "" : "changed" }, make("pre", {}, step.text), verdict);
  }));
  const bad = action("Bad answer", () => ask("feedback", "POST", { record: record.id, verdict: "bad" }), "Quarantined.");
  const gone = action("Remove", () => ask(`records/${encodeURIComponent(record.id)}`, "DELETE"), "Removed.");
  return make("div", {}, list, steps, make("div", { class: "row" }, bad, gone));
}

function action(label, act, done) {
  const button = make("button", { type: "button", class: "danger" }, label);
  button.addEventListener("click", async () => {
    const said = await act().then(() => done, (fault) => fault.message);
    $("record").replaceChildren(make("p", {}, said));
  });
  return button;
}

// -- purge

async function purge(isDry) {
  const by = $("purge-by").value;
  const value = $("purge-value").value.trim();
  if (by !== "all" && !value) return `Say which ${by}.`;
  const what = by === "all" ? "all records" : `all records of ${by} ${value}`;
  if (!isDry && !window.confirm(`Remove ${what}?`)) return "Nothing was removed.";
  const body = { dry_run: isDry, [by]: by === "all" ? true : value };
  const said = await ask("purge", "POST", body);
  return isDry ? `${number(said.matched)} would be removed.` : `${number(said.removed)} removed.`;
}

$("purge-by").addEventListener("change", () => {
  $("purge-value").disabled = $("purge-by").value === "all";
});
$("purge-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const isDry = event.submitter?.value !== "0";
  $("purge-said").textContent = await purge(isDry).catch((fault) => fault.message);
});
$("record-form").addEventListener("submit", (event) => {
  event.preventDefault();
  lookUp($("record-id").value.trim());
});
$("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", $("token").value);
  $("token").value = "";
  refresh();
});
window.setInterval(() => document.hidden || refresh(), EVERY_MS);
refresh();
