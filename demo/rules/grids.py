"""Rules for grids: rotate them, list them in spiral order, find shortest paths.

    "Rotate the matrix below by 180 degrees clockwise:\\n1 1\\n5 2"  ->  "2 5\\n1 1"

All path rules use one breadth-first search, `distances`.
"""

from collections.abc import Iterable

from .table import rule

Cell = tuple[int, int]
DIRECTIONS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
ROWS = r"((?:^[\d ]+\n?)+)"


def rows_of(text: str) -> list[list[str]]:
    return [line.split() for line in text.strip().splitlines()]


def cells_of(rows: Iterable[Iterable[str]]) -> dict[Cell, str]:
    return {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row)}


def as_text(rows: Iterable[Iterable[str]]) -> str:
    return "\n".join(" ".join(row) for row in rows)


def neighbour(cell: Cell, direction: str) -> Cell:
    down, right = DIRECTIONS[direction]
    return cell[0] + down, cell[1] + right


def distances(starts: Iterable[Cell], open_cells: Iterable[Cell]) -> dict[Cell, int]:
    """Return the number of steps from the nearest start to each cell that can be reached."""
    reached, unseen = dict.fromkeys(starts, 0), set(open_cells)
    queue = list(reached)
    for cell in queue:  # grows during the loop
        for direction in DIRECTIONS:
            step = neighbour(cell, direction)
            if step in unseen and step not in reached:
                reached[step] = reached[cell] + 1
                queue.append(step)
    return reached


@rule("rotate_matrix", r"Rotate the matrix below by (\d+) degrees clockwise:\n" + ROWS)
def rotate(degrees: str, matrix: str) -> str:
    rows = rows_of(matrix)
    for _ in range(int(degrees) // 90 % 4):
        rows = [list(column) for column in zip(*reversed(rows), strict=True)]
    return as_text(rows)


@rule("spiral_matrix", r"list of elements in spiral order\?\n" + ROWS)
def spiral(matrix: str) -> str:
    rows, path = rows_of(matrix), []
    while rows:
        path += rows.pop(0)
        rows = [list(column) for column in zip(*rows, strict=True)][::-1]
    return " ".join(path)


@rule("binary_matrix", r"distance to the nearest 0 for each cell in the matrix below:\n" + ROWS)
def nearest_zero(matrix: str) -> str:
    rows = rows_of(matrix)
    cells = cells_of(rows)
    steps = distances([cell for cell, mark in cells.items() if mark == "0"], cells)
    return as_text([str(steps[r, c]) for c in range(len(row))] for r, row in enumerate(rows))


@rule("shortest_path", r"shortest path from \* to # in the following grid:\n((?:^[*#OX ]+\n?)+)")
def shortest_path(grid: str) -> str:
    """Step to a cell that is nearer to the goal until the goal is reached."""
    open_cells = {cell: mark for cell, mark in cells_of(rows_of(grid)).items() if mark != "X"}
    place = {mark: cell for cell, mark in open_cells.items()}
    steps_left, here = distances([place["#"]], open_cells), place["*"]
    if here not in steps_left:
        return "infeasible"
    path = []
    while steps_left[here]:
        path.append(
            next(
                d for d in DIRECTIONS if steps_left.get(neighbour(here, d)) == steps_left[here] - 1
            )
        )
        here = neighbour(here, path[-1])
    return " ".join(path)


@rule("maze", r"'(.)' \(start\) to '(.)' \(goal\):\n\n```\n((?:.+\n)+)```\nLegend: '(.)' = Wall")
def maze(start: str, goal: str, drawing: str, wall: str) -> str:
    passages = {c: mark for c, mark in cells_of(drawing.splitlines()).items() if mark != wall}
    place = {mark: cell for cell, mark in passages.items()}
    return str(distances([place[start]], passages)[place[goal]])
