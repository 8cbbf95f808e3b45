"""Find the digits behind the letters of a sum."""

import random
import re

from rgenv.tasks import Answer, Entry, Forms, Task, all_or_nothing, moving
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.symmetries import sorted_amounts


def _words(question: str) -> list[str]:
    """Return the addends and the sum."""
    return re.findall(r"^[+ ]*([A-Z]+)$", question, re.MULTILINE)


class LetterDigits(Answer):
    """A digit for each letter in any form of a mapping.

    The library takes the last of several digits of a letter.
    """

    name = "mapping"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        found = pairs(text, "[A-Z]", "[0-9]")
        return ",".join(map("=".join, found.items())) if found else None

    def forms(self, reference: str, question: str) -> Forms:
        found = reference.split(",")
        return {
            "spaces": ", ".join(found),
            "spaces around =": ", ".join(found).replace("=", " = "),
            "reversed": ",".join(found[::-1]),
            "lines": "\n".join(found),
        }

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        found = reference.split(",")
        place = rng.randrange(len(found))
        letter, digit = found[place].split("=")
        other = rng.choice([other for other in "0123456789" if other != digit])
        return {"digit": reference.replace(f"{letter}={digit}", f"{letter}={other}")}

    def may_be_right(self, text: str, question: str) -> bool:
        """Another assignment of digits may make the sum right."""
        digits, words = dict(pair.split("=") for pair in text.split(",")), _words(question)
        if len(set(digits.values())) < len(digits) or any(digits[w[0]] == "0" for w in words):
            return False
        *parts, total = (int("".join(digits[letter] for letter in word)) for word in words)
        return sum(parts) == total


def family(entry: Entry) -> object:
    """Keep lengths of the words, and how often each letter appears; ignore letters, order of the
    addends.
    """
    words = _words(entry["question"])
    return sorted(map(len, words)), sorted_amounts("".join(words))


TASK = Task(
    answer=LetterDigits(),
    also_right="any assignment that solves the sum, in any order",
    verify=all_or_nothing,
    family=family,
    levels=moving(words=[(2, 2), (2, 3), (3, 4), (4, 6), (6, 9)]),
)
