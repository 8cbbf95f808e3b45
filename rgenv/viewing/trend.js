// How accuracy changes: of the chosen task step by step, and of all at the same tasks and levels.

const BAND = 0.1;
const WIDE = { width: 720, height: 200, left: 46, right: 8, top: 8, bottom: 24 };

const placeOf = (group) => group.step ?? group.number + 1;

// Draw accuracy and level of the task that the filters name, if its groups have several steps.
function showTaskChart(groups) {
  const holder = document.getElementById("task-chart");
  const isCurve = state.task && groups.length > 1 && groups.every((g) => g.kind !== "samples");
  const xName = groups.every((group) => group.step !== null) ? "step" : "group";
  const byPlace = new Map();
  for (const group of isCurve ? groups : []) {
    const x = xName === "step" ? group.step : group.number + 1;
    if (!byPlace.has(x)) byPlace.set(x, []);
    byPlace.get(x).push(group);
  }
  const xs = [...byPlace.keys()].sort((a, b) => a - b);
  if (xs.length < 2) return holder.replaceChildren();
  const size = Math.ceil(xs.length / MAX_POINTS);
  const column = (value) => thinned(xs.map((x) => mean(byPlace.get(x).map(value))), size, "share");
  const series = [{ name: "accuracy", values: column((group) => group.solved), colour: 0 }];
  const levels = column((group) => group.level);
  if (levels.some((level) => level !== null)) {
    series.push({ name: "level", values: levels, colour: 1, dashed: true, kind: "level" });
  }
  holder.replaceChildren(chart(`${state.task}: accuracy and level of its groups`,
    thinned(xs, size, "stack"), series, "share", WIDE, xName));
}

// Return the accuracies and mean levels until and after a place, and the change of accuracy among
// groups of the same task and level: Σ w (after − before) / Σ w with w = n m / (n + m), so that
// the mix of tasks and levels has no part in it. `error` is half of its 95 % interval.
function changeAfter(groups, split) {
  const known = groups.filter((group) => group.solved !== null);
  const strata = new Map();
  for (const group of known) {
    const band = group.level === null ? "" : Math.round(group.level / BAND);
    const key = `${band} ${group.task}`;
    if (!strata.has(key)) strata.set(key, [[], []]);
    strata.get(key)[placeOf(group) > split ? 1 : 0].push(group.solved);
  }
  let sum = 0, weights = 0, squares = 0, freedom = 0;
  for (const [before, after] of strata.values()) {
    for (const values of [before, after]) {
      const middle = mean(values);
      for (const value of values) squares += (value - middle) ** 2;
      freedom += Math.max(0, values.length - 1);
    }
    if (!before.length || !after.length) continue;
    const weight = before.length * after.length / (before.length + after.length);
    sum += weight * (mean(after) - mean(before));
    weights += weight;
  }
  const side = (later) => known.filter((group) => (placeOf(group) > split) === later);
  const [before, after] = [side(false), side(true)];
  return {
    accuracies: [before, after].map((some) => mean(some.map((group) => group.solved))),
    levels: [before, after].map((some) => mean(some.map((group) => group.level))),
    same: weights ? sum / weights : null,
    error: weights && freedom ? 1.96 * Math.sqrt(squares / freedom / weights) : null,
  };
}

const points = (change) =>
  `${change > 0 ? "+" : change < 0 ? "−" : ""}${(100 * Math.abs(change)).toFixed(1)} points`;

// Say whether the accuracy changed, and whether that is because the problems did.
function changeText(groups, split, xName) {
  const { accuracies, levels, same, error } = changeAfter(groups, split);
  if (same === null) return [];
  const [before, after] = accuracies;
  const known = levels.every((level) => level !== null);
  const clear = error !== null && Math.abs(same) > error;
  return [
    `After ${xName} ${decimal(split)}, accuracy is ${percent(after)}; until then ${percent(before)}. `,
    known ? `The mean level is ${levels[1].toFixed(2)}; until then ${levels[0].toFixed(2)}. ` : "",
    element("strong", {}, "At the same tasks and levels, accuracy changed by "
      + `${points(same)}${error === null ? "" : ` (± ${(100 * error).toFixed(1)})`}`),
    `${clear ? "" : ", no clear change"}. The rest is due to the mix of tasks and levels.`,
  ];
}
