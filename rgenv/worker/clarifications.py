"""One sentence for the prompt where a question leaves out what the verifier demands.

Example::

    clarification("puzzle24", entry)    # "Use each of the numbers exactly once."
    clarification("gcd", entry)         # "": the question says everything

The sentences depend on the question alone and say how it is meant, never what follows from that.
Each is true for every entry of its task on which it appears.

Not here: forms of the same answer, all of which count (values/), and questions that stay ambiguous,
which are not asked (labels/).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from rgenv.tasks.entry import Entry
from rgenv.worker.coverage import covered

MIRRORS = "A vertical mirror exchanges left and right, a horizontal one top and bottom."
ROTATIONS = "Rotations are clockwise."

SENTENCES: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "bf": (("", "A cell holds eight bits, so that 255 plus 1 is 0."),),
        "codeio": (("predict the output", "Answer with the returned value itself."),),
        "coin_flip": (("", "Answer with a fraction, or with at least three significant digits."),),
        "kakurasu": (("", "Answer with the whole grid of 1s and 0s."),),
        "knight_swap": (
            (r"\|   (?=\|)", "Squares that are blank in the picture are not part of the board."),
        ),
        "leg_counting": (("starfish", "The five arms of a starfish count as legs."),),
        "letter_counting": (("", "Count capital letters as well as small ones."),),
        "manipulate_matrix": (
            ("Rotate the matrix (90|270)", ROTATIONS),
            ("(Vertic|Horizont)ally mirror", MIRRORS),
        ),
        "number_sequence": (("", "Answer with the number that comes next in the sequence."),),
        "palindrome_partitioning": (("", "Answer with all possible partitions."),),
        "polynomial_multiplication": (
            ("", "Answer with the expanded polynomial, with like terms collected."),
        ),
        "pool_matrix": (
            (
                "",
                "A kernel that reaches over the edge of the matrix pools the numbers within it.",
            ),
        ),
        "power_function": (
            (r"Compute -", "By convention, the sign in front is applied after the power."),
        ),
        "propositional_logic": (
            (
                "",
                "Conclude one literal, or several of different variables joined by ∨ or →, that no "
                "single premise implies.",
            ),
        ),
        "puzzle24": (("", "Use each of the numbers exactly once."),),
        "quantum_lock": (
            ("", "A button that does nothing in the present light still toggles the light."),
        ),
        "rectangle_count": (
            ("", "Where rectangles cross, count as few of them as the picture can be made of."),
        ),
        "simple_integration": ((r"\A[^\n]*\bX\b[^\n]* dx\n", "The variable of integration is X."),),
        "sokoban": (("", "Avoid needless steps."),),
        "string_manipulation": (
            (
                "remove the middle character",
                "Of the two characters in the middle of a string of even length, the right one is "
                "removed.",
            ),
        ),
        "string_synthesis": (("", "After each use of a rule, start again with the first rule."),),
        "survo": (("", "Answer with the whole matrix, sums included."),),
        "tower_of_hanoi": (("", "Use as few moves as possible."),),
        "word_ladder": (("", "Begin with the first word and end with the last one."),),
    }
)
"""Task -> pairs of a pattern and the sentence for questions in which the pattern is found."""


def clarification(task: str, entry: Entry) -> str:
    """Return what the question of `entry` leaves out; an empty text if it says everything.

    Of a task that is not covered, that is unknown.

    Args:
        task: the task that made the entry; for composite, the task of the part.
    """
    if not covered(task):
        return ""
    question = entry["question"]
    sentences = (text for pattern, text in SENTENCES.get(task, ()) if re.search(pattern, question))
    return " ".join(sentences)
