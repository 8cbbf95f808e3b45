"""Rules for tasks with few possible answers, tasks of induction, and programs."""

import pytest

from tests.support.records import RULES

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
        ("zebra_puzzles", ZEBRA, "not said elsewhere, directly left of one, used most", "eve"),
        ("number_sequence", "2, 4, 8, 16, ?", "the last ratio of differences", "32"),
        ("number_sequence", "1, 2, 4, 8, ?", "the last term and twice the one before", "16"),
        (
            "number_sequence",
            "1, 2, 7, 23, ?",
            "a multiple of the last term, and the one before",
            "76",
        ),
        ("number_sequence", "1, 2, 5, 13, ?", "the ratio of the two differences before", "37"),
        ("number_sequence", "2, 5, 7, ?", "the last but one ratio, less its difference", "15"),
        ("number_sequence", "1, 3, 7, ?", "the last term and twice the last difference", "15"),
        ("list_functions", "Output 1: [1]\n\nInput: [2, 3]\nOutput:", "copy the input", "[2, 3]"),
        (
            "list_functions",
            "Output 1: [1]\n\nInput: [2, 3]\nOutput:",
            "repeat the first output",
            "[1]",
        ),
    ],
)
def test_rules_pick_or_repeat(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule picks an answer by its place, or repeats something that the question shows."""
    assert RULES[task](question)[rule] == answer
