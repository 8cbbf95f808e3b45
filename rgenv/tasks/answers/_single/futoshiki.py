"""Boards that say between some cells which one is larger."""

from __future__ import annotations

import random
import re
from itertools import chain

from rgenv.tasks.answers.grids import digit, rows, spaced, spaced_forms
from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.entry import Entry

_SIGNS = str.maketrans("^v⋀⋁", "∧∨∧∨")
_SIGN = re.compile("[<>∧∨]")
_IGNORED = str.maketrans("", "", " \t,|")


class SignedBoard(Answer):
    """A board with all its signs, those within the rows, or none.

    The signs repeat the question, so that an answer may leave them out; but signs that contradict
    the question are another board. What is read gets the layout of the reference answer.
    """

    def read(self, text: str, entry: Entry) -> str | None:
        right = str(entry["answer"])
        text = plain_signs(text).translate(_SIGNS)
        if _SIGN.search(text):
            expected = _masks(right)
            if _masks(text) not in (expected, [mask for mask in expected if "#" in mask]):
                return None
            digits = re.findall("[0-9]", text)
        else:
            board = rows(text, digit, single=True)
            size = len(entry["metadata"]["solution"])
            if board is None or [len(row) for row in board] != [size] * size:
                return None
            digits = list(chain(*board))
        return "".join(digits.pop(0) if sign.isdigit() else sign for sign in right)

    def forms(self, reference: str, question: str) -> Forms:
        lines = reference.split("\n")
        board = [re.findall(r"\d", line) for line in lines if re.search(r"\d", line)]
        numbers = spaced_forms(spaced(board))
        forms = {f"numbers alone, {name}": text for name, text in numbers.items()}
        return forms | {
            "no space at line ends": "\n".join(line.rstrip() for line in lines),
            "CRLF": "\r\n".join(lines),
        }

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        place = rng.choice([match.start() for match in re.finditer(r"\d", reference)])
        value = rng.choice([digit for digit in "123456789" if digit != reference[place]])
        return {"digit": reference[:place] + value + reference[place + 1 :]}


def _masks(text: str) -> list[str]:
    """Return the signs of each line, with ``#`` for a digit, without lines that have neither."""
    masks = (re.sub("[0-9]", "#", line.translate(_IGNORED)) for line in text.splitlines())
    return [mask for mask in masks if mask]
