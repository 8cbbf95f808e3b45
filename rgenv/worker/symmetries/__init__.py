"""Which problems are one but for a symmetry, and which of them are held out for evaluation.

    table.py     task -> its invariant, and the symmetries that the invariant ignores
    text.py      numbers, words and patterns of letters
    grids.py     rotations, mirrors and other orders of rows, columns or cells
    puzzles.py   invariants of single tasks

The order of addends, the names of people, or the orientation of a board do not change how a problem
is solved. An *invariant* keeps what is left without them, and often less. Problems of a task with
equal invariants are a *family*. A hash of the invariant decides whether a family is held out: in
every run, for any seed, level, number of replicas and evaluation set::

    family("lcm", {"question": "Find the LCM of these numbers: 4, 6", ...})    # as for 6, 4
    is_held_out("lcm", family(...))                                            # one of five is

The question that is asked is read, so the invariant of a changed question is that of its new text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType

from rgenv.tasks.entry import Entry
from rgenv.worker.coverage import covered
from rgenv.worker.symmetries.table import INVARIANTS
from rgenv.worker.symmetries.text import numbers, words

ONE_IN = 5
"""One of this many families is held out; of a slow task, one of two."""

SLOW = frozenset(
    """countdown futoshiki game_of_life intermediate_integration knight_swap polynomial_equations
    rubiks_cube sokoban sudoku word_ladder zebra_puzzles""".split()
)
"""Tasks whose problems take 25 ms and more at some levels. An evaluation draws until a problem is
held out, and would have to make five of them."""

SALTS: Mapping[str, int] = MappingProxyType(
    {
        "family_relationships": 1210,
        "mini_sudoku": 97,
        "palindrome_generation": 45,
        "rubiks_cube": 236,
        "syllogism": 137,
        "tower_of_hanoi": 175,
        "zebra_puzzles": 51,
    }
)
"""Task -> a number that is hashed, too. Where a task has few families, it is chosen so that each
level has some for training, and for evaluation if it has two."""


def family(task: str, entry: Entry) -> int:
    """Return a 53-bit hash of the invariant of a problem.

    Args:
        task: the task that made the entry; for composite, the task of the part.
    """
    text = f"{task}\x1f{SALTS.get(task, 0)}\x1f{invariant(task, entry)!r}"
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 11


def is_held_out(task: str, family: int) -> bool:
    """Return whether the problems of a family of `task` are for evaluation only."""
    return family % (2 if task in SLOW else ONE_IN) == 0


def invariant(task: str, entry: Entry) -> object:
    """Return what the symmetries of a task leave of a problem.

    A question that the task's invariant can't read keeps its words and numbers, in any order. So
    does one of a task that is not covered.
    """
    question = str(entry["question"])
    if task in INVARIANTS and covered(task):
        try:
            return INVARIANTS[task].of(entry)
        except _UNREADABLE:
            pass
    return words(question), numbers(question)


_UNREADABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What an invariant raises that looks for something that a question lacks."""
