"""Words that change by one letter a step."""

from __future__ import annotations

import random
import re
from itertools import pairwise

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.lists import joined_items, separated_forms, word
from rgenv.tasks.entry import Entry


class Ladder(Answer):
    """Words of any case in any form of a list."""

    def read(self, text: str, entry: Entry) -> str | None:
        found = joined_items(text, word, ",")
        return found and found.upper()

    def forms(self, reference: str, question: str) -> Forms:
        return separated_forms(reference, arrows=True)

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        steps = reference.split(",")
        changes = {"no last word": ",".join(steps[:-1]), "no first word": ",".join(steps[1:])}
        if len(steps) > 2:
            place = rng.randrange(1, len(steps) - 1)
            changes["left out"] = ",".join(steps[:place] + steps[place + 1 :])
            changes["no word"] = ",".join([steps[0], "XQZJVXQZJV"[: len(steps[0])], *steps[2:]])
        return changes

    def may_be_right(self, text: str, question: str) -> bool:
        """A shorter ladder may be right as long as each step changes one letter."""
        steps = text.split(",")
        if [steps[0], steps[-1]] != re.findall(r"'([A-Z]+)'", question)[:2]:
            return False
        return all(
            sum(a != b for a, b in zip(one, other, strict=True)) == 1
            for one, other in pairwise(steps)
        )
