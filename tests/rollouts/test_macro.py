"""rgenv/rollouts/macro.py: a mean that does not depend on the sampler."""

import random
from statistics import fmean

import pytest

from rgenv.dataset.task_sampler import SignalSampler
from rgenv.rollouts.macro import GROUPS, MacroMean


def test_each_task_has_the_same_weight() -> None:
    """The number of its groups does not matter."""
    macro = MacroMean()
    for value in (0.5, 1.0, 0.75):
        macro.add("gcd", value)
    macro.add("lcm", 0.0)
    assert (macro.value, macro.tasks) == (0.375, 2)


def test_each_part_has_the_same_weight_within_its_task() -> None:
    """A sampler that prefers easy levels does not raise the mean."""
    macro = MacroMean()
    for _ in range(3):
        macro.add("gcd", 1.0, part=0)
    macro.add("gcd", 0.0, part=4)
    assert macro.value == 0.5


def test_old_groups_are_forgotten() -> None:
    """The mean follows a model that learns."""
    macro = MacroMean()
    for value in [0.0] * 20 + [1.0] * GROUPS:
        macro.add("gcd", value)
    assert macro.value == 1.0


def test_a_sampler_moves_the_mean_over_groups_but_not_the_macro_mean() -> None:
    """A fixed policy that solves few tasks: the mean over groups doubles, the macro mean stays."""
    chances = {f"task_{n}": (0.5 if n < 8 else 0.02) for n in range(40)}
    truth = fmean(chances.values())
    sampler, rng = SignalSampler(dict.fromkeys(chances, 1.0), seed=3), random.Random(5)
    macro, pooled, seen = MacroMean(), [], []
    for n in range(6000):
        task, _ = sampler.pick(n, lambda _: [None])
        solved = sum(rng.random() < chances[task] for _ in range(8))
        sampler.observe(task, None, has_gradient=0 < solved < 8, accuracy=solved / 8)
        macro.add(task, solved / 8)
        if n >= 2000:
            pooled.append(solved / 8)
            seen.append(macro.value)
    assert fmean(pooled) > 2 * truth
    assert fmean(seen) == pytest.approx(truth, abs=0.02)
