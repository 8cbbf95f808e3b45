// Two sides, A and B: the problems that both have, or tasks at a level, with the groups of each.

const MOST_BESIDE = 3; // groups of a task at a level that are shown on a side
// A side has solved a problem with half of its completions or more; both must have been judged.
const solvedBy = (inA, inB) => ({ shares: [a, b] }) =>
  a !== null && b !== null && (a >= 0.5) === inA && (b >= 0.5) === inB;
const SIDE_OUTCOMES = {
  onlyA: ["only A solved", solvedBy(true, false)],
  onlyB: ["only B solved", solvedBy(false, true)],
  both: ["both", solvedBy(true, true)],
  neither: ["neither", solvedBy(false, false)],
};
const stripOf = (pair, side) => strip(pair.sides[side].flatMap((group) => group.states));
const PAIR_COLUMNS = [
  ["number", "#", (pair) => placeOf(pair), "3.5rem", "n spare"],
  ["task", "task", (pair) => pair.task, "minmax(5rem, 1.2fr)", "task"],
  ["level", "level", (pair) => levelName(pair.level), "4.5rem", "n level spare"],
  ["", "A", (pair) => stripOf(pair, 0), "minmax(2rem, 1fr)", ""],
  ["first", "A %", (pair) => wholePercent(pair.shares[0]), "3.2rem", "n"],
  ["", "B", (pair) => stripOf(pair, 1), "minmax(2rem, 1fr)", ""],
  ["second", "B %", (pair) => wholePercent(pair.shares[1]), "3.2rem", "n"],
  ["change", "change", (pair) => pair.change === null ? "–" : changeMark(pair.change), "3.6rem", "n"],
];

const isTwo = () => view.index.sides.length > 0;
const membersOf = (group) => group.sides?.flat() ?? [group];

// Return what the list has: the groups or, of two sides, pairs.
function readItems(index) {
  const groups = readGroups(index);
  if (!isTwo()) return groups;
  return [...grouped(groups, (group) => index.groups.problem[group.number]).values()]
    .map((members, number) => {
      const sides = [0, 1].map((side) => members.filter((group) => group.side === side));
      const shares = sides.map((some) => mean(some.map((group) => group.solved)));
      return withNumbers({
        ...sides[0][0], number, sides, shares, step: null,
        rollouts: members.flatMap((group) => group.rollouts),
        change: shares.includes(null) ? null : shares[1] - shares[0],
      });
    });
}

// Return the accuracies of both sides over the same problems, and their difference.
function comparedSides(pairs) {
  return compared(pairs.map((pair) => pair.sides.map((groups) =>
    groups.map((group) => group.solved).filter((solved) => solved !== null))));
}

function pairFigures(pairs) {
  const found = comparedSides(pairs);
  const number = (key) => count(pairs.filter(SIDE_OUTCOMES[key][1]).length);
  const length = (side) => {
    const known = mean(pairs.flatMap((pair) => pair.sides[side].map((group) => group.length)));
    return known === null ? "–" : count(known);
  };
  return [
    ["Accuracy of A", percent(found?.accuracies[0]), "solved completions"],
    ["Accuracy of B", percent(found?.accuracies[1]), "solved completions"],
    ["Change", found ? signed(found.change) : "–", found?.error
      ? `± ${(100 * found.error).toFixed(1)} points (95 %)` : "points"],
    ["Only A solved", number("onlyA"), "half of its completions or more"],
    ["Only B solved", number("onlyB"), "half of its completions or more"],
    ["Both solved", number("both"), `neither: ${number("neither")}`],
    ["Length of A, B", `${length(0)}, ${length(1)}`, lengthUnit],
  ];
}

// The table of tasks, as SUMMARY_COLUMNS.
const follows = (key) => (row) => row[key] > 0 && { outcome: key };
const PAIR_SUMMARY = {
  task: SUMMARY_COLUMNS.task,
  pairs: ["problems", (row) => row.pairs, count, null],
  first: ["accuracy of A", (row) => row.first, percent, null],
  second: ["accuracy of B", (row) => row.second, percent, null],
  change: ["change", (row) => row.change, (change) => changeMark(change), null],
  error: ["±", (row) => row.error, (error) => (100 * error).toFixed(1), null],
  ...Object.fromEntries(Object.entries(SIDE_OUTCOMES).map(([key, [text]]) =>
    [key, [text, (row) => row[key], count, follows(key)]])),
};

function pairSummary(task, pairs) {
  const found = comparedSides(pairs);
  return {
    task, pairs: pairs.length, first: found?.accuracies[0] ?? null,
    second: found?.accuracies[1] ?? null, change: found?.change ?? null, error: found?.error ?? null,
    ...Object.fromEntries(Object.entries(SIDE_OUTCOMES).map(([key, [, test]]) =>
      [key, pairs.filter(test).length])),
  };
}

function sidesText(index, pairs) {
  const [a, b] = index.sides;
  return [element("strong", {}, "A"), ` is ${a}, `, element("strong", {}, "B"), ` is ${b}. `,
    index.matched_by === "recipe" ? `${counted(pairs.length, "problem")} that both have. `
      : "No problem is in both, so other problems of the same task and about the same level "
        + `stand beside each other: ${count(pairs.length)} tasks at a level. `];
}

// Return the rollouts of both sides beside each other; of a common problem the question comes first.
async function rolloutsOfSides(pair) {
  const isOne = view.index.matched_by === "recipe";
  const parts = isOne ? problemOf(await textsOf(pair.sides[0][0])) : [];
  const sides = [];
  for (const [side, groups] of pair.sides.entries()) {
    const shown = [];
    for (const group of groups.slice(0, MOST_BESIDE)) shown.push(...await rolloutsOf(group, !isOne));
    sides.push(element("div", {},
      element("h4", { class: "side" }, `${"AB"[side]}: ${wholePercent(pair.shares[side])} solved`),
      ...shown, groups.length > MOST_BESIDE ? element("p", { class: "soft" },
        `and ${counted(groups.length - MOST_BESIDE, "more group")}`) : null));
  }
  return [...parts, element("div", { class: "two" }, ...sides)];
}
