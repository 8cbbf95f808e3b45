"""Rewrite tokens by four rules until none applies."""

from __future__ import annotations

import random
import re

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.lists import joined_items, matching, separated_forms
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import letter_pattern, part_of

_read_tokens = matching(r"(?:[AB]#|#[AB])+")


class Tokens(Answer):
    """Tokens such as ``A#`` in any form of a list, also next to each other."""

    name = "list"

    def read(self, text: str, entry: Entry) -> str | None:
        found = joined_items(text, _read_tokens, "")
        return None if found is None else " ".join(re.findall("..", found))

    def forms(self, reference: str, question: str) -> Forms:
        return separated_forms(reference)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        tokens = reference.split()
        changes = {"added": " ".join([*tokens, rng.choice(["A#", "#A", "B#", "#B"])])}
        if len(tokens) > 1:
            changes["left out"] = " ".join(tokens[:-1])
        if tokens != tokens[::-1]:
            changes["reversed"] = " ".join(tokens[::-1])
        return changes


def shortcuts(question: str) -> Answers:
    """Move the tokens to their sides, or remove pairs."""
    tokens = question.split("following program:", 1)[1].split("\n\n")[1].split()
    left = [token for token in tokens if token[0] == "#"]
    right = [token for token in tokens if token[0] != "#"]
    kept: list[str] = []
    for token in tokens:
        if token[0] == "#" and kept and kept[-1] == token[1] + "#":
            kept.pop()
        else:
            kept.append(token)
    letters = [left.count(f"#{letter}") - right.count(f"{letter}#") for letter in "AB"]
    rest = [f"#{letter}" for letter, count in zip("AB", letters, strict=True) for _ in range(count)]
    rest += [f"{letter}#" for letter, n in zip("AB", letters, strict=True) for _ in range(-n)]
    return {
        "move the tokens to their sides": " ".join(left + right),  # .06
        "remove pairs that touch": " ".join(kept),  # .22
        "remove as many of each letter": " ".join(rest),  # .28
    }


def family(entry: Entry) -> object:
    """Keep the pattern of the tokens; ignore names of tokens, reading backwards."""
    return letter_pattern(part_of(r"following program:\n\n(.*?)\n", entry).split())


TASK = Task(
    answer=Tokens(),
    shortcuts=shortcuts,
    family=family,
    # From about 30 tokens on, the library keeps only programs that end within 100 rewrites.
    # Programs of fewer than nine tokens seldom need the order of the rules.
    levels=Levels(knots={"length": [9, 13, 18, 25, 34]}),
)
