"""The level at which a policy reaches a target, estimated from groups at any level.

A policy succeeds less often as the level rises. The model of item response theory says how: at
level x the chance is blind + (1 - blind) * know, where know is a logistic function that equals the
target at the threshold. Threshold and width are unknown; their distribution is updated by Bayes'
rule with each group (Watson and Pelli, QUEST, Perception & Psychophysics 1983). So each group
counts once and at the level at which it was made, however late it ends and in whatever process.

- Completions of a group are alike, because problems of a level differ. The number of successes
  follows a beta-binomial distribution, and its correlation is the third unknown.
- The policy changes. With each group the threshold may have moved: by a step of the grid, or,
  rarely, to anywhere. So old evidence fades.
- A few completions fail or succeed whatever the level is (`LAPSE`).
"""

import functools
import math
from typing import cast

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEVELS: Floats = np.round(np.arange(21) * 0.05, 4)
"""The levels to choose from."""

THRESHOLDS: Floats = np.round(np.arange(-0.5, 1.5 + 1e-9, 0.025), 4)
"""Possible thresholds. Beyond the scale they stand for targets that no level reaches."""

WIDTHS: Floats = np.array([[0.005], [0.04], [0.2]])
"""Possible widths of the logistic function, in levels: from a sharp limit to a slow decline."""

CORRELATIONS: Floats = np.array([0.02, 0.2, 0.6])[:, None, None]
"""Possible correlations of the completions of a group. With one above 0.6, the curriculum would
follow a jump slowly after a long run of groups that are all right."""

LAPSE = 0.02
DRIFT, CHANGE = 0.02, 0.003
"""The probability that a group moves the threshold by one step, up and down, and that all three are
new: so a correlation that fitted a long run is given up soon."""


class LevelEstimate:
    """The distribution of correlation, width and threshold, which is near `start` at first."""

    def __init__(self, *, target: float, start: float, spread: float) -> None:
        self._target = target
        likely = np.exp(-0.5 * ((THRESHOLDS - start) / spread) ** 2) + LAPSE
        chances: Floats = np.tile(likely, (len(CORRELATIONS), len(WIDTHS), 1))
        self._chances = chances / chances.sum()

    def observe(self, level: float, *, successes: int, size: int, blind: float) -> None:
        """Add one group; `blind` is the chance of a success without knowledge, below 1."""
        fit = _fit(self._target, level, successes, size, blind)
        chances = self._chances * fit
        chances /= chances.sum()
        drifted = chances.copy()
        drifted[..., 1:] += DRIFT * (chances[..., :-1] - chances[..., 1:])
        drifted[..., :-1] += DRIFT * (chances[..., 1:] - chances[..., :-1])
        self._chances = (1 - CHANGE) * drifted + CHANGE / drifted.size

    def best_level(self) -> float:
        known = np.stack([_know(self._target, float(level)) for level in LEVELS])
        rates = np.tensordot(known, self._chances.sum(0), 2)
        return float(LEVELS[np.argmin(np.abs(rates - self._target))])

    def state(self) -> bytes:
        """Return the distribution as 64-bit floats."""
        return cast(bytes, self._chances.tobytes())

    def load(self, state: bytes) -> None:
        """Replace the distribution, or raise ValueError."""
        chances = np.frombuffer(state, dtype=np.float64)
        chances = chances.reshape(self._chances.shape).copy()
        if not (chances.min() >= 0 and chances.max() <= 1 and chances.sum() > 0.5):
            raise ValueError("an estimate is not a distribution")
        self._chances = chances


@functools.lru_cache(maxsize=1024)
def _fit(target: float, level: float, successes: int, size: int, blind: float) -> Floats:
    """Return how likely a group is, relative to the best fit, for each member of the grid."""
    success = blind + (1 - blind) * _know(target, level)
    number = 1 / CORRELATIONS - 1
    right, wrong = success * number, (1 - success) * number
    parts = ((1, right, successes), (1, wrong, size - successes), (-1, number, size))
    fit = sum(sign * (_log_gamma(at + count) - _log_gamma(at)) for sign, at, count in parts)
    return cast(Floats, np.exp(fit - fit.max()))


_log_gamma = np.vectorize(math.lgamma, otypes=[np.float64])


@functools.lru_cache(maxsize=1024)
def _know(target: float, level: float) -> Floats:
    """Return the chance to know an answer at a level, for each width and threshold."""
    shift = math.log((target - LAPSE) / (1 - LAPSE - target))
    logits = np.clip((THRESHOLDS - level) / WIDTHS + shift, -30, 30)
    know: Floats = LAPSE + (1 - 2 * LAPSE) / (1 + np.exp(-logits))
    return know
