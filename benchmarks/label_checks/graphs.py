"""Labels of tasks on graphs and grids, checked by walking them.

    shortest_path(entry)    # True: the answer leads to # over open cells, and no way is shorter

Everything is read from the question.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from typing import Any

Entry = dict[str, Any]
Cell = tuple[int, int]
Grid = list[list[str]]

_STEPS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


def grid_at_end(text: str) -> Grid:
    """The last block of lines that are cells with spaces between them."""
    rows: Grid = []
    for line in reversed(text.rstrip().split("\n")):
        cells = line.split()
        if (
            not cells
            or any(len(cell) > 4 for cell in cells)
            or (rows and len(cells) != len(rows[0]))
        ):
            break
        rows.insert(0, cells)
    return rows


def cells_of(grid: Iterable[Iterable[str]], value: str) -> list[Cell]:
    return [(r, c) for r, row in enumerate(grid) for c, cell in enumerate(row) if cell == value]


def distances(open_cells: set[Cell], starts: Iterable[Cell]) -> dict[Cell, int]:
    """Steps from the nearest start to each open cell that can be reached."""
    found = dict.fromkeys(starts, 0)
    queue = deque(found)
    while queue:
        row, column = queue.popleft()
        for down, right in _STEPS.values():
            cell = row + down, column + right
            if cell in open_cells and cell not in found:
                found[cell] = found[row, column] + 1
                queue.append(cell)
    return found


def shortest_path(entry: Entry) -> bool | None:
    grid = grid_at_end(entry["question"])
    [start], [goal] = cells_of(grid, "*"), cells_of(grid, "#")
    open_cells = {start, goal, *cells_of(grid, "O")}
    far = distances(open_cells, [start])
    if entry["answer"] == "infeasible":
        return goal not in far
    row, column = start
    moves = entry["answer"].split()
    for move in moves:
        row, column = row + _STEPS[move][0], column + _STEPS[move][1]
        if (row, column) not in open_cells:
            return False
    return (row, column) == goal and len(moves) == far[goal]


def course_schedule(entry: Entry) -> bool | None:
    """Takes courses while there is one that nothing open is needed for."""
    pairs = re.findall(r"\((\d+), (\d+)\)", entry["question"])
    needs: dict[str, set[str]] = {}
    for course, before in pairs:
        needs.setdefault(course, set()).add(before)
    while ready := [c for c in needs if not needs[c] & needs.keys()]:
        for course in ready:
            del needs[course]
    return bool(entry["answer"] == str(not needs))


def largest_island(entry: Entry) -> bool | None:
    rows = re.findall(r"^[01](?: [01])*$", entry["question"], re.MULTILINE)
    land = set(cells_of([row.split() for row in rows], "1"))
    sizes = [0]
    while land:
        island = distances(land, [next(iter(land))])
        sizes.append(len(island))
        land -= island.keys()
    return bool(entry["answer"] == str(max(sizes)))


def rotten_oranges(entry: Entry) -> bool | None:
    grid = grid_at_end(entry["question"])
    fresh = set(cells_of(grid, "1"))
    when = distances(fresh, cells_of(grid, "2"))
    minutes = max(when.values(), default=0) if fresh <= when.keys() else -1
    return bool(entry["answer"] == str(minutes))


def binary_matrix(entry: Entry) -> bool | None:
    grid = grid_at_end(entry["question"])
    zeros, ones = cells_of(grid, "0"), set(cells_of(grid, "1"))
    far = distances(ones, zeros)
    rows = [[str(far.get((r, c), -1)) for c in range(len(row))] for r, row in enumerate(grid)]
    return bool(entry["answer"] == "\n".join(map(" ".join, rows)))


def maze(entry: Entry) -> bool | None:
    question = entry["question"]
    start, goal = re.findall(r"'(.)' \((?:start|goal)\)", question)
    wall = re.search(r"'(.)' = Wall", question)
    if wall is None:
        return None
    drawing = question[question.index("```\n") + 4 : question.rindex("\n```\nLegend")]
    grid = drawing.split("\n")
    cells = {(r, c) for r, row in enumerate(grid) for c, cell in enumerate(row) if cell != wall[1]}
    far = distances(cells, cells_of(grid, start))
    [goal_cell] = cells_of(grid, goal)
    return bool(entry["answer"] == str(far.get(goal_cell)))


def path_star(entry: Entry) -> bool | None:
    """The walk back from the goal is the only one there is."""
    edges, ends = entry["question"].split("Solve the following task:\n")[1].split("/")
    pairs = [edge.split() for edge in edges.strip("|").split("|")]
    before = {b: a for a, b in pairs}
    start, goal = ends.replace("=", "").split()
    path = [goal]
    while path[-1] in before and len(path) <= len(pairs):
        path.append(before[path[-1]])
    return (
        len(before) == len(pairs) and path[-1] == start and (entry["answer"].split() == path[::-1])
    )


def graph_color(entry: Entry) -> bool | None:
    """Its entries have no answer; the possible one is in the metadata."""
    colors = {str(k): v for k, v in entry["metadata"]["possible_answer"].items()}
    text = entry["question"].split("Edges: ")[1].split("\n")[0]
    edges = re.findall(r"\((\d+), (\d+)\)", text)
    allowed = re.findall(r"\d+", entry["question"].split("Possible colors: ")[1].split("\n")[0])
    return all(colors[a] != colors[b] for a, b in edges) and (
        {str(color) for color in colors.values()} <= set(allowed)
    )


def rectangle_count(entry: Entry) -> bool | None:
    """Takes outlines away until nothing is left; None where one can end up with two counts."""
    rows = entry["question"].split("grid below?\n")[1].split("\n")
    ink = {cell: 1 for cell in cells_of(rows, "#")} | {cell: 2 for cell in cells_of(rows, "█")}
    counts: set[int] = set()
    try:
        _take_away(ink, 0, counts, [2_000])
    except OverflowError:
        return None
    return len(counts) == 1 and entry["answer"] == str(min(counts)) if len(counts) < 2 else None


def _take_away(ink: dict[Cell, int], taken: int, counts: set[int], patience: list[int]) -> None:
    """Adds the number of outlines of every way to draw `ink`; its first cell is a corner."""
    patience[0] -= 1
    if patience[0] < 0 or len(counts) > 1:
        raise OverflowError
    if not ink:
        counts.add(taken)
        return
    top, left = min(ink)
    for right in _run(ink, (top, left), (0, 1)):
        for bottom in _run(ink, (top, left), (1, 0)):
            edge = {(r, c) for r in (top, bottom) for c in range(left, right + 1)}
            edge |= {(r, c) for r in range(top, bottom + 1) for c in (left, right)}
            if edge <= ink.keys():
                rest = {cell: n - (cell in edge) for cell, n in ink.items() if n > (cell in edge)}
                _take_away(rest, taken + 1, counts, patience)


def _run(ink: dict[Cell, int], start: Cell, step: Cell) -> list[int]:
    """Ends of a side of at least three cells from `start`, as rows or columns."""
    length = 0
    while (start[0] + step[0] * length, start[1] + step[1] * length) in ink:
        length += 1
    return [start[step == (0, 1)] + n for n in range(2, length)]
