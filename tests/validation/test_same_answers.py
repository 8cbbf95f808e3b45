"""rgenv/validation/same_answers.py: answers in other notation, and how they are shown."""

import pytest
from rgenv.validation.same_answers import (
    equal_but_for_zeros,
    level_in_words,
    nearly_equal,
    quoted,
    same_answer,
)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("Yes", " yes ", True),
        ("a  b", "A b", True),
        ("0.50", "1/2", True),
        ("+7", "7.0", True),
        ("1/0", "1/0", True),
        ("1/0", "2/0", False),
        ("-7", "7", False),
        ("ab", "ba", False),
        ("", "0", False),
        ("9" * 5000, "9" * 4999, False),
    ],
)
def test_answers_are_the_same_in_any_notation(first: str, second: str, expected: bool) -> None:
    """Case, spaces and the notation of a number do not matter, everything else does."""
    assert same_answer(first, second) is expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("0.953", "0.9531", True), ("-1", "1", False), ("0", "0.001", False), ("a", "a", False)],
)
def test_numbers_are_nearly_equal_if_they_differ_by_rounding(
    first: str, second: str, expected: bool
) -> None:
    """Numbers are nearly equal up to 1 %; texts are never nearly equal."""
    assert nearly_equal(first, second) is expected


def test_long_texts_are_cut() -> None:
    """The result is quoted, on one line and of bounded length."""
    assert quoted("ab") == "'ab'"
    assert len(quoted("x\n" * 500, 40)) <= 40 and "\n" not in quoted("x\n" * 500)


def test_levels_are_named_in_sentences() -> None:
    """No level means the task's defaults."""
    assert level_in_words(None) == "the defaults" and level_in_words(0.5) == "level 0.5"


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("1.50", "1.5", True), ("0.1", "0.10000000000000001", True), ("1.5", "1.51", False)],
)
def test_zeros_at_the_end_do_not_matter(first: str, second: str, expected: bool) -> None:
    """Neither does the noise of floats; another decimal does."""
    assert equal_but_for_zeros(first, second) is expected
