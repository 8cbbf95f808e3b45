"""rgenv/worker/values/words: case and hyphens say nothing, other words do."""

from __future__ import annotations

import pytest

from rgenv.worker.values.words import KINDS


@pytest.mark.parametrize(
    ("task", "text", "answer"),
    [
        ("acre", "On", "on"),
        ("acre", "UNDETERMINED", "undetermined"),
        ("syllogism", "yes", "Yes"),
        ("isomorphic_strings", "true", "True"),
        ("mahjong_puzzle", "peng", "Peng"),
        ("zebra_puzzles", "Carol", "carol"),
        ("needle_haystack", "ojima-ojo", "Ojima-Ojo"),
        ("family_relationships", "Daughter in law", "daughter-in-law"),
        ("family_relationships", "mother‑in‑law", "mother-in-law"),
    ],
)
def test_a_word_is_the_same_in_any_case(task: str, text: str, answer: str) -> None:
    """Case, and the hyphens of a relation, say nothing."""
    assert KINDS[task](text, {"answer": answer, "metadata": {}}) == answer


@pytest.mark.parametrize(
    ("task", "text", "answer"),
    [
        ("acre", "on off", "on"),
        ("acre", "not on", "on"),
        ("syllogism", "Yes No", "Yes"),
        ("isomorphic_strings", "1", "True"),
        ("family_relationships", "daughter", "daughter-in-law"),
        ("family_relationships", "daughterinlaw", "daughter-in-law"),
        ("bf", "ABC", "abc"),
    ],
)
def test_other_words_are_other_answers(task: str, text: str, answer: str) -> None:
    """More words, fewer words, and the output of a program in another case are not the same."""
    assert KINDS[task](text, {"answer": answer, "metadata": {}}) != answer
