"""Rules for tasks about letters, words and strings."""

import pytest

from tests.support.records import RULES


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        ("ab", "following program:\n\nB# A# #A\n\nReturn", "remove pairs that touch", "B#"),
        ("ab", "following program:\n\nA# #B\n\nReturn", "move the tokens to their sides", "#B A#"),
        (
            "number_filtering",
            "Keep all numbers larger than 3 in this list: ['1', '-2']",
            "the negative numbers",
            "['-2']",
        ),
        ("palindrome_generation", "the following letters: a, b, a", "join the letters", "aba"),
        (
            "sentence_reordering",
            "following sentence: seen. have We it",
            "capital first, stop last",
            "We have it seen.",
        ),
        ("number_sorting", "order: 10, 9\nPlease", "sort as text", "['10', '9']"),
        (
            "palindrome_partitioning",
            "into palindromes: aba",
            "single letters and one triple",
            '[["a","b","a"],["aba"]]',
        ),
        ("spell_backward", "Spell this word backward: goes", "swap the ends", "soeg"),
        ("word_ladder", "from 'COLD' to 'CARD'", "change left to right", "COLD,CALD,CARD"),
        ("word_sorting", "a comma-separated list: b, a", "reverse the list", "a, b"),
    ],
)
def test_rules_copy_and_rearrange(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule copies what its question gives, or rearranges it in one simple way."""
    assert RULES[task](question)[rule] == answer
