"""rgenv/tasks/answers/texts.py: how words are spaced says nothing."""

from __future__ import annotations

import random

import pytest

from rgenv.tasks.answers.texts import Sentence, Text, changed_letters


def test_a_text_is_the_same_to_the_letter() -> None:
    """Only the spaces around it are left out."""
    assert Text().read(" a  B\n", {}) == "a  B"


def test_words_of_a_sentence_keep_their_letters() -> None:
    """Blanks and line ends become single blanks, and nothing else changes."""
    assert Sentence().read(" Go,\r\nsaid\t he. ", {}) == "Go, said he."
    assert Sentence().read(" \n", {}) is None
    assert Sentence().forms("a b", "")["two spaces"] == "a  b"


@pytest.mark.parametrize("text", ["What a day", "Q", "?!", "a, b"])
def test_changed_texts_are_other_texts(text: str) -> None:
    """No change gives the text back."""
    for seed in range(20):
        assert text not in changed_letters(text, random.Random(seed)).values()
        assert text not in Sentence().misses(text, "", random.Random(seed)).values()
