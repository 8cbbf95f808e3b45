"""Rules that rewrite once, or some of them in full."""

import pytest

from tests.support.records import RULES

REWRITING = """in order:
1. If the string prefix is 'ca', replace it with 'bb' and append 'c' to the end.
2. If the string prefix is 'ab', replace it with 'ca'.
3. If the string ends with 'ba', replace it with 'ab'.

Transform:
abab"""

LONG = """in order:
1. If the string length is greater than 15, remove the middle character.
2. If the string contains 'bca', delete the first occurrence entirely.
3. If the string prefix is 'aa', remove the first character.
4. If the string suffix is 'bb', delete the last two characters.

Transform:
aacacacabcacacbb"""


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        ("string_manipulation", REWRITING, "the first rule that fits, twice", "bbabc"),
        ("string_manipulation", REWRITING, "each rule in turn", "caab"),
        (
            "string_splitting",
            "Now, you have 1 machine A, 3 machine B, and 2 machine C.",
            "take each apart, then join parts",
            "0 1 0 1 0 2",
        ),
        (
            "string_synthesis",
            "Now, you have 2 [A], 3 [B], and 2 [C] blocks.",
            "only the first rule",
            "0 1 0 2 0 0 0 0 0",
        ),
        ("string_manipulation", LONG, "only the first three rules", "acacacacacacbb"),
        ("string_manipulation", LONG, "only the last three rules", "acacacacac"),
    ],
)
def test_rules_rewrite_in_part(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule rewrites what its question gives once, or by some of the question's rules."""
    assert RULES[task](question)[rule] == answer
