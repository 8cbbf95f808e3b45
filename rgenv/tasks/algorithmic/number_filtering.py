"""Remove numbers above or below a limit from a list."""

from __future__ import annotations

import ast
import operator
import re
from fractions import Fraction

from rgenv.tasks.answers.lists import QuotedNumbers
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.rewriting import changed
from rgenv.tasks.symmetries import question_numbers
from rgenv.tasks.verifying import exact


def _asked(question: str) -> tuple[str, str, Fraction, list[str]]:
    """Return whether to keep or to remove larger or smaller numbers, than which, of which list."""
    [(action, size, bound, numbers)] = re.findall(
        r"(Keep|Remove) all numbers (larger|smaller) than (\S+) in this list: (\[.*\])", question
    )
    return action, size, Fraction(bound), ast.literal_eval(numbers)


def correct(entry: Entry) -> Entry:
    """Keep the spelling of each number; the library turns "81" into an earlier "81.0"."""
    action, size, bound, numbers = _asked(entry["question"])
    compare = operator.gt if size == "larger" else operator.lt
    kept = [n for n in numbers if compare(Fraction(n), bound) == (action == "Keep")]
    return changed(entry, entry["question"], str(kept), result=kept)


def shortcuts(question: str) -> Answers:
    *_, found = _asked(question)
    return {
        "the negative numbers": str([value for value in found if value.startswith("-")]),  # .22
        "the other numbers": str([value for value in found if not value.startswith("-")]),  # .20
        "all but the first": str(found[1:]),  # .06
    }


TASK = Task(
    answer=QuotedNumbers(),
    correct=correct,
    verify=exact,
    shortcuts=shortcuts,
    family=question_numbers,
    # The curriculum starts at or above the default, so easier values are added.
    levels=Levels(knots={"min_numbers": [4, 8, 14, 24, 40], "max_numbers": [7, 13, 23, 39, 60]}),
)
