"""Insert letters after patterns in a string."""

import re

from rgenv.tasks import Answers, Entry, Task, by_library, moving, random_of, replaced, with_solution
from rgenv.tasks.answers.texts import Text
from rgenv.tasks.questions import tail
from rgenv.tasks.safe_parse import literal
from rgenv.tasks.symmetries import last_string

LETTERS = "ABCDE"
PATTERNS = ("ABCD", "BCDE", "CDEA", "DEAB", "EABC")
"""Where a string has one of these, its first letter is inserted behind it."""
MIN_LENGTH = 28
"""Letters of a string, at least: in a shorter one, most patterns are the first two or three."""
SKIPPED = [0] * 8 + [1, 2, 3, 4]
"""How many letters of the cycle are skipped before a pattern or a single letter: mostly none, so
that patterns overlap."""


def correct(entry: Entry) -> Entry:
    """Write another string, with up to one pattern in four letters.

    Nineteen in twenty of the library's strings have none, so that copying them is right.
    """
    rng = random_of(entry)
    string = entry["metadata"]["string"]
    length = max(MIN_LENGTH, len(string))
    patterns = rng.randint(length // 8, length // 4)
    runs = [4] * patterns + [1] * (length - 4 * patterns)
    rng.shuffle(runs)
    written, start = "", rng.randrange(len(LETTERS))
    for run, skipped in zip(runs, rng.choices(SKIPPED, k=len(runs)), strict=True):
        start = (start + skipped) % len(LETTERS)
        written += (LETTERS * 2)[start : start + run]
        start += run
    question = replaced(entry["question"], f": {string}\n", f": {written}\n")
    return with_solution(entry, question, inserted(written), string=written)


def inserted(string: str) -> str:
    """Return a string with a letter behind each pattern, found from left to right."""
    return re.sub("|".join(PATTERNS), lambda found: found[0] + found[0][0], string)


def shortcuts(question: str) -> Answers:
    string = tail(question)
    for pattern in PATTERNS:
        string = string.replace(pattern, pattern + pattern[0])
    return {"one rule after the other": string}


TASK = Task(
    answer=Text(),
    correct=correct,
    verify=by_library,
    guarded={"eval": literal},
    shortcuts=shortcuts,
    family=last_string,
    levels=moving(string_length=[(10, 20), (20, 36), (36, 60), (60, 100), (100, 160)]),
)
