"""rgenv/rollouts/rewards.py: length penalty, noise, advantages."""

from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.rollouts.rewards import advantages, length_penalty, trainer_rewards

GROUP, BUDGET = 8, 10_000


def right_answers(lengths: list[int], draw: float) -> list[float]:
    return length_penalty([1.0] * GROUP, lengths=lengths, budget=BUDGET, draw=draw)


@given(st.lists(st.integers(0, BUDGET), min_size=GROUP, max_size=GROUP))
def test_length_never_costs_more_than_a_wrong_answer(lengths: list[int]) -> None:
    for draw in (0.0, 0.3, 0.99):
        rewards = right_answers(lengths, draw)
        for index in range(GROUP):
            wrong = [0.0 if n == index else 1.0 for n in range(GROUP)]
            assert rewards[index] - fmean(rewards) >= wrong[index] - fmean(wrong)
            cost = advantages(wrong)[index]
            assert advantages(rewards)[index] >= cost - 1e-9


def test_the_table_of_the_documents_is_right() -> None:
    rows = {}
    for percent in (50, 90, 99):
        lengths = [5000] * (GROUP - 1) + [percent * BUDGET // 100]
        groups = [right_answers(lengths, (n + 0.5) / 1000) for n in range(1000)]
        share = fmean(group[-1] < 1 for group in groups)
        rows[f"{percent} % | {100 * share:.0f} %"] = groups
    rows["a wrong answer instead |"] = [[1.0] * (GROUP - 1) + [0.0]]
    text = Path("docs/metrics.md").read_text()
    for cells, groups in rows.items():
        reward, centred, advantage = (
            fmean(group[-1] for group in groups),
            fmean(group[-1] - fmean(group) for group in groups),
            fmean(advantages(group)[-1] for group in groups),
        )
        assert f"| {cells} | {reward:.2f} | {centred:.2f} | {advantage:.2f} |" in text


@given(st.lists(st.floats(0, 1), min_size=1, max_size=16), st.floats(0, 1))
def test_rewards_within_the_spread_become_equal(rewards: list[float], spread: float) -> None:
    result = trainer_rewards(rewards, [False] * len(rewards), min_spread=spread)
    if max(rewards) - min(rewards) >= max(spread, 1e-9):
        assert result == rewards
    else:
        assert len(set(result)) == 1 and len(result) == len(rewards)
        assert min(rewards) - 1e-9 <= result[0] <= max(rewards) + 1e-9


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=16))
def test_masked_completions_give_the_others_no_advantage(group: list[tuple[float, bool]]) -> None:
    rewards, masked = map(list, zip(*group, strict=True))
    sent = trainer_rewards(rewards, masked, min_spread=0.05)
    counted = [reward for reward, mask in group if not mask]
    if len(set(sent)) == 1:
        assert not counted or max(counted) - min(counted) < 0.05
        return
    others = [value for value, mask in zip(advantages(sent), masked, strict=True) if not mask]
    assert sum(others) == pytest.approx(0, abs=1e-6)
    assert [reward for reward, mask in zip(sent, masked, strict=True) if not mask] == counted


@pytest.mark.parametrize("count", [1, 3, 7])
def test_equal_rewards_beside_masked_ones_stay_equal(count: int) -> None:
    """The mean of three times 0.1 is another number than 0.1, and no reason for an advantage."""
    for reward in (0.01, 0.1, 0.3, 0.7, 1.0):
        masked = [False] * count + [True]
        rounded = [reward] * (count - 1) + [reward + 1e-16]
        sent = trainer_rewards([*rounded, 0.9], masked, min_spread=0.0)
        assert sent == [pytest.approx(reward)] * (count + 1) and len(set(sent)) == 1
