"""rgenv/tasks/answers/texts.py: how words are spaced says nothing."""

from __future__ import annotations

from rgenv.tasks.answers.texts import Sentence, Text


def test_a_text_is_the_same_to_the_letter() -> None:
    """Only the spaces around it are left out."""
    assert Text().read(" a  B\n", {}) == "a  B"


def test_words_of_a_sentence_keep_their_letters() -> None:
    """Blanks and line ends become single blanks, and nothing else changes."""
    assert Sentence().read(" Go,\r\nsaid\t he. ", {}) == "Go, said he."
    assert Sentence().read(" \n", {}) is None
    assert Sentence().forms("a b", "")["two spaces"] == "a  b"
