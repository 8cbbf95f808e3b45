"""Reverse a list of words."""

from __future__ import annotations

from rgenv.tasks.answers.lists import Words
from rgenv.tasks.questions import tail
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import words_after
from rgenv.tasks.verifying import exact


def shortcuts(question: str) -> Answers:
    words = tail(question).split(", ")
    return {"exchange the ends": ", ".join([words[-1], *words[1:-1], words[0]])}  # .27


TASK = Task(
    answer=Words(),
    verify=exact,
    shortcuts=shortcuts,
    family=words_after(r"words: (.*)"),
    # 100 words are long rather than deep.
    levels=Levels(knots={"min_words": [3, 7, 12, 18, 26], "max_words": [6, 11, 17, 25, 36]}),
    prepared=(),
)
