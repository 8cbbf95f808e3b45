// The list of groups, or of problems that two sides have: only the rows in sight are in the document.

// Each column: what it is sorted by (SORTS in filters.js), its head, its content, its width, and its
// class. There is no room for one of the class "spare" in a narrow window, or beside a group.
const COLUMNS = [
  ["number", "#", (group) => placeOf(group), "3rem", "n"],
  ["task", "task", (group) => group.task, "minmax(5rem, 1fr)", "task"],
  ["level", "level", (group) => levelName(group.level), "4.5rem", "n level spare"],
  ["rollouts", "rollouts", (group) => strip(group.states), "minmax(3rem, 1.2fr)", ""],
  ["reward", "reward", (group) => decimal(group.reward), "3.4rem", "n"],
  ["solved", "solved", (group) => wholePercent(group.solved), "3.4rem", "n"],
  ["length", "length", (group) => wholeOr(group.length), "5.5rem", "n length spare"],
  ["informative", "rewards", (group) => LESSONS[group.lesson][0], "6rem", "informative spare"],
];
const SPARE_ROWS = 8;
const MOST_SIGNS = 32;

const list = { shown: [], row: 28, holder: null, rows: null, space: null };
const columns = () => isTwo() ? PAIR_COLUMNS : COLUMNS;
const wholeOr = (number) => number === null ? "–" : count(number);
const wholePercent = (share) => share === null ? "–" : `${Math.round(100 * share)} %`;

function buildList(groups) {
  list.holder = document.getElementById("list");
  const hasSteps = groups.some((group) => group.step !== null);
  const heads = columns().map(([key, text, , , kind]) => element("div",
    { class: kind, role: "columnheader" }, key in SORTS ? element("button",
      { type: "button", class: "plain", "data-sort": key, onclick: () => setState(
        state.sort === key ? { down: state.down ? "" : "1" } : { sort: key, down: "" }) },
      key === "number" && hasSteps ? "step" : key === "length" ? lengthUnit : text) : text));
  const widths = (shown) => shown.map(([, , , width]) => width).join(" ");
  list.holder.style.setProperty("--all", widths(columns()));
  list.holder.style.setProperty("--few", widths(columns().filter((one) => !one[4].includes("spare"))));
  list.rows = element("div", { class: "rows", role: "presentation" });
  list.space = element("div", { class: "space", role: "presentation", tabindex: 0,
    "aria-label": "Groups, arrow keys choose one" }, list.rows);
  list.holder.append(element("div", { class: "row head", role: "row" }, ...heads), list.space);
  list.holder.classList.toggle("singles", onlySingles(groups));
  list.holder.hidden = false;
  list.holder.addEventListener("scroll", () => requestAnimationFrame(drawRows));
  addEventListener("resize", drawRows);
  const legend = document.getElementById("legend");
  legend.append(element("span", {}, "Each sign is a rollout:"),
    ...Object.entries(SIGNS).map(([name, [sign, text]]) => element("span", {},
      element("span", { class: `sign ${name}` }, sign), ` ${text}`)),
    element("span", {}, "Keys: j and k, or ↓ and ↑ in the list, choose a group; / searches; "
      + "t shows the thinking."));
  legend.hidden = false;
}

function showList(groups) {
  list.shown = groups;
  list.holder.setAttribute("aria-rowcount", groups.length + 1);
  for (const button of list.holder.querySelectorAll("[data-sort]")) {
    button.parentNode.setAttribute("aria-sort", button.dataset.sort !== state.sort ? "none"
      : state.down ? "descending" : "ascending");
  }
  drawRows();
}

function drawRows() {
  list.row = list.rows.firstElementChild?.offsetHeight || list.row;
  list.space.style.height = `${list.shown.length * list.row}px`;
  const top = list.holder.scrollTop;
  const first = Math.max(0, Math.floor(top / list.row) - SPARE_ROWS);
  const last = Math.ceil((top + list.holder.clientHeight) / list.row) + SPARE_ROWS;
  list.rows.style.transform = `translateY(${first * list.row}px)`;
  list.rows.replaceChildren(...list.shown.slice(first, last).map((group, offset) =>
    rowOf(group, first + offset)));
}

function rowOf(group, place) {
  const chosen = group.id === state.g;
  return element("div", { class: chosen ? "row chosen" : "row", role: "row", "data-id": group.id,
    "aria-rowindex": place + 2, "aria-selected": String(chosen),
    onclick: () => choose(group) },
  ...columns().map(([, , content, , kind]) =>
    element("div", { class: kind, role: "gridcell" }, ...[content(group)].flat())));
}

function strip(states) {
  const shown = states.slice(0, MOST_SIGNS).map((name) =>
    element("span", { class: `sign ${name}`, title: SIGNS[name][1] }, SIGNS[name][0]));
  return states.length > MOST_SIGNS ? [...shown, ` +${states.length - MOST_SIGNS}`] : shown;
}

// Scroll the list so that a group is in sight.
function reveal(group) {
  const place = list.shown.indexOf(group);
  if (place < 0) return;
  const [top, bottom] = [place * list.row, (place + 1) * list.row];
  const room = list.holder.clientHeight - list.holder.firstElementChild.offsetHeight;
  if (top < list.holder.scrollTop) list.holder.scrollTop = top;
  else if (bottom > list.holder.scrollTop + room) list.holder.scrollTop = bottom - room;
}
