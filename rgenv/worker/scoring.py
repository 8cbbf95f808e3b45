"""Score what an answer says.

Example::

    verify("puzzle24", "1*1*4*6", entry, library)    # 0.0, unless the numbers are 1, 1, 4 and 6

The record of a task has a verifier where the library's accepts wrong answers or refuses right ones.
"""

from __future__ import annotations

from rgenv.tasks.answers.kind import canonical
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import LibraryVerifier
from rgenv.tasks.registry import record_of


def verify(task: str, answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the score of what an answer says, by our verifier if the task has one.

    Args:
        task: the name of the task.
        answer: the extracted answer, bare or inside ``<answer>`` tags. Our verifiers give the
            tagged form 0.0, because the same answer is also scored without its tags.
        entry: the data set entry that the answer belongs to.
        library: the library's verifier for `entry`.

    Raises:
        Exception: whatever the library's verifier raises, for a task without one of ours.
    """
    record = record_of(task)
    ours = record.verify
    if answer.startswith("<answer>"):
        return library(answer) if ours is None else 0.0
    form = canonical(record.answer, answer, entry)
    return library(form) if ours is None else ours(form, entry, library)
