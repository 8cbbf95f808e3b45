"""Choose the problem that a seed stands for, among several that the library makes.

::

    draw(maker, "rotten_oranges", 7, config)    # 7, or the first of 32 seeds derived from it that fits

The library's generators make one answer far more often than the others, or problems that a rule of
a few lines answers without solving them. Here a seed decides by coins which label its problem has
(`LABELS`) and whether a shortcut may solve it. Seeds are drawn until the library makes such a
problem. So any set of seeds has balanced labels and few problems that a shortcut solves.

The result depends on the arguments alone. A recipe holds the drawn seed, from which the library
makes the same problem without this module.

Not here: what a level means (levels.py), which problems can't be answered (labels/), and what
solves a problem without thought (shortcuts/).
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from rgenv.worker import shortcuts
from rgenv.worker.problem_maker import Config, ProblemMaker, source_task

MAX_DRAWS = 32
"""Seeds that are tried. A property of one problem in ten is missed by one seed in 30."""

SOLVED_SHARE = 0.05
"""The share of seeds whose problem a shortcut may solve. Without any, a model would learn that no
number is prime, for example."""

_FAIR = MappingProxyType({"True": 0.5, "False": 0.5})

LABELS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "circuit_logic": MappingProxyType({"0": 0.5, "1": 0.5}),
        "course_schedule": _FAIR,
        "game_of_life_halting": _FAIR,
        "isomorphic_strings": _FAIR,
        "ransom_note": _FAIR,
        "syllogism": MappingProxyType({"Yes": 0.5, "No": 0.5}),
    }
)
"""Task -> reference answer -> the share of problems that have it. The rest have other answers."""


def draw(maker: ProblemMaker, task: str, seed: int, config: Config) -> int:
    """Return the first of the seeds derived from `seed` whose problem fits, `seed` itself first.

    Where none fits, the problem has the wanted label if possible, or can at least be answered; else
    the result is `seed`. A seed whose problem can't be made fits nothing.
    """
    coins = random.Random(_digest(task, seed, "coins"))
    may_be_solved, label_coin = coins.random() < SOLVED_SHARE, coins.random()
    second_best: tuple[int, int] | None = None
    for drawn in _seeds(task, seed):
        try:
            fit = _fit(maker, task, drawn, config, label_coin, may_be_solved)
        except Exception:  # the library's generators raise exceptions of any type
            continue
        if fit == _FITS:
            return drawn
        if fit and (second_best is None or fit > second_best[0]):
            second_best = fit, drawn
    return seed if second_best is None else second_best[1]


_UNFIT, _WINNABLE, _HAS_LABEL, _FITS = range(4)


def _fit(
    maker: ProblemMaker, task: str, seed: int, config: Config, label_coin: float, solved: bool
) -> int:
    """Return how well a seed's problem fits: one of `_UNFIT` to `_FITS`."""
    if not maker.winnable(task, seed, config):
        return _UNFIT
    entry = maker.make(task, seed, config)
    source = source_task(task, entry)
    shares = LABELS.get(source, {})
    label = entry["answer"] if entry["answer"] in shares else None
    if shares and label != _wanted(shares, label_coin):
        return _WINNABLE
    if not solved and solving_shortcut(maker, task, seed, config) is not None:
        return _HAS_LABEL
    return _FITS


def solving_shortcut(maker: ProblemMaker, task: str, seed: int, config: Config) -> str | None:
    """Return the name of a shortcut that solves the problem, or None."""
    entry = maker.make(task, seed, config)
    dataset = maker.dataset(task, seed, config)
    source = source_task(task, entry)

    def score(answer: str) -> float:
        return maker.score(source, dataset, entry, answer)

    return shortcuts.solving(source, entry, score)


def _wanted(shares: Mapping[str, float], coin: float) -> str | None:
    """Return the label that `coin`, uniform in [0, 1), chooses; None stands for all others."""
    for label, share in shares.items():
        coin -= share
        if coin < 0:
            return label
    return None


def _seeds(task: str, seed: int) -> Iterator[int]:
    """Yield `seed`, then seeds that differ from it in their low bits only.

    The high bits say whether a seed is for training or for evaluation. Some tasks take no seed
    above 2**32.
    """
    yield seed
    bits = 52 if abs(seed) >> 32 else 31
    for n in range(1, MAX_DRAWS):
        yield (abs(seed) >> bits << bits) + _digest(task, seed, n) % (1 << bits)


def _digest(*key: Any) -> int:
    text = "\x1f".join(map(str, key)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
