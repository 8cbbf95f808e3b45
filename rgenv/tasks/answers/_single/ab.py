"""Tokens that two sorts of bricks leave."""

from __future__ import annotations

import random
import re

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.lists import joined_items, matching, separated_forms
from rgenv.tasks.entry import Entry

_read_tokens = matching(r"(?:[AB]#|#[AB])+")


class Tokens(Answer):
    """Tokens such as ``A#`` in any form of a list, also next to each other."""

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
