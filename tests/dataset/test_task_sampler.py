"""rgenv/dataset/task_sampler.py: tasks by their chance of a gradient."""

import json
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.dataset.difficulty import Band
from rgenv.dataset.task_sampler import HORIZON, SignalSampler

TASKS = ["chain_sum", "gcd", "lcm", "maze"]


def one_band(_task: str) -> list[Band]:
    return [None]


def sampler(**changes: object) -> SignalSampler:
    values = {"tasks": dict.fromkeys(TASKS, 1.0), "seed": 42, "min_share": 0.1, **changes}
    return SignalSampler(values.pop("tasks"), **values)


def observe(signal: SignalSampler, task: str, outcomes: Sequence[bool], band: Band = None) -> None:
    for has_gradient in outcomes:
        signal.observe(task, band, has_gradient)


def picks(signal: SignalSampler, count: int, first: int = 0) -> Counter[str]:
    return Counter(signal.pick(n, one_band)[0] for n in range(first, first + count))


def test_tasks_with_informative_groups_are_preferred() -> None:
    """After some groups the other tasks get little more than their minimum share."""
    signal = sampler()
    for task in TASKS:
        observe(signal, task, [task in ("gcd", "lcm")] * 30)
    asked = picks(signal, 2000)
    assert asked["gcd"] + asked["lcm"] > 0.93 * 2000
    assert min(asked["gcd"], asked["lcm"]) > 0.35 * 2000


@given(st.integers(0, 2**32), st.sampled_from([0.05, 0.1, 0.5, 1.0]), st.integers(2, 40))
def test_every_task_gets_its_minimum_share(seed: int, min_share: float, count: int) -> None:
    """It does so within a few rounds, whatever was observed."""
    names = [f"task{i}" for i in range(count)]
    signal = sampler(tasks=dict.fromkeys(names, 1.0), seed=seed, min_share=min_share)
    for name in names[1:]:
        observe(signal, name, [False] * 20)
    rounds = 4
    items = round(rounds * count / min_share)
    dealt = Counter(
        signal.pick(n, one_band)[0]
        for n in range(items)
        if int((n + 1) * min_share) > int(n * min_share)
    )
    assert min(dealt[name] for name in names) >= rounds - 2


def test_without_a_minimum_share_a_hopeless_task_is_not_picked() -> None:
    """All picks go to the only task whose groups have a gradient."""
    signal = sampler(min_share=0.0)
    observe(signal, "gcd", [True] * 40)
    for task in ("chain_sum", "lcm", "maze"):
        observe(signal, task, [False] * 40)
    assert picks(signal, 500) == {"gcd": 500}


def test_weights_decide_among_good_tasks() -> None:
    """A task with three times the weight is picked almost three times as often."""
    signal = sampler(tasks={"gcd": 3.0, "lcm": 1.0})
    for task in ("gcd", "lcm"):
        observe(signal, task, [True] * 100)
    asked = picks(signal, 4000)
    assert 2.2 < asked["gcd"] / asked["lcm"] < 3.3


def test_pick_n_is_a_function_of_the_observed_groups() -> None:
    """The order of calls changes nothing; another seed or replica picks differently."""

    def signal(**changes: object) -> SignalSampler:
        made = sampler(**changes)
        observe(made, "gcd", [True, False, True])
        return made

    forward = [signal().pick(n, one_band) for n in range(60)]
    again = signal()
    assert [again.pick(n, one_band) for n in reversed(range(60))] == forward[::-1]
    others = [{"seed": 7}, {"num_replicas": 2}, {"num_replicas": 2, "replica_id": 1}]
    streams = [forward]
    for change in others:
        streams.append([signal(**change).pick(n, one_band) for n in range(60)])
        assert streams.count(streams[-1]) == 1


def test_the_band_with_informative_groups_is_found() -> None:
    """Among several bands, the one with a gradient is picked almost always."""
    signal = sampler()
    for task in TASKS:
        for band in range(5):
            observe(signal, task, [band == 2] * 20, band)
    asked = Counter(signal.pick(n, lambda _: [0, 1, 2, 3, 4])[1] for n in range(1000))
    assert asked[2] > 900


def test_recent_groups_count_more() -> None:
    """Fifteen groups without a gradient outweigh hundreds with one before them."""
    signal = sampler()
    observe(signal, "gcd", [True] * 500)
    assert signal.chance("gcd", None) > 0.9
    observe(signal, "gcd", [False] * 15)
    assert signal.chance("gcd", None) < 0.5


def test_an_uninformative_group_that_moves_the_curriculum_counts_less() -> None:
    """One with a gradient counts the same in both cases."""
    moving, stuck = sampler(), sampler()
    for _ in range(8):
        moving.observe("gcd", 1, False, followed=True)
        stuck.observe("gcd", 1, False)
    assert stuck.chance("gcd", 1) < 0.15 < moving.chance("gcd", 1) < 0.5
    for signal in (moving, stuck):
        signal.observe("lcm", 1, True, followed=signal is moving)
    assert moving.chance("lcm", 1) == stuck.chance("lcm", 1) > 0.5


def test_evidence_decays_with_time() -> None:
    """A task without new groups becomes uncertain and is tried again."""
    signal = sampler(min_share=0.0)
    observe(signal, "lcm", [False] * 30)
    before = signal.chance("lcm", None)
    observe(signal, "gcd", [True] * (3 * HORIZON))
    assert before < 0.1 < signal.chance("lcm", None) < 0.5
    assert picks(signal, 3000)["lcm"] > 0


def test_state_survives_json() -> None:
    """A restored sampler continues exactly like the saved one."""
    rng = np.random.default_rng(0)
    saved, restored = sampler(), sampler()
    for _ in range(200):
        task = str(rng.choice(TASKS))
        saved.observe(task, [None, 0, 3][rng.integers(3)], bool(rng.random() < 0.5))
    restored.load_state_dict(json.loads(json.dumps(saved.state_dict())))
    for n in range(100):
        choice = saved.pick(n, lambda _: [None, 0, 3])
        assert restored.pick(n, lambda _: [None, 0, 3]) == choice
        for signal in (saved, restored):
            signal.observe(*choice, n % 3 == 0)


def test_a_state_of_another_schema_is_refused() -> None:
    """Loading it is an error."""
    with pytest.raises(ValueError, match="schema 99"):
        sampler().load_state_dict({"schema": 99})
