"""Insert letters after patterns in a string."""

import re

from rgenv.tasks import Answers, Entry, Task, by_library, moving, random_of, replaced, with_solution
from rgenv.tasks.answers.texts import Text
from rgenv.tasks.questions import tail
from rgenv.tasks.rewriting import obeys
from rgenv.tasks.safe_parse import literal
from rgenv.tasks.symmetries import last_string

LETTERS = "ABCDE"
PATTERNS = "ABCD|BCDE|CDEA|DEAB|EABC"
"""Where a string has one of these, its first letter is inserted behind it."""
LONG = 28
"""Letters of a string if any number is allowed."""
IN_ORDER = 0.8
"""How often a letter is the next one of the cycle: most patterns overlap others then."""


def harden(entry: Entry) -> Entry:
    """Write another string: one insertion solves .92 of the library's problems, none of these."""
    rng, string = random_of(entry), entry["metadata"]["string"]
    length = max(LONG, len(string))
    if not obeys(entry, string_length=length):
        length = len(string)
    place, written = 0, ""
    for _ in range(length):
        place = place + 1 if rng.random() < IN_ORDER else rng.randrange(len(LETTERS))
        written += LETTERS[place % len(LETTERS)]
    question = replaced(entry["question"], f": {string}\n", f": {written}\n")
    answer = re.sub(PATTERNS, lambda found: found[0] + found[0][0], written)
    return with_solution(entry, question, answer, string=written, string_length=length)


def shortcuts(question: str) -> Answers:
    """Copy the string: a random one has a pattern in 125 letters."""
    return {"copy the string": tail(question)}  # .96 at the defaults, .64 at .5


TASK = Task(
    answer=Text(),
    harden=harden,
    verify=by_library,
    guarded={"eval": literal},
    shortcuts=shortcuts,
    family=last_string,
    levels=moving(string_length=[(8, 20), (30, 50), (60, 90), (100, 140), (160, 240)]),
    accepted={"shortcut": "few random strings have two patterns"},
)
