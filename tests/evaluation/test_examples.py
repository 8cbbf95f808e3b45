"""Tests of rgenv/evaluation/examples.py."""

import random
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from rgenv.evaluation.examples import failures, successes
from tests.support.samples import sample

wrong = partial(sample, score=0.0)


def test_failures_come_from_many_tasks_with_wrong_answers_first() -> None:
    """A task with many failures does not displace the others."""
    run = [
        *(wrong("gcd", n) for n in range(50)),
        wrong("lcm", 0, verdict="no_answer"),
        wrong("lcm", 1),
        sample("dice", 0, None),
        wrong("products", 0, verdict="timeout"),
        sample("count_bits", 0, 1.0),
    ]
    found = failures(run, each=6)["arithmetic"]
    assert found.total == 54
    shown = [(f.task, f.verdict) for f in found.chosen]
    assert set(shown[:2]) == {("gcd", "scored"), ("lcm", "scored")}
    assert shown[2:] == [
        ("products", "timeout"),
        ("dice", "failed"),
        ("gcd", "scored"),
        ("lcm", "no_answer"),
    ]
    assert failures([sample(score=1.0)]) == {}


def test_each_problem_is_shown_once() -> None:
    """Further completions of the same problem are left out."""
    run = [wrong(seed=seed, index=n) for seed in (1, 2) for n in range(8)]
    assert sorted(f.seed for f in failures(run)["arithmetic"].chosen) == ["1", "2"]


@given(st.randoms())
def test_the_choice_does_not_depend_on_the_order_of_samples(rng: random.Random) -> None:
    """Two reports of the same samples show the same failures."""
    run = [sample(t, n, rng.choice([0.0, None])) for t in ("gcd", "lcm", "dice") for n in range(9)]
    other = run[:]
    rng.shuffle(other)
    assert failures(run) == failures(other)


def test_successes_come_from_many_tasks() -> None:
    """Solved samples are chosen in the same way, and what is not solved is none of them."""
    run = [*(sample("gcd", n) for n in range(50)), sample("lcm", 0), wrong("dice", 0)]
    found = successes(run, each=3)["arithmetic"]
    assert found.total == 51
    assert {example.task for example in found.chosen[:2]} == {"gcd", "lcm"}
    assert {example.score for example in found.chosen} == {"1.00"}
    assert successes([wrong(), sample(score=None)]) == {}
