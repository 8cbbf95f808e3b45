"""What is known of each task. All of this runs in a worker; the parent imports nothing of it.

Each file of a category holds one task: what it asks, the functions that know it, and at the end its
record, `TASK`. A stranger who wants to know or change anything about a task reads that file only.
What most of these files use can be imported from here.

    algebra/ algorithmic/ arc/ arithmetic/ code/ cognition/ composite/ games/ geometry/ graphs/
    induction/ logic/ probability/    the tasks, by their category in reasoning-gym

    record.py            the record: one field an aspect, each with a default
    registry.py          find the record of a task
    coverage.py          which tasks are as in the release that their records were measured on
    families.py          problems that are one but for a symmetry, and those held out for evaluation
    entry.py             the type of an entry of the library
    answers/             kinds of answers: how a value may be written, and near misses of it

What several tasks share::

    boards.py            boards and grids
    examples.py          grids of examples and a test
    questions.py         parts of a question that shortcuts answer with
    formulas.py          formulas over given numbers, integrals and sums
    exact_numbers.py     exact arithmetic, and names of months
    word_lists.py        the words that the library's word lists know
    rewriting.py         questions rewritten by chance
    symmetries.py        what symmetries leave of numbers, words, patterns and grids
    verifying.py         text comparison and the scale of partial credit
    limits.py            answers that would take a verifier too long
    safe_parse.py        parse literals and formulas without executing them
    bounded_simplify.py  sympy.simplify, only where the result may be zero
    tree_distance.py     edit distance of trees
    programs/            run programs of a question on proposed inputs
"""

from rgenv.tasks.answers.kind import Answer, Forms
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.answers.words import Choice
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import integers_in
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task, moving
from rgenv.tasks.rewriting import changed, random_of, with_solution
from rgenv.tasks.symmetries import part_of, question_numbers
from rgenv.tasks.verifying import all_or_nothing, exact

__all__ = [
    "Answer",
    "Answers",
    "Choice",
    "Entry",
    "Forms",
    "Levels",
    "LibraryVerifier",
    "Number",
    "Task",
    "all_or_nothing",
    "changed",
    "exact",
    "integers_in",
    "moving",
    "part_of",
    "question_numbers",
    "random_of",
    "with_solution",
]
