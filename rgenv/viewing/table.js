// The list of groups: only the rows that are in sight are in the document; all are, for printing.

const COLUMNS = [
  ["number", (group) => group.step ?? group.number + 1, "n"],
  ["task", (group) => group.task, "task"],
  ["level", (group) => levelName(group.level), "n level"],
  ["rollouts", null, "strip"],
  ["reward", (group) => decimal(group.reward), "n"],
  ["solved", (group) => group.solved === null ? "–" : `${Math.round(100 * group.solved)} %`, "n"],
  ["length", (group) => group.length === null ? "–" : count(group.length), "n length"],
  ["informative", (group) => LESSONS[group.lesson][0], "informative"],
];
const HEADS = {
  number: "#", rollouts: "rollouts", reward: "reward", solved: "solved", informative: "rewards",
};
const SPARE_ROWS = 8;

const list = { shown: [], row: 28, holder: null, rows: null, space: null, isPrinted: false };

function buildList(groups) {
  list.holder = document.getElementById("list");
  const hasSteps = groups.some((group) => group.step !== null);
  const heads = COLUMNS.map(([key, , kind]) => {
    const text = key === "number" && hasSteps ? "step"
      : key === "length" ? groups[0].lengthUnit : HEADS[key] ?? key;
    const cell = element("div", { class: kind, role: "columnheader" });
    cell.append(key in SORTS ? element("button", { type: "button", class: "plain", "data-sort": key,
      onclick: () => setState(state.sort === key ? { down: state.down ? "" : "1" }
        : { sort: key, down: "" }) }, text) : text);
    return cell;
  });
  list.rows = element("div", { class: "rows", role: "presentation" });
  list.space = element("div", { class: "space", role: "presentation", tabindex: 0,
    "aria-label": "Groups, arrow keys choose one" }, list.rows);
  list.holder.append(element("div", { class: "row head", role: "row" }, ...heads), list.space);
  list.holder.classList.toggle("singles", onlySingles(groups));
  list.holder.hidden = false;
  list.holder.addEventListener("scroll", () => requestAnimationFrame(drawRows));
  addEventListener("resize", drawRows);
  for (const [name, isPrinted] of [["beforeprint", true], ["afterprint", false]]) {
    addEventListener(name, () => {
      list.isPrinted = isPrinted;
      drawRows();
    });
  }
  document.getElementById("legend").append(
    element("span", {}, "Each sign is a rollout:"),
    ...Object.entries(SIGNS).map(([name, [sign, text]]) => element("span", {},
      element("span", { class: `sign ${name}` }, sign), ` ${text}`)),
    element("span", {}, "Keys: j and k, or ↓ and ↑ in the list, choose a group; / searches; "
      + "t shows the thinking."));
  document.getElementById("legend").hidden = false;
}

function showList(groups) {
  list.shown = groups;
  list.holder.setAttribute("aria-rowcount", groups.length + 1);
  for (const button of list.holder.querySelectorAll("[data-sort]")) {
    const sorts = button.dataset.sort === state.sort;
    button.parentNode.setAttribute("aria-sort",
      sorts ? (state.down ? "descending" : "ascending") : "none");
  }
  drawRows();
}

function drawRows() {
  const probe = list.rows.firstElementChild;
  list.row = (probe && probe.offsetHeight) || list.row;
  list.space.style.height = `${list.shown.length * list.row}px`;
  const top = list.holder.scrollTop;
  const first = list.isPrinted ? 0 : Math.max(0, Math.floor(top / list.row) - SPARE_ROWS);
  const last = list.isPrinted ? list.shown.length : Math.min(list.shown.length,
    Math.ceil((top + list.holder.clientHeight) / list.row) + SPARE_ROWS);
  list.rows.style.transform = `translateY(${first * list.row}px)`;
  list.rows.replaceChildren(...list.shown.slice(first, last).map((group, offset) =>
    rowOf(group, first + offset)));
}

function rowOf(group, place) {
  const chosen = group.id === state.g;
  return element("div", { class: chosen ? "row chosen" : "row", role: "row", "data-id": group.id,
    "aria-rowindex": place + 2, "aria-selected": String(chosen),
    onclick: () => choose(group) },
  ...COLUMNS.map(([, text, kind]) => element("div", { class: kind, role: "gridcell" },
    ...(text ? [text(group)] : strip(group)))));
}

function strip(group) {
  const shown = group.states.slice(0, 32).map((name) =>
    element("span", { class: `sign ${name}`, title: SIGNS[name][1] }, SIGNS[name][0]));
  return group.states.length > 32 ? [...shown, ` +${group.states.length - 32}`] : shown;
}

// Scroll the list so that a group is in sight.
function reveal(group) {
  const place = list.shown.indexOf(group);
  if (place < 0) return;
  const head = list.holder.firstElementChild.offsetHeight;
  const [top, bottom] = [place * list.row, (place + 1) * list.row];
  const room = list.holder.clientHeight - head;
  if (top < list.holder.scrollTop) list.holder.scrollTop = top;
  else if (bottom > list.holder.scrollTop + room) list.holder.scrollTop = bottom - room;
}
