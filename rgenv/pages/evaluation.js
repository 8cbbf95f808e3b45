// An evaluation: its numbers with their intervals, task by task and level, and what changed.

const OUTCOME_WORDS = { better: "▲ Better", worse: "▼ Worse", "": "No clear difference by a sign test" };

// Show the evaluation that the filters choose, or else the last one.
function showEvaluation() {
  const finished = view.index.evaluations.map((found, source) => found && { ...found, source })
    .filter(Boolean);
  if (!finished.length || isTwo()) return;
  const found = finished.find((one) => String(one.source) === state.source) ?? finished.at(-1);
  const holder = document.getElementById("evaluation");
  if (holder.dataset.source === String(found.source)) return;
  holder.dataset.source = found.source;
  holder.hidden = false;
  holder.replaceChildren(...(finished.length > 1 || view.shownRun
    ? [element("h2", {}, view.index.sources[found.source]), finished.length > 1
      ? element("p", { class: "soft" }, `The filter “From” chooses one of ${finished.length}.`) : ""]
    : []), ...evaluationParts(found));
}

function evaluationParts({ about, numbers, changes, source }) {
  return [
    element("p", { class: "lead" }, ...("accuracy" in numbers ? [
      element("strong", {}, percent(numbers.accuracy)),
      ` solved by ${about.model ?? "the model"} (95 % interval ${rangeOf(numbers, "accuracy")})`,
    ] : [element("strong", {}, "No completion was scored.")])),
    typeof about.limit === "number" ? element("p", {}, element("strong", {}, "A limited set"),
      `: ${counted(numbers.items, "problem")}, chosen from all tasks and levels in turn. The whole set has `
      + "more, so its accuracy may differ.") : "",
    element("dl", { class: "figures" }, ...evaluationFigures(numbers).map(figure)),
    ...(changes ? changesParts(changes) : []),
    "accuracy" in numbers ? accuracyTable(numbers, changes, source) : "",
    element("details", {}, element("summary", {}, "Configuration"),
      element("div", { class: "scroll" }, element("table", {}, element("tbody", {},
        ...flattened(about).map(([name, value]) => element("tr", {},
          element("th", { scope: "row" }, name), element("td", { class: "answer" }, value))))))),
  ];
}

const rangeOf = (numbers, name, scale = (share) => (100 * share).toFixed(1)) =>
  `${scale(numbers[`${name}_low`])} to ${scale(numbers[`${name}_high`])}`;

function evaluationFigures(numbers) {
  const passes = Object.keys(numbers).map((name) => /^pass@(\d+)$/.exec(name))
    .filter((found) => found && found[1] !== "1").sort((a, b) => a[1] - b[1]);
  const score = (value) => value.toFixed(3);
  return [
    ["macro_accuracy", "Accuracy by task", percent, () => rangeOf(numbers, "macro_accuracy")],
    ["blind_share", "Blind share", percent, () => "right without solving"],
    ["mean_score", "Mean score", score, () => rangeOf(numbers, "mean_score", score)],
    ...passes.map(([name]) => [name, name, percent, () => rangeOf(numbers, name)]),
    ["format_rate", "Format rate", percent, () => "answers in the format"],
    ["truncation_rate", "Truncation rate", percent, () => "cut at the token limit"],
    ["errors", "Errors", count, () => "failed requests, in no mean"],
    ["mean_tokens", "Mean length", count, () => "tokens per completion"],
    ["items", "Problems", count, () => counted(numbers.completions, "completion")],
  ].filter(([name]) => name in numbers)
    .map(([name, head, text, small]) => [head, text(numbers[name]), small()]);
}

// Return what comparison.json says (docs/files.md).
function changesParts(changes) {
  const { overall, settings, tasks } = changes;
  const marked = (verdict) => Object.keys(tasks).filter((task) => tasks[task].verdict === verdict);
  const differing = Object.entries(settings);
  return [
    element("h3", {}, `Compared with ${changes.name}`),
    element("p", {}, ...(overall ? [
      element("strong", { class: overall.verdict }, OUTCOME_WORDS[overall.verdict]),
      `: accuracy ${signed(overall.change)} points (95 % interval ${signed(overall.low)} to `
        + `${signed(overall.high)}) on ${counted(overall.problems, "common problem")}. `
        + `The earlier model was ${changes.model}.`,
    ] : ["The two evaluations have no scored problem in common."])),
    ...changes.cautions.map((text) => element("p", {}, element("strong", {}, text))),
    ...["better", "worse"].filter((verdict) => marked(verdict).length).map((verdict) =>
      element("p", { class: verdict }, `Tasks that got ${verdict}: ${marked(verdict).join(", ")}.`)),
    differing.length ? element("p", {}, "Settings that differ, any of which may be the reason: "
      + `${differing.map(([name, [old, now]]) => `${name} ${short(old)}, now ${short(now)}`).join("; ")}.`)
      : "",
    element("p", { class: "soft" }, "The command `view` with both folders shows their completions "
      + `beside each other. Not compared: problems in this one only (${count(changes.only_now)}), in `
      + `the earlier one only (${count(changes.only_earlier)}), with another question (${count(changes.changed)}).`),
  ];
}

const short = (value) => flattened({ "": value }).map(([name, text]) => `${name} ${text}`.trim()).join(", ");

function flattened(values, before = "") {
  return Object.entries(values).flatMap(([name, value]) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? flattened(value, `${before}${name}.`)
      : [[before + name, typeof value === "string" ? value : JSON.stringify(value)]]);
}

// Return a table: all problems, each category and its tasks; a column for each level.
function accuracyTable(numbers, changes, source) {
  const groups = view.groups.filter((group) => group.source === source);
  const levels = Object.keys(numbers).map((name) => /^level\/(.+)\/accuracy$/.exec(name)?.[1])
    .filter(Boolean).sort((a, b) => (a !== "none") - (b !== "none") || a - b);
  const shownLevels = levels.length > 1 ? levels : [];
  const hasChanges = Boolean(changes?.overall);
  const row = (name, prefix, some, change, isWhole) => {
    const metric = `${prefix}accuracy`;
    const byLevel = grouped(some, (group) => group.level === null ? "none" : String(group.level));
    return element("tr", { class: isWhole ? "whole" : null }, element("th", { scope: "row" }, name),
      element("td", { class: "n" }, count(some.length)),
      element("td", { class: "n" }, percent(numbers[metric])),
      element("td", { class: "n" }, rangeOf(numbers, metric)),
      element("td", { class: "wide" }, bar(numbers, prefix)),
      element("td", { class: "n" }, percent(numbers[`${prefix}blind_share`])),
      hasChanges ? element("td", { class: `n ${change?.verdict ?? ""}`, title: change
        ? `${signed(change.low)} to ${signed(change.high)} on ${change.problems} problems` : null },
      change ? `${{ better: "▲ ", worse: "▼ " }[change.verdict] ?? ""}${signed(change.change)}` : "–")
        : null,
      ...shownLevels.map((level) => heat(mean((byLevel.get(level) ?? []).map((g) => g.solved)))));
  };
  const categories = [...grouped(groups, (group) => group.category)].sort()
    .filter(([name]) => `category/${name}/accuracy` in numbers);
  const rows = categories.flatMap(([category, members]) => [
    row(category, `category/${category}/`, members, changes?.categories[category], true),
    ...[...grouped(members, (group) => group.task)].sort()
      .filter(([task]) => `${task}/accuracy` in numbers)
      .map(([task, some]) => row(task, `${task}/`, some, changes?.tasks[task], false)),
  ]);
  const heads = ["", "problems", "accuracy", "95 % interval", null, "blind",
    ...(hasChanges ? ["change"] : []), ...shownLevels.map((name) => name === "none" ? "defaults" : name)];
  return element("div", { class: rows.length > LONG_LIST ? "scroll tall" : "scroll" },
    element("table", { class: "accuracy" },
    element("thead", {}, element("tr", {}, ...heads.map((head, number) =>
      element("th", { scope: "col", class: head === null ? "wide" : number ? "n" : null },
        head ?? "the orange line is the blind share")))),
    element("tbody", {}, row("all problems", "", groups, changes?.overall, true), ...rows)));
}

// Return a bar with its interval and the blind share. Widths are set by script: the policy allows it.
function bar(numbers, prefix) {
  const [mean, low, high, blind] = ["accuracy", "accuracy_low", "accuracy_high", "blind_share"]
    .map((name) => numbers[prefix + name] ?? 0);
  const parts = [["i", 0, mean], ["b", low, high - low], ["u", blind, null]];
  return element("span", { class: "track" }, ...parts.map(([name, left, width]) => {
    const part = element(name);
    part.style.left = `${100 * left}%`;
    if (width !== null) part.style.width = `${100 * width}%`;
    return part;
  }));
}

function heat(share) {
  const cell = element("td", { class: "heat n" }, share === null ? "–" : (100 * share).toFixed(0));
  if (share !== null) cell.style.setProperty("--share", share);
  return cell;
}
