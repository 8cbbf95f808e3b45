// Start: unpack the index, build the page, and follow the state in the address.

const view = { index: null, groups: [], byId: new Map(), search: 0, run: "" };

async function start() {
  const index = view.index = JSON.parse(await unpacked(document.getElementById("index")));
  if (index.rollouts.tokens.includes(null)) lengthUnit = "characters";
  view.groups = readItems(index);
  for (const group of view.groups) view.byId.set(group.id, group);
  setDefaultSource(view.groups);
  showAbout(index);
  if (view.groups.length) {
    buildFilters(view.groups);
    buildList(view.groups);
  } else {
    document.getElementById("groups").hidden = true;
  }
  view.shownRun = buildCurves(isTwo() ? [] : index.runs);
  const follow = async () => {
    readAddress();
    await refresh();
    if (view.byId.has(state.g)) reveal(view.byId.get(state.g));
  };
  await follow();
  addEventListener("hashchange", follow);
  addEventListener("keydown", onKey);
  document.documentElement.dataset.ready = "yes";
}

function showAbout(index) {
  const when = new Date(1000 * index.written).toISOString().replace("T", " ").slice(0, 16);
  document.getElementById("about").replaceChildren(
    ...(isTwo() ? sidesText(index, view.groups) : [`${counted(index.total, "group")}. `]),
    `Written ${when} UTC. `,
    ...(index.one_in > 1 ? [element("strong", {}, `A sample: about one group in ${index.one_in}, `
      + "chosen by a hash of its problem. "), "With --most the page takes more groups. "] : []),
    ...(index.notes.length ? [element("details", {}, element("summary", {}, "What is left out"),
      ...index.notes.map((note) => element("p", {}, note)))] : []));
  if (isTwo()) document.getElementById("groups-title").textContent = "Side by side";
}

// Change the state, and show what follows from it.
function setState(changes) {
  Object.assign(state, changes);
  writeAddress();
  if (list.holder) list.holder.scrollTop = 0;
  refresh();
}

async function refresh() {
  const number = ++view.search;
  if (!view.groups.length) return showSummary([], []);
  showFilters();
  showEvaluation();
  const text = state.text.trim();
  let found = sorted(view.groups.filter(passes()));
  if (text) {
    const isStale = () => number !== view.search;
    const onProgress = (share, some) => {
      showCount(some, `Searching, ${percent(share)}: `);
      showList(some);
    };
    found = await containing(found, text, onProgress, isStale);
    if (found === null) return;
  }
  showCount(found, "");
  document.getElementById("figures").replaceChildren(
    ...(isTwo() ? pairFigures : figuresOf)(found)
      .filter(([, shown]) => shown !== "–").map(figure));
  showSummary(state.task && !text ? view.groups.filter(passes("task")) : found,
    view.groups.filter(passes("task", "step")));
  showAnswers(found);
  showList(found);
  await showDetail(view.byId.get(state.g) ?? null);
}

function showCount(found, before) {
  const all = view.groups.length;
  const s = all === 1 ? "" : "s";
  const name = view.index.matched_by === "recipe" ? `problem${s}`
    : view.index.matched_by ? `task${s} at a level` : `group${s}`;
  document.getElementById("count").textContent = before + (found.length === all
    ? `${count(all)} ${name}. Choose one to see its rollouts.`
    : `${count(found.length)} of ${count(all)} ${name} pass the filters.`);
}

function figure([name, text, small]) {
  return element("div", { class: "figure" }, element("dt", {}, name),
    element("dd", {}, text, small ? element("small", {}, small) : null));
}

function choose(group) {
  state.g = group.id;
  writeAddress();
  drawRows();
  reveal(group);
  return showDetail(group).then(() => {
    // In a narrow window the group is below the list, and a click would seem to do nothing.
    if (!matchMedia("(min-width: 60rem)").matches) document.getElementById("detail").scrollIntoView();
  });
}

// Choose the next group of the list, or with -1 the one before.
function step(way) {
  const place = list.shown.findIndex((group) => group.id === state.g);
  const next = list.shown[place < 0 ? (way > 0 ? 0 : list.shown.length - 1) : place + way];
  if (next) choose(next);
}

function onKey(event) {
  const target = event.target;
  const writes = target.matches?.("input, select, textarea");
  if (event.key === "Escape" && writes) target.blur();
  if (writes || event.ctrlKey || event.metaKey || event.altKey || !view.groups.length) return;
  const inList = list.holder.contains(target);
  const way = { j: 1, k: -1, ...(inList ? { ArrowDown: 1, ArrowUp: -1 } : {}) }[event.key];
  if (way) step(way);
  else if (event.key === "/") document.querySelector("#filters [name=text]").focus();
  else if (event.key === "t") toggleThinking();
  else return;
  event.preventDefault();
}

start().catch((error) => {
  document.getElementById("about").textContent =
    `This page can't be shown: ${error.message}. It needs a browser of 2023 or later.`;
  throw error;
});
