"""rgenv/validation/measures.py: shares, constants and work."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.validation.measures import Share, Work, constants_by_excess, first_fall


@given(st.integers(1, 300), st.data())
def test_an_interval_contains_its_share(total: int, data: st.DataObject) -> None:
    """The interval lies in [0, 1], around the share, and has a width even at 0 and 1."""
    share = Share(data.draw(st.integers(0, total)), total)
    low, high = share.interval
    assert 0 <= low <= share.value + 1e-12 and share.value - 1e-12 <= high <= 1 and low < high


def test_a_constants_share_is_its_own_or_the_most_frequent_answers() -> None:
    """A constant may earn the share of the most frequent reference answer."""
    references = ["yes", "yes", "no", None]
    table = [[1.0, 0.9], [1.0, 0.9], [0.0, 0.9], [0.0, 0.9]]
    cheat, honest = constants_by_excess(["Yes", "maybe"], table, references)
    assert (cheat.answer, cheat.mean, cheat.share) == ("maybe", pytest.approx(0.9), 0.5)
    assert (honest.answer, honest.excess) == ("Yes", 0.0)
    assert constants_by_excess(["Yes"], [], []) == []


def test_the_error_of_the_work_falls_with_the_number_of_problems() -> None:
    """The mean has the standard error of its sample; one amount has none."""
    few, many = Work.of([1.0, 3.0]), Work.of([1.0, 3.0] * 50)
    assert few is not None and many is not None
    assert few.mean == many.mean == 2.0 and many.error < few.error / 5
    assert Work.of([1.0]) is None


@pytest.mark.parametrize(
    ("means", "fall"),
    [
        ([1, 2, 3, 4, 5], None),
        ([1, 2, 1.95, 4, 5], None),  # within the error
        ([1, 3, 2, 4, 5], (0.25, 0.5)),
        ([3, 3, 3, 3, 3], (0.0, 1.0)),
        ([5], None),
    ],
)
def test_a_fall_is_beyond_the_error(means: list[float], fall: tuple[float, float] | None) -> None:
    """Work may stay the same between levels within its error, but not from first to last."""
    works = {place / 4: Work(float(mean), 0.1) for place, mean in enumerate(means)}
    assert first_fall(works) == fall
