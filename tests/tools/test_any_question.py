"""Rules for any question."""

import pytest

from tools.guesses import any_question


@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        ("copy the data", "b, a, b"),
        ("reverse the data", "b ,a ,b"),
        ("sort the words", "a, b, b"),
        ("most frequent word", "b"),
        ("least frequent word", "a"),
        ("number of words", "3"),
        ("first line", 'Read "this" twice.'),
        ("last paragraph", "Words: b, a, b"),
        ("first quoted piece", "this"),
    ],
)
def test_parts_of_the_text_are_answers(rule: str, answer: str) -> None:
    """Lines, paragraphs, quoted pieces and words are taken by their places."""
    assert any_question.answers('Read "this" twice.\n\nWords: b, a, b')[rule] == answer


@pytest.mark.parametrize(
    ("rule", "answer"),
    [
        ("sum of the numbers of the data", "14"),
        ("product of the numbers of the data", "72"),
        ("largest of the numbers of the data", "6"),
        ("how many of the numbers of the question", "4"),
        ("first less the rest of the numbers of the data", "-10"),
        ("last number of the data", "6"),
        ("first number of the question", "9"),
    ],
)
def test_numbers_are_combined(rule: str, answer: str) -> None:
    """The numbers of the question and of its data are added, multiplied and counted."""
    assert any_question.answers("For 9 children: 2, 6, 6")[rule] == answer


def test_an_empty_question_has_few_answers() -> None:
    """Without words and numbers, only parts of the text are left."""
    assert set(any_question.answers("").values()) <= {"", "0"}
