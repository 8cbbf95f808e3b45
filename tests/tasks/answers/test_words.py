"""rgenv/tasks/answers/words.py: case says nothing, other words do."""

from __future__ import annotations

import pytest

from rgenv.tasks.answers.words import Word


@pytest.mark.parametrize(
    ("text", "answer", "same"),
    [
        ("On", "on", True),
        ("ojima-OJO", "Ojima-Ojo", True),
        (" new \n york", "New York", True),
        ("on off", "on", False),
        ("not on", "on", False),
        ("1", "True", False),
    ],
)
def test_a_word_is_the_same_in_any_case(text: str, answer: str, same: bool) -> None:
    """More words and fewer words are another answer."""
    assert (Word().read(text, {"answer": answer}) == answer) == same
