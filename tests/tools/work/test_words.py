"""More letters and words are put in order at higher levels."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.work import mean_work
from tools.work import words


@pytest.mark.parametrize("task", sorted(words.PROXIES))
def test_the_mean_rises_from_level_to_level(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the same seeds, the problems of each of five levels take more work than those before."""
    means = mean_work(task, 15, monkeypatch)
    assert all(low < high for low, high in pairwise(means)), means


@given(one=st.text("ab", max_size=6), other=st.text("ab", max_size=6))
def test_shared_letters_are_those_of_the_longest_common_prefix(one: str, other: str) -> None:
    """Both words begin with that many equal letters, and not with one more."""
    count = words.shared_letters(one, other)
    assert one[:count] == other[:count]
    assert one[: count + 1] != other[: count + 1] or count == max(len(one), len(other))


def test_words_that_are_neighbours_in_question_and_answer_take_no_work() -> None:
    """Only the pairs that have to be put together anew count."""
    entry = {"question": "Restore the order: b c a d", "answer": "a b c d"}
    assert words.sentence_reordering(entry) == 2


def test_only_letters_that_the_note_needs_are_counted() -> None:
    """The note has two letters, and the magazine three of them."""
    metadata = {"ransom_note": "ab", "magazine": "aabzzz"}
    assert words.ransom_note({"metadata": metadata}) == 5
