"""Find the digits behind the letters of a sum."""

import re

from rgenv.tasks import Answer, Entry, Task, all_or_nothing, moving
from rgenv.tasks.answers.mappings import pairs
from rgenv.tasks.symmetries import sorted_amounts


class LetterDigits(Answer):
    """A digit for each letter in any form of a mapping.

    The library takes the last of several digits of a letter.
    """

    name = "mapping"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        found = pairs(text, "[A-Z]", "[0-9]")
        return ",".join(map("=".join, found.items())) if found else None


def family(entry: Entry) -> object:
    """Keep lengths of the words, and how often each letter appears; ignore letters, order of the
    addends.
    """
    words = re.findall(r"^[+ ]*([A-Z]+)$", entry["question"], re.MULTILINE)
    return sorted(map(len, words)), sorted_amounts("".join(words))


TASK = Task(
    answer=LetterDigits(),
    also_right="any assignment that solves the sum, in any order",
    verify=all_or_nothing,
    family=family,
    levels=moving(words=[(2, 2), (2, 3), (3, 4), (4, 6), (6, 9)]),
)
