// What became of the rollouts that pass the filters: verdicts, why none has an answer, and answers.

const MOST_ANSWERS = 20;
const MAX_SHOWN = 300;
let counting = 0;

// Count if the tables are open; a later call ends the count of an earlier one.
async function showAnswers(groups) {
  const run = ++counting;
  const holder = document.getElementById("answers");
  holder.ontoggle = () => holder.open && showAnswers(groups);
  if (!holder.open) return;
  const body = holder.querySelector("div");
  body.replaceChildren(element("p", { class: "soft" }, "Counting …"));
  const found = await answersIn(groups, () => run !== counting);
  if (found !== null) body.replaceChildren(...answersTables(found));
}

// Return how often each verdict, violation of the format, and answer comes; null if it is stale.
async function answersIn(groups, isStale) {
  const found = { verdicts: new Map(), violations: new Map(), answers: new Map() };
  const add = (counts, key, group, solved = false) => {
    const entry = counts.get(key) ?? { key, times: 0, solved: 0, group };
    entry.times++;
    entry.solved += solved ? 1 : 0;
    counts.set(key, entry);
  };
  const pause = pauses();
  for (const group of groups) {
    for (const member of membersOf(group)) {
      const texts = await textsOf(member);
      member.rollouts.forEach((rollout, number) => {
        const completion = texts?.completions[number];
        add(found.verdicts, rollout.verdict || "unknown", group);
        if (completion?.violation) add(found.violations, completion.violation, group);
        const answer = completion?.parts.find(([kind]) => kind === "answer")?.[1].trim();
        if (answer) add(found.answers, answer, group, member.states[number] === "solved");
      });
    }
    if (isStale()) return null;
    await pause();
  }
  return found;
}

function answersTables({ verdicts, violations, answers }) {
  const meaning = ({ key }) => view.index.verdicts[key] ?? "";
  const solved = (entry) => percent(entry.solved / entry.times);
  return [
    ...countsTable("verdict", verdicts, "meaning", meaning),
    ...countsTable("why there is no answer", violations),
    ...countsTable("answer", answers, "solved", solved),
  ];
}

// Return a table of what comes most often; an example is the first group that has it.
function countsTable(name, counts, further = "", text = () => "") {
  const entries = [...counts.values()].sort((one, other) => other.times - one.times);
  if (!entries.length) return [];
  const all = entries.reduce((sum, entry) => sum + entry.times, 0);
  const short = (key) => key.length <= MAX_SHOWN ? key
    : `${key.slice(0, MAX_SHOWN)} … (${counted(key.length, "character")})`;
  const row = (entry) => element("tr", {},
    element("td", { class: "answer" }, short(entry.key)),
    element("td", { class: "n" }, count(entry.times)),
    element("td", { class: "n" }, percent(entry.times / all)),
    element("td", {}, text(entry)),
    element("td", {}, element("button", { type: "button", onclick: () => choose(entry.group) },
      "Example")));
  const rest = entries.length > MOST_ANSWERS
    ? `The ${MOST_ANSWERS} most frequent of ${count(entries.length)}.` : "";
  return [element("div", { class: "scroll" }, element("table", {},
    element("thead", {}, element("tr", {}, ...[name, "times", "share", further, ""].map(
      (head, number) => element("th", { scope: "col", class: number === 1 || number === 2 ? "n" : null },
        head)))),
    element("tbody", {}, ...entries.slice(0, MOST_ANSWERS).map(row)))),
  element("p", { class: "soft" }, rest)];
}
