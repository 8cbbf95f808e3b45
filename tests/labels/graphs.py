"""Checks of tasks on graphs and grids, by walking them."""

import re
from typing import Any

from tests.labels.shared import STEPS, Cell, Verdict, cells_of, distances, find, grid_at_end


def shortest_path(question: str, answer: str) -> Verdict:
    """Walk the path, and compare its length with that of a breadth-first search."""
    grid = grid_at_end(question)
    [start], [goal] = cells_of(grid, "*"), cells_of(grid, "#")
    open_cells = {start, goal, *cells_of(grid, "O")}
    far = distances(open_cells, [start])
    if answer == "infeasible":
        return goal not in far
    row, column = start
    moves = answer.split()
    for move in moves:
        row, column = row + STEPS[move][0], column + STEPS[move][1]
        if (row, column) not in open_cells:
            return False
    return (row, column) == goal and len(moves) == far[goal]


def course_schedule(question: str, answer: str) -> Verdict:
    """Take courses without open prerequisites until there are none."""
    needs: dict[str, set[str]] = {}
    for course, before in re.findall(r"\((\d+), (\d+)\)", question):
        needs.setdefault(course, set()).add(before)
    while ready := [c for c in needs if not needs[c] & needs.keys()]:
        for course in ready:
            del needs[course]
    return answer == str(not needs)


def largest_island(question: str, answer: str) -> Verdict:
    """Flood one island after the other."""
    rows = re.findall(r"^[01](?: [01])*$", question, re.MULTILINE)
    land = set(cells_of([row.split() for row in rows], "1"))
    sizes = [0]
    while land:
        island = distances(land, [next(iter(land))])
        sizes.append(len(island))
        land -= island.keys()
    return answer == str(max(sizes))


def rotten_oranges(question: str, answer: str) -> Verdict:
    """Find the fresh orange that is farthest from all rotten ones."""
    grid = grid_at_end(question)
    fresh = set(cells_of(grid, "1"))
    when = distances(fresh, cells_of(grid, "2"))
    minutes = max(when.values(), default=0) if fresh <= when.keys() else -1
    return answer == str(minutes)


def binary_matrix(question: str, answer: str) -> Verdict:
    """Measure the distance of each 1 from the nearest 0."""
    grid = grid_at_end(question)
    far = distances(set(cells_of(grid, "1")), cells_of(grid, "0"))
    rows = [[str(far.get((r, c), -1)) for c in range(len(row))] for r, row in enumerate(grid)]
    return answer == "\n".join(map(" ".join, rows))


def maze(question: str, answer: str) -> Verdict:
    """Measure the distance from start to goal."""
    start, goal = re.findall(r"'(.)' \((?:start|goal)\)", question)
    wall = find(r"'(.)' = Wall", question)[1]
    drawing = question[question.index("```\n") + 4 : question.rindex("\n```\nLegend")]
    grid = drawing.split("\n")
    cells = {(r, c) for r, row in enumerate(grid) for c, cell in enumerate(row) if cell != wall}
    far = distances(cells, cells_of(grid, start))
    [goal_cell] = cells_of(grid, goal)
    return answer == str(far.get(goal_cell))


def path_star(question: str, answer: str) -> Verdict:
    """Follow the edges back from the end of an arm; each node must have one predecessor only."""
    edges, ends = question.split("Solve the following task:\n")[1].split("/")
    pairs = [edge.split() for edge in edges.strip("|").split("|")]
    before = {b: a for a, b in pairs}
    start, goal = ends.replace("=", "").split()
    path = [goal if goal in before else start]
    while path[-1] in before and len(path) <= len(pairs):
        path.append(before[path[-1]])
    if goal in before:
        path.reverse()
    return len(before) == len(pairs) and [start, *path[1:-1], goal] == answer.split() == path


def graph_color(question: str, metadata: dict[str, Any]) -> Verdict:
    """Check the colours in the metadata; the entries have no reference answer."""
    colors = {str(k): str(v) for k, v in metadata["possible_answer"].items()}
    edges = re.findall(r"\((\d+), (\d+)\)", question.split("Edges: ")[1].split("\n")[0])
    allowed = re.findall(r"\d+", question.split("Possible colors: ")[1].split("\n")[0])
    return all(colors[a] != colors[b] for a, b in edges) and set(colors.values()) <= set(allowed)


def rectangle_count(question: str, answer: str) -> Verdict:
    """Remove outlines in all ways until nothing is left; None if the count is ambiguous."""
    rows = question.split("grid below?\n")[1].split("\n")
    left = [({**dict.fromkeys(cells_of(rows, "#"), 1), **dict.fromkeys(cells_of(rows, "█"), 2)}, 0)]
    counts: set[int] = set()
    for _ in range(2_001):
        if not left or len(counts) > 1:
            return {str(count) for count in counts} == {answer} if len(counts) < 2 else None
        ink, removed = left.pop()  # how many outlines pass through each cell
        if not ink:
            counts.add(removed)
            continue
        top, side = min(ink)  # a corner of some rectangle
        for right in _ends(ink, (top, side), (0, 1)):
            for bottom in _ends(ink, (top, side), (1, 0)):
                outline = {(r, c) for r in (top, bottom) for c in range(side, right + 1)}
                outline |= {(r, c) for r in range(top, bottom + 1) for c in (side, right)}
                if outline <= ink.keys():
                    rest = {cell: n - (cell in outline) for cell, n in ink.items()}
                    left.append(({cell: n for cell, n in rest.items() if n}, removed + 1))
    return None


def _ends(ink: dict[Cell, int], start: Cell, step: Cell) -> list[int]:
    """Return the rows or columns where a side of at least three cells from `start` may end."""
    length = 0
    while (start[0] + step[0] * length, start[1] + step[1] * length) in ink:
        length += 1
    return [start[step == (0, 1)] + n for n in range(2, length)]
