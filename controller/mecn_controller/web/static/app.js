// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

import { drawCurve, drawMarks, drawQueue } from "./charts.js";
import { savePicture, saveSamples } from "./export.js";

const LONGEST = 300; // seconds of samples that are kept, the longest span

const ports = new Map(); // number -> what belongs to a port's section
const samples = new Map(); // number -> samples of the last minutes
let snapshot = null;
let span = 60; // seconds that the charts over time show
let pausedAt = null; // the controller's time at which the charts stand still
let declared = [];
let clock = 0; // the controller's time less ours, seconds

const find = (root, selector) => root.querySelector(selector);
const copy = (id) => document.getElementById(id).content.firstElementChild.cloneNode(true);
const count = (value) => Math.round(value).toLocaleString("en");
const now = () => Date.now() / 1000 + clock;
const view = () => ({ end: pausedAt ?? now(), span, paused: pausedAt !== null });

function bits(rate) {
  for (const [unit, size] of [["Gbit/s", 1e9], ["Mbit/s", 1e6], ["kbit/s", 1e3]]) {
    if (rate >= size) return `${+(rate / size).toPrecision(3)} ${unit}`;
  }
  return `${Math.round(rate)} bit/s`;
}

// ---- Status ----------------------------------------------------------------------------------------------

function setStatus(words, good) {
  const status = document.getElementById("status");
  const text = document.getElementById("status-text");
  if (text.textContent !== words) text.textContent = words;
  status.className = good ? "good" : "bad";
}

function showStatus() {
  document.getElementById("where").textContent = `${snapshot.address}, device ${snapshot.device_id}`;
  const words = { primary: "in charge", standby: "waiting: another controller is in charge" };
  setStatus(words[snapshot.status] ?? `${snapshot.status} ${snapshot.detail}`.trim(), snapshot.status === "primary");
  const why = { standby: "another controller is in charge", lost: "the switch is lost" };
  switchSliders(snapshot.status === "primary" ? "" : `Sliders are off: ${why[snapshot.status] ?? snapshot.status}.`);
}

let off = ""; // why nothing can be changed now
function switchSliders(why) {
  off = why;
  for (const form of document.querySelectorAll(".policy")) showWhetherOff(form);
}

function showWhetherOff(form) {
  find(form, "fieldset").disabled = off !== "";
  find(form, ".off").hidden = off === "";
  find(form, ".off").textContent = off;
}

// ---- Ports -----------------------------------------------------------------------------------------------

function sectionOf(number) {
  if (!ports.has(number)) {
    const section = copy("port-template");
    section.id = `port-${number}`;
    find(section, "h2").textContent = `Port ${number}`;
    find(section, ".queue").setAttribute("aria-label", `Queue of port ${number} over time`);
    find(section, ".marks").setAttribute("aria-label", `Marks of port ${number} over time`);
    find(section, ".png").addEventListener("click", () => savePicture(section, `Port ${number}, ${snapshot.address}`, `port-${number}.png`));
    const after = [...ports.keys()].filter((other) => other > number).sort((a, b) => a - b)[0];
    document.getElementById("ports").insertBefore(section, after === undefined ? null : ports.get(after));
    ports.set(number, section);
  }
  return ports.get(number);
}

function whyNoDepth(port) {
  if (!port.policies.some((policy) => policy.report_period_ms !== null)) return "the profile has no report_period_ms";
  if (port.report_age_s === null) return "no report yet: a port reports when packets arrive";
  return `no report for ${Math.round(port.report_age_s)} s: no packets arrive`;
}

function showPort(port) {
  const section = sectionOf(port.port);
  find(section, ".rate").textContent = port.rates.bits_per_s === undefined ? "" : bits(port.rates.bits_per_s);
  const depth = find(section, ".depth");
  if (port.average === null) {
    depth.textContent = whyNoDepth(port);
  } else {
    const strong = document.createElement("strong");
    strong.textContent = port.average.toFixed(1);
    depth.replaceChildren(strong, ` on average, ${port.min_depth} to ${port.max_depth} met by arrivals`);
  }
  const whole = ["passed", "incipient", "ce", "early_drop"].reduce((sum, level) => sum + (port.rates[level] ?? 0), 0);
  for (const row of section.querySelectorAll("tr[data-level]")) {
    const level = row.dataset.level;
    const rate = port.rates[level];
    const [speed, share, total] = row.querySelectorAll("td");
    speed.textContent = rate === undefined ? "–" : rate < 100 ? +rate.toFixed(1) : count(rate);
    share.textContent = whole ? `${((100 * rate) / whole).toFixed(1)} %` : "–";
    total.textContent = count(port.totals[level] ?? 0);
  }
  showFlows(find(section, ".flows"), port);
}

function showFlows(place, port) {
  const classes = port.policies.map((policy) => policy.classes).find((each) => each.length);
  place.hidden = !classes;
  if (!classes) return;
  const title = document.createElement("h3");
  title.textContent = "Active flows by round-trip time";
  const list = document.createElement("dl");
  ["other", ...classes.map((words) => words.replace(/^class \d+: (round-trip times )?/, ""))].forEach((name, number) => {
    const item = document.createElement("div");
    const term = document.createElement("dt");
    const value = document.createElement("dd");
    term.textContent = name;
    const flows = port.flows[number];
    value.textContent = flows === undefined ? "–" : flows === null ? "too many" : Math.round(flows);
    item.append(term, value);
    list.append(item);
  });
  place.replaceChildren(title, list);
}

function draw() {
  if (snapshot === null) return;
  for (const port of snapshot.ports) {
    const section = sectionOf(port.port);
    const { top, bottom } = section.getBoundingClientRect();
    if (bottom < 0 || top > innerHeight) continue; // drawn when it comes into view
    const mine = samples.get(port.port) ?? [];
    drawQueue(find(section, ".queue"), mine.filter((sample) => sample.source === "report"), port.policies, view());
    drawMarks(find(section, ".marks"), mine, view());
    for (const form of section.querySelectorAll(".policy")) {
      const policy = port.policies.find((each) => form.dataset.traffic.split(",").includes(each.traffic)) ?? port.policies[0];
      if (policy) {
        drawCurve(find(form, ".curve"), policy, port.average);
        showLegend(find(form, ".curve-legend"), policy, port.average);
      }
    }
  }
}

function showLegend(legend, policy, average) {
  const shown = {
    incipient: policy.points.some(([, incipient]) => incipient > 0),
    moderate: policy.points.some(([, , moderate]) => moderate > 0),
    severe: policy.severe_from !== null,
    now: average !== null,
  };
  for (const item of legend.querySelectorAll("[data-key]")) item.hidden = !shown[item.dataset.key];
  find(legend, ".words").textContent = policy.scheme.startsWith("red") ? "drops" : "CE";
}

// ---- Sliders ---------------------------------------------------------------------------------------------

const toSlider = (field, value) => (field.logarithmic ? Math.log10(Math.max(value, field.low)) : value);

function fromSlider(field, position) {
  if (!field.logarithmic) return Number(position);
  return Math.min(field.high, +(10 ** Number(position)).toPrecision(2));
}

const inWords = (field, value) => {
  const text = `${+value.toPrecision(6)} ${field.unit}`.trim();
  return field.packets_per_unit === null ? text : `${text} = ${+(value * field.packets_per_unit).toPrecision(4)} packets`;
};

function makeSlider(policy, field) {
  const slider = document.createElement("div");
  const label = document.createElement("label");
  const output = document.createElement("output");
  const input = document.createElement("input");
  slider.className = "slider";
  input.type = "range";
  input.id = `policy-${policy.number}-${field.name}`;
  input.name = field.name;
  label.htmlFor = input.id;
  label.textContent = field.label;
  output.htmlFor = input.id;
  const show = (value) => {
    output.textContent = inWords(slider.field, value);
    input.setAttribute("aria-valuetext", output.textContent);
  };
  slider.set = (now) => {
    // The ends move only when they must, or the thumb would slip while nothing changes.
    if (!slider.field || now.value > slider.field.high || now.value < slider.field.low) {
      slider.field = now;
      input.min = toSlider(now, now.low);
      input.max = toSlider(now, now.high);
      input.step = now.logarithmic ? 0.01 : now.step;
    }
    input.value = toSlider(slider.field, now.value);
    show(now.value);
  };
  slider.set(field);
  input.addEventListener("input", () => show(fromSlider(slider.field, input.value)));
  input.addEventListener("change", () => {
    const value = fromSlider(slider.field, input.value);
    change(policy.number, { [field.name]: field.packets_per_unit === null ? value : `${+value.toPrecision(9)} ${field.unit}` });
  });
  // Who holds a slider decides; values that come meanwhile wait until it is let go.
  input.addEventListener("pointerdown", () => held.add(slider));
  for (const name of ["pointerup", "pointercancel", "lostpointercapture", "blur"]) {
    input.addEventListener(name, () => held.delete(slider));
  }
  slider.append(label, output, input);
  return slider;
}

const held = new Set(); // sliders that are being moved

// The sliders stay the same elements where they can, so that the keyboard's focus stays, too.
function showSliders(fieldset, policy) {
  const sliders = [...fieldset.querySelectorAll(".slider")];
  const wanted = policy.adjustables;
  const same = (slider, n) => slider.field.name === wanted[n].name && slider.field.unit === wanted[n].unit;
  if (sliders.length === wanted.length && sliders.every(same)) {
    sliders.forEach((slider, n) => held.has(slider) || slider.set(wanted[n]));
  } else {
    fieldset.replaceChildren(find(fieldset, "legend"), ...wanted.map((field) => makeSlider(policy, field)));
  }
}

function showPolicy(policy) {
  const place = find(sectionOf(policy.port), ".policies");
  const id = `policy-${policy.number}`;
  let form = document.getElementById(id);
  if (form === null) {
    form = copy("policy-template");
    form.id = id;
    form.dataset.traffic = policy.traffic;
    find(form, ".curve").setAttribute("aria-label", `Marking curve of port ${policy.port}, DSCP ${policy.traffic}`);
    find(form, ".reset").addEventListener("click", () => send(policy.number, "/reset", {}));
    find(form, ".download").href = `api/policies/${policy.number}/profile.yaml`;
    place.append(form);
  }
  find(form, "h3").textContent = policy.traffic === "any" ? policy.scheme : `${policy.scheme}, DSCP ${policy.traffic}`;
  find(form, ".profile").textContent = policy.name;
  const notes = [policy.steered && "max_p is steered", policy.changed && "changed here", policy.elsewhere].filter(Boolean);
  find(form, ".changed").textContent = notes.join(", ");
  find(form, ".reset").disabled = !policy.changed;
  showWhetherOff(form);
  if (!waiting.has(policy.number) && !running.has(policy.number)) showSliders(find(form, "fieldset"), policy);
}

async function loadPolicies() {
  const response = await fetch("api/policies");
  if (response.status === 401) location.assign("login");
  declared = await response.json();
  declared.forEach(showPolicy);
  draw();
}

async function offerLogout() {
  const response = await fetch("api/session");
  if (!response.ok || !(await response.json()).session) return;
  const button = document.getElementById("logout");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const headers = { "Content-Type": "application/json" };
    await fetch("logout", { method: "POST", headers, body: "{}" });
    location.assign("login");
  });
}
offerLogout();

const PAUSE_MS = 150; // several steps of a key are one change
const waiting = new Map(); // number of a policy -> changes that are still to be sent
const running = new Set();

function change(number, changes) {
  waiting.set(number, { ...waiting.get(number), ...changes });
  if (!running.has(number)) work(number);
}

async function work(number) {
  running.add(number);
  while (waiting.get(number)) {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    const changes = waiting.get(number);
    waiting.delete(number);
    await send(number, "", { changes });
  }
  running.delete(number);
  showPolicy(declared[number]);
}

async function send(number, action, body) {
  const form = document.getElementById(`policy-${number}`);
  const answer = find(form, ".answer");
  answer.className = "answer";
  answer.textContent = "applying";
  form.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(`api/policies/${number}${action}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const result = await response.json();
    if (!response.ok) throw new Error(result.error);
    declared[number] = result.policy;
    answer.textContent = result.profile_id === null ? "in force already" : `in force, profile id ${result.profile_id}`;
  } catch (error) {
    answer.className = "answer wrong";
    answer.textContent = `not applied: ${error.message}`;
  }
  form.removeAttribute("aria-busy");
  showPolicy(declared[number]);
}

// ---- Events ----------------------------------------------------------------------------------------------

function listen() {
  const events = new EventSource("api/events?samples=1");
  events.addEventListener("open", () => samples.clear());
  events.addEventListener("snapshot", (event) => {
    snapshot = JSON.parse(event.data);
    clock = snapshot.time - Date.now() / 1000;
    for (const [number, section] of ports) {
      section.hidden = !snapshot.ports.some((port) => port.port === number) && !declared.some((each) => each.port === number);
    }
    showStatus();
    if (pausedAt !== null) return;
    snapshot.ports.forEach(showPort);
    draw();
  });
  events.addEventListener("samples", (event) => {
    for (const sample of JSON.parse(event.data)) {
      if (!samples.has(sample.port)) samples.set(sample.port, []);
      samples.get(sample.port).push(sample);
    }
    const begin = (pausedAt ?? now()) - LONGEST - 5;
    for (const [number, list] of samples) samples.set(number, list.filter((sample) => sample.time > begin));
  });
  events.addEventListener("values", (event) => {
    for (const policy of JSON.parse(event.data)) {
      declared[policy.number] = policy;
      showPolicy(policy);
    }
  });
  events.addEventListener("policies", () => loadPolicies());
  events.addEventListener("lost", () => {
    events.close();
    listen();
  });
  events.addEventListener("error", () => {
    setStatus("the controller does not answer", false);
    switchSliders("Sliders are off: the controller does not answer.");
  });
}

// ---- Tools -----------------------------------------------------------------------------------------------

document.getElementById("pause").addEventListener("click", (event) => {
  pausedAt = pausedAt === null ? now() : null;
  event.target.setAttribute("aria-pressed", String(pausedAt !== null));
  event.target.textContent = pausedAt === null ? "Pause" : "Go on";
  draw();
});
document.getElementById("span").addEventListener("change", (event) => {
  span = Number(event.target.value);
  draw();
});
document.getElementById("csv").addEventListener("click", () => {
  const { end } = view();
  saveSamples([...samples.values()].flat().filter((sample) => sample.time > end - span && sample.time <= end), "samples.csv");
});

addEventListener("resize", draw);
addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
listen();
