// A table with a line for each task: what its groups teach, cost, and where they fail.

const LONG_LIST = 25; // tasks; more of them scroll in a box of their own
const summary = { sort: "task", down: false, rows: [] };

const linked = (key, filter) => [(row) => row[key], count, (row) => row[key] > 0 && filter];

// Each column: its head, its value, the text of a known value, and the filter that a click sets.
const SUMMARY_COLUMNS = {
  task: ["task", (row) => row.task, String, () => ({})],
  accuracy: ["accuracy", (row) => row.accuracy, percent, null],
  change: ["change", (row) => row.change, changeMark, (row) => row.hasSteps
    && { from: String(row.after) }],
  spark: ["over the run", (row) => row.spark && row.change, (_, row) => row.spark(), null],
  groups: ["groups", (row) => row.groups, count, null],
  level: ["level now", (row) => row.level, (level) => level.toFixed(2), null],
  since: ["since", (row) => row.since, count, (row) => row.hasSteps && { from: String(row.since) }],
  informative: ["informative", (row) => row.informative, percent,
    (row) => row.informative > 0 && { informative: "yes" }],
  cost: ["length per informative group", (row) => row.cost, count, null],
  solved: ["groups all solved", ...linked("solved", { outcome: "all" })],
  unsolved: ["groups none solved", ...linked("unsolved", { outcome: "none" })],
  misplaced: ["right, not in the format", ...linked("misplaced", { verdict: "misplaced" })],
  none: ["no answer", ...linked("none", { verdict: "none" })],
  cut: ["cut", ...linked("cut", { verdict: "cut" })],
  trouble: ["not judged", ...linked("trouble", { verdict: "trouble" })],
};

function summaryRow(task, groups) {
  const states = groups.flatMap((group) => group.states);
  const rollouts = groups.flatMap((group) => group.rollouts);
  const are = (wanted) => states.filter((name) => name === wanted).length;
  const several = groups.filter((group) => group.rollouts.length > 1);
  const ofSeveral = (test) => several.length ? several.filter(test).length : null;
  const informative = ofSeveral((group) => group.informative);
  return {
    task, groups: groups.length, accuracy: mean(groups.map((group) => group.solved)),
    informative: informative === null ? null : informative / several.length,
    cost: informative ? rollouts.reduce((sum, one) => sum + (one[lengthUnit] ?? 0), 0) / informative
      : null,
    solved: ofSeveral((group) => group.solved === 1),
    unsolved: ofSeveral((group) => group.solved === 0),
    misplaced: are("misplaced"), none: are("none"), trouble: are("trouble"),
    cut: rollouts.filter((rollout) => rollout.cut).length,
    ...levelNow(groups),
  };
}

// Return the level of the last group of training, and since when the groups have had it.
function levelNow(groups) {
  const trained = groups.filter((group) => group.kind !== "samples")
    .sort((one, other) => placeOf(one) - placeOf(other) || one.number - other.number);
  const level = trained.at(-1)?.level ?? null;
  const before = trained.findLastIndex((group) => group.level !== level);
  return {
    level, since: level === null ? null : placeOf(trained[before + 1]),
    hasSteps: trained.some((group) => group.step !== null),
  };
}

// Show a row for each task of the groups or, without any, of the metrics of the run; changes are those
// of all steps.
function showSummary(groups, ofAllSteps) {
  const tasks = [...grouped(groups, (group) => group.task)];
  summary.rows = tasks.map(([task, some]) => (isTwo() ? pairSummary : summaryRow)(task, some));
  if (!isTwo()) {
    if (!view.groups.length) summary.rows = rowsOfMetrics(view.shownRun);
    addTrends(summary.rows, ofAllSteps);
  }
  document.getElementById("tasks").hidden = !view.groups.length && !summary.rows.length;
  drawSummary();
}

function drawSummary() {
  const { rows } = summary;
  const specs = isTwo() ? PAIR_SUMMARY : SUMMARY_COLUMNS;
  const isKnown = (row, key) => (specs[key][1](row) ?? null) !== null;
  sortSummary(rows, specs[summary.sort][1]);
  const keys = Object.keys(specs).filter((key) =>
    key === summary.sort || rows.some((row) => isKnown(row, key)));
  const sorts = (key) => summary.sort !== key ? "none" : summary.down ? "descending" : "ascending";
  const table = element("table", {},
    element("thead", {}, element("tr", {}, ...keys.map((key) => element("th",
      { scope: "col", class: key === "task" ? null : "n", "aria-sort": sorts(key) },
      element("button", { type: "button", class: "plain", "data-summary": key,
        onclick: () => sortBy(key) }, specs[key][0]))))),
    element("tbody", {}, ...rows.map((row) => element("tr", {
      class: row.task === state.task ? "chosen" : null }, ...keys.map((key) =>
      summaryCell(key, specs[key], row))))));
  document.getElementById("summary").replaceChildren(
    element("div", { class: rows.length > LONG_LIST ? "scroll tall" : "scroll" }, table));
}

function summaryCell(key, [, value, text, filter], row) {
  const found = value(row) ?? null;
  const shown = found === null ? "–" : text(found, row);
  const changes = filter && found !== null && view.groups.length && filter(row);
  const content = changes ? element("button", { type: "button", class: "plain", onclick: () => {
    setState({ task: row.task, ...changes });
    document.getElementById("groups").scrollIntoView();
  } }, shown) : shown;
  return key === "task" ? element("th", { scope: "row" }, content)
    : element("td", { class: "n" }, content);
}

function sortSummary(rows, value) {
  const way = summary.down ? -1 : 1;
  rows.sort((one, other) => {
    const [a, b] = [value(one) ?? null, value(other) ?? null];
    if (a === null || b === null) return (a === null) - (b === null); // unknown ones last
    return way * (a < b ? -1 : a > b ? 1 : 0) || (one.task < other.task ? -1 : 1);
  });
}

// The first click on a head sorts its numbers from the largest, and changes from the worst.
function sortBy(key) {
  summary.down = summary.sort === key ? !summary.down : !["task", "change", "spark"].includes(key);
  summary.sort = key;
  drawSummary();
  document.querySelector(`[data-summary=${key}]`).focus();
}
