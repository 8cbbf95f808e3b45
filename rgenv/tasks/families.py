"""Which problems are one but for a symmetry, and which of them are held out for evaluation.

The order of addends, the names of people, or the orientation of a board do not change how a problem
is solved. `Task.family` keeps what is left without them, and often less. Problems of a task of
which the same is left are a *family*. A hash decides whether a family is held out: in every run,
for any seed, level, number of replicas and evaluation set::

    family("lcm", {"question": "Find the LCM of these numbers: 4, 6", ...})    # as for 6, 4
    is_held_out(family(...))    # one of five is

The question that is asked is read, so a changed question has the family of its new text.
"""

import hashlib

from rgenv.tasks.entry import Entry
from rgenv.tasks.questions import UNREADABLE
from rgenv.tasks.registry import record_of
from rgenv.tasks.symmetries import sorted_numbers, sorted_words

ONE_IN = 5
"""One of this many families is held out."""


def family(task: str, entry: Entry) -> int:
    """Return a 53-bit hash of what is left of a problem without the symmetries of its task.

    Of a problem of composite, `task` is the one that made the part.
    """
    text = f"{task}\x1f{record_of(task).salt}\x1f{invariant(task, entry)!r}"
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 11


def is_held_out(family: int) -> bool:
    """Return whether the problems of a family are for evaluation only."""
    return family % ONE_IN == 0


def invariant(task: str, entry: Entry) -> object:
    """Return what the symmetries of a task leave of a problem.

    A question that the task's function can't read keeps its words and numbers, in any order. So
    does one of a task without such a function.
    """
    kept = record_of(task).family
    if kept is not None:
        try:
            return kept(entry)
        except UNREADABLE:
            pass
    question = str(entry["question"])
    return sorted_words(question), sorted_numbers(question)
