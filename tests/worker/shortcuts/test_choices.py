"""Rules for tasks with few possible answers, tasks of induction, and programs."""

import pytest

from rgenv.worker.shortcuts.choices import RULES

ZEBRA = (
    " - Each person has a unique name: ann, bob, eve\n\n1. Ann is in the second house.\n"
    "2. The Dane is directly left of Bob.\n3. The cat lover is Eve.\n\nWho lives in House 1?"
)
ACRE = "results:\nred cube → on\nblue cube → off\n\nNew test case:\nred cube\n\nWhat"


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        ("acre", ACRE, "as the same objects", "on"),
        ("acre", ACRE, "an object did it alone", "on"),
        ("aiw", "Ann has 2 brothers and 5 sisters.", "the last number and one", "6"),
        ("course_schedule", "total of 3: (0, 1), (1, 2), (1, 0)", "two oppose each other", "False"),
        ("course_schedule", "total of 3: (0, 1), (1, 2), (2, 0)", "three are in a circle", "False"),
        ("zebra_puzzles", ZEBRA, "not said elsewhere, directly left of one, used most", "eve"),
        ("isomorphic_strings", "following:\naab abc", "different numbers of letters", "False"),
        ("isomorphic_strings", "following:\naaba abab", "a letter repeats in one only", "False"),
        ("number_sequence", "2, 4, 6, ?", "the last term and the last difference", "8"),
        ("number_sequence", "2, 4, 8, 16, ?", "the last ratio of differences", "32"),
        ("number_sequence", "1, 2, 4, 8, ?", "the last term and twice the one before", "16"),
        ("number_sequence", "1, 2, 5, 12, ?", "twice the last term and the one before", "29"),
        ("number_sequence", "1, 2, 6, 16, ?", "twice the last two terms added", "44"),
        (
            "number_sequence",
            "1, 2, 7, 23, ?",
            "a multiple of the last term, and the one before",
            "76",
        ),
        ("number_sequence", "1, 2, 5, 13, ?", "the ratio of the two differences before", "37"),
        ("number_sequence", "2, 5, 7, ?", "the last but one ratio, less its difference", "15"),
        ("number_sequence", "1, 3, 7, ?", "the last term and twice the last difference", "15"),
        ("number_sequence", "8, 4, 10, 9, ?", "half of the last term and the one before", "14"),
        ("list_functions", "Output 1: [1]\n\nInput: [2, 3]\nOutput:", "copy the input", "[2, 3]"),
        (
            "list_functions",
            "Output 1: [1]\n\nInput: [2, 3]\nOutput:",
            "repeat the first output",
            "[1]",
        ),
        ("codeio", "guide your reasoning def f():\n return 5", "the last returned literal", "5"),
    ],
)
def test_rules_pick_or_repeat(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule picks an answer by its place, or repeats something that the question shows."""
    assert RULES[task](question)[rule] == answer


@pytest.mark.parametrize(
    ("task", "question"),
    [
        ("course_schedule", "total of 4: (0, 1), (1, 2), (2, 3), (3, 0)"),
        ("isomorphic_strings", "following:\nabcab abcba"),
    ],
)
def test_signs_answer_only_when_they_are_seen(task: str, question: str) -> None:
    """Where a sign that proves False is missing, there is no answer."""
    assert RULES[task](question) == {}
