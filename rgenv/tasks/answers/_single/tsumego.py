"""Points of a Go board."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.entry import Entry

_POINT = re.compile(r"\(?([A-Za-z])[ ,]{0,2}(\d{1,2})\)?", re.ASCII)


class Point(Answer):
    """A point such as ``C4``, ``c4`` or ``(C, 4)``."""

    def read(self, text: str, entry: Entry) -> str | None:
        point = _POINT.fullmatch(plain_signs(text.strip()))
        return f"{point[1].upper()}{int(point[2])}" if point else None

    def forms(self, reference: str, question: str) -> Forms:
        return {"lower case": reference.lower()}

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        columns = question.split("```")[1].split("\n")[1].split()
        points = [f"{column}{row}" for column in columns for row in range(1, len(columns) + 1)]
        others = [point for point in points if point != reference]
        return {f"other {number}": text for number, text in enumerate(rng.sample(others, 3), 1)}

    def may_be_right(self, text: str, question: str) -> bool:
        """A move that captures stones may be right where "some" are asked for."""
        rows = question.split("```")[1].strip("\n").split("\n")[1:]
        board = {(r, c): s for r, row in enumerate(rows) for c, s in enumerate(row[3:].split())}
        point = (len(rows) - int(text[1:]), "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(text[0]))
        if board.get(point) != ".":
            return False
        return any(
            board.get(start) == "O" and not _is_free(start, board | {point: "X"})
            for start in _beside(point)
        )


def _is_free(start: tuple[int, int], board: Mapping[tuple[int, int], str]) -> bool:
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
