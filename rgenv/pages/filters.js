// What is shown: the state of the filters, kept in the address; what passes, and its order.

const state = {};
const EMPTY = { text: "", sort: "number", down: "", g: "", from: "", to: "" };
let trainingKind = "rollouts"; // of groups that are shown at first where a folder has several
const LEVEL_BANDS = 5;
const OUTCOMES = {
  all: ["all solved", (group) => group.solved === 1],
  some: ["some solved", (group) => group.solved > 0 && group.solved < 1],
  none: ["none solved", (group) => group.solved === 0],
};
const outcomes = () => isTwo() ? SIDE_OUTCOMES : OUTCOMES;

// Each filter: its name, its choices as pairs of value and text (with fewer than two there is no
// filter), and whether a group passes a value.
const FILTERS = {
  task: ["Task", () => pairs(view.index.tasks), (group, value) => group.task === value],
  category: ["Category", () => pairs(new Set(view.index.categories)),
    (group, value) => group.category === value],
  source: ["From", () => [
    ...(EMPTY.source ? [["training", "training"], ["all", "everything"]] : []),
    ...(isTwo() ? [] : view.index.sources.map((name, number) =>
      [String(number), `${name} (${count(view.index.by_source[number])})`]))],
  (group, value) => value === "all" || (value === "training"
    ? group.kind === trainingKind && (!view.run || group.run === view.run)
    : String(group.source) === value)],
  level: ["Level", (groups) => pairs(new Set(groups.map((group) => bandOf(group.level)))),
    (group, value) => bandOf(group.level) === value],
  outcome: ["Solved", () => Object.entries(outcomes()).map(([key, [text]]) => [key, text]),
    (group, value) => outcomes()[value]?.[1]?.(group)],
  verdict: ["Any verdict", (groups) => [
    ...pairs(new Set(groups.flatMap((group) => group.rollouts.map((one) => one.verdict)))),
    ...["none", "misplaced", "trouble"].map((name) => [name, SIGNS[name][1]]),
    ["cut", "cut at the token limit"]],
  (group, value) => value === "cut" ? group.rollouts.some((rollout) => rollout.cut)
    : group.states.includes(value) || group.rollouts.some((one) => one.verdict === value)],
  informative: ["Rewards", (groups) => isTwo() || onlySingles(groups) ? [] : [
    ["yes", "differ (informative)"], ["no", "are equal"],
    ...Object.entries(LESSONS).slice(1).map(([name, [, text]]) => [name, text])],
  (group, value) => ["yes", "no"].includes(value) ? group.informative === (value === "yes")
    : group.lesson === value],
};
for (const key of Object.keys(FILTERS)) EMPTY[key] = "";

const pairs = (names) => [...names].filter(Boolean).sort().map((name) => [name, name]);
const bandOf = (level) => {
  if (level === null) return "defaults";
  const band = Math.min(LEVEL_BANDS - 1, Math.floor(level * LEVEL_BANDS));
  return `${band / LEVEL_BANDS} to ${(band + 1) / LEVEL_BANDS}`;
};

const SORTS = {
  number: placeOf,
  task: (group) => group.task,
  level: (group) => group.level ?? -1,
  reward: (group) => group.reward ?? -1,
  solved: (group) => group.solved ?? -1,
  length: (group) => group.length ?? -1,
  informative: (group) => Object.keys(LESSONS).indexOf(group.lesson),
  first: (pair) => pair.shares[0] ?? -1,
  second: (pair) => pair.shares[1] ?? -1,
  change: (pair) => pair.change ?? 0,
};

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(EMPTY)) state[key] = given.get(key) ?? EMPTY[key];
  if (!(state.sort in SORTS && columns().some(([key]) => key === state.sort))) {
    state.sort = EMPTY.sort;
  }
}

function writeAddress() {
  const values = Object.entries(state).filter(([key, value]) => value !== EMPTY[key]);
  history.replaceState(null, "", "#" + new URLSearchParams(values));
}

// Return whether something passes all filters but the search in texts, and but those that are named.
function passes(...except) {
  const set = Object.entries(FILTERS).filter(([key]) => state[key] && !except.includes(key));
  const [from, to] = ["from", "to"].map((key) =>
    state[key] === "" || except.includes("step") ? null : Number(state[key]));
  return (group) => set.every(([key, [, , test]]) => test(group, state[key]))
    && (from === null || (group.step !== null && group.step >= from))
    && (to === null || (group.step !== null && group.step <= to));
}

function sorted(groups) {
  const value = SORTS[state.sort];
  const way = state.down ? -1 : 1;
  return [...groups].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    return way * (a < b ? -1 : a > b ? 1 : 0) || one.number - other.number;
  });
}

// Return those of the groups whose texts hold a text, in any case of letters; null if it is stale.
async function containing(groups, text, onProgress, isStale) {
  const wanted = text.toLowerCase();
  const found = [];
  const pause = pauses();
  for (const [number, group] of groups.entries()) {
    const all = [];
    for (const member of membersOf(group)) {
      const texts = await textsOf(member);
      all.push(member.id, member.task, texts?.answer, texts?.recipe);
      for (const [, content] of texts?.prompt ?? []) all.push(content);
      for (const completion of texts?.completions ?? []) {
        all.push(completion?.parts.map((part) => part[1]).join(""), completion?.failure);
      }
    }
    if (isStale()) return null;
    if (all.some((part) => part && part.toLowerCase().includes(wanted))) found.push(group);
    await pause(() => onProgress(number / groups.length, found));
  }
  return found;
}

// Saved rollouts are the training; without them, the groups of `process` are. Training is shown
// first where there is more, and of several runs the one whose curves are shown.
function setDefaultSource(groups) {
  const kinds = new Set(groups.map((group) => group.kind));
  trainingKind = ["rollouts", "groups", "samples"].find((kind) => kinds.has(kind));
  const runs = isTwo() ? [] : trainedRuns(groups);
  view.run = runs.length > 1 ? runs.at(-1) : "";
  EMPTY.source = view.run || kinds.size > 1 ? "training" : "";
}

// Return the runs that have groups of training, in the order of the curves.
function trainedRuns(groups) {
  const found = new Set(groups.filter((group) => group.kind === trainingKind)
    .map((group) => group.run));
  return view.index.runs.map((run) => run.run).filter((run) => found.has(run));
}

function buildFilters(groups) {
  const labelled = (name, ...inputs) => element("label", {}, element("span", {}, name), ...inputs);
  const form = document.getElementById("filters");
  for (const [key, [name, choices]] of Object.entries(FILTERS)) {
    const found = choices(groups);
    if (!EMPTY[key]) found.unshift(["", "any"]);
    if (found.length < 3) continue;
    form.append(labelled(name, element("select", { name: key },
      ...found.map(([value, text]) => element("option", { value }, text)))));
  }
  if (groups.some((group) => group.step !== null)) {
    form.append(labelled("Step", ...["from", "to"].map((key) => element("input",
      { type: "number", name: key, placeholder: key, min: 0, "aria-label": `step ${key}` }))));
  }
  let timer = 0;
  const search = element("input", { type: "search", name: "text",
    placeholder: "in prompts, completions, answers", oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => setState({ text: search.value }), 250);
    } });
  form.append(labelled("Text", search), element("button", { type: "button", onclick: () =>
    setState({ ...EMPTY, sort: state.sort, down: state.down, g: state.g }) }, "Clear filters"));
  form.addEventListener("change", ({ target }) => setState({ [target.name]: target.value }));
  form.addEventListener("submit", (event) => event.preventDefault());
}

function showFilters() {
  for (const input of document.getElementById("filters").elements) {
    if (input.name && input.value !== state[input.name]) input.value = state[input.name];
  }
}
