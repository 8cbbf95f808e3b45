"""rgenv/dataset/task_sampler.py: tasks by the value of their next group."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.dataset.difficulty import BANDS, Band
from rgenv.dataset.task_sampler import HORIZON, Parts, SignalSampler

TASKS = ["chain_sum", "gcd", "lcm", "maze"]
CHANCE_ALONE = Parts(luck=False, cost=False)


def one_band(_task: str) -> list[Band]:
    return [None]


def sampler(**changes: Any) -> SignalSampler:
    values: dict[str, Any] = {
        **{"tasks": dict.fromkeys(TASKS, 1.0), "seed": 42, "min_share": 0.1},
        **{"blind": lambda task, level: 0.0, **changes},
    }
    return SignalSampler(values.pop("tasks"), **values)


def observe(
    signal: SignalSampler,
    task: str,
    outcomes: Sequence[bool],
    level: float | None = None,
    accuracy: float | None = None,
    **more: Any,
) -> None:
    """Add groups: those with a gradient are half right, if nothing else is said."""
    for has_gradient in outcomes:
        right = 0.5 * has_gradient if accuracy is None else accuracy
        signal.observe(task, level, has_gradient=has_gradient, accuracy=right, **more)


def picks(signal: SignalSampler, count: int, first: int = 0) -> Counter[str]:
    return Counter(signal.pick(n, one_band)[0] for n in range(first, first + count))


def shares(signal: SignalSampler) -> dict[str, float]:
    """Return the share of each task where not by weight alone."""
    return {task: share for (task, _), share in signal.shares(one_band).items()}


# What is preferred


def test_tasks_with_a_gradient_are_preferred() -> None:
    """After some groups the others get a few percent more than their minimum share."""
    signal = sampler()
    for task in TASKS:
        observe(signal, task, [task in ("gcd", "lcm")] * 30)
    asked = picks(signal, 2000)
    assert asked["gcd"] + asked["lcm"] > 0.88 * 2000
    assert min(asked["gcd"], asked["lcm"]) > 0.35 * 2000


def test_a_task_of_luck_gets_little_more_than_its_minimum_share() -> None:
    """Coin flips have a gradient in almost every group; more right answers than luck has count."""
    rng = np.random.default_rng(3)
    signal = sampler(blind=lambda task, level: 0.5 if task in ("gcd", "lcm") else 0.0)
    for task, chance in {"chain_sum": 0.5, "gcd": 0.5, "lcm": 0.8, "maze": 0.5}.items():
        for _ in range(100):
            right = int(rng.binomial(8, chance))
            signal.observe(task, None, has_gradient=0 < right < 8, accuracy=right / 8)
    found = shares(signal)
    assert found["gcd"] < 0.01 < 0.03 < found["lcm"] < found["maze"]
    assert picks(signal, 2000)["gcd"] < 2000 * (0.1 / 4 + 0.01)
    without = sampler(parts=Parts(luck=False), blind=lambda task, level: 0.5)
    for task in TASKS:
        observe(without, task, [True] * 100)
    assert shares(without)["gcd"] == pytest.approx(1 / 4, abs=0.001)


def test_a_task_that_costs_more_gets_fewer_problems() -> None:
    """At the same chance, each task gets about the same number of tokens."""
    signal, free = sampler(), sampler(parts=Parts(cost=False))
    for task, tokens in {"chain_sum": 100, "gcd": 200, "lcm": 400, "maze": 1600}.items():
        for each in (signal, free):
            observe(each, task, [True] * 60, tokens=tokens)
    found = shares(signal)
    assert found["chain_sum"] / found["gcd"] == pytest.approx(2, rel=0.1)
    assert found["chain_sum"] / found["maze"] == pytest.approx(16, rel=0.2)
    assert shares(free) == pytest.approx(dict.fromkeys(TASKS, 1 / 4), abs=0.001)


def test_a_task_without_groups_costs_as_much_as_the_others_on_average() -> None:
    """An arm without groups costs as much as its task; groups without a count say nothing."""
    signal = sampler(tasks={"gcd": 1.0, "lcm": 1.0})
    observe(signal, "gcd", [True], tokens=1000)
    observe(signal, "lcm", [True])
    assert shares(signal)["gcd"] == pytest.approx(1 / 2, abs=0.001)
    observe(signal, "gcd", [True, False] * 50, level=0.1, tokens=9000)
    observe(signal, "lcm", [True, False] * 50, level=0.1, tokens=1000)
    found = signal.shares(lambda task: [1])
    assert found["lcm", 1] > 5 * found["gcd", 1]


def test_a_mastered_task_that_gets_worse_is_noticed() -> None:
    """It is asked as often as others within a few hundred problems, thanks to its minimum share."""
    signal = sampler()
    for task in TASKS:
        observe(signal, task, [task != "lcm"] * 60, accuracy=1.0 if task == "lcm" else 0.5)
    asked: Counter[str] = Counter()
    for n in range(1200):
        task, _ = signal.pick(n, one_band)
        observe(signal, task, [True])
        asked.update([task] if n >= 600 else [])
    assert asked["lcm"] > 100


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


def test_without_a_minimum_share_a_hopeless_task_gets_little() -> None:
    """About one in 400, the square of the chance that twenty groups leave it."""
    signal = sampler(min_share=0.0)
    observe(signal, "gcd", [True] * 100)
    for task in ("chain_sum", "lcm", "maze"):
        observe(signal, task, [False] * 100)
    found = shares(signal)
    assert found["lcm"] == pytest.approx(found["gcd"] / 21**2, rel=0.1)


def test_weights_decide_among_good_tasks() -> None:
    """A task with three times the weight is picked three times as often, however many its bands."""
    signal = sampler(tasks={"gcd": 3.0, "lcm": 1.0}, parts=CHANCE_ALONE)
    observe(signal, "gcd", [True] * 100)
    for band in range(BANDS):
        observe(signal, "lcm", [True] * 100, level=band / BANDS)
    found = signal.shares(lambda task: [None] if task == "gcd" else list(range(BANDS)))
    assert found["gcd", None] == pytest.approx(0.75, abs=0.01)


def test_the_band_with_a_gradient_is_found() -> None:
    """Among several bands, the one with a gradient is picked almost always."""
    signal = sampler(min_share=0.0)
    for task in TASKS:
        for band in range(BANDS):
            observe(signal, task, [band == 2] * 60, level=band / BANDS + 0.1)
    asked = Counter(signal.pick(n, lambda _: [0, 1, 2, 3, 4])[1] for n in range(1000))
    assert asked[2] > 780


# What holds for any evidence

GROUPS = st.lists(
    st.tuples(
        st.sampled_from(TASKS),
        st.none() | st.floats(0, 1),
        st.booleans(),
        st.floats(0, 1),
        st.sampled_from([0, 1, 700, 10**6, 1 << 40]),
        st.booleans(),
    ),
    max_size=60,
)
PARTS = st.builds(Parts, st.booleans(), st.booleans())
BANDS_OF = st.fixed_dictionaries(
    {task: st.lists(st.sampled_from([None, 0, 1, 2, 3, 4]), unique=True) for task in TASKS}
).filter(lambda bands: any(bands.values()))
BLIND = st.sampled_from([0.0, 0.3, 0.565])


@given(GROUPS, PARTS, BANDS_OF, BLIND, st.integers(0, 1000))
def test_shares_add_up_whatever_was_observed(
    groups: Any, parts: Parts, bands: Any, blind: float, n: int
) -> None:
    """They are numbers, positive or 0, and only of bands that are offered; so is the pick."""
    signal = sampler(parts=parts, blind=lambda task, level: blind)
    for task, level, has_gradient, accuracy, tokens, followed in groups:
        signal.observe(
            *(task, level),
            has_gradient=has_gradient,
            accuracy=accuracy,
            tokens=tokens,
            followed=followed,
        )
    found = signal.shares(bands.__getitem__)
    offered = {(task, band) for task, some in bands.items() for band in some}
    assert set(found) == offered
    assert min(found.values()) >= 0 and math.isclose(sum(found.values()), 1)
    assert signal.pick(n, bands.__getitem__) in offered


@given(GROUPS, PARTS, st.integers(0, 60))
def test_a_restored_sampler_goes_on_exactly(groups: Any, parts: Parts, at: int) -> None:
    """The state is JSON; the same groups lead to the same state and picks."""

    def learn(signal: SignalSampler, some: Any) -> None:
        for task, level, has_gradient, accuracy, tokens, followed in some:
            signal.observe(
                *(task, level),
                has_gradient=has_gradient,
                accuracy=accuracy,
                tokens=tokens,
                followed=followed,
            )

    saved, restored = sampler(parts=parts), sampler(parts=parts)
    observe(restored, "gcd", [True] * 3)
    learn(saved, groups[:at])
    restored.load_state_dict(json.loads(json.dumps(saved.state_dict())))
    for signal in (saved, restored):
        learn(signal, groups[at:])
    assert restored.state_dict() == saved.state_dict()
    offered = [None, 0, 3]
    assert [restored.pick(n, lambda _: offered) for n in range(20)] == [
        saved.pick(n, lambda _: offered) for n in range(20)
    ]


def test_a_million_groups_count_as_twenty() -> None:
    """The sums in the state are bounded, and stay numbers after any time."""
    signal = sampler()
    observe(signal, "gcd", [True] * 2000, tokens=1 << 40)
    [[_, _, positive, *_]] = signal.state_dict()["arms"]
    assert positive <= 20
    state = signal.state_dict()
    signal.load_state_dict({**state, "groups_heard": 10**9})
    assert shares(signal) == pytest.approx(dict.fromkeys(TASKS, 1 / 4))


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
    observe(moving, "gcd", [False] * 8, 0.3, followed=True)
    observe(stuck, "gcd", [False] * 8, 0.3)
    assert stuck.chance("gcd", 1) < 0.15 < moving.chance("gcd", 1) < 0.5
    for signal in (moving, stuck):
        observe(signal, "lcm", [True], 0.3, followed=signal is moving)
    assert moving.chance("lcm", 1) == stuck.chance("lcm", 1) > 0.5


def test_evidence_decays_with_time() -> None:
    """A task without new groups becomes uncertain and is tried again."""
    signal = sampler(min_share=0.0)
    observe(signal, "lcm", [False] * 30)
    before = signal.chance("lcm", None)
    observe(signal, "gcd", [True] * (3 * HORIZON))
    assert before < 0.1 < signal.chance("lcm", None) < 0.5


def test_groups_and_states_of_other_tasks_say_nothing() -> None:
    """Another replica, or a run before, may have had other tasks."""
    signal, other = sampler(), sampler(tasks={"gcd": 1.0, "acre": 1.0})
    observe(signal, "acre", [True] * 9)
    assert signal.state_dict() == sampler().state_dict()
    for task in ("gcd", "acre"):
        observe(other, task, [True] * 9)
    signal.load_state_dict(other.state_dict())
    assert signal.chance("gcd", None) == other.chance("gcd", None) > 0.8
    assert sum(shares(signal).values()) == pytest.approx(1)


def test_a_state_of_the_first_schema_is_no_evidence() -> None:
    """It has counts alone, so the sampler begins anew."""
    arms = [["gcd", None, 0.0, 20.0, 4]]
    signal = sampler()
    observe(signal, "lcm", [True] * 9)
    signal.load_state_dict({"schema": 1, "groups_heard": 4, "arms": arms})
    assert signal.state_dict() == sampler().state_dict()


def test_a_state_of_another_schema_is_refused() -> None:
    """Loading it is an error."""
    with pytest.raises(ValueError, match="schema 99"):
        sampler().load_state_dict({"schema": 99})
