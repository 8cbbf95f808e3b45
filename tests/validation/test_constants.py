"""rgenv/validation/constants.py: what one answer to every problem earns."""

import pytest

from rgenv.validation.constants import rank_constants


def test_a_constants_share_is_its_own_or_the_most_frequent_answers() -> None:
    """A constant may earn the share of the most frequent reference answer."""
    references = ["yes", "yes", "no", None]
    table = [[1.0, 0.9], [1.0, 0.9], [0.0, 0.9], [0.0, 0.9]]
    cheat, honest = rank_constants(["Yes", "maybe"], table, references)
    assert (cheat.answer, cheat.mean, cheat.share) == ("maybe", pytest.approx(0.9), 0.5)
    assert (honest.answer, honest.excess) == ("Yes", 0.0)
    assert rank_constants(["Yes"], [], []) == []
