"""rgenv/worker/values/sentences: how words are spaced says nothing."""

from __future__ import annotations

import pytest

from rgenv.worker.values.sentences import KINDS


@pytest.mark.parametrize("task", ["emoji_mystery", "letter_jumble", "sentence_reordering"])
def test_words_of_a_sentence_keep_their_letters(task: str) -> None:
    """Blanks and line ends become single blanks, and nothing else changes."""
    assert KINDS[task](" Go,\r\nsaid\t he. ", {}) == "Go, said he."
    assert KINDS[task](" \n", {}) is None


def test_a_decrypted_text_is_written_in_capitals() -> None:
    """caesar_cipher shows and expects capitals, so that case says nothing."""
    assert KINDS["caesar_cipher"]("most  people", {}) == "MOST PEOPLE"
