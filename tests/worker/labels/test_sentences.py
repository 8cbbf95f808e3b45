"""The sentence of the text is the reference answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest

from benchmarks.label_checks.strings import caesar_cipher as one_rotation_decodes
from benchmarks.label_checks.strings import sentence_reordering as is_in_the_text
from rgenv.worker.levels import level_config
from rgenv.worker.problem_maker import corrected
from tests.support.library import make_entry

LONG = {"min_words_in_sentence": 15, "max_words_in_sentence": 40}


LEVELS = (None, 0, 0.25, 0.5, 0.75, 1)


def served(task: str, seed: int, config: Mapping[str, Any]) -> dict[str, Any]:
    """Return the corrected entry of a seed."""
    _, entry = make_entry(task, seed, config)
    found = corrected(task, entry)
    assert found is not None
    return found


@pytest.mark.parametrize("seed", range(12))
def test_a_sentence_is_whole_and_of_the_length_that_is_asked_for(seed: int) -> None:
    """It stands in the text between two stops, and the question has its words in another order."""
    entry = served("sentence_reordering", seed, LONG)
    assert is_in_the_text(entry) and not entry["question"].endswith(entry["answer"])
    assert 15 <= len(re.findall(r"\b\w+\b", entry["answer"])) <= 40
    assert entry["answer"][0].isupper() and entry["answer"][-1] in ".!?"
    assert '"' not in entry["answer"] and not entry["answer"].endswith(("Mr.", "Mrs.", "Dr."))


def test_a_sentence_of_no_length_that_the_text_has_is_not_served() -> None:
    """The longest one has fewer than 200 words."""
    _, entry = make_entry("sentence_reordering", 2, {})
    entry["metadata"]["difficulty"]["words_in_sentence"] = (200, 300)
    assert corrected("sentence_reordering", entry) is None


@pytest.mark.parametrize("level", LEVELS)
def test_ciphers_are_of_many_texts(level: float | None) -> None:
    """Each is a run of words of the text, in the given rotation."""
    config = {} if level is None else level_config("caesar_cipher", level)
    found = [served("caesar_cipher", seed, config) for seed in range(100)]
    assert len({entry["answer"] for entry in found}) > 90
    assert all(one_rotation_decodes(entry) for entry in found)
    assert all(entry["answer"].isascii() for entry in found)


@pytest.mark.parametrize(
    ("picture", "served"),
    [("   \n   \n", False), ("D E M E\n", False), ("deme", False), ("|) E |\\/| E", True)],
)
def test_a_picture_shows_no_letters_and_is_not_blank(picture: str, served: bool) -> None:
    """Pictures without a mark, and those that spell the word in letters, are not asked."""
    entry = {
        "question": f"Please read the following figlet font:\n{picture}",
        "answer": "DEME",
        "metadata": {"font": "standard"},
    }
    assert (corrected("figlet_font", entry) is not None) == served


def test_letters_without_a_picture_of_their_own_are_not_asked() -> None:
    """In this font C is drawn as E."""
    entry = {"question": "Please read the following figlet font:\n#", "metadata": {"font": "test1"}}
    assert corrected("figlet_font", {**entry, "answer": "ICE"}) is None
    assert corrected("figlet_font", {**entry, "answer": "LION"}) is not None


@pytest.mark.parametrize(("states", "served"), [(["cbab", "cb", "aa"], False), (["cba"], True)])
def test_rules_that_undo_themselves_are_not_asked(states: list[str], served: bool) -> None:
    """If "cb" is replaced with "aa" and the last character is deleted, "a" is left, not "aa"."""
    rule = "If the string prefix is 'cb', replace it with 'aa' and delete the last character."
    entry = {
        "question": f"1. {rule}",
        "answer": states[-1],
        "metadata": {"states": states, "selected_rules": [rule]},
    }
    assert (corrected("string_manipulation", entry) is not None) == served
