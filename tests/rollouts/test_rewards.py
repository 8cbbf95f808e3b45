"""rgenv/rollouts/rewards.py: the length penalty and the kind of a group."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.rollouts.rewards import FREE_SHARE, group_kind, length_penalty, without_noise

scores_and_lengths = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 2000)), min_size=1, max_size=16
)


@given(scores_and_lengths, st.integers(1, 2000))
def test_a_penalty_only_ever_takes_away(pairs: list[tuple[float, int]], budget: int) -> None:
    """Every reward stays between 0 and its score, and the number of rewards stays."""
    scores, lengths = [s for s, _ in pairs], [n for _, n in pairs]
    rewards = length_penalty(scores, lengths=lengths, budget=budget)
    assert len(rewards) == len(scores)
    assert all(0 <= reward <= score for reward, score in zip(rewards, scores, strict=True))


@given(scores_and_lengths, st.integers(1, 2000))
def test_a_group_with_one_failure_pays_nothing(pairs: list[tuple[float, int]], budget: int) -> None:
    """Only when every score is at least 0.5 does length cost anything."""
    scores, lengths = [*(s for s, _ in pairs), 0.49], [*(n for _, n in pairs), 1]
    assert length_penalty(scores, lengths=lengths, budget=budget) == scores


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=8), st.integers(1, 1000))
def test_a_longer_answer_never_gets_more(lengths: list[int], budget: int) -> None:
    """Among equal scores the order of rewards is the order of brevity."""
    rewards = length_penalty([1.0] * len(lengths), lengths=lengths, budget=budget)
    by_length = [reward for _, reward in sorted(zip(lengths, rewards, strict=True))]
    assert by_length == sorted(by_length, reverse=True)


@pytest.mark.parametrize(
    ("length", "reward"), [(0, 1.0), (750, 1.0), (800, 0.8), (875, 0.5), (1000, 0.0), (1100, 0.0)]
)
def test_the_last_quarter_of_the_budget_costs_linearly(length: int, reward: float) -> None:
    """Nothing up to 75 % of the budget, all of it at the budget."""
    assert FREE_SHARE == 0.75
    assert length_penalty([1.0], lengths=[length], budget=1000) == [pytest.approx(reward)]


def test_lengths_that_do_not_match_are_an_error() -> None:
    """A missing length can't be guessed."""
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
def test_the_log_tells_four_kinds_of_group(scores: list[float], kind: str) -> None:
    """Each mixture of scores has its one name."""
    assert group_kind(scores) == kind


@given(st.lists(st.floats(0, 1), min_size=1, max_size=16), st.floats(0, 1))
def test_what_lies_closer_together_than_the_spread_counts_as_equal(
    rewards: list[float], spread: float
) -> None:
    """Either nothing changes, or all become one number among them."""
    result = without_noise(rewards, min_spread=spread)
    if max(rewards) - min(rewards) >= spread:
        assert result == rewards
    else:
        assert len(set(result)) == 1 and len(result) == len(rewards)
        assert min(rewards) - 1e-9 <= result[0] <= max(rewards) + 1e-9


def test_a_floor_is_no_signal_and_partial_credit_is() -> None:
    """0.01 against 0 is noise; 0.05 against 0 is not."""
    assert without_noise([0.01, 0.0], min_spread=0.05) == [0.005, 0.005]
    assert without_noise([0.05, 0.0], min_spread=0.05) == [0.05, 0.0]
    assert without_noise([0.01, 0.0], min_spread=0.0) == [0.01, 0.0]
