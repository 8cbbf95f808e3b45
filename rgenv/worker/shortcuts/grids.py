"""Rules for tasks about matrices, boards and pictures.

Not shortcuts: to turn a matrix by the angle that is asked, to read a spiral, to take the extreme of
each block, or to search a board. A board that the first digits that fit complete needs no search:
that rule is one.

Not here: rules for islands (islands.py).
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from rgenv.worker.shortcuts.text import (
    after,
    compact,
    grid,
    turned,
    written,
)

Answers = dict[str, str]
Rows = Sequence[Sequence[str]]
MAX_LINES = 80
"""Rules that compare each two lines leave the rest of larger grids alone."""


def binary_matrix(question: str) -> Answers:
    """Copy the matrix."""
    return {"copy the matrix": written(grid(question))}  # .03


def game_of_life(question: str) -> Answers:
    """Empty the board."""
    board = json.loads(after("\n[[", question).join(["[[", ""]).rstrip(". \n"))
    return {"empty the board": compact([[0] * len(row) for row in board])}  # .09


def manipulate_matrix(question: str) -> Answers:
    """Turn the matrix once, whatever the operations are, or answer with a cell."""
    rows = grid(question.split("\nPerform the", 1)[0])
    return {
        "turn by a half": written([row[::-1] for row in rows[::-1]]),  # .04
        "turn by a quarter": written(turned(rows)),  # .05
        "the first cell": rows[0][0],  # .05
    }


def pool_matrix(question: str) -> Answers:
    """Copy the matrix, or answer with one cell of each block."""
    rows = grid(question)
    size = int(question.split("kernel size of ", 1)[1].split(":", 1)[0])
    return {
        "copy the matrix with decimals": (  # .13
            written([[f"{cell}.0" for cell in row] for row in rows])
        ),
        "the corner of each block": written([row[::size] for row in rows[::size]]),  # .23
    }


def rotate_matrix(question: str) -> Answers:
    """Copy the matrix."""
    return {"copy the matrix": written(grid(question))}  # .27


def spiral_matrix(question: str) -> Answers:
    """Read the rows, every second one backwards."""
    snake = [row[::-1] if place % 2 else row for place, row in enumerate(grid(question))]
    return {"every second row backwards": " ".join(chain.from_iterable(snake))}  # .10


def rotten_oranges(question: str) -> Answers:
    """Measure the distance as if no cell were empty."""
    farthest = _farthest(grid(question))
    return {"the largest distance as if no cell were empty": str(farthest)}  # .58


def _farthest(rows: list[list[str]]) -> int:
    """Return the largest number of steps from a fresh orange to the nearest rotten one."""
    far = len(rows) * len(rows[0])
    steps = [[0 if cell == "2" else far for cell in row] for row in rows]
    for flip in (1, -1):  # once from the upper left, once from the lower right
        for y in range(len(rows))[::flip]:
            for x in range(len(rows[0]))[::flip]:
                above = steps[y - flip][x] if 0 <= y - flip < len(rows) else far
                beside = steps[y][x - flip] if 0 <= x - flip < len(rows[0]) else far
                steps[y][x] = min(steps[y][x], above + 1, beside + 1)
    fresh = [steps[y][x] for y, row in enumerate(rows) for x, c in enumerate(row) if c == "1"]
    return max(fresh, default=0)


def maze(question: str) -> Answers:
    """Measure the distance as if there were no walls."""
    start, goal = re.findall(r"'(.)' \((?:start|goal)\)", question)
    rows = question.split("```\n", 1)[1].split("\n```", 1)[0].split("\n")
    places = {
        cell: (y, x)
        for y, row in enumerate(rows)
        for x, cell in enumerate(row)
        if cell in (start, goal)
    }
    down, right = (abs(a - b) for a, b in zip(places[start], places[goal], strict=True))
    return {
        "distance without walls": str(down + right),  # .75
        "distance without walls and a detour": str(down + right + 2),  # .31
        "distance without walls and two detours": str(down + right + 4),  # .26
    }


def modulo_grid(question: str) -> Answers:
    """Fill the gaps from a line that agrees with what is shown, or as most along a diagonal."""
    rows = [line for line in question.strip().split("\n") if line and line[0] in "✅❌❔"]
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    from_columns = "\n".join(map("".join, zip(*_from_alike(columns), strict=True)))
    from_rows = "\n".join(_from_alike(rows))
    either = (
        "✅" if "✅" in pair else pair[0] for pair in zip(from_rows, from_columns, strict=True)
    )
    return {
        "from a row that agrees": from_rows,  # .33
        "from a column that agrees": from_columns,  # .51
        "from a row or a column that agrees": "".join(either),  # .53
        "as most along the diagonal": _as_most_along(rows, 1),  # .30
        "as most along the other diagonal": _as_most_along(rows, -1),  # .08
    }


def _as_most_along(rows: Sequence[str], step: int) -> str:
    """Fill each gap with the sign of most cells on the line that moves by `step` a row."""
    lines: dict[int, Counter[str]] = {}
    for y, row in enumerate(rows[:MAX_LINES]):
        for x, cell in enumerate(row):
            lines.setdefault(x - step * y, Counter()).update(cell)
    filled = [
        [
            ("✅" if (n := lines.get(x - step * y, Counter()))["✅"] > n["❌"] else "❌")
            if cell == "❔"
            else cell
            for x, cell in enumerate(row)
        ]
        for y, row in enumerate(rows)
    ]
    return "\n".join(map("".join, filled))


def _from_alike(lines: Sequence[str]) -> list[str]:
    """Return lines whose gaps are filled from the first other line that shows nothing else."""
    filled = list(lines)
    for place, line in enumerate(lines[:MAX_LINES]):
        if "❔" not in line:
            continue
        others = (other for number, other in enumerate(lines[:MAX_LINES]) if number != place)
        alike = [
            other
            for other in others
            if all(a == b or "❔" in (a, b) for a, b in zip(line, other, strict=True))
        ]
        shown = (next((o[x] for o in alike if o[x] != "❔"), "❌") for x in range(len(line)))
        filled[place] = "".join(
            old if old != "❔" else new for old, new in zip(line, shown, strict=True)
        )
    return filled


def induction(question: str) -> Answers:
    """Copy the test input, or repeat an example's output."""
    shown = question.rsplit("Input:", 1)[1].strip()
    output = question.rsplit("Output:", 1)[1].split("\n\n", 1)[0]
    return {
        "copy the test input": written(line.split() for line in shown.split("\n")),  # .11
        "repeat the last output": output.strip(),  # .04
    }


def sudoku(question: str) -> Answers:
    """Put the first digit that fits into each blank, or the last one."""
    rows = [line.split() for line in question.split("\n") if "_" in line.split() or _digits(line)]
    rows = [row for row in rows if len(row) == len(rows[-1])]
    if len(rows) not in (4, 9):
        return {}
    return {
        "the first digit that fits": written(_first_fit(rows, reverse=False)),  # .43
        "the last digit that fits": written(_first_fit(rows, reverse=True)),  # .46
    }


def _digits(line: str) -> bool:
    cells = line.split()
    return len(cells) > 1 and all(len(cell) == 1 and cell.isdigit() for cell in cells)


def _first_fit(rows: Rows, *, reverse: bool) -> list[list[str]]:
    size = len(rows)
    box = {4: 2, 9: 3}.get(size, 1)
    digits = [str(digit) for digit in range(1, size + 1)]
    digits.reverse() if reverse else None
    in_row, in_column = [set(row) for row in rows], [set(row) for row in zip(*rows, strict=True)]
    in_box: list[set[str]] = [set() for _ in range(size * size)]
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            in_box[y // box * size + x // box].add(cell)
    filled = [list(row) for row in rows]
    for y, cells in enumerate(filled):
        for x, cell in enumerate(cells):
            if cell != "_":
                continue
            seen = (in_row[y], in_column[x], in_box[y // box * size + x // box])
            for digit in digits:
                if not any(digit in taken for taken in seen):
                    cells[x] = digit
                    for taken in seen:
                        taken.add(digit)
                    break
    return filled


def tsumego(question: str) -> Answers:
    """Play on the free point with most stones around, or beside the group with most black ones."""
    lines = question.split("```\n", 1)[1].split("\n```", 1)[0].split("\n")
    names, size = lines[0].split(), len(lines) - 1
    width = size + 2
    edge = "#" * (2 * width + 2)
    board = edge + "".join("".join(line.split()[1:]) + "##" for line in lines[1:]) + edge
    around = (-width, -1, 1, width, -width - 1, -width + 1, width - 1, width + 1)
    wide = [row * width + column for row in range(-2, 3) for column in range(-2, 3)]
    free = [place for place, stone in enumerate(board) if stone == "."]
    near = {place: [board[place + step] for step in around] for place in free}

    def most_black(place: int) -> int:
        beside = (place + step for step in around[:4])
        white = (stone for stone in beside if board[stone] == "O")
        return max((sum(board[w + s] in "X#" for s in around[:4]) for w in white), default=-1)

    chosen = {
        "most stones around": max(  # .16
            free, key=lambda p: sum(s in "XO" for s in near[p][:4])
        ),
        "most white around": max(free, key=lambda p: near[p][:4].count("O")),  # .15
        "most stones in the square around": max(  # .22
            free, key=lambda p: sum(s in "XO" for s in near[p])
        ),
        "most white in the square around": max(free, key=lambda p: near[p].count("O")),  # .16
        "beside white, most stones within two": max(  # .18
            free, key=lambda p: ("O" in near[p][:4]) * sum(board[p + step] in "XO" for step in wide)
        ),
        "beside the white stone with most black around": max(  # .14
            free, key=lambda p: (most_black(p), sum(s in "X#" for s in near[p]))
        ),
        "beside the group with most black stones": _beside_most_black(board, width),  # .49
    }
    places = {name: divmod(place - len(edge), width) for name, place in chosen.items()}
    return {name: f"{names[column]}{size - row}" for name, (row, column) in places.items()}


def _beside_most_black(board: str, width: int) -> int:
    """Return a free place beside the white group that has the most black stones beside it."""
    left = {place for place, stone in enumerate(board) if stone == "O"}
    most, chosen = -1, 0
    while left:
        group = [left.pop()]
        beside = set()
        for place in group:
            beside |= {place + step for step in (-width, -1, 1, width)}
            group += sorted(beside & left)
            left -= beside
        black = sum(board[place] == "X" for place in beside)
        if black > most:
            free = (place for place in sorted(beside) if board[place] == ".")
            most, chosen = black, next(free, chosen)
    return chosen


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "arc_1d": induction,
        "binary_matrix": binary_matrix,
        "game_of_life": game_of_life,
        "manipulate_matrix": manipulate_matrix,
        "maze": maze,
        "mini_sudoku": sudoku,
        "modulo_grid": modulo_grid,
        "pool_matrix": pool_matrix,
        "rearc": induction,
        "rotate_matrix": rotate_matrix,
        "rotten_oranges": rotten_oranges,
        "spiral_matrix": spiral_matrix,
        "sudoku": sudoku,
        "tsumego": tsumego,
    }
)
