"""The level at which a policy reaches a target, estimated from groups at any level.

::

    estimate = LevelEstimate(target=0.7, start=0.3, spread=0.4)
    estimate.observe(0.3, successes=8, size=8, blind=0.0)
    estimate.best_level()      # the highest level that is predicted to reach the target

A policy succeeds less often as the level rises. The model of item response theory says how: at
level x the chance is blind + (1 - blind) * know, where know is a logistic function that equals the
target at the threshold. Threshold and steepness are unknown; their distribution is updated by
Bayes' rule with each group (Watson and Pelli, QUEST, Perception & Psychophysics 1983). So each
group counts once and at the level at which it was made: a late group is no worse than an early one,
and groups of other processes can be added in any order.

- Completions of a group are alike, because problems of a level differ. A group counts as
  size / (1 + (size - 1) * ALIKE) completions (the design effect of survey statistics).
- The policy changes. With each group the threshold may have moved: by a step of the grid, or,
  rarely, to anywhere. So old evidence fades, and no level is kept for ever.
- A few completions fail or succeed whatever the level is (`LAPSE`).
"""

from __future__ import annotations

import base64
import functools
import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVELS: Floats = np.round(np.arange(21) * 0.05, 4)
"""The levels to choose from."""

THRESHOLDS: Floats = np.round(np.arange(-0.5, 1.5 + 1e-9, 0.025), 4)
"""Possible thresholds. Beyond the scale they stand for targets that no level reaches."""

WIDTHS: Floats = np.array([[0.005], [0.04], [0.2]])
"""Possible widths of the logistic function, in levels: from a sharp limit to a slow decline."""

ALIKE, LAPSE = 0.2, 0.02
DRIFT, CHANGE = 0.02, 0.001
"""With each group the threshold moves by one step of the grid, up and down, with probability
`DRIFT`, and to anywhere with probability `CHANGE`."""

SLACK = 0.03


class LevelEstimate:
    """The distribution of threshold and width.

    Args:
        target: the rate to reach, beyond blind luck.
        start: the centre of the thresholds that are likely before the first group.
        spread: their standard deviation.
    """

    def __init__(self, *, target: float, start: float, spread: float) -> None:
        self._target = target
        likely = np.exp(-0.5 * ((THRESHOLDS - start) / spread) ** 2) + LAPSE
        self._chances: Floats = np.tile(likely, (len(WIDTHS), 1)) / likely.sum() / len(WIDTHS)

    def observe(self, level: float, *, successes: int, size: int, blind: float) -> None:
        """Add one group.

        Args:
            level: the level at which its problem was made.
            successes: how many of its `size` completions succeeded; at least one completion.
            blind: the chance of a success without knowledge, below 1.
        """
        success = blind + (1 - blind) * _know(self._target, level)
        weight = 1 / (1 + (size - 1) * ALIKE)
        fit = weight * (successes * np.log(success) + (size - successes) * np.log(1 - success))
        chances = self._chances * np.exp(fit - fit.max())
        chances /= chances.sum()
        drifted = chances.copy()
        drifted[:, 1:] += DRIFT * (chances[:, :-1] - chances[:, 1:])
        drifted[:, :-1] += DRIFT * (chances[:, 1:] - chances[:, :-1])
        self._chances = (1 - CHANGE) * drifted + CHANGE / drifted.size

    def best_level(self) -> float:
        """Return the highest level whose predicted rate is at most `SLACK` below the target.

        That is the lowest level if there is no such level.
        """
        rates = np.tensordot(_know_at_levels(self._target), self._chances, 2)
        reached = np.nonzero(rates >= self._target - SLACK)[0]
        return float(LEVELS[reached[-1]]) if len(reached) else 0.0

    def state(self) -> str:
        """Return the distribution as text: base64 of 64-bit floats."""
        return base64.b64encode(self._chances.tobytes()).decode()

    def load(self, state: str) -> None:
        """Replace the distribution.

        Raises:
            ValueError: the text is not such a state.
        """
        chances = np.frombuffer(base64.b64decode(state, validate=True), dtype=np.float64)
        self._chances = chances.reshape(self._chances.shape).copy()


@functools.cache
def _know_at_levels(target: float) -> Floats:
    """Return the chance to know an answer, for each of `LEVELS`, width and threshold."""
    return np.stack([_know(target, float(level)) for level in LEVELS])


@functools.lru_cache(maxsize=1024)
def _know(target: float, level: float) -> Floats:
    """Return the chance to know an answer at a level, for each width and threshold."""
    shift = math.log((target - LAPSE) / (1 - LAPSE - target))
    logits = np.clip((THRESHOLDS - level) / WIDTHS + shift, -30, 30)
    know: Floats = LAPSE + (1 - 2 * LAPSE) / (1 + np.exp(-logits))
    return know
