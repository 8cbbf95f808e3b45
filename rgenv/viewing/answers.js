// The answers that come up most often in the groups that pass the filters.

const MOST_ANSWERS = 20;
const MAX_DISTINCT = 50_000;
const MAX_SHOWN = 300;
const answersView = { groups: [], run: 0, holder: null };

// Count again if the table is open; else when it is opened.
function followAnswers(groups) {
  answersView.groups = groups;
  answersView.run++;
  answersView.holder ??= document.getElementById("answers");
  if (!answersView.holder.ontoggle) answersView.holder.ontoggle = countAnswers;
  if (answersView.holder.open) countAnswers();
}

async function countAnswers() {
  const body = answersView.holder.querySelector("div");
  if (!answersView.holder.open) return;
  const run = ++answersView.run;
  body.replaceChildren(element("p", { class: "soft" }, "Counting …"));
  const found = await answersIn(answersView.groups, () => run !== answersView.run);
  if (found !== null) body.replaceChildren(...answersTable(found));
}

// Return answer -> {times, solved, group}, and how many rollouts there are; null if it is stale.
async function answersIn(groups, isStale) {
  const found = new Map();
  let rollouts = 0, answered = 0, began = performance.now();
  for (const group of groups) {
    const texts = await textsOf(group);
    if (isStale()) return null;
    rollouts += group.rollouts.length;
    group.rollouts.forEach((rollout, number) => {
      const part = texts?.completions[number]?.parts.find(([kind]) => kind === "answer");
      const answer = part?.[1].trim();
      if (!answer) return;
      answered++;
      if (!found.has(answer) && found.size >= MAX_DISTINCT) return;
      const entry = found.get(answer) ?? { answer, times: 0, solved: 0, group };
      entry.times++;
      entry.solved += group.states[number] === "solved" ? 1 : 0;
      found.set(answer, entry);
    });
    if (performance.now() - began > 40) {
      await new Promise((resolve) => setTimeout(resolve));
      began = performance.now();
    }
  }
  return { entries: [...found.values()], rollouts, answered };
}

function answersTable({ entries, rollouts, answered }) {
  entries.sort((one, other) => other.times - one.times);
  const distinct = entries.length < MAX_DISTINCT ? count(entries.length)
    : `at least ${count(MAX_DISTINCT)}`;
  const row = ({ answer, times, solved, group }) => element("tr", {},
    element("td", { class: "answer" }, shortAnswer(answer)),
    element("td", { class: "n" }, count(times)),
    element("td", { class: "n" }, percent(times / answered)),
    element("td", { class: "n" }, percent(solved / times)),
    element("td", {}, element("button", { type: "button", onclick: () => choose(group) },
      "Example")));
  const heads = ["answer", "times", "of all answers", "solved", ""];
  return [
    element("p", { class: "soft" }, `${count(rollouts)} rollouts have ${count(answered)} answers, `
      + `${distinct} of them different.`),
    element("div", { class: "scroll" }, element("table", {},
      element("thead", {}, element("tr", {}, ...heads.map((text, number) =>
        element("th", { scope: "col", class: number % 4 ? "n" : null }, text)))),
      element("tbody", {}, ...entries.slice(0, MOST_ANSWERS).map(row)))),
  ];
}

function shortAnswer(answer) {
  return answer.length <= MAX_SHOWN ? answer
    : `${answer.slice(0, MAX_SHOWN)} … (${count(answer.length)} characters)`;
}
