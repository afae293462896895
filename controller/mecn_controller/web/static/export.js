// SPDX-FileCopyrightText: 2026 The mecn authors
// SPDX-License-Identifier: Apache-2.0

// Files of what the page shows.

const SCALE = 2; // pixels of a picture for one on the screen
const MARGIN = 12;
const TITLE = 28;
const PAINT = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-family", "font-size", "paint-order"];
// As of `mecn record --csv`.
const COLUMNS = ["time", "port", "source", "interval_s", "passed", "incipient", "ce", "early_drop", "bytes_left", "begin_us", "end_us",
  "average", "min_depth", "max_depth", "flows_0", "flows_1", "flows_2", "flows_3", "gap"];

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function saveSamples(samples, name) {
  const rows = samples.sort((a, b) => a.time - b.time).map((sample) => {
    const flows = Object.fromEntries((sample.flows ?? []).map((value, number) => [`flows_${number}`, value]));
    const values = { ...sample, ...flows };
    return COLUMNS.map((column) => values[column] ?? "").join(",");
  });
  save(new Blob([[COLUMNS.join(","), ...rows, ""].join("\n")], { type: "text/csv" }), name);
}

// A drawing with the colours that the style sheet gives it, as a picture.
async function pictureOf(svg) {
  const copy = svg.cloneNode(true);
  const [from, to] = [svg, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from.forEach((element, number) => {
    const style = getComputedStyle(element);
    for (const name of PAINT) to[number].setAttribute(name, style.getPropertyValue(name));
  });
  const { width, height } = svg.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("width", width * SCALE);
  copy.setAttribute("height", height * SCALE);
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = url;
  await image.decode();
  URL.revokeObjectURL(url);
  return image;
}

// The charts over time of a port, one below the other.
export async function savePicture(section, title, name) {
  const parts = [];
  for (const [selector, words] of [[".queue", "Queue, packets"], [".marks", "Marks, packets per second"]]) {
    parts.push({ words, image: await pictureOf(section.querySelector(selector)) });
  }
  const canvas = document.createElement("canvas");
  const edge = MARGIN * SCALE;
  canvas.width = Math.max(...parts.map(({ image }) => image.width)) + 2 * edge;
  canvas.height = parts.reduce((sum, { image }) => sum + image.height + TITLE * SCALE, TITLE * SCALE) + edge;
  const context = canvas.getContext("2d");
  const style = getComputedStyle(section);
  context.fillStyle = style.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  let y = 0;
  const write = (words, weight) => {
    context.fillStyle = style.color;
    context.font = `${weight} ${13 * SCALE}px ${style.fontFamily}`;
    context.fillText(words, edge, y + 19 * SCALE);
    y += TITLE * SCALE;
  };
  write(title, 600);
  for (const { words, image } of parts) {
    write(words, 400);
    context.drawImage(image, edge, y);
    y += image.height;
  }
  canvas.toBlob((blob) => save(blob, name), "image/png");
}
