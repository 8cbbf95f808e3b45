"""Tests of rgenv/evaluation/lengths.py."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.evaluation.lengths import by_length
from rgenv.types import Sample
from tests.support.samples import sample_runs

few_examples = settings(max_examples=40, deadline=None)


@few_examples
@given(sample_runs, st.integers(1, 9))
def test_every_completion_of_known_length_is_in_one_bin(run: list[Sample], bins: int) -> None:
    """Bins are in order and do not overlap."""
    found = by_length(run, bins=bins)
    known = [s for s in run if s.get("completion_tokens") is not None]
    assert sum(b.completions for b in found) == len(known) and len(found) <= bins
    assert sum(b.truncated for b in found) == sum(s["finish_reason"] == "length" for s in known)
    ends = [end for b in found for end in (b.shortest, b.longest)]
    assert ends == sorted(ends)
    assert all(a.longest < b.shortest for a, b in pairwise(found))
