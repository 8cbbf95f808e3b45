"""Combine blocks by rules, and count what is left."""

from __future__ import annotations

from rgenv.tasks.answers.lists import Counts
from rgenv.tasks.questions import integers_in
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import question_numbers
from rgenv.tasks.verifying import exact


def shortcuts(question: str) -> Answers:
    """Apply one rule."""
    a, b, c = integers_in(question.split("Now, you have ", 1)[1])[:3]
    most = min(a, b, c)
    pairs = min(a, b)
    return {
        "only the first rule": f"{a - most} {b - most} {c - most} {most} 0 0 0 0 0",  # .25
        "only the second rule": f"{a - pairs} {b - pairs} {c} 0 0 {pairs} 0 0 0",  # .18
        "only the third rule": (  # .10
            f"{a} {b - min(b, c)} {c - min(b, c)} 0 {min(b, c)} 0 0 0 0"
        ),
        "only the fourth rule": f"{a} {b} {c % 2} 0 0 {c // 2} 0 0 0",  # .18
    }


TASK = Task(
    answer=Counts("[A]", "[B]", "[C]", "{A}", "{B}", "{C}", "(A)", "(B)", "(C)"),
    verify=exact,
    clarify=(("", "After each use of a rule, start again with the first rule."),),
    shortcuts=shortcuts,
    family=question_numbers,
    # Hundreds of blocks repeat the same few rules.
    levels=Levels(
        knots={"min_initial_blocks": [0, 3, 8, 14, 22], "max_initial_blocks": [9, 12, 17, 26, 40]}
    ),
)
