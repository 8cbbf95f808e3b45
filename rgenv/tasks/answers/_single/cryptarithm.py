"""Digits for letters."""

from __future__ import annotations

import random
import re

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.entry import Entry


class LetterDigits(Answer):
    """A digit for each letter in any form of a mapping.

    The library takes the last of several digits of a letter.
    """

    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        found = pairs(text, "[A-Z]", "[0-9]")
        return ",".join(map("=".join, found.items())) if found else None

    def forms(self, reference: str, question: str) -> Forms:
        found = reference.split(",")
        return {
            "spaces": ", ".join(found),
            "spaces around =": ", ".join(pair.replace("=", " = ") for pair in found),
            "reversed": ",".join(found[::-1]),
            "lines": "\n".join(found),
        }

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        found = reference.split(",")
        place = rng.randrange(len(found))
        letter, digit = found[place].split("=")
        other = rng.choice([other for other in "0123456789" if other != digit])
        return {"digit": ",".join([*found[:place], f"{letter}={other}", *found[place + 1 :]])}

    def may_be_right(self, text: str, question: str) -> bool:
        """Another assignment of digits may make the sum right."""
        digits = dict(pair.split("=") for pair in text.split(","))
        words = re.findall(r"^[+ ]*([A-Z]+) *$", question, re.M)
        if len(set(digits.values())) < len(digits) or any(digits[w[0]] == "0" for w in words):
            return False
        *parts, total = (int("".join(digits[letter] for letter in word)) for word in words)
        return sum(parts) == total
