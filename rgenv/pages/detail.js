// What is chosen: a problem and its rollouts side by side, or those of two sides.

async function showDetail(item) {
  const holder = document.getElementById("detail");
  holder.hidden = item === null;
  if (item === null) return;
  const shown = isTwo() ? await rolloutsOfSides(item) : await rolloutsOf(item);
  if (state.g !== item.id) return; // another one was chosen meanwhile
  const place = list.shown.indexOf(item);
  const move = (way, text) => element("button", { type: "button",
    disabled: place < 0 || !list.shown[place + way], onclick: () => step(way) }, text);
  holder.replaceChildren(element("header", {},
    element("h3", {}, item.task),
    element("p", { class: "soft" }, `${item.category} · level ${levelName(item.level)}`),
    element("p", { class: "controls" }, move(-1, "← previous"), move(1, "next →"),
      element("button", { type: "button", onclick: toggleThinking }, "Thinking"))), ...shown);
}

// Return a group: where it is from, its problem if that is wanted, and a card for each rollout.
async function rolloutsOf(group, hasProblem = true) {
  const texts = await textsOf(group);
  const facts = [group.step === null ? null : `step ${group.step}`, view.index.sources[group.source],
    `${view.index.files[group.file]}:${group.line}`];
  return [
    element("p", { class: "soft" }, facts.filter(Boolean).join(" · ")),
    ...(hasProblem || !texts ? problemOf(texts) : []),
    element("div", { class: "rollouts" }, ...group.rollouts.map((rollout, number) =>
      card(group, rollout, number, texts?.completions[number]))),
  ];
}

function problemOf(texts) {
  if (!texts) {
    return [element("p", {},
      "This file has no texts: set include_messages, or save rollouts with dump_rollouts.")];
  }
  const { prompt, answer, recipe } = texts;
  const reference = answer === null ? "(not saved in this file)"
    : answer === "" ? "(none: the verifier checks any answer)" : answer;
  return [
    ...prompt.slice(0, -1).map(([role, content]) => folded(`${role || "message"} message`, content)),
    element("div", { class: "problem" },
      element("div", {}, element("h4", {}, "Question"),
        element("pre", {}, prompt.at(-1)?.[1] ?? "")),
      element("div", {}, element("h4", {}, "Reference answer"),
        element("pre", { class: "reference" }, reference),
        ...(recipe ? [folded("recipe", recipe, "whole"),
          folded("as a command", makeCommand(recipe), "whole")] : []))),
  ];
}

// Return a text behind its name. A click selects all of one of the class "whole".
const folded = (name, content, kind = null) => element("details", { class: kind },
  element("summary", {}, name), element("pre", {}, content));
const thinking = (content) => folded(`thinking, ${counted(content.length, "character")}`, content,
  "thinking");

function card(group, rollout, number, completion) {
  const name = group.states[number];
  const meaning = rollout.verdict && rollout.verdict !== "scored"
    ? view.index.verdicts[rollout.verdict] : "";
  const why = completion?.violation ? `${meaning} Format: ${completion.violation}.` : meaning;
  const numbers = [
    rollout.reward === null ? null : `reward ${decimal(rollout.reward)}`,
    rollout.score === null ? null : `score ${decimal(rollout.score)}`,
    rollout.verdict, rollout.tokens !== null ? counted(rollout.tokens, "token")
      : counted(rollout.characters, "character"),
    rollout.cut ? "cut at the token limit" : null,
  ];
  return element("section", { class: `card ${name}` },
    element("h4", {}, element("span", { class: `sign ${name}` }, SIGNS[name][0]),
      ` ${rollout.index + 1}: ${SIGNS[name][1]}`),
    element("p", {}, numbers.filter(Boolean).join(" · ")),
    why ? element("p", { class: "why" }, why) : null,
    completion?.failure ? element("pre", {}, completion.failure) : null,
    completion?.reasoning ? thinking(completion.reasoning) : null,
    ...(completion ? partsOf(completion.parts) : []));
}

function partsOf(parts) {
  const shown = [];
  let text = null;
  for (const [kind, content] of parts) {
    if (kind === "thinking") {
      shown.push(thinking(content));
      text = null;
    } else {
      if (text === null) shown.push(text = element("pre", {}));
      text.append(kind === "answer" ? element("mark", {}, content)
        : printable(text.hasChildNodes() ? content : content.trimStart()));
    }
  }
  return shown.length ? shown : [element("p", { class: "soft" }, "The completion is empty.")];
}

function toggleThinking() {
  const all = [...document.querySelectorAll("#detail .thinking")];
  const open = !all.every((one) => one.open);
  for (const one of all) one.open = open;
}

// Return a command line that makes a problem again. Its recipe is foreign text: what is not printable
// ASCII is escaped as in JSON, and so is the quote, so that no shell and no terminal obeys any of it.
function makeCommand(recipe) {
  const plain = recipe.replace(/[^ -&(-~]/g, (sign) =>
    `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `python reasoning_gym_environment.py tasks --recipe '${plain}'`;
}
