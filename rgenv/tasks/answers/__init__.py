"""Kinds of answers: one value has many written forms, and a verifier sees only one of them.

Example::

    kind = Number(unit="minutes?")
    canonical(kind, "**4 minutes**", entry)               # "4", as the library writes it
    right_forms(kind, "4", question)["point zero"]        # "4.0"
    kind.misses("4", question, random.Random(0))["next"]  # "5"

A kind that a single task has stands in the file of the task.

Not here: whether an answer is right.
"""

from rgenv.tasks.answers.kind import TEXT, Answer, Forms, canonical
from rgenv.tasks.answers.written import right_forms, wrong_forms

__all__ = ["TEXT", "Answer", "Forms", "canonical", "right_forms", "wrong_forms"]
