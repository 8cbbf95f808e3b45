"""Independent checks of whether a changed answer may be right after all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType

from rgenv.validation.wrong_values.kind import STEPS


def may_be_right(task: str, answer: str, question: str) -> bool:
    """Return whether a changed answer may answer the question after all."""
    check = _CHECKS.get(task)
    return check is not None and check(answer, question)


def _any_input(answer: str, question: str) -> bool:
    """Another input may have the same output."""
    return "predict a feasible input" in question


def _capture(answer: str, question: str) -> bool:
    """A move that captures stones may be right where "some" are asked for."""
    rows = question.split("```")[1].strip("\n").split("\n")[1:]
    board = {(r, c): s for r, row in enumerate(rows) for c, s in enumerate(row[3:].split())}
    point = (len(rows) - int(answer[1:]), "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(answer[0]))
    if board.get(point) != ".":
        return False
    return any(
        board.get(start) == "O" and not _free(start, board | {point: "X"})
        for start in _beside(point)
    )


def _free(start: tuple[int, int], board: Mapping[tuple[int, int], str]) -> bool:
    """Return whether the group of stones at `start` has a liberty."""
    group, waiting = {start}, [start]
    while waiting:
        for point in _beside(waiting.pop()):
            if board.get(point) == ".":
                return True
            if board.get(point) == board[start] and point not in group:
                group.add(point)
                waiting.append(point)
    return False


def _beside(point: tuple[int, int]) -> list[tuple[int, int]]:
    row, column = point
    return [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]


def _is_path(answer: str, question: str) -> bool:
    """Steps in another order may be as short a path."""
    rows = [line.split() for line in question.split("grid:\n")[1].strip().split("\n")]
    cells = {(r, c): cell for r, row in enumerate(rows) for c, cell in enumerate(row)}
    row, column = next(cell for cell, sign in cells.items() if sign == "*")
    for step in answer.split():
        if step not in STEPS:
            return False
        row, column = row + STEPS[step][0], column + STEPS[step][1]
        if cells.get((row, column), "X") == "X":
            return False
    return cells[row, column] == "#"


def _sum_holds(answer: str, question: str) -> bool:
    """Another assignment of digits may solve the cryptarithm."""
    digits = dict(pair.split("=") for pair in answer.split(","))
    lines = re.findall(r"^[+ ]*([A-Z]+) *$", question, re.M)
    if len(set(digits.values())) < len(digits) or any(digits[line[0]] == "0" for line in lines):
        return False
    *parts, total = (int("".join(digits[letter] for letter in line)) for line in lines)
    return sum(parts) == total


def _is_ladder(answer: str, question: str) -> bool:
    """A shorter ladder may be right as long as each step changes one letter."""
    steps = answer.split(",")
    if [steps[0], steps[-1]] != re.findall(r"'([A-Z]+)'", question)[:2]:
        return False
    return all(
        sum(a != b for a, b in zip(one, other, strict=True)) == 1 for one, other in pairwise(steps)
    )


_CHECKS: Mapping[str, Callable[[str, str], bool]] = MappingProxyType(
    {
        "codeio": _any_input,
        "cryptarithm": _sum_holds,
        "shortest_path": _is_path,
        "tsumego": _capture,
        "word_ladder": _is_ladder,
    }
)
