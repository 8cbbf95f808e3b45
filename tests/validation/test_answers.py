"""rgenv/validation/answers.py: generated answers are what their kinds say, and no more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.validation.answers import copied, near_misses, same_answer, written


@pytest.mark.parametrize(
    ("reference", "texts"),
    [
        ("-21", "21 -31 -22 -20 -210 -21.2 -121 -12 -2121 -2 -1 -2.1 7".split()),
        ("0.5", ["-0.5", "1.5", "5", "0", "7"]),
        ("1/2", ["-1/2", "2/1", "2/2", "1/3", "7"]),
        ("10:30", "20:30 11:30 10:31 30:10 10:30:30 10:10:30 10 30 7".split()),
        (
            "ab, cd, ef",
            "ef, cd, ab|cd, ab, ef|ab, ef, cd|ab, cd, ef, ef|ab, ab, cd, ef|ab|ab, cd|cd, ef|ab, c|"
            "7".split("|"),
        ),
        ("aBc", "cBa|Bac|acB|not aBc|aBc aBc|aBcc|aaBc|a|aB|Bc|7|AbC".split("|")),
    ],
)
def test_near_misses_are_what_a_careless_verifier_pays(reference: str, texts: list[str]) -> None:
    assert [text for _, text in near_misses(reference, [reference, "7"])] == texts


CHANGED = r"""
sign | -4, 20, -3 | 4, 20, -3 | -4, 20, 3 | 4, 20, 3
sign | (4, 0) | (-4, 0)
sign | 3*x - 16 | -3*x - 16 | 3*x - -16 | 3*x + 16
sign | 5 km | -5 km
sign | \frac{-3}{-4} | \frac{3}{-4} | \frac{-3}{4}
sign | 2024-05-01
sign | 12:00 - 13:30
sign | 3-4
sign | 2nd
sign | 1. add A4
ten times | 12.5 | 125
tenth | 12.5 | 1.25
tenth | 0.5
unit | 12 m | 12 km | 12 am | 12
unit | 8:19 pm | 8:19 km | 8:19 am | 8:19
unit | 1 hour
unit | 3.5 m/s | 3.5 km | 3.5 am | 3.5
unit | 8:19 p.m. | 8:19 km | 8:19 am | 8:19
ten times | 396 cm | 3960 cm
digit | 2013-08-14 | 3013-08-14 | 2014-08-14 | 2013-09-14 | 2013-08-15 | 2013-08-13
digit | 4.0.0 | 5.0.0 | 4.0.1
time | 02:30 | 14:30
time | 2008-02-25 16:58 | 2008-02-25 04:58
time | 2:30 pm
key | {"a b": 2, "c": 0} | {"a b": 0, "c": 2} | {"a bx": 2, "c": 0} | {"a b": 2, "c": 0, "cx": 0}
swap | a b c d | b a c d | a b d c | a c b d
negation | rather warm | not rather warm
key | {"a": 2, "b": 3} | {"a": 3, "b": 2} | {"ax": 2, "b": 3} | {"a": 2, "b": 3, "bx": 3} | {"a": 2}
key | {"a": 2, "b": 0} | {"a": 0, "b": 2} | {"ax": 2, "b": 0} | {"a": 2, "b": 0, "bx": 0}
key | {'a': 2, 'b': 3} | {'a': 3, 'b': 2} | {'ax': 2, 'b': 3} | {'a': 2, 'b': 3, 'bx': 3} | {'a': 2}
key | x = 3, y = 4 | x = 4, y = 3 | x = 3
key | x = 3 or x = -3
key | 10:30, 11:40
key | 1: add, 2: go
joined | Olive banana fig. | Olivebanana fig.
joined | Ada Brown | AdaBrown
joined | N N E
joined | 5 square metres
decimals | 2.5 km, 0.5 | 25 km, 0.5 | 2.0 km, 0.5 | 2.5 km, 05 | 2.5 km, 0.0
decimals | 89.9% | 899%
decimals | 1.2.3
decimals | 2 hours
part | 1.2345 | 1 | 1.2
sign | 6.0e10 | -6.0e10 | 6.0e-10
sign | 1E-5 | -1E-5 | 1E5
case | Na2 | nA2
case | Monday
case | Room 2
""".strip().splitlines()
"""Kind, reference answer, and the wrong answers of that kind."""


@pytest.mark.parametrize("line", CHANGED)
def test_each_kind_changes_what_has_to_be_right(line: str) -> None:
    """It leaves what a right verifier may take: parts of a date, numbers of steps, plurals."""
    kind, reference, *texts = line.split(" | ")
    others = [reference, "3 km", "7:40 am", "14:20", "1 day"]
    assert [text for name, text in near_misses(reference, others) if name == kind] == texts


@given(st.text(alphabet='0123456789.,:/^-+ aBe{}"[]²١', max_size=12))
def test_any_answer_can_be_changed(text: str) -> None:
    assert all(isinstance(other, str) for _, other in near_misses(text, [text, "13:46", "3 m"]))


def test_capitals_that_the_question_lacks_are_tried_in_small_letters() -> None:
    assert list(copied("Write a lime with lime in capitals.", "a LIME")) == [("case", "a lime")]
    assert ("case", "lime fig") in copied("Write lime fig in capitals.", "LIME FIG")
    for asked, right in [("Tell us which country.", "the US"), ("Is it even? yes or no", "YES")]:
        assert not list(copied(asked, right))


@pytest.mark.parametrize(
    ("question", "reference", "texts"),
    [
        ("Simplify 95/275 to its lowest terms.", "19/55", ["95/275"]),
        ("Expand (2*x + 3)*(x - 11).", "2*x**2 - 19*x - 33", ["(2*x + 3)*(x - 11)"]),
        ("Write 03.05.1999 or 3:07 pm anew.", "15:07", ["03.05.1999", "3:07 pm"]),
        ("Write 255 as a hexadecimal number.", "0xff", ["255"]),
        ("A 3-digit pen costs 5.00. How many dollars, a or b?", "5", ["3"]),
        ("Is 5 km a-b far?", "5 km", []),
    ],
)
def test_what_the_question_shows_is_tried(question: str, reference: str, texts: list[str]) -> None:
    """But a decimal number that is the reference answer by value."""
    assert [text for _, text in copied(question, reference)] == texts


@pytest.mark.parametrize("reference", ["-0.9531", "7", "aa", "1 1", "0.5", "[1, 1]", "Ab aB"])
def test_no_near_miss_equals_the_reference_answer(reference: str) -> None:
    references = [reference, reference.upper(), f" {reference} ", ""]
    found = [text for _, text in near_misses(reference, references)]
    assert found and len(set(found)) == len(found)
    assert all(text.strip() and not same_answer(text, reference) for text in found)


def test_wrappers_that_a_reader_can_not_tell_from_the_answer_are_left_out() -> None:
    assert written("7")["boxed"] == "\\boxed{7}" and "bold" in written("7")
    assert not {"italics", "full stop", "dollars"} & written("*$1.").keys()
