// Unpack the data of the page, and build elements of it. What a model wrote is only ever text.

const SVG = "http://www.w3.org/2000/svg";
const CHUNKS_IN_MEMORY = 128; // of a megabyte each, so that the next search need not unpack them

// Return an element. Children are elements or texts; attributes of null are left out.
function element(name, attributes = {}, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null).map((child) =>
    child instanceof Node ? child : document.createTextNode(printable(String(child)))));
  return made;
}

const UNPRINTABLE = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e" +
  "\\u2066-\\u2069\\ufdd0-\\ufdef\\ufeff\\ufffe\\uffff]|" +
  "[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]", "g");

// Replace characters that show nothing, or that change the text around them.
function printable(text) {
  return text.replace(UNPRINTABLE, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : "\ufffd";
  });
}

async function unpacked(holder) {
  const signs = atob(holder.textContent);
  const bytes = new Uint8Array(signs.length);
  for (let place = 0; place < signs.length; place++) bytes[place] = signs.charCodeAt(place);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

const recentChunks = new Map();

// Return the lines of a chunk; the chunks that were used last stay unpacked.
function chunkLines(number) {
  const found = recentChunks.get(number) ??
    unpacked(document.querySelectorAll("script.chunk")[number]).then((text) => text.split("\n"));
  recentChunks.delete(number);
  recentChunks.set(number, found);
  if (recentChunks.size > CHUNKS_IN_MEMORY) recentChunks.delete(recentChunks.keys().next().value);
  return found;
}

// Return the texts of a group: prompt, reference answer, recipe, and a completion per rollout.
async function textsOf(group) {
  let texts = null;
  for (const [first, chunk, slot] of group.pieces) {
    const part = JSON.parse((await chunkLines(chunk))[slot]);
    texts ??= { ...part, completions: [] };
    part.completions.forEach((completion, number) => {
      const place = group.rollouts.findIndex((rollout) => rollout.index === first + number);
      if (place >= 0) texts.completions[place] = completion;
    });
  }
  return texts;
}

// Return a function that lets the browser draw now and then, and reports before it does.
function pauses() {
  let began = performance.now();
  return async (report = () => {}) => {
    if (performance.now() - began < 40) return;
    report();
    await new Promise((resolve) => setTimeout(resolve));
    began = performance.now();
  };
}

const percent = (share) => share === null || share === undefined ? "–" : `${(100 * share).toFixed(1)} %`;
const count = (number) => Math.round(number).toLocaleString("en-US");
const counted = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

function decimal(number) {
  if (number === null || number === undefined) return "–";
  if (Number.isInteger(number)) return number.toLocaleString("en-US");
  return Math.abs(number) >= 100 ? count(number) : String(Number(number.toPrecision(3)));
}

function mean(values) {
  let sum = 0, known = 0;
  for (const value of values) if (value !== null && value !== undefined) { sum += value; known++; }
  return known ? sum / known : null;
}
