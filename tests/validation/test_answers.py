"""rgenv/validation/answers.py: generated answers are what their kinds say, and no more."""

import pytest

from rgenv.validation.answers import near_misses, nearly_equal, same_answer, wrong_answers


@pytest.mark.parametrize(
    ("reference", "kinds"),
    [
        ("127", {"other": "52", "digit": "227", "prefix": "1127", "swap": "217", "drop": "12"}),
        ("-4", {"other": "52", "digit": "-5", "prefix": "-14", "swap": "4-", "drop": "-"}),
        ("yes", {"other": "52", "swap": "eys", "drop": "ye"}),
        ("B+1 A+4", {"other": "52", "digit": "B+2 A+4", "swap": "A+4 B+1", "drop": "B+1"}),
        ("b, b, c", {"other": "52", "swap": "b, c, b", "drop": "b, b"}),
    ],
)
def test_wrong_answers_have_the_shape_of_the_reference_answer(
    reference: str, kinds: dict[str, str]
) -> None:
    """Each kind changes the reference answer as its name says."""
    assert dict(wrong_answers(reference, [reference, "52"])) == kinds


@pytest.mark.parametrize(
    "reference", ["-0.9531", "", "7", "aa", "1 1", "0.5", "[1, 1]", "Ab aB", "\n"]
)
def test_no_wrong_answer_equals_the_reference_answer(reference: str) -> None:
    """Empty answers and those that differ in notation or by rounding are left out."""
    references = [reference, reference.upper(), f" {reference} ", ""]
    for _, text in wrong_answers(reference, references):
        assert text.strip()
        assert not same_answer(text, reference) and not nearly_equal(text, reference)


def test_no_wrong_answer_comes_twice() -> None:
    """Other problems' reference answers count, too: a swap that gives one of them is left out."""
    assert list(wrong_answers("12", ["12", "21", "21"])) == [
        ("other", "21"),
        ("digit", "22"),
        ("prefix", "112"),
        ("drop", "1"),
    ]


@pytest.mark.parametrize(
    ("reference", "texts"),
    [
        ("-21", "21 -20 -22 -210 -12 -2121 -2 -1 7".split()),
        ("0.5", ["-0.5", "7"]),
        ("ab, cd, ef", ["ef, cd, ab", "ab, cd, ef, ef", "ab", "ab, cd", "cd, ef", "ab, c", "7"]),
        ("aBc", ["cBa", "aBcc", "a", "aB", "Bc", "7", "AbC"]),
    ],
)
def test_near_misses_are_what_a_careless_verifier_pays(reference: str, texts: list[str]) -> None:
    assert [text for _, text in near_misses(reference, [reference, "7"])] == texts
