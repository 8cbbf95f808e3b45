"""Remove numbers above or below a limit from a list."""

from __future__ import annotations

import ast
import operator
import re
from fractions import Fraction

from rgenv.tasks.answers.lists import QuotedNumbers
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import question_numbers
from rgenv.tasks.verifying import exact


def correct(entry: Entry) -> Entry | None:
    """Keep the spelling of each number; the library turns "81" into an earlier "81.0"."""
    action, size, bound, numbers = re.findall(
        r"(Keep|Remove) all numbers (larger|smaller) than (\S+) in this list: (\[.*\])",
        entry["question"],
    )[0]
    compare = operator.gt if size == "larger" else operator.lt
    kept = [
        number
        for number in ast.literal_eval(numbers)
        if compare(Fraction(number), Fraction(bound)) == (action == "Keep")
    ]
    if kept == ast.literal_eval(entry["answer"]):
        return entry
    return {**entry, "answer": str(kept), "metadata": {**entry["metadata"], "result": kept}}


def shortcuts(question: str) -> Answers:
    """Go by the signs of the numbers, or leave out the first."""
    found = re.findall(r"'([^']*)'", question[question.index("[") : question.index("]")])
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
