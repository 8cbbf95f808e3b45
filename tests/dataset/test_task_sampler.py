"""rgenv/dataset/task_sampler.py: tasks by their chance of a group with signal."""

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


def one(_task: str) -> list[Band]:
    return [None]


def sampler(**changes: object) -> SignalSampler:
    values = {"tasks": dict.fromkeys(TASKS, 1.0), "seed": 42, "min_share": 0.1, **changes}
    return SignalSampler(values.pop("tasks"), **values)


def tell(listener: SignalSampler, task: str, outcomes: Sequence[bool], band: Band = None) -> None:
    for informative in outcomes:
        listener.observe(task, band, informative)


def picks(listener: SignalSampler, count: int, first: int = 0) -> Counter[str]:
    return Counter(listener.pick(n, one)[0] for n in range(first, first + count))


def test_what_gives_signal_is_asked_and_what_does_not_is_left() -> None:
    """After some groups the useless tasks get little more than their least share."""
    listener = sampler()
    for task in TASKS:
        tell(listener, task, [task in ("gcd", "lcm")] * 30)
    asked = picks(listener, 2000)
    assert asked["gcd"] + asked["lcm"] > 0.93 * 2000
    assert min(asked["gcd"], asked["lcm"]) > 0.35 * 2000


@given(st.integers(0, 2**32), st.sampled_from([0.05, 0.1, 0.5, 1.0]), st.integers(2, 40))
def test_no_task_is_starved(seed: int, min_share: float, count: int) -> None:
    """Whatever was heard, in a few rounds every task gets its least share of items."""
    names = [f"task{i}" for i in range(count)]
    listener = sampler(tasks=dict.fromkeys(names, 1.0), seed=seed, min_share=min_share)
    for name in names[1:]:
        tell(listener, name, [False] * 20)
    rounds = 4
    items = round(rounds * count / min_share)
    dealt = Counter(
        listener.pick(n, one)[0]
        for n in range(items)
        if int((n + 1) * min_share) > int(n * min_share)
    )
    assert min(dealt[name] for name in names) >= rounds - 2


def test_a_share_of_nothing_deals_nothing() -> None:
    """Without a least share a hopeless task is left alone for good."""
    listener = sampler(min_share=0.0)
    tell(listener, "gcd", [True] * 40)
    for task in ("chain_sum", "lcm", "maze"):
        tell(listener, task, [False] * 40)
    assert picks(listener, 500) == {"gcd": 500}


def test_weights_hold_among_tasks_that_are_all_good() -> None:
    """A task of three times the weight comes almost three times as often."""
    listener = sampler(tasks={"gcd": 3.0, "lcm": 1.0})
    for task in ("gcd", "lcm"):
        tell(listener, task, [True] * 100)
    asked = picks(listener, 4000)
    assert 2.2 < asked["gcd"] / asked["lcm"] < 3.3


def test_item_n_depends_on_what_was_heard_and_nothing_else() -> None:
    """Equal feedback gives equal items, in any order of asking; seeds and replicas differ."""

    def listener(**changes: object) -> SignalSampler:
        made = sampler(**changes)
        tell(made, "gcd", [True, False, True])
        return made

    forward = [listener().pick(n, one) for n in range(60)]
    again = listener()
    assert [again.pick(n, one) for n in reversed(range(60))] == forward[::-1]
    others = [{"seed": 7}, {"num_replicas": 2}, {"num_replicas": 2, "replica_id": 1}]
    streams = [forward]
    for change in others:
        streams.append([listener(**change).pick(n, one) for n in range(60)])
        assert streams.count(streams[-1]) == 1


def test_the_best_band_is_found() -> None:
    """Where a task can be asked at several difficulties, those with signal are."""
    listener = sampler()
    for task in TASKS:
        for band in range(5):
            tell(listener, task, [band == 2] * 20, band)
    asked = Counter(listener.pick(n, lambda _: [0, 1, 2, 3, 4])[1] for n in range(1000))
    assert asked[2] > 900


def test_recent_groups_count_more() -> None:
    """A learner that lost a task is believed after some ten groups, whatever it could before."""
    listener = sampler()
    tell(listener, "gcd", [True] * 500)
    assert listener.chance("gcd", None) > 0.9
    tell(listener, "gcd", [False] * 15)
    assert listener.chance("gcd", None) < 0.5


def test_a_task_that_is_about_to_change_is_not_given_up_at_once() -> None:
    """A useless group that the curriculum answers counts less than one that it does not."""
    moving, stuck = sampler(), sampler()
    for _ in range(8):
        moving.observe("gcd", 1, False, followed=True)
        stuck.observe("gcd", 1, False)
    assert stuck.chance("gcd", 1) < 0.15 < moving.chance("gcd", 1) < 0.5
    for listener in (moving, stuck):
        listener.observe("lcm", 1, True, followed=listener is moving)
    assert moving.chance("lcm", 1) == stuck.chance("lcm", 1) > 0.5


def test_old_news_fades() -> None:
    """A task that nothing was heard of becomes uncertain again, and is tried."""
    listener = sampler(min_share=0.0)
    tell(listener, "lcm", [False] * 30)
    before = listener.chance("lcm", None)
    tell(listener, "gcd", [True] * (3 * HORIZON))
    assert before < 0.1 < listener.chance("lcm", None) < 0.5
    assert picks(listener, 3000)["lcm"] > 0


def test_state_survives_json() -> None:
    """A restored sampler picks what the saved one would have, through the same feedback."""
    rng = np.random.default_rng(0)
    saved, restored = sampler(), sampler()
    for _ in range(200):
        task = str(rng.choice(TASKS))
        saved.observe(task, [None, 0, 3][rng.integers(3)], bool(rng.random() < 0.5))
    restored.load_state_dict(json.loads(json.dumps(saved.state_dict())))
    for n in range(100):
        choice = saved.pick(n, lambda _: [None, 0, 3])
        assert restored.pick(n, lambda _: [None, 0, 3]) == choice
        for listener in (saved, restored):
            listener.observe(*choice, n % 3 == 0)


def test_a_foreign_state_is_refused() -> None:
    """A state of another schema is an error, not a guess."""
    with pytest.raises(ValueError, match="schema 99"):
        sampler().load_state_dict({"schema": 99})
