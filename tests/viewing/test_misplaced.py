"""rgenv/viewing/misplaced.py: right answers outside the format."""

import pytest

from rgenv.viewing.misplaced import is_misplaced
from tests.support.timing import processor_seconds


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>Well.\nSo it is 42.", "42"),
        ("So it is **42**.", "42"),
        (r"Hence \boxed{42} apples, all told.", "42"),
        ("<answer>41</answer> or <answer> 42 </answer>, who knows?", "42"),
        ("<think><answer>TRUE</answer></think>", "True"),
        ("It is\n1 2\n3 4\n", "1 2\n3 4"),
        ("x=42", "42"),
        ("f(x) = (a + b).", "(a + b)"),
    ],
)
def test_an_answer_at_the_end_or_marked(text: str, answer: str) -> None:
    assert is_misplaced(text, answer)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("No idea.", "No"),
        ("It is 142.", "42"),
        ("It is -42.", "42"),
        ("It is 3.42", "42"),
        ("First 42, then 17.", "42"),
        ("<answer>42 or 43</answer> perhaps", "42"),
        ("Whatever", ""),
        ("Whatever.", "."),
        ("", "42"),
    ],
)
def test_other_texts(text: str, answer: str) -> None:
    """An answer elsewhere, or as a part of another word or number, is not found."""
    assert not is_misplaced(text, answer)


@pytest.mark.parametrize("unit", ["<answer>", "</b>", "\\boxed{", "<answer></answer>", " .", "<"])
def test_hostile_texts_take_no_time(unit: str) -> None:
    """A megabyte of tags and signs is read within a second."""
    with processor_seconds(1):
        is_misplaced(unit * (2**20 // len(unit)), "42")
