// Curves as inline SVG, with the values at the pointer in a line below.

const FATES = ["trained", "equal_rewards", "too_long", "refused", "cancelled", "broken_off",
  "at_end", "evaluation", "trial", "under_way"];
const CHARTS = [
  ["Reward and score", { "train/reward": "reward", "train/score": "score" }, "share"],
  ["Accuracy", { "train/accuracy": "of each step", "eval/accuracy": "held out" }, "share"],
  ["Format", { "train/format_rate": "answers in the format", "train/truncation_rate": "cut" },
    "share"],
  ["What teaches", { "train/informative_rate": "informative groups",
    "train/gradient_tokens": "tokens with a gradient" }, "share"],
  ["Mean level", { "curriculum/avg_complexity": "level over all tasks" }, "level"],
  ["Tokens by fate, since the start", Object.fromEntries(FATES.map((name) =>
    [`tokens/${name}`, name.replaceAll("_", " ")])), "stack"],
  ["Speed", { "status/tokens_per_second": "tokens per second" }, "number"],
];
const MAX_POINTS = 100;
const SMALL = { width: 420, height: 190, left: 46, right: 8, top: 8, bottom: 24 };

// Return a figure with lines or, of the kind "stack", areas over each other.
function chart(title, xs, series, kind, size = SMALL, xName = "step", ends = [xs[0], xs.at(-1)]) {
  const lines = kind === "stack" ? stacked(series) : series.map((s) => ({ ...s, tops: s.values }));
  const all = lines.flatMap((line) => line.tops).filter((value) => value !== null);
  const isShare = kind === "share" || kind === "level";
  const most = isShare ? Math.max(1, ...all) : Math.max(...all, 1e-9) * 1.05;
  const least = Math.min(0, ...all);
  const [x0, x1] = ends;
  const x = (value) => size.left + (size.width - size.left - size.right)
    * (x1 === x0 ? 0.5 : (value - x0) / (x1 - x0));
  const y = (value) => size.top + (size.height - size.top - size.bottom)
    * (1 - (value - least) / (most - least));
  const label = kind === "share" ? (v) => `${Math.round(100 * v)} %` : compact;
  const svg = drawn("svg", { viewBox: `0 0 ${size.width} ${size.height}`, role: "img", tabindex: 0,
    "aria-label": spoken(title, xs, series, kind, xName) });
  for (const part of isShare ? [0, 0.5, 1] : [0, 0.5 * most / 1.05, most / 1.05]) {
    svg.append(drawn("line", { class: "grid", x1: size.left, x2: size.width - size.right,
      y1: y(part), y2: y(part) }),
    drawn("text", { x: size.left - 6, y: y(part) + 4, "text-anchor": "end" }, label(part)));
  }
  svg.append(drawn("text", { x: size.left, y: size.height - 6 }, `${xName} ${decimal(x0)}`));
  if (x1 !== x0) {
    svg.append(drawn("text", { x: size.width - size.right, y: size.height - 6,
      "text-anchor": "end" }, decimal(x1)));
  }
  lines.forEach((line) => svg.append(...marks(line, xs, x, y)));
  return withReadout(title, svg, xs, series, kind, x, size, xName);
}

function stacked(series) {
  const base = series[0]?.values.map(() => 0) ?? [];
  return series.map((one) => {
    const bottoms = [...base];
    one.values.forEach((value, number) => { base[number] += value ?? 0; });
    return { ...one, tops: [...base], bottoms };
  });
}

function marks(line, xs, x, y) {
  const points = line.tops.map((value, number) => value === null ? null
    : [x(xs[number]), y(value)].map((place) => place.toFixed(1)));
  const known = points.filter((point) => point !== null);
  if (line.bottoms) {
    const back = line.bottoms.map((value, number) =>
      `${x(xs[number]).toFixed(1)},${y(value).toFixed(1)}`).reverse();
    return [drawn("polygon", { class: `area c${line.colour}`,
      points: [...known.map((point) => point.join()), ...back].join(" ") })];
  }
  const path = known.map((point, number) => `${number ? "L" : "M"}${point.join(" ")}`).join("");
  const found = [drawn("path", { class: `line c${line.colour}${line.dashed ? " dashed" : ""}`,
    d: path })];
  if (known.length <= 12) {
    found.push(...known.map(([cx, cy]) =>
      drawn("circle", { class: `dot c${line.colour}`, cx, cy, r: 2.5 })));
  }
  return found;
}

function valueText(value, kind) {
  if (value === null || value === undefined) return "–";
  if (kind === "level") return value.toFixed(2);
  return kind === "share" ? percent(value) : kind === "stack" ? compact(value) : decimal(value);
}

function compact(value) {
  for (const [size, unit] of [[1e9, " G"], [1e6, " M"], [1e3, " k"]]) {
    if (Math.abs(value) >= size) return `${Number((value / size).toPrecision(3))}${unit}`;
  }
  return String(Number(value.toPrecision(3)));
}

function spoken(title, xs, series, kind, xName) {
  const ends = series.map((one) => {
    const known = one.values.filter((value) => value !== null);
    const [first, last] = [known[0], known.at(-1)].map((v) => valueText(v, one.kind ?? kind));
    return `${one.name} ${first} to ${last}`;
  });
  return `${title}, ${xName} ${decimal(xs[0])} to ${decimal(xs.at(-1))}: ${ends.join(", ")}`;
}

// Add a legend, and a line with the values at the pointer or at the arrow keys' place.
function withReadout(title, svg, xs, series, kind, x, size, xName) {
  const keys = series.map((one) => {
    const value = element("b", {});
    const key = element("span", { class: `key c${one.colour}${one.dashed ? " dashed" : ""}` },
      `${one.name} `, value);
    return { one, key, value };
  });
  const where = element("span", { class: "soft" });
  const cursor = drawn("line", { class: "cursor", y1: size.top, y2: size.height - size.bottom });
  svg.append(cursor);
  let place = Math.max(0, series[0].values.findLastIndex((value) => value !== null));
  const show = (number) => {
    place = Math.min(Math.max(number, 0), xs.length - 1);
    const at = x(xs[place]);
    cursor.setAttribute("x1", at);
    cursor.setAttribute("x2", at);
    where.textContent = `${xName} ${decimal(xs[place])}: `;
    for (const { one, value } of keys) {
      value.textContent = valueText(one.values[place], one.kind ?? kind);
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
  svg.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (way) { event.preventDefault(); show(place + way); }
  });
  show(place);
  return element("figure", { class: "chart" }, element("figcaption", {}, title), svg,
    element("p", { class: "keys" }, where, ...keys.map(({ key }) => key)));
}

// Return fewer values: the means of neighbours, or the last of them where they are sums.
function thinned(values, size, kind) {
  if (size === 1) return values;
  const parts = [];
  for (let first = 0; first < values.length; first += size) {
    const part = values.slice(first, first + size);
    parts.push(kind === "stack" ? part.at(-1) : mean(part));
  }
  return parts;
}

function showRun(run) {
  const size = Math.ceil(run.steps.length / MAX_POINTS);
  const steps = thinned(run.steps, size, "stack");
  const holder = document.getElementById("charts");
  holder.replaceChildren(...CHARTS.flatMap(([title, names, kind]) => {
    const series = Object.entries(names)
      .filter(([name]) => run.series[name]?.some((v) => v !== null && (kind !== "stack" || v > 0)))
      .map(([name, text], number) => ({ name: text, values: thinned(run.series[name], size, kind),
        colour: number }));
    return series.length ? [chart(title, steps, series, kind)] : [];
  }));
  return size;
}

function buildCurves(runs) {
  runs = runs.filter((run) => run.steps.length > 1); // one point is no curve
  if (!runs.length) return buildTasks(null);
  document.getElementById("curves").hidden = false;
  const shown = new Set(trainedRuns(view.groups));
  const withGroups = runs.findLastIndex((run) => shown.has(run.run));
  const last = withGroups >= 0 ? withGroups : runs.length - 1;
  const about = document.getElementById("runs");
  const select = element("select", { onchange: () => {
    showChosen(Number(select.value));
    const run = `run:${runs[Number(select.value)].run}`;
    if (EMPTY.source.startsWith("run:")) setState({ source: run });
  } },
    ...runs.map((run, number) => element("option", { value: number, selected: number === last },
      `${run.run.slice(0, 8)}, steps ${decimal(run.steps[0])} to ${decimal(run.steps.at(-1))}`)));
  const note = element("span", { class: "soft" });
  const showChosen = (number) => {
    const run = runs[number];
    const reports = run.merged * showRun(run);
    note.textContent = reports > 1
      ? `Each point is the mean of ${reports} reports of metrics.jsonl.`
      : "Each point is one report of metrics.jsonl.";
    buildTasks(run);
  };
  about.append(...(runs.length > 1 ? [element("label", {}, element("span", {}, "Run "), select)] : []),
    note);
  showChosen(last);
}
