"""Kinds of answers: one value has many written forms, and a verifier sees only one of them.

    kind.py         what a kind reads, writes and changes; plain text
    written.py      right and wrong answers in all their forms, wrapped and among other text
    wrappers.py     take wrappers off: boxes, fences, bold, quotes, a full stop
    notation.py     one number in any notation
    lines.py        lines without their bullets and numbers
    numbers.py      integers and decimals, with names and units
    fractions.py    fractions and probabilities
    words.py        words and truth values
    texts.py        text to the letter, and sentences
    expressions.py  formulas
    lists.py        lists of numbers, words and other items
    grids.py        rows of cells
    mappings.py     values by name
    moves.py        sequences of moves
    json_values.py  values in JSON

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
