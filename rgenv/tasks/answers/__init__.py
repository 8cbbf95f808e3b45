"""Kinds of answers: one value has many written forms, and a verifier sees only one of them.

Example::

    kind = Number(unit="minutes?")
    canonical(kind, "**4 minutes**", entry)               # "4", as the library writes it

A kind that a single task has stands in the file of the task.

Not here: whether an answer is right.
"""

from rgenv.tasks.answers.kind import TEXT, Answer, canonical

__all__ = ["TEXT", "Answer", "canonical"]
