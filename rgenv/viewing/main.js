// Start: unpack the index, build the page, and follow the state in the address.

const KINDS = {
  rollouts: "of training", groups: "written by process", samples: "problems of evaluations",
};
const view = { index: null, groups: [], byId: new Map(), search: 0 };

async function start() {
  view.index = JSON.parse(await unpacked(document.getElementById("index")));
  view.groups = readGroups(view.index);
  for (const group of view.groups) view.byId.set(group.id, group);
  setDefaultSource(view.groups);
  readAddress();
  showAbout();
  if (view.groups.length) {
    buildFilters(view.index, view.groups);
    buildList(view.groups);
    document.getElementById("by-task").hidden = false;
  } else {
    document.getElementById("groups").hidden = true;
  }
  buildCurves(view.index.runs);
  await refresh();
  revealChosen();
  addEventListener("hashchange", async () => {
    readAddress();
    await refresh();
    revealChosen();
  });
  addEventListener("keydown", onKey);
  document.documentElement.dataset.ready = "yes";
}

function showAbout() {
  const { index } = view;
  const when = new Date(1000 * index.written).toISOString().replace("T", " ").slice(0, 16);
  const parts = [`${count(index.total)} groups${partsOfTotal(view.groups)}`, `written ${when} UTC`];
  const about = document.getElementById("about");
  about.textContent = `${parts.join(", ")}. `;
  if (view.groups.length < index.total) {
    about.append(element("strong", {}, `A sample: about one group in ${count(index.one_in)}, `
      + `${count(view.groups.length)} in all, chosen by a hash of its id. `),
    "The curves are those of the whole run. With --most the page takes more groups. ");
  }
  if (index.notes.length) {
    about.append(element("details", {}, element("summary", {}, "What is left out"),
      ...index.notes.map((note) => element("p", {}, note))));
  }
}

// Say of what kinds groups are, if they are of several.
function partsOfTotal(groups) {
  const kinds = Object.entries(KINDS).map(([kind, text]) =>
    [text, groups.filter((group) => group.kind === kind).length]).filter(([, number]) => number);
  return kinds.length < 2 ? ""
    : `: ${kinds.map(([text, number]) => `${count(number)} ${text}`).join(", ")}`;
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
  if (!view.groups.length) return;
  showFilters();
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
  showFigures(found);
  showSummary(state.task && !text ? view.groups.filter(passes("task")) : found);
  showTaskChart(found);
  followAnswers(found);
  showList(found);
  await showDetail(view.byId.get(state.g) ?? null);
}

function showCount(found, before) {
  const all = view.groups.length;
  document.getElementById("count").textContent = before + (found.length === all
    ? `${count(all)} groups. Choose one to see its rollouts.`
    : `${count(found.length)} of ${count(all)} groups pass the filters.`);
}

function showFigures(groups) {
  const given = groups.length === view.groups.length ? "" : "that pass the filters";
  document.getElementById("figures").replaceChildren(
    ...[["Groups", count(groups.length), given], ...figuresOf(groups)].filter(
      ([, text]) => text !== "–").map(([name, text, small]) =>
      element("div", { class: "figure" }, element("dt", {}, name),
        element("dd", {}, text, small ? element("small", {}, small) : null))));
}

function revealChosen() {
  const chosen = view.byId.get(state.g);
  if (chosen) reveal(chosen);
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
