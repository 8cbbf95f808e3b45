"""The tasks, chosen before any arm was run, and what a run is.

PRIMARY names the measure that decides; all others are secondary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["mastered", "soon", "late", "luck", "dead"]

PRIMARY = "mean held-out accuracy over all tasks and the levels 0, 0.3 and 0.6, at the end"
LEVELS = (0.0, 0.3, 0.6)
HIGHEST = 0.6
"""The highest level of training, in every arm that chooses levels."""

HARDER = 0.9
"""Harder than any level of training."""


@dataclass(frozen=True)
class Chosen:
    """A task.

    Attributes:
        right: the share of right answers among those that the warm-up imitates.
        why: what makes it this kind.
    """

    kind: Kind
    right: float
    why: str


TASKS: dict[str, Chosen] = {
    "spiral_matrix": Chosen("mastered", 0.95, ""),
    "spell_backward": Chosen("soon", 0.4, ""),
    "rotate_matrix": Chosen("late", 0.3, ""),
    "ab": Chosen("late", 0.3, ""),
    "isomorphic_strings": Chosen("luck", 0.5, ""),
    "gcd": Chosen("luck", 0.3, ""),
    "count_bits": Chosen("luck", 0.3, ""),
    "chain_sum": Chosen("dead", 0.3, ""),
    "prime_factorization": Chosen("dead", 0.3, ""),
    "dice": Chosen("dead", 0.0, ""),
    "lcm": Chosen("dead", 0.0, ""),
}
CONFIGS = {
    "spiral_matrix": {"min_n": 2, "max_n": 3},
    "rotate_matrix": {"min_n": 2, "max_n": 3},
}
