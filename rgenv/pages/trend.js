// How accuracy changes: of each task over the run, and of all at the same tasks and levels.

const BAND = 0.1; // levels that differ by less count as the same
const FEWEST = 20; // differences that say how much such differences vary
const MOST_BINS = 24;
const SPARK = { width: 150, height: 26 };
const trend = { split: null, xName: "step" };

// Points of accuracy with their sign.
const signed = (change) =>
  `${change > 0 ? "+" : change < 0 ? "−" : ""}${(100 * Math.abs(change)).toFixed(1)}`;

function changeMark(change) {
  const whole = Math.sign(change) * Math.round(100 * Math.abs(change));
  return element("span", { class: whole > 0 ? "better" : whole < 0 ? "worse" : "soft",
    title: "points of accuracy" }, `${whole > 0 ? "▲ +" : whole < 0 ? "▼ −" : ""}${Math.abs(whole)}`);
}

// Return a group of training as a point.
const pointOf = ({ task, level, solved, step, number }) =>
  ({ task, level, x: step ?? number + 1, accuracy: solved, weight: 1 });

// Return rows of the table of tasks from the metrics of a run that has no groups.
function rowsOfMetrics(run) {
  return Object.entries(run?.tasks ?? {}).map(([task, [accuracies, numbers]]) => {
    const points = run.steps.map((x, place) => ({ x, accuracy: accuracies[place], level: null,
      weight: numbers[place] || 1 })).filter((point) => point.accuracy !== null);
    return { task, points, groups: points.reduce((sum, { weight }) => sum + weight, 0),
      accuracy: weighted(points) };
  });
}

function weighted(points) {
  const weight = points.reduce((sum, point) => sum + point.weight, 0);
  return weight ? points.reduce((sum, one) => sum + one.accuracy * one.weight, 0) / weight : null;
}

// Return a small chart of accuracy, and of the level as a dashed line.
function spark(points, [low, high]) {
  const { width, height } = SPARK;
  const bins = grouped(points, ({ x }) =>
    Math.min(MOST_BINS - 1, Math.floor(MOST_BINS * (x - low) / (high - low))));
  const path = (value) => [...bins].sort(([a], [b]) => a - b)
    .map(([bin, some]) => [width * bin / (MOST_BINS - 1), value(some)])
    .filter(([, share]) => share !== null)
    .map(([x, share]) => `${x.toFixed(1)},${(1 + (height - 2) * (1 - share)).toFixed(1)}`).join(" ");
  const line = (kind, value) => drawn("polyline", { class: `line ${kind}`, points: path(value) });
  return drawn("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": "accuracy, and the level dashed" },
  line("c1 dashed", (some) => mean(some.map(({ level }) => level))), line("c0", weighted));
}

// Give each row its change after a place and its chart, and say what changed over all.
function addTrends(rows, groups) {
  const points = groups.filter((group) => group.kind !== "samples" && group.solved !== null)
    .map(pointOf);
  const byTask = grouped(points, (point) => point.task);
  for (const row of rows) row.points ??= byTask.get(row.task) ?? [];
  const all = points.length ? points : rows.flatMap((row) => row.points);
  const ends = all.reduce(([low, high], { x }) => [Math.min(low, x), Math.max(high, x)],
    [Infinity, -Infinity]);
  const isCurve = ends[0] < ends[1];
  trend.xName = groups.length && groups.some((group) => group.step === null) ? "group" : "step";
  const split = trend.split ?? Math.floor((ends[0] + ends[1]) / 2);
  const isLater = (point) => point.x > split;
  for (const row of rows) {
    const [before, after] = sidesOf(row.points, isLater).map(weighted);
    row.change = isCurve && before !== null && after !== null ? after - before : null;
    row.spark = isCurve && row.points.length > 1 ? () => spark(row.points, ends) : null;
    row.after = split + 1;
  }
  const at = element("input", { type: "number", value: split, onchange: () => {
    trend.split = at.value === "" ? null : Number(at.value);
    refresh();
  } });
  document.getElementById("change").replaceChildren(...(isCurve ? [
    element("label", {}, element("span", {}, `Change after ${trend.xName}`), at),
    element("p", {}, ...changeText(all, isLater, split))] : []));
}

const sidesOf = (points, isLater) =>
  [points.filter((point) => !isLater(point)), points.filter(isLater)];

// Return the accuracies of two lists of shares in each of several strata, such as a task at a level,
// and their difference: Σ w (b − a) / Σ w with w = n m / (n + m), so that the mix of strata has no
// part in it. `error` is half of its 95 % interval: from the spread within the strata or, where each
// has one share on either side, from that of the differences.
function compared(strata) {
  let [first, second, weights, squares, freedom, spread, known] = [0, 0, 0, 0, 0, 0, 0];
  const both = strata.filter(([a, b]) => a.length && b.length).map(([a, b]) =>
    ({ a: mean(a), b: mean(b), values: [a, b], weight: a.length * b.length / (a.length + b.length) }));
  for (const { a, b, values, weight } of both) {
    [first, second, weights] = [first + weight * a, second + weight * b, weights + weight];
    for (const some of values) {
      known += some.length;
      const middle = mean(some);
      for (const value of some) squares += (value - middle) ** 2;
      freedom += some.length - 1;
    }
  }
  if (!weights) return null;
  const change = (second - first) / weights;
  for (const { a, b, weight } of both) spread += (weight * (b - a - change)) ** 2;
  const error = freedom ? Math.sqrt(squares / freedom / weights)
    : both.length >= FEWEST ? Math.sqrt(spread) / weights : null;
  return { accuracies: [first / weights, second / weights], change, known,
    error: error === null ? null : 1.96 * error };
}

const withError = ({ change, error }) =>
  `${signed(change)} points${error === null ? "" : ` (± ${(100 * error).toFixed(1)})`}`;

// Say whether the accuracy changed after a place, and whether that is because the problems did.
function changeText(points, isLater, split) {
  const strata = grouped(points, ({ level, task }) =>
    `${level === null ? "" : Math.round(level / BAND)} ${task}`);
  const shares = (some) => some.map((point) => point.accuracy);
  const found = compared([...strata.values()].map((some) => sidesOf(some, isLater).map(shares)));
  if (found === null) return [];
  const sides = sidesOf(points, isLater);
  const [before, after] = sides.map((some) => percent(weighted(some)));
  const levels = sides.map((some) => mean(some.map((point) => point.level)));
  const clear = found.error !== null && Math.abs(found.change) > found.error;
  return [
    `After ${trend.xName} ${decimal(split)}, accuracy is ${after}; until then ${before}. `,
    levels.includes(null) ? ""
      : `The mean level is ${levels[1].toFixed(2)}; until then ${levels[0].toFixed(2)}. `,
    element("strong", {}, `At the same tasks and levels, accuracy changed by ${withError(found)}`),
    `${clear ? "" : ", no clear change"}: ${percent(found.known / points.length)} of the groups ` +
      "have a task and a level that came before and after.",
  ];
}
