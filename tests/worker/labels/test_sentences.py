"""rgenv/worker/labels/sentences.py: the sentence of the text is the reference answer."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.label_checks.strings import sentence_reordering as is_in_the_text
from rgenv.worker.labels import corrected
from tests.support.library import make_entry

LONG = {"min_words_in_sentence": 15, "max_words_in_sentence": 40}


@pytest.mark.parametrize("seed", range(12))
def test_a_sentence_stays_as_it_is_in_the_text(seed: int) -> None:
    """The answer has the words of the question in the order of the text, equal words included."""
    _, entry = make_entry("sentence_reordering", seed, LONG)
    served = corrected("sentence_reordering", entry)
    assert served is not None and is_in_the_text(served)
    occurrences = Counter(entry["answer"].split()).values()
    assert (served is entry) or max(occurrences) > 1


def test_equal_words_return_to_their_places() -> None:
    """The library puts both occurrences of "which" where the first one belongs."""
    _, entry = make_entry("sentence_reordering", 2, {"min_words_in_sentence": 20})
    assert "principles which which were" in entry["answer"]
    served = corrected("sentence_reordering", entry)
    assert served is not None and "but which they disregarded." in served["answer"]


def test_words_that_are_no_sentence_of_the_text_are_not_served() -> None:
    """No order of unknown words with a repetition can be proven."""
    _, entry = make_entry("sentence_reordering", 2, {})
    assert corrected("sentence_reordering", {**entry, "answer": "no no such sentence."}) is None


def test_words_in_order_are_not_served() -> None:
    """Nothing is left to do if the question shows the answer."""
    entry = {"question": "Restore the order: Time went on.", "answer": "Time went on."}
    assert corrected("sentence_reordering", entry) is None


def test_a_cipher_of_other_letters_is_not_served() -> None:
    """A letter that does not belong to A to Z can't be recovered."""
    entry = {"question": "Decrypt BJSJBM", "answer": "AËRIAL"}
    assert corrected("caesar_cipher", entry) is None
    assert corrected("caesar_cipher", {**entry, "answer": "AERIAL"}) is not None


@pytest.mark.parametrize(
    ("picture", "served"),
    [("   \n   \n", False), ("D E M E\n", False), ("deme", False), ("|) E |\\/| E", True)],
)
def test_a_picture_shows_no_letters_and_is_not_blank(picture: str, served: bool) -> None:
    """Pictures without a mark, and those that spell the word in letters, are not asked."""
    entry = {"question": f"Please read the following figlet font:\n{picture}", "answer": "DEME"}
    assert (corrected("figlet_font", entry) is not None) == served
