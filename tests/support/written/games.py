"""The kinds of answers that only tasks of games have."""

import random
import re
from random import Random

from rgenv.tasks.answers.grids import spaced
from rgenv.tasks.answers.moves import JsonMoves, Moves
from rgenv.tasks.answers.words import Word
from rgenv.tasks.games import (
    emoji_mystery,
    futoshiki,
    knight_swap,
    n_queens,
    rush_hour,
    sokoban,
    tower_of_hanoi,
    tsumego,
)
from tests.support.written.base import Forms, changes, may_be_right, other_forms
from tests.support.written.parts import changed_letters, minus_sign, spaced_forms, split_rows


@changes.register
def _(
    kind: emoji_mystery.HiddenSentence, reference: str, question: str, rng: random.Random
) -> Forms:
    return changed_letters(reference, rng)


@other_forms.register
def _(kind: futoshiki.SignedBoard, reference: str, question: str) -> Forms:
    lines = reference.split("\n")
    board = [re.findall(r"\d", line) for line in lines if re.search(r"\d", line)]
    numbers = spaced_forms(spaced(board))
    forms = {f"numbers alone, {name}": text for name, text in numbers.items()}
    return forms | {
        "no space at line ends": "\n".join(line.rstrip() for line in lines),
        "CRLF": "\r\n".join(lines),
    }


@changes.register
def _(kind: futoshiki.SignedBoard, reference: str, question: str, rng: random.Random) -> Forms:
    place = rng.choice([match.start() for match in re.finditer(r"\d", reference)])
    value = rng.choice([other for other in "123456789" if other != reference[place]])
    return {"digit": reference[:place] + value + reference[place + 1 :]}


@other_forms.register
def _(kind: knight_swap.KnightMoves, reference: str, question: str) -> Forms:
    if reference.startswith("["):
        return other_forms.dispatch(JsonMoves)(kind, reference, question)
    return other_forms(Word(), reference, question)


@other_forms.register
def _(kind: n_queens.QueenBoard, reference: str, question: str) -> Forms:
    return spaced_forms(reference)


@changes.register
def _(kind: n_queens.QueenBoard, reference: str, question: str, rng: random.Random) -> Forms:
    board = split_rows(reference)
    row = rng.randrange(len(board))
    column = board[row].index("Q")
    other = rng.choice([place for place in range(len(board)) if place != column])

    def with_squares(at_column: str, at_other: str) -> str:
        changed = [[*cells] for cells in board]
        changed[row][column], changed[row][other] = at_column, at_other
        return spaced(changed)

    return {
        "moved": with_squares("_", "Q"),
        "taken away": with_squares("_", "_"),
        "added": with_squares("Q", "Q"),
    }


@other_forms.register
def _(kind: rush_hour.CarMoves, reference: str, question: str) -> Forms:
    return other_forms.dispatch(Moves)(kind, reference, question) | minus_sign(reference)


@other_forms.register
def _(kind: sokoban.Steps, reference: str, question: str) -> Forms:
    return {"spaces": " ".join(reference), "commas": ", ".join(reference)}


@other_forms.register
def _(kind: tower_of_hanoi.DiskMoves, reference: str, question: str) -> Forms:
    lines = reference.split("\n")
    numbered = list(enumerate(lines, 1))
    return {
        "numbered": "\n".join(f"{number}. {line}" for number, line in numbered),
        "numbered with brackets": "\n".join(f"{number}) {line}" for number, line in numbered),
        "steps": "\n".join(f"Step {number}: {line}" for number, line in numbered),
        "bullets": "\n".join(f"- {line}" for line in lines),
        "stars": "\n".join(f"* {line}" for line in lines),
        "full stops": "\n".join(f"{line}." for line in lines),
        "CRLF": "\r\n".join(lines),
        "space at line ends": "\n".join(f"{line} " for line in lines),
        "blank lines": "\n\n".join(lines),
        "lower case": reference.lower(),
        "tight numbers": reference.replace("k ", "k").replace("g ", "g"),
    }


@other_forms.register
def _(kind: tsumego.Point, reference: str, question: str) -> Forms:
    return {"lower case": reference.lower()}


@changes.register
def _(kind: tsumego.Point, reference: str, question: str, rng: Random) -> Forms:
    size = len(tsumego._rows(question))
    points = [tsumego._name(r, c, size) for c in range(size) for r in reversed(range(size))]
    others = [point for point in points if point != reference]
    return {f"other {number}": text for number, text in enumerate(rng.sample(others, 3), 1)}


@may_be_right.register
def _(kind: tsumego.Point, text: str, question: str) -> bool:
    """A move that captures stones may be right where "some" are asked for."""
    size = len(tsumego._rows(question))
    return text in {
        tsumego._name(*move, size) for move in tsumego.captured(tsumego.read_board(question))
    }
