"""Checks of tasks on matrices and boards, by doing what the question says.

If a puzzle has several solutions, the reference answer must be one of them. For sudoku, mini_sudoku
and futoshiki it must be the only one, because their verifiers compare with it.
"""

import itertools
import json
import re
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy
import pycosat

from tests.labels.shared import Cell, Verdict, cells_of, find, grid_at_end, naturals

Matrix = list[list[int]]


def _parse_matrix(text: str) -> Matrix:
    return [[int(cell) for cell in line.split()] for line in text.strip("\n").split("\n")]


def _matrix_at_end(question: str) -> Matrix:
    return [[int(cell) for cell in row] for row in grid_at_end(question)]


def rotate_matrix(question: str, answer: str) -> Verdict:
    degrees = int(find(r"by (\d+) degrees clockwise", question)[1])
    rotated = numpy.rot90(_matrix_at_end(question), -degrees // 90)
    return bool(rotated.tolist() == _parse_matrix(answer))


def spiral_matrix(question: str, answer: str) -> Verdict:
    """Remove the top row and rotate the rest, until nothing is left."""
    matrix, path = numpy.array(_matrix_at_end(question)), list[int]()
    while matrix.size:
        path += matrix[0].tolist()
        matrix = numpy.rot90(matrix[1:])
    return path == [int(number) for number in answer.split()]


def manipulate_matrix(question: str, answer: str) -> Verdict:
    """Apply the steps; "horizontally mirror" reverses the rows, as in the library."""
    text, steps = question.split("matrix:\n")[1].split("\n\nPerform")
    matrix = numpy.array(_parse_matrix(text))
    for step in re.findall(r"^- (.*)$", steps, re.MULTILINE):
        matrix = _apply(matrix, step, naturals(step))
    return bool(matrix.tolist() == _parse_matrix(answer))


def _apply(m: Any, step: str, numbers: list[int]) -> Any:
    if step.startswith("Rotate"):
        return numpy.rot90(m, -numbers[0] // 90)
    if step.startswith("Horizontally"):
        return m[::-1]
    if step.startswith("Vertically"):
        return m[:, ::-1]
    if "counterdiagonal" in step:
        return m[::-1, ::-1].T
    if "diagonal" in step:
        return m.T
    if step.startswith("Map"):
        return numpy.where(m == numbers[0], numbers[1], m)
    if step.startswith("Set"):
        return numpy.where(m % numbers[0] == 0, 0, m)
    if step.startswith("Crop"):
        top, bottom, left, right = numbers[:4]
        return m[top - 1 : bottom, left - 1 : right]
    if "row" in step or "column" in step:
        axis = 0 if "row" in step else 1
        return numpy.delete(m, slice(numbers[0] - 1, None, numbers[0]), axis)
    if step.startswith("Identity"):
        return m
    raise ValueError(step)


def pool_matrix(question: str, answer: str) -> Verdict:
    """Pool each window, cut off at the edges; means may be rounded up or down to two places."""
    match = find(r"Perform (max|average) pooling .* kernel size of (\d+)", question)
    matrix, size = _matrix_at_end(question), int(match[2])
    answer = [line.split() for line in answer.split("\n")]
    for r, top in enumerate(range(0, len(matrix), size)):
        for c, left in enumerate(range(0, len(matrix[0]), size)):
            cells = [cell for row in matrix[top : top + size] for cell in row[left : left + size]]
            mean = Fraction(sum(cells), len(cells))
            wanted = Fraction(max(cells)) if match[1] == "max" else mean
            if abs(Fraction(answer[r][c]) - wanted) > Fraction(1, 200):
                return False
    return len(answer) == -(-len(matrix) // size)


def _alive_after(board: Matrix, steps: int) -> Any:
    """Return which cells live some steps later, on a torus."""
    alive = numpy.array(board) > 0
    for _ in range(steps):
        moves = itertools.product((-1, 0, 1), repeat=2)
        block = sum(numpy.roll(alive, move, (0, 1)).astype(int) for move in moves)
        alive = (block == 3) | ((block == 4) & alive)  # the cell itself counts, too
    return alive


def game_of_life(question: str, answer: str) -> Verdict:
    steps = int(find(r"after (\d+) steps", question)[1])
    board = json.loads(question[question.rindex("[[") :].rstrip(". \n"))
    return numpy.array_equal(_alive_after(json.loads(answer), 0), _alive_after(board, steps))


def game_of_life_halting(question: str, answer: str) -> Verdict:
    """Simulate the board; None if the question does not show all of it."""
    rules, text = question.split("Initial board:\n")
    if "..." in text:
        return None
    board = [[int(cell) for cell in row.split()] for row in re.findall(r"\[([01\s]+)\]", text)]
    steps = re.search(r"before (\d+) steps", rules)
    return answer == str(not _alive_after(board, int(steps[1]) if steps else 0).any())


_MODULO_RULES: list[Callable[[int, int], int]] = [
    lambda x, y: x + y,
    lambda x, y: abs(x - y),
    lambda x, y: x * y,
    lambda x, y: int(x**y),
]


def modulo_grid(question: str, answer: str) -> Verdict:
    """Try every rule and divisor; None if two fit all cells shown but differ in a hidden one."""
    grid = question.strip().split("\n\n")[-1].split("\n")
    answer = answer.split("\n")
    if [len(row) for row in grid] != [len(row) for row in answer]:
        return False
    cells = [(x, y) for y, row in enumerate(grid) for x in range(len(row))]
    signs = [grid[y][x] for x, y in cells]
    right = tuple(answer[y][x] for x, y in cells)
    if any(sign not in ("❔", wanted) for sign, wanted in zip(signs, right, strict=True)):
        return False
    fills = set()
    for rule, divisor in itertools.product(_MODULO_RULES, range(1, 200)):
        rests = [rule(x, y) % divisor for x, y in cells]
        yes = {rest for rest, sign in zip(rests, signs, strict=True) if sign == "✅"}
        no = {rest for rest, sign in zip(rests, signs, strict=True) if sign == "❌"}
        if len(yes) == 1 and not yes & no:
            fills.add(tuple("❌✅"[rest in yes] for rest in rests))
    if len(fills) > 1:
        return None
    return fills == {right} if fills else None


def n_queens(question: str, answer: str) -> Verdict:
    """Test that the given queens stand, and that no two share a line or a diagonal."""
    given, full = grid_at_end(question), grid_at_end(answer)
    queens, size = cells_of(full, "Q"), len(given)
    kept = set(cells_of(given, "Q")) <= set(queens)
    lines = zip(*((r, c, r + c, r - c) for r, c in queens), strict=True)
    return kept and len(full) == len(queens) == size and all(len({*line}) == size for line in lines)


def survo(question: str, answer: str) -> Verdict:
    """Test that the given cells stand, the candidates are used once, and the sums are right."""
    given = _parse_matrix(find(r"(?:^[\d ]+$\n?)+", question, re.MULTILINE)[0])
    candidates = naturals(re.findall(r"\[([\d, ]*)\]", question)[-1])
    full = _parse_matrix(answer)
    placed = []
    for row, filled in zip(given, full, strict=True):
        for cell, number in zip(row, filled, strict=True):
            if cell == 0:
                placed.append(number)
            elif cell != number:
                return False
    sums = [*full, *map(list, zip(*full, strict=True))]
    return sorted(placed) == sorted(candidates) and all(sum(s[:-1]) == s[-1] for s in sums)


def kakurasu(question: str, answer: str) -> Verdict:
    rows, columns = (json.loads(text) for text in re.findall(r"\[[\d, ]+\]", question)[:2])
    full = _parse_matrix(answer)
    lines = zip([*full, *zip(*full, strict=True)], [*rows, *columns], strict=True)
    return all(sum(n * cell for n, cell in enumerate(line, 1)) == total for line, total in lines)


def sudoku(question: str, answer: str) -> Verdict:
    """Solve the puzzle; None if it has two solutions."""
    return _sudoku(question, answer, 3)


def mini_sudoku(question: str, answer: str) -> Verdict:
    """Solve the puzzle; None if it has two solutions."""
    return _sudoku(question, answer, 2)


def _sudoku(question: str, answer: str, box: int) -> Verdict:
    size = box * box
    rows = re.findall(rf"^(?:[\d_] ){{{size - 1}}}[\d_]$", question, re.MULTILINE)
    given = [[0 if cell == "_" else int(cell) for cell in row.split()] for row in rows]
    boxes = [
        [(r + dr, c + dc) for dr in range(box) for dc in range(box)]
        for r in range(0, size, box)
        for c in range(0, size, box)
    ]
    return _has_only_solution(given, _parse_matrix(answer), boxes=boxes)


def futoshiki(question: str, answer: str) -> Verdict:
    """Solve the puzzle; None if it has two solutions."""
    lines = question.split("puzzle:\n\n")[1].split("\n\nEnsure")[0].split("\n")
    given = [[0 if c == "_" else int(c) for c in re.findall(r"[\d_]", row)] for row in lines[::2]]
    less = []
    for r, row in enumerate(lines):
        for place, sign in enumerate(row):
            here = (r // 2, place // 4)
            after = (r // 2, place // 4 + 1) if sign in "<>" else (r // 2 + 1, place // 4)
            if sign in "<∧":
                less.append((here, after))
            elif sign in ">∨":
                less.append((after, here))
    answer = [[int(c) for c in re.findall(r"\d", row)] for row in answer.split("\n")[::2]]
    return _has_only_solution(given, answer, less=less)


def _has_only_solution(
    given: list[list[int]],
    answer: list[list[int]],
    *,
    boxes: Iterable[list[Cell]] = (),
    less: Iterable[tuple[Cell, Cell]] = (),
) -> Verdict:
    """Return whether the SAT solver finds `answer` alone; None if it finds another one, too.

    Each number is once in every row, column and box; 0 stands for a blank. The first cell of each
    pair in `less` holds the smaller number.
    """
    size = len(given)
    places, numbers = range(size), range(1, size + 1)

    def holds(cell: Cell, number: int) -> int:
        return (cell[0] * size + cell[1]) * size + number

    rows = [[(r, c) for c in places] for r in places]
    groups = [*rows, *map(list, zip(*rows, strict=True)), *boxes]
    clauses = [[holds(cell, n) for n in numbers] for row in rows for cell in row]
    clauses += [[holds((r, c), n)] for r, row in enumerate(given) for c, n in enumerate(row) if n]
    for group, n in itertools.product(groups, numbers):
        clauses += [[-holds(a, n), -holds(b, n)] for a, b in itertools.combinations(group, 2)]
    for (small, large), n, m in itertools.product(less, numbers, numbers):
        if n >= m:
            clauses.append([-holds(small, n), -holds(large, m)])
    found = [set(one) for one in itertools.islice(pycosat.itersolve(clauses), 2)]
    boards = [
        [[n for cell in row for n in numbers if holds(cell, n) in true] for row in rows]
        for true in found
    ]
    return None if len(boards) == 2 else boards == [answer]
