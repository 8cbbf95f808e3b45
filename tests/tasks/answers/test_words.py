"""rgenv/tasks/answers/words.py: case says nothing, other words do."""

from __future__ import annotations

import random

import pytest

from rgenv.tasks.answers.words import Choice, Word, WordOfQuestion


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


def test_a_choice_is_missed_by_the_others() -> None:
    """The other words, of which the right one is none in any case."""
    kind = Choice("True", "False")
    assert kind.misses("true", "", random.Random(0)) == {"other 1": "False"}
    assert {"yes", "YES", "Yes"} == set(Choice("Yes", "No").forms("Yes", "").values())


def test_a_word_of_the_question_is_missed_by_three_others() -> None:
    """A pattern finds them; names have no other cases."""
    kind = WordOfQuestion("a ([a-z]+) side", any_case=False)
    question = " ".join(f"a {colour} side" for colour in ("red", "blue", "green", "grey"))
    misses = kind.misses("red", question, random.Random(0))
    assert set(misses.values()) == {"blue", "green", "grey"}
    assert kind.forms("red", question) == {}
