"""Oversample and refill (DAPO, arXiv 2503.14476): drop groups whose rewards are equal, draw again.

Simplified: only as many problems as are missing are drawn again, one at least, where DAPO draws a
whole batch and discards what is left over; this arm wastes less. Tokens of dropped groups count.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.learning.arms.uniform import Curriculum, Random
from benchmarks.learning.grpo import Group


class Refill(Random):
    """Refill, with random tasks and levels as the paper has them."""

    def keep(self, groups: Sequence[Group]) -> list[Group]:
        """Return the informative groups."""
        return [group for group in groups if group.informative]


class RefillCurriculum(Curriculum):
    """Refill with the environment's curriculum."""

    def keep(self, groups: Sequence[Group]) -> list[Group]:
        """Return the informative groups."""
        return [group for group in groups if group.informative]
