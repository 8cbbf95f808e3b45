// One small chart for each task: its accuracy and level over the run, or its accuracy by level.

const TINY = { width: 240, height: 96, left: 40, right: 8, top: 6, bottom: 20 };
const MAX_BINS = 16;
const TASK_ORDERS = {
  name: ["name", (a, b) => a.name < b.name ? -1 : 1],
  worse: ["change, worst first", (a, b) => (a.change ?? 9) - (b.change ?? 9)],
  better: ["change, best first", (a, b) => (b.change ?? -9) - (a.change ?? -9)],
  accuracy: ["accuracy, lowest first", (a, b) => (a.accuracy ?? 9) - (b.accuracy ?? 9)],
  groups: ["most groups", (a, b) => b.groups - a.groups],
};
const tasksView = { order: "name", split: null, run: null };

// Return task -> points {x, accuracy, weight, level} and what x is.
function taskPoints(run, groups) {
  const found = new Map();
  const add = (task, point) => {
    if (!found.has(task)) found.set(task, []);
    found.get(task).push(point);
  };
  if (run && Object.keys(run.tasks).length) {
    for (const [task, [accuracies, numbers]] of Object.entries(run.tasks)) {
      run.steps.forEach((x, place) => {
        if (accuracies[place] === null) return;
        add(task, { x, accuracy: accuracies[place], weight: numbers[place] ?? 1, level: null });
      });
    }
    for (const group of groups) {
      if (group.run === run.run && group.step !== null && found.has(group.task)) {
        add(group.task, { x: group.step, accuracy: null, weight: 0, level: group.level });
      }
    }
    return [found, "step"];
  }
  groups = groups.filter((group) => group.kind === trainingKind);
  const byLevel = groups.every((group) => group.kind === "samples");
  groups.forEach((group, number) => {
    const x = byLevel ? group.level : number + 1;
    if (group.solved !== null && x !== null) {
      add(group.task, { x, accuracy: group.solved, weight: 1, level: byLevel ? null : group.level });
    }
  });
  return [found, byLevel ? "level" : "group"];
}

function weighted(points, from = -Infinity, to = Infinity) {
  let sum = 0, weight = 0;
  for (const point of points) {
    if (point.accuracy === null || point.x <= from || point.x > to) continue;
    sum += point.accuracy * point.weight;
    weight += point.weight;
  }
  return { mean: weight ? sum / weight : null, weight };
}

// Return the points in at most MAX_BINS bins of equal width: places, accuracies, levels.
function binned(points, low, high) {
  const values = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b);
  const bins = Math.min(MAX_BINS, values.length);
  const place = (x) => values.length <= MAX_BINS ? values.indexOf(x)
    : Math.min(bins - 1, Math.floor(bins * (x - low) / (high - low || 1)));
  const rows = Array.from({ length: bins }, () => []);
  for (const point of points) rows[place(point.x)].push(point);
  const kept = rows.filter((row) => row.length);
  return {
    xs: kept.map((row) => mean(row.map((point) => point.x))),
    accuracies: kept.map((row) => weighted(row).mean),
    levels: kept.map((row) => mean(row.map((point) => point.level))),
  };
}

function changeMark(row) {
  if (row.change === null) return null;
  const whole = Math.round(100 * row.change);
  const sign = whole > 0 ? "▲ +" : whole < 0 ? "▼ −" : "";
  const kind = whole > 0 ? "better" : whole < 0 ? "worse" : "soft";
  return element("span", { class: kind, title: "points of accuracy" }, `${sign}${Math.abs(whole)}`);
}

function multiple(row, xName, split, ends) {
  const { accuracies, levels } = row.line;
  const xs = xName === "level" ? row.line.xs : row.line.xs.map(Math.round);
  const series = [{ name: "accuracy", values: accuracies, colour: 0 }];
  if (levels.some((level) => level !== null)) {
    series.push({ name: "level", values: levels, colour: 1, dashed: true, kind: "level" });
  }
  const figure = chart(row.name, xs, series, "share", TINY, xName, ends);
  const filter = () => {
    const later = tasksView.order === "worse" || tasksView.order === "better";
    const steps = xName === "step" && later ? { from: String(split + 1), to: "" } : {};
    setState({ ...EMPTY, sort: state.sort, down: state.down, task: row.name, ...steps });
    document.getElementById("groups").scrollIntoView();
  };
  figure.querySelector("figcaption").replaceChildren(
    element("button", { type: "button", class: "plain", title: "Show its groups", onclick: filter },
      row.name), element("span", { class: "soft" }, percent(row.accuracy)), changeMark(row) ?? "");
  return figure;
}

function buildTasks(run) {
  tasksView.run = run;
  const [points, xName] = taskPoints(run, view.groups);
  const isLine = (list) => new Set(list.map((point) => point.x)).size > 1;
  if (![...points.values()].some(isLine)) return; // a dot is no chart
  document.getElementById("tasks").hidden = false;
  let [low, high] = [Infinity, -Infinity];
  for (const list of points.values()) {
    for (const point of list) { low = Math.min(low, point.x); high = Math.max(high, point.x); }
  }
  const split = tasksView.split ??= xName === "level" ? (low + high) / 2
    : Math.floor((low + high) / 2);
  const rows = [...points].map(([name, list]) => {
    const [before, after] = [weighted(list, -Infinity, split), weighted(list, split)];
    const all = weighted(list);
    return {
      name, accuracy: all.mean, groups: all.weight, line: binned(list, low, high),
      change: xName !== "level" && before.weight && after.weight ? after.mean - before.mean : null,
    };
  });
  rows.sort(TASK_ORDERS[tasksView.order][1]);
  const about = {
    step: "Accuracy over the steps of the run, from its metrics; the dashed line is the level. "
      + `▲ and ▼: points of accuracy after step ${decimal(split)} against those until then. `,
    group: "Accuracy over the groups, in the order in which they were saved; the dashed line is the "
      + `level. ▲ and ▼: points of accuracy after group ${decimal(split)} against those until then. `,
    level: "Accuracy by level, from 0, the easiest, to 1, the hardest. ",
  }[xName];
  document.getElementById("tasks-about").textContent =
    `${about}A task's name shows its groups.`;
  const trained = view.groups.filter((group) => group.kind === trainingKind
    && (xName !== "step" || group.step !== null && (!run || group.run === run.run)));
  document.getElementById("change").replaceChildren(
    ...xName === "level" ? [] : changeText(trained, split, xName));
  document.getElementById("tasks-controls").replaceChildren(...taskControls(xName, split, low, high));
  document.getElementById("multiples").replaceChildren(
    ...rows.map((row) => multiple(row, xName, split, [low, high])));
}

function taskControls(xName, split, low, high) {
  const orders = Object.entries(TASK_ORDERS)
    .filter(([key]) => xName !== "level" || !["worse", "better"].includes(key));
  const select = element("select", { onchange: () => {
    tasksView.order = select.value;
    buildTasks(tasksView.run);
  } }, ...orders.map(([key, [text]]) =>
    element("option", { value: key, selected: key === tasksView.order }, text)));
  const at = element("input", { type: "number", value: split, min: low, max: high,
    onchange: () => {
      tasksView.split = at.value === "" ? null : Number(at.value);
      buildTasks(tasksView.run);
    } });
  const controls = [element("label", {}, element("span", {}, "Order"), select)];
  if (xName !== "level") {
    controls.push(element("label", {}, element("span", {}, `Change after ${xName}`), at));
  }
  return controls;
}
