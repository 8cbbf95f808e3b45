"""Choose the problem that a seed stands for, among several that the library makes.

::

    draw(maker, "syllogism", 7, config)    # of 7, or of the first seed derived from it that fits

A seed decides by coins which label its problem has (`Task.labels`) and whether a shortcut may solve
it; an evaluation seed stands for a problem of a held-out family. Seeds are drawn until the library
makes such a problem that takes the work of the level. So any set of seeds has balanced labels and
few problems that a shortcut solves. The result depends on the arguments alone, and the library
makes the same problem from the drawn seed.
"""

import hashlib
from collections.abc import Iterator
from typing import Any

from rgenv.tasks import shortcuts
from rgenv.tasks.families import is_held_out
from rgenv.tasks.registry import record_of
from rgenv.worker import levels
from rgenv.worker.problem_maker import Config, MadeProblem, ProblemMaker
from rgenv.worker.protocol import first_evaluation_seed

MAX_DRAWS = 32
"""Problems that are tried. A property of one problem in ten is missed by one seed in 30."""

MAX_SEEDS = 5 * MAX_DRAWS
"""Seeds that are tried, those included whose problem is on the other side of the evaluation."""

MAX_QUESTION = 12_000
"""Characters of a question, where the task has shorter ones."""

SOLVED_SHARE = 0.05
"""The share of seeds whose problem a shortcut may solve. Without any, a model would learn that no
number is prime, for example."""


def draw(
    maker: ProblemMaker, task: str, seed: int, config: Config, level: float | None = None
) -> MadeProblem:
    """Return the problem of the first of the seeds derived from `seed` that fits, `seed` first.

    Where none fits, the result is the one that fits best; that of `seed` if no problem can be
    answered, or if none is on the side of the seed: for evaluation, or for training. `config` has
    the parameters of `level`, too.
    """
    best, best_fit, draws = None, 0, 0
    for drawn in _seeds(task, seed):
        try:
            made = maker.make(task, drawn, config)
            fit = _fit(made, seed, level)
        except Exception:  # the library's generators raise exceptions of any type
            fit = 0
        if fit == _FITS:
            return made
        if fit > best_fit:
            best, best_fit = made, fit
        draws += fit != _OTHER_SIDE
        if draws == MAX_DRAWS:
            break
    return best or maker.make(task, seed, config)


_FITS, _OTHER_SIDE = 4, -1


def _fit(made: MadeProblem, seed: int, level: float | None) -> int:
    """Return how many conditions a problem meets, in the order of their weight.

    `seed` was asked for: its coins decide what is wanted.
    """
    task, source, entry = made.task, made.source, made.entry
    if is_held_out(made.family) != (seed >= first_evaluation_seed(task)):
        return _OTHER_SIDE
    if not made.winnable or len(str(entry["question"])) > MAX_QUESTION:
        return 0
    balance = made.maker.balance_labels
    if balance and not _has_label(source, entry["answer"], _coin(task, seed, _GOLDEN)):
        return 1
    bounds = None if level is None else levels.work_range(source, level)
    if bounds is not None:
        work = made.work
        if work is None or not bounds[0] <= work <= bounds[1]:
            return 2
    may_be_solved = _coin(task, seed, _SQRT_2) < SOLVED_SHARE
    if not may_be_solved and shortcuts.solving(source, entry, made.score) is not None:
        return 3
    return _FITS


def _has_label(task: str, answer: Any, coin: float) -> bool:
    """Whether an answer is the one that a coin wants, or of the rest if it wants those."""
    shares = record_of(task).labels
    for label, share in shares.items():
        coin -= share
        if coin < 0:
            return bool(answer == label)
    return answer not in shares


def _seeds(task: str, seed: int) -> Iterator[int]:
    """Yield `seed`, then seeds that differ from it in their low bits only.

    The high bits say what a seed is for: evaluation or training. Some tasks take 32 bits at most.
    """
    yield seed
    bits = 52 if abs(seed) >> 32 else 31
    for n in range(1, MAX_SEEDS):
        yield (abs(seed) >> bits << bits) + _digest(task, seed, n) % (1 << bits)


_GOLDEN, _SQRT_2 = 0x9E3779B97F4A7C15, 0x6A09E667F3BCC909
"""The fractions of the golden ratio and of the root of 2, times 2**64."""


def _coin(task: str, seed: int, step: int) -> float:
    """Return a number in [0, 1): evenly spread over any seeds in a row, as over random ones."""
    return (_digest(task, step) + seed * step) % (1 << 64) / (1 << 64)


def _digest(*key: Any) -> int:
    text = "\x1f".join(map(str, key)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
