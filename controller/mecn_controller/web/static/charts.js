// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Drawings as SVG. Data in, elements out; nothing here asks the controller.

const NAMESPACE = "http://www.w3.org/2000/svg";
const BARS = 60; // of a chart at most; none is shorter than a second

function add(parent, name, attributes, text) {
  const element = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

// A round number not below `value`, for the end of an axis.
export function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((end) => end >= value * 0.9999);
}

export function short(value) {
  if (value >= 1e6) return `${+(value / 1e6).toPrecision(3)}M`;
  if (value >= 1e4) return `${+(value / 1e3).toPrecision(3)}k`;
  return `${+value.toPrecision(3)}`;
}

class Frame {
  constructor(svg, height, left, right, top) {
    // As wide as on the screen, so that letters keep their size.
    this.width = Math.max(280, Math.round(svg.getBoundingClientRect().width) || 600);
    this.height = height;
    this.plot = { left, right: this.width - right, top, bottom: height - 20 };
    svg.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    svg.replaceChildren();
    this.svg = svg;
  }
  x(share) { return this.plot.left + share * (this.plot.right - this.plot.left); }
  y(share) { return this.plot.bottom - share * (this.plot.bottom - this.plot.top); }
  values(top, format = short) {
    for (const share of [0, 0.5, 1]) {
      const y = this.y(share);
      add(this.svg, "line", { class: share ? "grid" : "axis", x1: this.plot.left, x2: this.plot.right, y1: y, y2: y });
      add(this.svg, "text", { x: this.plot.left - 6, y: y + 4, "text-anchor": "end" }, format(share * top));
    }
  }
  seconds(span, paused) {
    for (const share of [1, 2 / 3, 1 / 3, 0]) {
      const anchor = share === 0 ? "end" : share === 1 ? "start" : "middle";
      const words = share ? `−${+(share * span).toPrecision(2)} s` : paused ? "paused" : "now";
      add(this.svg, "text", { x: this.x(1 - share), y: this.height - 5, "text-anchor": anchor }, words);
    }
  }
}

const LEVELS = [["incipient_from", "incipient"], ["moderate_from", "moderate"], ["severe_from", "severe"]];

// Where packets begin to be signalled, shallow ones first: [depth, level, words].
export function thresholds(policy) {
  const words = { incipient: "incipient", moderate: policy.scheme.startsWith("red") ? "drops" : "CE", severe: "all packets" };
  return LEVELS.filter(([name]) => policy[name] !== null)
    .map(([name, level]) => [policy[name], level, words[level]])
    .sort((a, b) => a[0] - b[0]);
}

// Average and band of depths over time, with the thresholds of the port's first policy. view: end and span of
// the time that is shown, seconds, and whether it is paused.
export function drawQueue(svg, reports, policies, view) {
  const frame = new Frame(svg, 200, 40, 92, 10);
  const lines = policies.length ? thresholds(policies[0]) : [];
  const inside = reports.filter((sample) => sample.time > view.end - view.span && sample.time <= view.end);
  const highest = Math.max(4, ...lines.map(([depth]) => depth), ...inside.map((sample) => sample.max_depth));
  const top = roundUp(highest * 1.05);
  frame.values(top);
  frame.seconds(view.span, view.paused);
  const x = (time) => frame.x(Math.min(1, Math.max(0, 1 - (view.end - time) / view.span)));
  const y = (depth) => frame.y(Math.min(1, depth / top));
  // A pause of the traffic is a gap in the line.
  const runs = [];
  for (const sample of inside) {
    const last = runs.at(-1)?.at(-1);
    if (last && sample.time - last.time < 3 * Math.max(1, sample.interval_s)) runs.at(-1).push(sample);
    else runs.push([sample]);
  }
  for (const run of runs) {
    const upper = run.map((sample) => `${x(sample.time)},${y(sample.max_depth)}`);
    const lower = run.map((sample) => `${x(sample.time)},${y(sample.min_depth)}`).reverse();
    add(frame.svg, "polygon", { class: "band-area", points: [...upper, ...lower].join(" ") });
    add(frame.svg, "polyline", { class: "average-line", points: run.map((s) => `${x(s.time)},${y(s.average)}`).join(" ") });
  }
  let free = Infinity;
  for (const [depth, level, words] of lines) {
    add(frame.svg, "line", { class: `threshold stroke-${level}`, x1: frame.plot.left, x2: frame.plot.right, y1: y(depth), y2: y(depth) });
    const at = Math.min(free, y(depth) + 4);
    free = at - 13;
    add(frame.svg, "text", { class: `fill-${level}`, x: frame.plot.right + 6, y: at }, `${words} ${short(depth)}`);
  }
  if (!inside.length) {
    add(frame.svg, "text", { x: frame.x(0.5), y: frame.y(0.5), "text-anchor": "middle" }, "no reports");
  }
}

// Marks and drops per second over time, stacked.
export function drawMarks(svg, samples, view) {
  const frame = new Frame(svg, 130, 40, 92, 8);
  const levels = ["incipient", "ce", "early_drop"];
  const begin = view.end - view.span;
  const inside = samples.filter((sample) => sample.time > begin && sample.time <= view.end && sample.interval_s > 0);
  // Bars of a second or more, whatever the period of the reports.
  const count = Math.min(BARS, view.span);
  const bars = Array.from({ length: count }, () => ({ seconds: 0, incipient: 0, ce: 0, early_drop: 0 }));
  for (const sample of inside) {
    const bar = bars[Math.min(count - 1, Math.max(0, Math.floor((count * (sample.time - begin)) / view.span)))];
    bar.seconds += sample.interval_s;
    for (const level of levels) bar[level] += sample[level];
  }
  const rate = (bar, level) => (bar.seconds ? bar[level] / Math.max(bar.seconds, 0.2) : 0);
  const top = roundUp(Math.max(1, ...bars.map((bar) => levels.reduce((sum, level) => sum + rate(bar, level), 0))));
  frame.values(top);
  frame.seconds(view.span, view.paused);
  bars.forEach((bar, number) => {
    let base = 0;
    for (const level of levels) {
      const value = rate(bar, level);
      if (!value) continue;
      const left = frame.x(number / count);
      add(frame.svg, "rect", {
        class: `fill-${level}`, x: left + 0.5, width: Math.max(1, frame.x((number + 1) / count) - left - 1),
        y: frame.y((base + value) / top), height: Math.max(0.5, frame.y(base / top) - frame.y((base + value) / top)),
      });
      base += value;
    }
  });
}

// Probability over the average, as the switch has it, and where the average is now.
export function drawCurve(svg, policy, average) {
  const frame = new Frame(svg, 150, 40, 14, 10);
  const lines = thresholds(policy);
  const end = roundUp(Math.max(4, ...lines.map(([depth]) => depth), ...policy.points.map(([depth]) => depth)) * 1.15);
  const highest = Math.max(0.001, ...policy.points.map(([, incipient, moderate]) => Math.max(incipient, moderate)));
  const top = Math.min(1, roundUp(highest));
  frame.values(top);
  const x = (depth) => frame.x(Math.min(1, depth / end));
  for (const [depth, level, words] of lines) {
    if (level === "severe") {
      add(frame.svg, "rect", { class: "severe-area", x: x(depth), width: frame.x(1) - x(depth), y: frame.y(1), height: frame.y(0) - frame.y(1) });
      add(frame.svg, "text", { class: "fill-severe halo", x: (x(depth) + frame.x(1)) / 2, y: frame.y(1) + 14, "text-anchor": "middle" }, words);
    }
    add(frame.svg, "text", { x: x(depth), y: frame.height - 5, "text-anchor": "middle" }, short(depth));
  }
  for (const [index, level] of [[1, "incipient"], [2, "moderate"]]) {
    if (!policy.points.some((point) => point[index] > 0)) continue;
    const points = policy.points.map((point) => `${x(point[0])},${frame.y(Math.min(1, point[index] / top))}`);
    add(frame.svg, "polyline", { class: `curve-line stroke-${level}`, points: points.join(" ") });
  }
  if (average !== null) {
    add(frame.svg, "line", { class: "now-line", x1: x(average), x2: x(average), y1: frame.y(0), y2: frame.y(1) });
    const anchor = average / end > 0.8 ? "end" : "start";
    add(frame.svg, "text", { class: "halo", x: x(average) + (anchor === "end" ? -4 : 4), y: frame.y(0) - 5, "text-anchor": anchor }, `now ${short(average)}`);
  }
}
