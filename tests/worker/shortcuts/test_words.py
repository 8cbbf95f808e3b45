"""Rules for tasks about letters, words and strings."""

import pytest

from rgenv.worker.shortcuts.words import RULES

REWRITING = """in order:
1. If the string prefix is 'ca', replace it with 'bb' and append 'c' to the end.
2. If the string prefix is 'ab', replace it with 'ca'.
3. If the string ends with 'ba', replace it with 'ab'.

Transform:
abab"""


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        ("ab", "following program:\n\nA# B# #A\n\nReturn", "copy the program", "A# B# #A"),
        ("ab", "following program:\n\nB# A# #A\n\nReturn", "remove pairs that touch", "B#"),
        ("ab", "following program:\n\nA# #B\n\nReturn", "move the tokens to their sides", "#B A#"),
        ("base_conversion", "Now, convert the base-3 number 12 to base-9", "copy the number", "12"),
        ("caesar_cipher", "Decrypt: BCD. Provide it", "guess: move back by 1", "ABC"),
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
        ("string_manipulation", "Transform:\nabc", "leave out the first letter", "bc"),
        ("string_manipulation", REWRITING, "the first rule that fits", "caab"),
        ("string_manipulation", REWRITING, "the first rule that fits, twice", "bbabc"),
        ("string_manipulation", REWRITING, "each rule in turn", "caab"),
        (
            "letter_counting",
            'the letter "e" appear in the text: "we see it"?',
            "of few words, those with the letter and 1",
            "3",
        ),
        (
            "string_splitting",
            "Now, you have 1 machine A, 3 machine B, and 0 machine C.",
            "take A and B apart",
            "0 1 0 3 1 0",
        ),
        (
            "string_synthesis",
            "Now, you have 2 [A], 3 [B], and 2 [C] blocks.",
            "only the first rule",
            "0 1 0 2 0 0 0 0 0",
        ),
        ("word_ladder", "from 'COLD' to 'CARD'", "change left to right", "COLD,CALD,CARD"),
        ("word_sorting", "a comma-separated list: b, a", "reverse the list", "a, b"),
    ],
)
def test_rules_copy_and_rearrange(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule copies what its question gives, or rearranges it in one simple way."""
    assert RULES[task](question)[rule] == answer
