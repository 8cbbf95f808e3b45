"""rgenv/rollouts/rewards.py: length penalty, noise, and the kinds of groups."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.rollouts.rewards import FREE_SHARE, group_kind, length_penalty, without_noise

scores_and_lengths = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 2000)), min_size=1, max_size=16
)


@given(scores_and_lengths, st.integers(1, 2000))
def test_the_penalty_never_raises_a_reward(pairs: list[tuple[float, int]], budget: int) -> None:
    """Each score has one reward, between 0 and the score."""
    scores, lengths = [s for s, _ in pairs], [n for _, n in pairs]
    rewards = length_penalty(scores, lengths=lengths, budget=budget)
    assert len(rewards) == len(scores)
    assert all(0 <= reward <= score for reward, score in zip(rewards, scores, strict=True))


@given(scores_and_lengths, st.integers(1, 2000))
def test_a_group_with_a_failure_has_no_penalty(pairs: list[tuple[float, int]], budget: int) -> None:
    """One score below 0.5 leaves all scores of the group unchanged."""
    scores, lengths = [*(s for s, _ in pairs), 0.49], [*(n for _, n in pairs), 1]
    assert length_penalty(scores, lengths=lengths, budget=budget) == scores


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=8), st.integers(1, 1000))
def test_a_longer_completion_never_has_a_higher_reward(lengths: list[int], budget: int) -> None:
    """With equal scores, rewards do not increase with length."""
    rewards = length_penalty([1.0] * len(lengths), lengths=lengths, budget=budget)
    by_length = [reward for _, reward in sorted(zip(lengths, rewards, strict=True))]
    assert by_length == sorted(by_length, reverse=True)


@pytest.mark.parametrize(
    ("length", "reward"), [(0, 1.0), (750, 1.0), (800, 0.8), (875, 0.5), (1000, 0.0), (1100, 0.0)]
)
def test_the_penalty_is_linear_in_the_last_quarter_of_the_budget(
    length: int, reward: float
) -> None:
    """The reward is full up to 75 % of the budget and 0 at the budget."""
    assert FREE_SHARE == 0.75
    assert length_penalty([1.0], lengths=[length], budget=1000) == [pytest.approx(reward)]


def test_bad_lengths_and_budgets_are_errors() -> None:
    """A missing length and a budget of 0 are refused."""
    with pytest.raises(ValueError, match=r"zip"):
        length_penalty([1.0, 1.0], lengths=[1], budget=10)
    with pytest.raises(ValueError, match="budget must be positive"):
        length_penalty([1.0], lengths=[1], budget=0)


@pytest.mark.parametrize(
    ("scores", "kind"),
    [
        ([1.0, 0.5], "all correct"),
        ([0.0, 0.0], "all failed"),
        ([0.0, 0.2], "all incorrect, some partial credit"),
        ([0.0, 1.0], "mixed"),
    ],
)
def test_groups_are_classified(scores: list[float], kind: str) -> None:
    """Each mixture of scores has one kind."""
    assert group_kind(scores) == kind


@given(st.lists(st.floats(0, 1), min_size=1, max_size=16), st.floats(0, 1))
def test_rewards_within_the_spread_become_equal(rewards: list[float], spread: float) -> None:
    """Rewards are unchanged if they spread enough, else all become one number in their range."""
    result = without_noise(rewards, min_spread=spread)
    if max(rewards) - min(rewards) >= spread:
        assert result == rewards
    else:
        assert len(set(result)) == 1 and len(result) == len(rewards)
        assert min(rewards) - 1e-9 <= result[0] <= max(rewards) + 1e-9


def test_tiny_differences_are_removed_and_partial_credit_stays() -> None:
    """With a spread of 0.05, 0.01 and 0 become equal, 0.05 and 0 do not."""
    assert without_noise([0.01, 0.0], min_spread=0.05) == [0.005, 0.005]
    assert without_noise([0.05, 0.0], min_spread=0.05) == [0.05, 0.0]
    assert without_noise([0.01, 0.0], min_spread=0.0) == [0.01, 0.0]
