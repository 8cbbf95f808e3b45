// What is shown: the state of the filters, kept in the address; the groups that pass, and their order.

const EMPTY = {
  task: "", category: "", source: "", level: "", verdict: "", outcome: "", informative: "",
  from: "", to: "", low: "", high: "", text: "", sort: "number", down: "", g: "",
};
const state = { ...EMPTY };
let trainingKind = "rollouts"; // of groups that are shown at first where a folder has several
const LEVEL_BANDS = 5;
const OUTCOMES = {
  "all": ["all solved", (group) => group.solved === 1],
  "some": ["some solved", (group) => group.solved > 0 && group.solved < 1],
  "none": ["none solved", (group) => group.solved === 0],
};
const SORTS = {
  number: (group) => group.step ?? group.number,
  task: (group) => group.task,
  level: (group) => group.level ?? -1,
  reward: (group) => group.reward ?? -1,
  solved: (group) => group.solved ?? -1,
  length: (group) => group.length ?? -1,
  informative: (group) => Object.keys(LESSONS).indexOf(group.lesson),
};

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const key of Object.keys(EMPTY)) state[key] = given.get(key) ?? EMPTY[key];
  if (!Object.hasOwn(SORTS, state.sort)) state.sort = EMPTY.sort;
}

function writeAddress() {
  const values = Object.entries(state).filter(([key, value]) => value !== (EMPTY[key] ?? ""));
  history.replaceState(null, "", "#" + new URLSearchParams(values));
}

const bandOf = (level) => Math.min(LEVEL_BANDS - 1, Math.floor(level * LEVEL_BANDS));

// Return a function that says whether a group passes all filters but the search in texts, and but
// one that may be named.
function passes(except = "") {
  const number = (text) => text === "" || Number.isNaN(Number(text)) ? null : Number(text);
  const [from, to, low, high] = [state.from, state.to, state.low, state.high].map(number);
  const tests = [];
  for (const key of ["task", "category"]) {
    if (state[key] && key !== except) tests.push((group) => group[key] === state[key]);
  }
  if (state.source === "training") tests.push((group) => group.kind === trainingKind);
  else if (state.source.startsWith("run:")) {
    tests.push((group) => group.kind === trainingKind && `run:${group.run}` === state.source);
  } else if (state.source && state.source !== "all") {
    tests.push((group) => String(group.source) === state.source);
  }
  if (state.level === "defaults") tests.push((group) => group.level === null);
  else if (state.level) {
    tests.push((group) => group.level !== null && bandOf(group.level) === Number(state.level));
  }
  if (state.verdict) {
    tests.push((group) => group.rollouts.some((rollout) =>
      state.verdict === "cut" ? rollout.cut : rollout.verdict === state.verdict)
      || (state.verdict !== "cut" && group.states.includes(state.verdict)));
  }
  if (Object.hasOwn(OUTCOMES, state.outcome)) tests.push(OUTCOMES[state.outcome][1]);
  if (state.informative === "yes" || state.informative === "no") {
    tests.push((group) => group.informative === (state.informative === "yes"));
  } else if (state.informative) {
    tests.push((group) => group.lesson === state.informative);
  }
  if (from !== null) tests.push((group) => group.step !== null && group.step >= from);
  if (to !== null) tests.push((group) => group.step !== null && group.step <= to);
  if (low !== null) tests.push((group) => group.score !== null && group.score >= low);
  if (high !== null) tests.push((group) => group.score !== null && group.score <= high);
  return (group) => tests.every((test) => test(group));
}

function sorted(groups) {
  const value = SORTS[state.sort];
  const way = state.down ? -1 : 1;
  return [...groups].sort((one, other) => {
    const [a, b] = [value(one), value(other)];
    return way * (a < b ? -1 : a > b ? 1 : 0) || one.number - other.number;
  });
}

// Groups that do not contain a text, so that they need not be searched for a longer one.
let without = { text: "", groups: new Set() };

// Return those of the groups whose texts hold a text, in any case of letters.
async function containing(groups, text, onProgress, isStale) {
  const wanted = text.toLowerCase();
  const found = [], missed = [];
  const known = wanted.includes(without.text) ? without.groups : new Set();
  let began = performance.now();
  for (const [number, group] of groups.entries()) {
    if (known.has(group)) continue;
    const texts = await textsOf(group);
    if (isStale()) return null;
    const all = [group.id, group.task, texts?.answer, texts?.recipe];
    for (const [, content] of texts?.prompt ?? []) all.push(content);
    for (const completion of texts?.completions ?? []) {
      all.push(completion?.parts.map((part) => part[1]).join(""), completion?.failure);
    }
    const has = all.some((part) => part && part.toLowerCase().includes(wanted));
    (has ? found : missed).push(group);
    if (performance.now() - began > 40) {
      onProgress(number / groups.length, found);
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
    }
  }
  without = { text: wanted, groups: new Set([...known, ...missed]) };
  return found;
}

// Saved rollouts are the training; without them, the groups of `process` are. Of several runs, the
// last one is shown first.
function setDefaultSource(groups) {
  const kinds = new Set(groups.map((group) => group.kind));
  trainingKind = ["rollouts", "groups", "samples"].find((kind) => kinds.has(kind));
  const runs = trainedRuns(groups);
  EMPTY.source = runs.length > 1 ? `run:${runs.at(-1)}` : kinds.size > 1 ? "training" : "";
}

// Return the runs that have groups of training, in the order of the curves.
function trainedRuns(groups) {
  const found = new Set(groups.filter((group) => group.kind === trainingKind)
    .map((group) => group.run));
  return view.index.runs.map((run) => run.run).filter((run) => found.has(run));
}

function choice(key, label, options, hasAny = true) {
  const select = element("select", { name: key, onchange: () => setState({ [key]: select.value }) },
    hasAny ? element("option", { value: "" }, "any") : null,
    ...options.map(([value, text]) => element("option", { value }, text)));
  return element("label", {}, element("span", {}, label), select);
}

function range(label, keys, attributes) {
  const inputs = keys.map((key, number) => element("input", {
    type: "number", name: key, placeholder: number ? "to" : "from", ...attributes,
    "aria-label": `${label} ${number ? "to" : "from"}`,
    onchange: (event) => setState({ [key]: event.target.value }),
  }));
  return element("label", { class: "range" }, element("span", {}, label), ...inputs);
}

function buildFilters(index, groups) {
  const form = document.getElementById("filters");
  const levels = new Set(groups.map((group) => group.level === null ? "defaults"
    : String(bandOf(group.level))));
  const order = (name) => name === "defaults" ? -1 : Number(name);
  const bands = [...levels].sort((a, b) => order(a) - order(b)).map((name) => [name, name === "defaults" ? name
    : `${Number(name) / LEVEL_BANDS} to ${(Number(name) + 1) / LEVEL_BANDS}`]);
  const verdicts = Object.keys(index.verdict_counts).sort();
  const states = new Set(groups.flatMap((group) => group.states));
  const lessons = new Set(groups.map((group) => group.lesson));
  const hasSteps = groups.some((group) => group.step !== null);
  let timer = 0;
  const search = element("input", {
    type: "search", name: "text", placeholder: "in prompts, completions, answers",
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => setState({ text: search.value }), 250);
    },
  });
  const pairs = (names) => [...names].map((name) => [name, name]);
  form.append(
    choice("task", "Task", pairs(index.tasks)),
    choice("category", "Category", pairs(new Set(index.categories)).sort()),
    ...(index.sources.length > 1 ? [choice("source", "From", [
      ...(EMPTY.source ? [["training", "training"], ["all", "everything"]] : []),
      ...(EMPTY.source.startsWith("run:") ? trainedRuns(groups).map((run) =>
        [`run:${run}`, `run ${run.slice(0, 8)}`]) : []),
      ...index.sources.map((name, number) =>
        [String(number), `${name} (${count(index.by_source[number])})`]),
    ], !EMPTY.source)] : []),
    choice("level", "Level", bands),
    choice("outcome", "Solved", Object.entries(OUTCOMES).map(([key, [text]]) => [key, text])),
    choice("verdict", "Any verdict", [...pairs(verdicts),
      ...["none", "misplaced", "trouble"].filter((name) => states.has(name))
        .map((name) => [name, SIGNS[name][1]]), ["cut", "cut at the token limit"]]),
    ...(onlySingles(groups) ? [] : [choice("informative", "Rewards", [
      ["yes", "differ (informative)"], ["no", "are equal"],
      ...Object.entries(LESSONS).filter(([name]) => lessons.has(name) && name !== "differ")
        .map(([name, [, text]]) => [name, text])])]),
    range("Mean score", ["low", "high"], { min: 0, max: 1, step: "any" }),
    ...(hasSteps ? [range("Step", ["from", "to"], { min: 0, step: 1 })] : []),
    element("label", { class: "search" }, element("span", {}, "Text"), search),
    element("button", { type: "button", onclick: () => setState({
      ...EMPTY, sort: state.sort, down: state.down, g: state.g }) }, "Clear filters"),
  );
  form.addEventListener("submit", (event) => event.preventDefault());
}

function showFilters() {
  for (const input of document.getElementById("filters").elements) {
    if (input.name && input.value !== state[input.name]) input.value = state[input.name];
  }
}
