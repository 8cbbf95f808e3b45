"""Count siblings, friends or colleagues in a short story."""

from __future__ import annotations

import re

from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import integers_in
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import question_numbers
from rgenv.tasks.verifying import exact


def correct(entry: Entry) -> Entry | None:
    """Count Matilda's colleagues in both circles; None for a brother who was not introduced."""
    question = entry["question"]
    counts = [int(number) for number in re.findall(r"\d+", question)]
    if "Matilda" in question:
        _, women_around_her_friend, _, women_around_him = counts
        # In the first circle the friend replaces Matilda; in the second Matilda is not counted.
        women = women_around_her_friend + women_around_him - 1
        return {**entry, "answer": str(women)}
    asked = re.search(r"How many sisters does (\w+)'s brother have\?$", question)
    if asked and not question.startswith(f"{asked[1]} has "):
        return None
    return entry


def shortcuts(question: str) -> Answers:
    """Add one to a number at a fixed place, or add numbers."""
    found = integers_in(question)
    return {
        "the first number": str(found[0]),  # .10
        "the last number": str(found[-1]),  # .06
        "the last number and one": str(found[-1] + 1),  # .67
        "the first number and one": str(found[0] + 1),  # .15
        "the second number and one": str(found[1] + 1),  # .68
        "the last two and one": str(sum(found[-2:]) + 1),  # .05
    }


TASK = Task(
    answer=Number(),
    correct=correct,
    verify=exact,
    shortcuts=shortcuts,
    family=question_numbers,
    levels=Levels(
        fixed=(
            "In riddles about siblings and friends, the answer is a number of the text plus one, "
            "so they are rarely drawn. In those about colleagues, only numbers change."
        )
    ),
    accepted={"shortcut": "the answer is a sum of small numbers in the question"},
)
