"""Rules for tasks about letters, words and strings."""

import pytest

from rgenv.worker.shortcuts.words import RULES


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        ("ab", "following program:\n\nA# B# #A\n\nReturn", "copy the program", "A# B# #A"),
        ("ab", "following program:\n\nB# A# #A\n\nReturn", "remove pairs that touch", "B#"),
        ("ab", "following program:\n\nA# #B\n\nReturn", "move the tokens to their sides", "#B A#"),
        ("base_conversion", "Now, convert the base-3 number 12 to base-9", "copy the number", "12"),
        ("group_anagrams", 'Group:\n["ab", "ba", "abc"]', "by length", '[["ab", "ba"], ["abc"]]'),
        (
            "group_anagrams",
            'Group:\n["ab", "ab", "c", "de"]',
            "neighbours by length",
            '[["ab", "ab"], ["c"], ["de"]]',
        ),
        ("number_filtering", "Keep ['1', '-2'] as it is", "the negative numbers", "['-2']"),
        ("number_sorting", "in descending order: 3, 2\nPlease", "copy the list", "['3', '2']"),
        ("palindrome_generation", "the following letters: a, b, a", "join the letters", "aba"),
        ("palindrome_partitioning", "into palindromes: ab", "single letters", '[["a","b"]]'),
        (
            "sentence_reordering",
            "following sentence: seen. have We it",
            "capital first, stop last",
            "We have it seen.",
        ),
        ("spell_backward", "Spell this word backward: eye", "copy the word", "eye"),
        ("word_ladder", "from 'COLD' to 'CARD'", "change left to right", "COLD,CALD,CARD"),
        ("word_sorting", "a comma-separated list: b, a", "reverse the list", "a, b"),
    ],
)
def test_rules_copy_and_rearrange(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule copies what its question gives, or rearranges it in one simple way."""
    assert RULES[task](question)[rule] == answer
