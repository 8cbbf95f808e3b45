"""Move disks to another peg, with three pegs or more."""

import re

from rgenv.tasks import Answer, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.lists import items
from rgenv.tasks.answers.notation import plain_signs
from rgenv.tasks.verifying import library_score

_DISK = re.compile(
    r"move disk ?(\d{1,3}) from peg ?(\d{1,3}) to peg ?(?!\2\b)(\d{1,3})", re.ASCII | re.I
)


class DiskMoves(Answer):
    """Moves such as ``move disk 1 from peg 3 to peg 2`` in any form of a list.

    The library takes a disk that stays on its peg for a move.
    """

    name = "moves"
    must_be_read = True

    def read(self, text: str, entry: Entry) -> str | None:
        found = items(plain_signs(text), _DISK.fullmatch) or []
        return "\n".join(f"Move disk {m[1]} from Peg {m[2]} to Peg {m[3]}" for m in found) or None


MIN_SCORE = 0.05
"""The library's score for any text, even a space."""


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for the fewest moves, one a line, and less than 0.5 for more.

    The library gives 0.9 to needless moves.
    """
    score = library_score(library, answer)
    if score >= 1.0:
        return 1.0
    return score / 2 if score > MIN_SCORE else 0.0


def family(entry: Entry) -> object:
    """Keep numbers of disks and pegs; ignore names of pegs, order of the numbers."""
    return sorted(re.findall(r"(\d+) (?:disks|pegs)", entry["question"]))


TASK = Task(
    answer=DiskMoves(),
    also_right="any moves that are as few, over any peg",
    verify=verify,
    clarify=(("", "Use as few moves as possible."),),
    family=family,
    salt=175,
    # 8 disks on 3 pegs need 255 moves, so large towers have a fourth peg. Several numbers of
    # disks and pegs make more than a hundred problems.
    levels=moving(
        disks=[(2, 4), (4, 5), (6, 8), (9, 11), (12, 16)], min_pegs=[3, 3, 4, 4, 4], max_pegs=[6]
    ),
    accepted={
        "shortcut": "the question names the pegs of all moves",
        **dict.fromkeys(
            ("blind", "wrong"),
            "moves that solve another problem may solve this one, too, if not in the fewest "
            "moves; that earns part of the score",
        ),
    },
)
