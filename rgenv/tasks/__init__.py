"""What is known of each task. All of this runs in a worker; the parent imports nothing of it.

Each file of a category holds one task: what it asks, the functions that know it, and at the end its
record, `TASK`. A stranger who wants to know or change anything about a task reads that file only.
What most of these files use can be imported from here.
"""

from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.answers.texts import Text
from rgenv.tasks.answers.words import Choice
from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import integers_in, tail
from rgenv.tasks.record import Answers, Levels, LibraryVerifier, Task, by_library, moving
from rgenv.tasks.rewriting import changed, obeys, random_of, replaced, with_solution
from rgenv.tasks.symmetries import part_of, question_numbers
from rgenv.tasks.verifying import all_or_nothing, exact

__all__ = [
    "Answer",
    "Answers",
    "Choice",
    "Entry",
    "Levels",
    "LibraryVerifier",
    "Number",
    "Task",
    "Text",
    "all_or_nothing",
    "by_library",
    "changed",
    "exact",
    "integers_in",
    "moving",
    "obeys",
    "part_of",
    "question_numbers",
    "random_of",
    "replaced",
    "tail",
    "with_solution",
]
