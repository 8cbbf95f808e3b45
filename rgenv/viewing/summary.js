// A table with a line for each task: what its groups teach, cost, and where they fail.

const LONG_LIST = 25; // tasks; more of them scroll in a box of their own
const summary = { sort: "task", down: false, groups: [] };

const rolloutsIn = (row, ...names) =>
  names.reduce((sum, name) => sum + (row.states.get(name) ?? 0), 0);
const orDash = (value, text) => value === null ? "–" : text(value);

// Each column: its head, what it is sorted by, its text, and the filter that a click sets.
const SUMMARY_COLUMNS = {
  task: ["task", (row) => row.task, (row) => row.task, () => ({})],
  groups: ["groups", (row) => row.groups, (row) => count(row.groups), null],
  accuracy: ["accuracy", (row) => row.accuracy, (row) => percent(row.accuracy), null],
  level: ["level now", (row) => row.level,
    (row) => orDash(row.level, (level) => level.toFixed(2)), null],
  since: ["since", (row) => row.since, (row) => orDash(row.since, count),
    (row) => row.since !== null && row.hasSteps && { from: String(row.since) }],
  informative: ["informative", (row) => row.informative, (row) => percent(row.informative),
    (row) => row.informative > 0 && { informative: "yes" }],
  cost: ["per informative group", (row) => row.cost, (row) => orDash(row.cost, count), null],
  solved: ["groups all solved", (row) => row.solved, (row) => orDash(row.solved, count),
    (row) => row.solved && { outcome: "all" }],
  none: ["groups none solved", (row) => row.none, (row) => orDash(row.none, count),
    (row) => row.none && { outcome: "none" }],
  misplaced: ["right, not in the format", (row) => rolloutsIn(row, "misplaced"),
    (row) => count(rolloutsIn(row, "misplaced")),
    (row) => rolloutsIn(row, "misplaced") && { verdict: "misplaced" }],
  format: ["no answer", (row) => rolloutsIn(row, "none"), (row) => count(rolloutsIn(row, "none")),
    (row) => rolloutsIn(row, "none") && { verdict: "none" }],
  cut: ["cut", (row) => row.cut, (row) => count(row.cut), (row) => row.cut && { verdict: "cut" }],
  trouble: ["not judged", (row) => rolloutsIn(row, "trouble"),
    (row) => count(rolloutsIn(row, "trouble")),
    (row) => rolloutsIn(row, "trouble") && { verdict: "trouble" }],
};

function summaryRow(task, groups) {
  const states = new Map();
  let cut = 0, length = 0;
  for (const group of groups) {
    for (const name of group.states) states.set(name, (states.get(name) ?? 0) + 1);
    for (const rollout of group.rollouts) {
      cut += rollout.cut ? 1 : 0;
      length += rollout[group.lengthUnit] ?? 0;
    }
  }
  const several = groups.filter((group) => group.rollouts.length > 1);
  const informative = several.filter((group) => group.informative).length;
  return {
    task, states, cut, groups: groups.length, accuracy: mean(groups.map((group) => group.solved)),
    informative: several.length ? informative / several.length : null,
    cost: informative ? length / informative : null,
    solved: several.length ? several.filter((group) => group.solved === 1).length : null,
    none: several.length ? several.filter((group) => group.solved === 0).length : null,
    ...levelNow(groups),
  };
}

// Return the level of the last group of training, and since when the groups have had it.
function levelNow(groups) {
  const place = (group) => group.step ?? group.number + 1;
  const trained = groups.filter((group) => group.kind !== "samples")
    .sort((one, other) => place(one) - place(other) || one.number - other.number);
  const level = trained.length ? trained.at(-1).level : null;
  const before = trained.findLastIndex((group) => group.level !== level);
  return {
    level, since: level === null ? null : place(trained[before + 1]),
    hasSteps: trained.some((group) => group.step !== null),
  };
}

function showSummary(groups) {
  summary.groups = groups;
  const holder = document.getElementById("summary");
  const byTask = new Map();
  for (const group of groups) {
    if (!byTask.has(group.task)) byTask.set(group.task, []);
    byTask.get(group.task).push(group);
  }
  const rows = [...byTask].map(([task, members]) => summaryRow(task, members));
  sortSummary(rows);
  const unit = view.groups[0].lengthUnit;
  const headOf = (key) => key === "cost" ? `${unit} ${SUMMARY_COLUMNS.cost[0]}`
    : SUMMARY_COLUMNS[key][0];
  const keys = Object.keys(SUMMARY_COLUMNS).filter((key) => key === summary.sort
    || rows.some((row) => SUMMARY_COLUMNS[key][2](row) !== "–"));
  const sorts = (key) => summary.sort !== key ? "none" : summary.down ? "descending" : "ascending";
  const table = element("table", {},
    element("thead", {}, element("tr", {}, ...keys.map((key) => element("th",
      { scope: "col", class: key === "task" ? null : "n", "aria-sort": sorts(key) },
      element("button", { type: "button", class: "plain", "data-summary": key,
        onclick: () => sortBy(key) }, headOf(key)))))),
    element("tbody", {}, ...rows.map((row) => element("tr", {
      class: row.task === state.task ? "chosen" : null }, ...keys.map((key) =>
      summaryCell(key, row))))));
  const copy = copier("Copy table", () => [keys.map(headOf), ...rows.map((row) =>
    keys.map((key) => SUMMARY_COLUMNS[key][2](row)))].map((line) => line.join("\t")).join("\n"));
  const box = element("div", { class: rows.length > LONG_LIST ? "scroll tall" : "scroll" }, table);
  holder.replaceChildren(element("p", { class: "controls" }, copy), box);
}

function summaryCell(key, row) {
  const [, , text, filter] = SUMMARY_COLUMNS[key];
  const changes = filter && filter(row);
  const content = changes ? element("button", { type: "button", class: "plain", onclick: () => {
    setState({ task: row.task, ...changes });
    document.getElementById("groups").scrollIntoView();
  } }, text(row)) : text(row);
  return key === "task" ? element("th", { scope: "row" }, content)
    : element("td", { class: "n" }, content);
}

function sortSummary(rows) {
  const value = SUMMARY_COLUMNS[summary.sort][1];
  const way = summary.down ? -1 : 1;
  rows.sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    if (a === null || b === null) return (a === null) - (b === null); // unknown ones last
    return way * (a < b ? -1 : a > b ? 1 : 0) || (one.task < other.task ? -1 : 1);
  });
}

// The first click on a head sorts its numbers from the largest.
function sortBy(key) {
  summary.down = summary.sort === key ? !summary.down : key !== "task";
  summary.sort = key;
  showSummary(summary.groups);
  document.querySelector(`[data-summary=${key}]`).focus();
}
