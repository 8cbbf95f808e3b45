// Curves as inline SVG, with the values at the pointer in a line below.

const CHARTS = [
  ["Reward and score", { "train/reward": "reward", "train/score": "score" }, "share"],
  ["Accuracy", { "train/accuracy": "of each step", "eval/accuracy": "held out" }, "share"],
  ["Format", { "train/format_rate": "answers in the format", "train/truncation_rate": "cut" },
    "share"],
  ["What teaches", { "train/informative_rate": "informative groups",
    "train/gradient_tokens": "tokens with a gradient" }, "share"],
  ["Mean level", { "curriculum/avg_complexity": "level over all tasks" }, "level"],
  ["Tokens by fate, since the start", null, "number"],
  ["Speed", { "status/tokens_per_second": "tokens per second" }, "number"],
];
const size = { width: 420, height: 190, left: 46, right: 8, top: 8, bottom: 24 };

// Return a figure with a line for each series: {name, values, colour}.
function chart(title, xs, series, kind) {
  const all = series.flatMap((one) => one.values).filter((value) => value !== null);
  const isShare = kind !== "number";
  const most = isShare ? Math.max(1, ...all) : Math.max(...all, 1e-9) * 1.05;
  const least = Math.min(0, ...all);
  const [x0, x1] = [xs[0], xs.at(-1)];
  const x = (value) => size.left + (size.width - size.left - size.right)
    * (value - x0) / (x1 - x0);
  const y = (value) => size.top + (size.height - size.top - size.bottom)
    * (1 - (value - least) / (most - least));
  const label = kind === "share" ? (v) => `${Math.round(100 * v)} %` : compact;
  const svg = drawn("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img",
    "aria-label": `${title}, step ${decimal(x0)} to ${decimal(x1)}` });
  for (const part of isShare ? [0, 0.5, 1] : [0, 0.5 * most / 1.05, most / 1.05]) {
    svg.append(drawn("line", { class: "grid", x1: size.left, x2: size.width - size.right,
      y1: y(part), y2: y(part) }),
    drawn("text", { x: size.left - 6, y: y(part) + 4, "text-anchor": "end" }, label(part)));
  }
  svg.append(drawn("text", { x: size.left, y: size.height - 6 }, `step ${decimal(x0)}`),
    drawn("text", { x: size.width - size.right, y: size.height - 6, "text-anchor": "end" },
      decimal(x1)));
  series.forEach((one) => svg.append(...marks(one, xs, x, y)));
  return withReadout(title, svg, xs, series, kind, x);
}

function marks(one, xs, x, y) {
  const points = one.values.map((value, number) => value === null ? null
    : [x(xs[number]), y(value)].map((place) => place.toFixed(1))).filter((point) => point !== null);
  const path = points.map((point, number) => `${number ? "L" : "M"}${point.join(" ")}`).join("");
  const found = [drawn("path", { class: `line c${one.colour}`, d: path })];
  if (points.length <= 12) {
    found.push(...points.map(([cx, cy]) =>
      drawn("circle", { class: `dot c${one.colour}`, cx, cy, r: 2.5 })));
  }
  return found;
}

function valueText(value, kind) {
  if (value === null || value === undefined) return "–";
  if (kind === "level") return value.toFixed(2);
  return kind === "share" ? percent(value) : compact(value);
}

function compact(value) {
  for (const [size, unit] of [[1e9, " G"], [1e6, " M"], [1e3, " k"]]) {
    if (Math.abs(value) >= size) return `${Number((value / size).toPrecision(3))}${unit}`;
  }
  return String(Number(value.toPrecision(3)));
}

// Add a legend, and a line with the values at the pointer or at the arrow keys' place.
function withReadout(title, svg, xs, series, kind, x) {
  const keys = series.map((one) => {
    const value = element("b", {});
    return { one, value, key: element("span", { class: `key c${one.colour}` },
      element("span", {}, `${one.name} `, value)) };
  });
  const where = element("span", { class: "soft" });
  const cursor = drawn("line", { class: "cursor", y1: size.top, y2: size.height - size.bottom });
  svg.append(cursor);
  const show = (place) => {
    const at = x(xs[place]);
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
    where.textContent = `step ${decimal(xs[place])}: `;
    for (const { one, value } of keys) {
      value.textContent = valueText(one.values[place], kind);
    }
  };
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const wanted = (event.clientX - box.left) * size.width / box.width;
    let best = 0;
    xs.forEach((value, number) => {
      if (Math.abs(x(value) - wanted) < Math.abs(x(xs[best]) - wanted)) best = number;
    });
    show(best);
  });
  show(xs.length - 1);
  return element("figure", { class: "chart" }, element("figcaption", {}, title), svg,
    element("p", { class: "keys" }, where, ...keys.map(({ key }) => key)));
}

function showRun(run) {
  const fates = Object.keys(run.series).filter((name) => name.startsWith("tokens/"));
  const names = Object.fromEntries(fates.map((name) => [name, name.slice(7).replaceAll("_", " ")]));
  document.getElementById("charts").replaceChildren(...CHARTS.flatMap(([title, given, kind]) => {
    const series = Object.entries(given ?? names)
      .filter(([name]) => run.series[name]?.some((value) => value !== null && (given || value > 0)))
      .map(([name, text], colour) => ({ name: text, values: run.series[name], colour }));
    return series.length ? [chart(title, run.steps, series, kind)] : [];
  }));
}

// Show the curves of the last run that has groups of training, and return it.
function buildCurves(runs) {
  const shown = trainedRuns(view.groups).at(-1);
  const run = runs.find((one) => one.run === shown) ?? runs.at(-1);
  if (!run || run.steps.length < 2) return run; // one point is no curve
  document.getElementById("curves").hidden = false;
  document.getElementById("runs").textContent = [
    `Steps ${decimal(run.steps[0])} to ${decimal(run.steps.at(-1))}`,
    runs.length > 1 ? ` of ${run.run.slice(0, 8)}, one of ${runs.length} runs` : "",
    `. Each point is ${run.merged > 1 ? `the mean of ${run.merged} reports` : "a report"} of `,
    "metrics.jsonl."].join("");
  showRun(run);
  return run;
}
