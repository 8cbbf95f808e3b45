// The chosen group: its problem, and its rollouts side by side.

async function showDetail(group) {
  const holder = document.getElementById("detail");
  holder.hidden = group === null;
  if (group === null) return;
  const texts = await textsOf(group);
  if (state.g !== group.id) return; // another one was chosen meanwhile
  const place = list.shown.indexOf(group);
  const file = `${view.index.files[group.file]}:${group.line}`;
  const facts = [group.category, `level ${levelName(group.level)}`,
    group.step === null ? null : `step ${group.step}`, view.index.sources[group.source], file];
  const move = (way, text) => element("button", { type: "button",
    disabled: place < 0 || !list.shown[place + way], onclick: () => step(way) }, text);
  holder.replaceChildren(
    element("header", {},
      element("h3", {}, group.task),
      element("p", { class: "soft" }, facts.filter(Boolean).join(" · ")),
      element("p", { class: "controls" }, move(-1, "← previous"), move(1, "next →"),
        copier("Copy link", () => location.href),
        texts?.recipe ? copier("Copy recipe", () => texts.recipe) : null,
        texts?.recipe ? copier("Copy Python that makes it again", () => pythonOf(texts)) : null,
        texts?.recipe
          ? copier("Copy command that shows it", () => makeCommand(texts.recipe)) : null,
        element("button", { type: "button", onclick: toggleThinking }, "Thinking"))),
    ...(texts ? problemOf(texts) : [element("p", {},
      "This file has no texts: set include_messages, or save rollouts with dump_rollouts.")]),
    element("div", { class: "rollouts" }, ...group.rollouts.map((rollout, number) =>
      card(group, rollout, number, texts?.completions[number], texts?.recipe))),
  );
}

function problemOf(texts) {
  const question = texts.prompt.at(-1);
  const before = texts.prompt.slice(0, -1);
  const reference = texts.answer === null ? "(not saved in this file)"
    : texts.answer === "" ? "(none: the verifier checks any answer)" : texts.answer;
  return [
    ...before.map(([role, content]) => element("details", {},
      element("summary", {}, `${role || "message"} message`), element("pre", {}, content))),
    element("div", { class: "problem" },
      element("div", {}, element("h4", {}, "Question"), element("pre", {}, question?.[1] ?? "")),
      element("div", {}, element("h4", {}, "Reference answer"),
        element("pre", { class: "reference" }, reference),
        texts.recipe ? element("details", {}, element("summary", {}, "Recipe"),
          element("pre", {}, texts.recipe)) : null)),
  ];
}

function card(group, rollout, number, completion, recipe) {
  const name = group.states[number];
  const meaning = rollout.verdict && rollout.verdict !== "scored"
    ? view.index.verdicts[rollout.verdict] : null;
  const answer = completion ? answerOf(completion.parts) : null;
  const why = completion?.violation ? `${meaning ?? ""} Format: ${completion.violation}.` : meaning;
  const length = rollout.tokens !== null ? `${count(rollout.tokens)} tokens`
    : `${count(rollout.characters)} characters`;
  const numbers = [
    rollout.reward === null ? null : `reward ${decimal(rollout.reward)}`,
    rollout.score === null ? null : `score ${decimal(rollout.score)}`,
    rollout.verdict || null, length, rollout.cut ? "cut at the token limit" : null,
  ];
  return element("section", { class: `card ${name}` },
    element("h4", {}, element("span", { class: `sign ${name}`, title: SIGNS[name][1] },
      SIGNS[name][0]), ` ${rollout.index + 1}: ${SIGNS[name][1]}`),
    element("p", {}, numbers.filter(Boolean).join(" · ")),
    why ? element("p", { class: "why" }, why.trim()) : null,
    completion?.failure ? element("pre", {}, completion.failure) : null,
    completion?.reasoning ? thinking(completion.reasoning) : null,
    ...(completion ? partsOf(completion.parts) : []),
    answer !== null && recipe
      ? copier("Copy command that scores it again", () => scoreCommand(recipe, answer)) : null);
}

// Return the answer of a completion; null if it has none, or if a part of it is not in the page.
function answerOf(parts) {
  const pieces = parts.filter(([kind]) => kind === "answer").map(([, content]) => content);
  return pieces.length === 0 || pieces.some((one) => one.includes("characters are not in this page"))
    ? null : pieces.join("");
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
      text.append(kind === "answer" ? element("mark", {}, content) : printable(content));
    }
  }
  return shown.length ? shown : [element("p", { class: "soft" }, "The completion is empty.")];
}

function thinking(content) {
  return element("details", { class: "thinking" },
    element("summary", {}, `thinking, ${count(content.length)} characters`),
    element("pre", {}, content));
}

function toggleThinking() {
  const all = [...document.querySelectorAll("#detail .thinking")];
  const open = !all.every((one) => one.open);
  for (const one of all) one.open = open;
}

function copier(label, content) {
  const button = element("button", { type: "button", onclick: async () => {
    const done = await copied(content());
    button.textContent = done ? "Copied" : "Select the text below";
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", { readonly: true, class: "copy" });
    area.value = text;
    document.getElementById("detail").append(area);
    area.select();
    const done = document.execCommand("copy");
    if (done) area.remove();
    return done;
  }
}

// Return a program that makes the problem again. JSON text is a Python literal, whatever is in it.
function pythonOf(texts) {
  return ["import json", "", "from rgenv import ReasoningGym", "",
    `recipe = json.loads(${JSON.stringify(texts.recipe)})`,
    'with ReasoningGym(tasks=[recipe["task"]]) as gym:',
    "    problem = gym.make(**recipe)",
    '    print(problem.question, problem.answer, sep="\\n\\n")', ""].join("\n");
}

// Return a command line that makes a problem again. Its recipe is foreign text: what is not printable
// ASCII is escaped as in JSON, and so is the quote, so that no shell and no terminal obeys any of it.
function makeCommand(recipe) {
  const plain = recipe.replace(/[^ -&(-~]/g, (sign) =>
    `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `python reasoning_gym_environment.py tasks --recipe '${plain}'`;
}

// Return a command line that scores an answer again: printf writes the bytes that a shell can't hold.
function scoreCommand(recipe, answer) {
  const bytes = [...new TextEncoder().encode(`<answer>${answer}</answer>`)];
  const plain = bytes.map((byte) => byte === 10 ? "\\n"
    : byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c ? String.fromCharCode(byte)
    : `\\0${byte.toString(8).padStart(3, "0")}`);
  return `printf %b '${plain.join("")}' | ${makeCommand(recipe)} --answer -`;
}
