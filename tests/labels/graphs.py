"""Checks of tasks on graphs and grids, by walking them."""

import re

from tests.labels.shared import STEPS, Cell, Entry, Verdict, cells_of, distances, find, grid_at_end


def shortest_path(entry: Entry) -> Verdict:
    """Walk the path, and compare its length with that of a breadth-first search."""
    grid = grid_at_end(entry["question"])
    [start], [goal] = cells_of(grid, "*"), cells_of(grid, "#")
    open_cells = {start, goal, *cells_of(grid, "O")}
    far = distances(open_cells, [start])
    if entry["answer"] == "infeasible":
        return goal not in far
    row, column = start
    moves = entry["answer"].split()
    for move in moves:
        row, column = row + STEPS[move][0], column + STEPS[move][1]
        if (row, column) not in open_cells:
            return False
    return (row, column) == goal and len(moves) == far[goal]


def course_schedule(entry: Entry) -> Verdict:
    """Take courses without open prerequisites until there are none."""
    needs: dict[str, set[str]] = {}
    for course, before in re.findall(r"\((\d+), (\d+)\)", entry["question"]):
        needs.setdefault(course, set()).add(before)
    while ready := [c for c in needs if not needs[c] & needs.keys()]:
        for course in ready:
            del needs[course]
    return entry["answer"] == str(not needs)


def largest_island(entry: Entry) -> Verdict:
    """Flood one island after the other."""
    rows = re.findall(r"^[01](?: [01])*$", entry["question"], re.MULTILINE)
    land = set(cells_of([row.split() for row in rows], "1"))
    sizes = [0]
    while land:
        island = distances(land, [next(iter(land))])
        sizes.append(len(island))
        land -= island.keys()
    return entry["answer"] == str(max(sizes))


def rotten_oranges(entry: Entry) -> Verdict:
    """Find the fresh orange that is farthest from all rotten ones."""
    grid = grid_at_end(entry["question"])
    fresh = set(cells_of(grid, "1"))
    when = distances(fresh, cells_of(grid, "2"))
    minutes = max(when.values(), default=0) if fresh <= when.keys() else -1
    return entry["answer"] == str(minutes)


def binary_matrix(entry: Entry) -> Verdict:
    """Measure the distance of each 1 from the nearest 0."""
    grid = grid_at_end(entry["question"])
    far = distances(set(cells_of(grid, "1")), cells_of(grid, "0"))
    rows = [[str(far.get((r, c), -1)) for c in range(len(row))] for r, row in enumerate(grid)]
    return entry["answer"] == "\n".join(map(" ".join, rows))


def maze(entry: Entry) -> Verdict:
    """Measure the distance from start to goal."""
    question = entry["question"]
    start, goal = re.findall(r"'(.)' \((?:start|goal)\)", question)
    wall = find(r"'(.)' = Wall", question)[1]
    drawing = question[question.index("```\n") + 4 : question.rindex("\n```\nLegend")]
    grid = drawing.split("\n")
    cells = {(r, c) for r, row in enumerate(grid) for c, cell in enumerate(row) if cell != wall}
    far = distances(cells, cells_of(grid, start))
    [goal_cell] = cells_of(grid, goal)
    return entry["answer"] == str(far.get(goal_cell))


def path_star(entry: Entry) -> Verdict:
    """Follow the edges back from the end of an arm; each node must have one predecessor only."""
    edges, ends = entry["question"].split("Solve the following task:\n")[1].split("/")
    pairs = [edge.split() for edge in edges.strip("|").split("|")]
    before = {b: a for a, b in pairs}
    start, goal = ends.replace("=", "").split()
    path = [goal if goal in before else start]
    while path[-1] in before and len(path) <= len(pairs):
        path.append(before[path[-1]])
    if goal in before:
        path.reverse()
    return (
        len(before) == len(pairs) and [start, *path[1:-1], goal] == entry["answer"].split() == path
    )


def graph_color(entry: Entry) -> Verdict:
    """Check the colours in the metadata; the entries have no reference answer."""
    colors = {str(k): str(v) for k, v in entry["metadata"]["possible_answer"].items()}
    edges = re.findall(r"\((\d+), (\d+)\)", entry["question"].split("Edges: ")[1].split("\n")[0])
    allowed = re.findall(r"\d+", entry["question"].split("Possible colors: ")[1].split("\n")[0])
    return all(colors[a] != colors[b] for a, b in edges) and set(colors.values()) <= set(allowed)


def rectangle_count(entry: Entry) -> Verdict:
    """Remove rectangles until nothing is left; None if the count is ambiguous."""
    rows = entry["question"].split("grid below?\n")[1].split("\n")
    ink = {cell: 1 for cell in cells_of(rows, "#")} | {cell: 2 for cell in cells_of(rows, "█")}
    try:
        counts = _RectangleSearch(2_000).counts(ink)
    except OverflowError:
        return None
    return {str(count) for count in counts} == {entry["answer"]} if len(counts) < 2 else None


class _RectangleSearch:
    """Search for all ways to draw a picture with outlines of rectangles.

    Args:
        patience: pictures to look at before the search gives up.
    """

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._counts: set[int] = set()

    def counts(self, ink: dict[Cell, int]) -> set[int]:
        """Return the number of rectangles of every way to draw `ink`.

        Args:
            ink: how many outlines pass through each cell.

        Raises:
            OverflowError: there is more than one number, or the search is too long.
        """
        self._remove(ink, 0)
        return self._counts

    def _remove(self, ink: dict[Cell, int], removed: int) -> None:
        self._patience -= 1
        if self._patience < 0 or len(self._counts) > 1:
            raise OverflowError
        if not ink:
            self._counts.add(removed)
            return
        top, left = min(ink)  # a corner of some rectangle
        for right in _ends(ink, (top, left), (0, 1)):
            for bottom in _ends(ink, (top, left), (1, 0)):
                outline = {(r, c) for r in (top, bottom) for c in range(left, right + 1)}
                outline |= {(r, c) for r in range(top, bottom + 1) for c in (left, right)}
                if outline <= ink.keys():
                    rest = {cell: n - (cell in outline) for cell, n in ink.items()}
                    self._remove({cell: n for cell, n in rest.items() if n}, removed + 1)


def _ends(ink: dict[Cell, int], start: Cell, step: Cell) -> list[int]:
    """Return the rows or columns where a side of at least three cells from `start` may end."""
    length = 0
    while (start[0] + step[0] * length, start[1] + step[1] * length) in ink:
        length += 1
    return [start[step == (0, 1)] + n for n in range(2, length)]
