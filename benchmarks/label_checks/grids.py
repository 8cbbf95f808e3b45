"""Labels of tasks on matrices and boards, checked by doing what the question says.

    sudoku(entry)    # True: the answer keeps the rules and the digits that are given

Everything is read from the question. For puzzles with several solutions the answer has to be one
of them; that it is the only one is checked for sudoku, mini_sudoku and futoshiki, whose scorers
compare with it. Not covered: arc_agi, arc_1d, rearc, boxnet, rubiks_cube, rush_hour.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from fractions import Fraction
from typing import Any

from benchmarks.label_checks.graphs import grid_at_end

Entry = dict[str, Any]
Matrix = list[list[int]]


def _numbers(text: str) -> Matrix:
    return [[int(cell) for cell in line.split()] for line in text.strip("\n").split("\n")]


def _block(entry: Entry) -> Matrix:
    return [[int(cell) for cell in row] for row in grid_at_end(entry["question"])]


def _turned(matrix: Matrix, quarters: int) -> Matrix:
    """Clockwise: the first column, read from below, becomes the first row."""
    for _ in range(quarters % 4):
        matrix = [[row[c] for row in reversed(matrix)] for c in range(len(matrix[0]))]
    return matrix


def rotate_matrix(entry: Entry) -> bool | None:
    degrees = re.search(r"by (\d+) degrees clockwise", entry["question"])
    if degrees is None:
        return None
    return _turned(_block(entry), int(degrees[1]) // 90) == _numbers(entry["answer"])


def spiral_matrix(entry: Entry) -> bool | None:
    """Takes the top row off and turns what is left, until nothing is."""
    matrix, path = _block(entry), []
    while matrix:
        path += matrix.pop(0)
        matrix = _turned(matrix, 3) if matrix else matrix
    return path == [int(number) for number in entry["answer"].split()]


def manipulate_matrix(entry: Entry) -> bool | None:
    """As the library means "horizontally mirror": the rows change places."""
    text, steps = entry["question"].split("matrix:\n")[1].split("\n\nPerform")
    matrix = _numbers(text)
    for step in re.findall(r"^- (.*)$", steps, re.MULTILINE):
        matrix = _step(matrix, step, [int(n) for n in re.findall(r"\d+", step)])
    return matrix == _numbers(entry["answer"])


def _step(m: Matrix, step: str, numbers: list[int]) -> Matrix:
    if step.startswith("Rotate"):
        return _turned(m, numbers[0] // 90)
    if step.startswith("Horizontally"):
        return list(reversed(m))
    if step.startswith("Vertically"):
        return [list(reversed(row)) for row in m]
    if "counterdiagonal" in step:
        return _turned([list(row) for row in zip(*m, strict=True)], 2)
    if "diagonal" in step:
        return [list(row) for row in zip(*m, strict=True)]
    if step.startswith("Map"):
        return [[numbers[1] if cell == numbers[0] else cell for cell in row] for row in m]
    if step.startswith("Set"):
        return [[cell * (cell % numbers[0] != 0) for cell in row] for row in m]
    if step.startswith("Crop"):
        top, bottom, left, right = numbers[:4]
        return [row[left - 1 : right] for row in m[top - 1 : bottom]]
    if "row" in step:
        return [row for place, row in enumerate(m, 1) if place % numbers[0]]
    if "column" in step:
        return [[c for place, c in enumerate(row, 1) if place % numbers[0]] for row in m]
    if step.startswith("Identity"):
        return m
    raise ValueError(step)


def pool_matrix(entry: Entry) -> bool | None:
    """Windows over the edge are cut short; means to two places, either way at a half."""
    match = re.search(r"Perform (max|average) pooling .* kernel size of (\d+)", entry["question"])
    if match is None:
        return None
    matrix, size = _block(entry), int(match[2])
    answer = [line.split() for line in entry["answer"].split("\n")]
    for r, top in enumerate(range(0, len(matrix), size)):
        for c, left in enumerate(range(0, len(matrix[0]), size)):
            cells = [cell for row in matrix[top : top + size] for cell in row[left : left + size]]
            mean = Fraction(sum(cells), len(cells))
            wanted = Fraction(max(cells)) if match[1] == "max" else mean
            if abs(Fraction(answer[r][c]) - wanted) > Fraction(1, 200):
                return False
    return len(answer) == -(-len(matrix) // size)


def _lives(board: set[tuple[int, int]], rows: int, columns: int) -> set[tuple[int, int]]:
    """The next generation on a torus."""
    near = Counter(
        ((r + dr) % rows, (c + dc) % columns)
        for r, c in board
        for dr, dc in itertools.product((-1, 0, 1), repeat=2)
        if (dr, dc) != (0, 0)
    )
    return {cell for cell, count in near.items() if count == 3 or (count == 2 and cell in board)}


def _alive(board: Matrix) -> set[tuple[int, int]]:
    return {(r, c) for r, row in enumerate(board) for c, cell in enumerate(row) if cell}


def game_of_life(entry: Entry) -> bool | None:
    steps = re.search(r"after (\d+) steps", entry["question"])
    board = json.loads(entry["question"][entry["question"].rindex("[[") :].rstrip(". \n"))
    if steps is None:
        return None
    alive = _alive(board)
    for _ in range(int(steps[1])):
        alive = _lives(alive, len(board), len(board[0]))
    return _alive(json.loads(entry["answer"])) == alive


def game_of_life_halting(entry: Entry) -> bool | None:
    """None where the board is not shown as a whole."""
    head, text = entry["question"].split("Initial board:\n")
    if "..." in text:
        return None
    board = [[int(cell) for cell in re.findall(r"[01]", line)] for line in text.split("\n")]
    steps = re.search(r"before (\d+) steps", head)
    alive = _alive(board)
    for _ in range(int(steps[1]) if steps else 0):
        alive = _lives(alive, len(board), len(board[0]))
    return bool(entry["answer"] == str(not alive))


def modulo_grid(entry: Entry) -> bool | None:
    """None where two rules of the family agree on all that is shown and differ at a hole."""
    grid = entry["question"].split("\n\n")[1].strip().split("\n")
    answer = entry["answer"].split("\n")
    shown = [
        (x, y, row[x]) for y, row in enumerate(grid) for x in range(len(row)) if row[x] != "❔"
    ]
    if any(answer[y][x] != sign for x, y, sign in shown):
        return False
    holes = [(x, y) for y, row in enumerate(grid) for x in range(len(row)) if row[x] == "❔"]
    rules = [lambda x, y: x + y, lambda x, y: abs(x - y), lambda x, y: x * y, pow]
    most = entry["metadata"]["difficulty"]["divisor"]
    fills = set()
    for rule in rules:
        values = [(rule(x, y), sign == "✅") for x, y, sign in shown]
        inside = [rule(x, y) for x, y in holes]
        for divisor in range(1, most + 1):
            yes = {value % divisor for value, sign in values if sign}
            if len(yes) == 1 and not any(v % divisor in yes for v, sign in values if not sign):
                fills.add(tuple("❌✅"[value % divisor in yes] for value in inside))
    wanted = tuple(answer[y][x] for x, y in holes)
    if len(fills) > 1:
        return None
    return fills == {wanted} if fills else None


def n_queens(entry: Entry) -> bool | None:
    given, full = grid_at_end(entry["question"]), grid_at_end(entry["answer"])
    queens = [(r, c) for r, row in enumerate(full) for c, cell in enumerate(row) if cell == "Q"]
    kept = all(
        b == "Q"
        for x, y in zip(given, full, strict=True)
        for a, b in zip(x, y, strict=True)
        if a == "Q"
    )
    lines = [
        [r for r, _ in queens],
        [c for _, c in queens],
        [r + c for r, c in queens],
        [r - c for r, c in queens],
    ]
    return kept and len(queens) == len(given) and all(len(set(line)) == len(line) for line in lines)


def survo(entry: Entry) -> bool | None:
    given = next(
        _numbers(block)
        for block in re.findall(r"(?:^[\d ]+$\n?)+", entry["question"], re.MULTILINE)
    )
    candidates = [
        int(n) for n in re.findall(r"\d+", re.findall(r"\[([\d, ]*)\]", entry["question"])[-1])
    ]
    full = _numbers(entry["answer"])
    placed = []
    for row, filled in zip(given, full, strict=True):
        for cell, number in zip(row, filled, strict=True):
            if cell == 0:
                placed.append(number)
            elif cell != number:
                return False
    sums = [*full, *map(list, zip(*full, strict=True))]
    return sorted(placed) == sorted(candidates) and all(sum(s[:-1]) == s[-1] for s in sums)


def kakurasu(entry: Entry) -> bool | None:
    rows, columns = (json.loads(text) for text in re.findall(r"\[[\d, ]+\]", entry["question"])[:2])
    full = _numbers(entry["answer"])
    lines = zip([*full, *zip(*full, strict=True)], [*rows, *columns], strict=True)
    return all(sum(n * cell for n, cell in enumerate(line, 1)) == total for line, total in lines)


# --- squares in which each digit is once in every line: one way to fill them, the answer's ------


def sudoku(entry: Entry) -> bool | None:
    return _latin(entry, 3)


def mini_sudoku(entry: Entry) -> bool | None:
    return _latin(entry, 2)


def _latin(entry: Entry, box: int) -> bool | None:
    size = box * box
    rows = re.findall(rf"^(?:[\d_] ){{{size - 1}}}[\d_]$", entry["question"], re.MULTILINE)
    given = [[0 if cell == "_" else int(cell) for cell in row.split()] for row in rows]
    groups = [[(r, c) for c in range(size)] for r in range(size)]
    groups += [[(r, c) for r in range(size)] for c in range(size)]
    groups += [
        [(r + dr, c + dc) for dr in range(box) for dc in range(box)]
        for r in range(0, size, box)
        for c in range(0, size, box)
    ]
    return _only_solution(given, groups, [], _numbers(entry["answer"]))


def futoshiki(entry: Entry) -> bool | None:
    lines = entry["question"].split("puzzle:\n\n")[1].split("\n\nEnsure")[0].split("\n")
    given = [[0 if c == "_" else int(c) for c in re.findall(r"[\d_]", row)] for row in lines[::2]]
    less = []
    for r, row in enumerate(lines):
        for place, sign in enumerate(row):
            at = (r // 2, place // 4)
            after = (r // 2, place // 4 + 1) if sign in "<>" else (r // 2 + 1, place // 4)
            if sign in "<∧":
                less.append((at, after))
            elif sign in ">∨":
                less.append((after, at))
    size = len(given)
    groups = [[(r, c) for c in range(size)] for r in range(size)]
    groups += [[(r, c) for r in range(size)] for c in range(size)]
    answer = [[int(c) for c in re.findall(r"\d", row)] for row in entry["answer"].split("\n")[::2]]
    return _only_solution(given, groups, less, answer)


def _only_solution(
    given: Matrix,
    groups: list[list[tuple[int, int]]],
    less: list[tuple[tuple[int, int], tuple[int, int]]],
    answer: Matrix,
) -> bool | None:
    """None where the search is too long, or finds two."""
    size = len(given)
    every = range(size)
    options = {
        (r, c): {given[r][c]} if given[r][c] else set(range(1, size + 1))
        for r in every
        for c in every
    }
    found: list[Matrix] = []
    try:
        _search(options, groups, less, found, [3_000])
    except OverflowError:
        return None
    return found == [answer] if len(found) == 1 else (None if answer in found else False)


def _search(options, groups, less, found, patience) -> None:
    """Adds up to two ways to choose from `options` to `found`."""
    patience[0] -= 1
    if patience[0] < 0:
        raise OverflowError
    if not _narrowed(options, groups, less):
        return
    open_cells = [cell for cell, values in options.items() if len(values) > 1]
    if not open_cells:
        size = len(groups[0])
        found.append([[min(options[r, c]) for c in range(size)] for r in range(size)])
        return
    cell = min(open_cells, key=lambda cell: len(options[cell]))
    for value in sorted(options[cell]):
        if len(found) < 2:
            tried = {other: set(values) for other, values in options.items()}
            tried[cell] = {value}
            _search(tried, groups, less, found, patience)


def _narrowed(options, groups, less) -> bool:
    """Takes away what a rule excludes, in place; False when a cell has nothing left."""
    before = -1
    while before != (before := sum(map(len, options.values()))):
        for group in groups:
            for cell in group:
                if len(options[cell]) == 1:
                    for other in group:
                        if other != cell:
                            options[other] -= options[cell]
            for value in range(1, len(group) + 1):
                places = [cell for cell in group if value in options[cell]]
                if not places:
                    return False
                if len(places) == 1:
                    options[places[0]] = {value}
        for small, large in less:
            options[small] = {v for v in options[small] if v < max(options[large], default=0)}
            options[large] = {v for v in options[large] if v > min(options[small], default=99)}
    return all(options.values())
