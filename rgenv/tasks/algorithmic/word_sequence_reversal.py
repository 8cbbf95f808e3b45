"""Reverse a list of words."""

from rgenv.tasks import Answers, Task, moving, tail
from rgenv.tasks.answers.lists import Words
from rgenv.tasks.symmetries import words_after


def shortcuts(question: str) -> Answers:
    words = tail(question).split(", ")
    return {"exchange the ends": ", ".join([words[-1], *words[1:-1], words[0]])}  # .27


TASK = Task(
    answer=Words(),
    shortcuts=shortcuts,
    family=words_after(r"words: (.*)"),
    # 100 words are long rather than deep.
    levels=moving(words=[(3, 6), (7, 11), (12, 17), (18, 25), (26, 36)]),
    prepared=(),
)
