"""rgenv/validation/answers.py: generated answers are what their kinds say, and no more."""

import pytest

from rgenv.validation.answers import near_misses, same_answer, written


@pytest.mark.parametrize(
    ("reference", "texts"),
    [
        ("-21", "21 -31 -22 -20 -210 -21.2 -121 -12 -2121 -2 -1 7".split()),
        ("0.5", ["-0.5", "1.5", "05.0", "0", "7"]),
        ("1/2", ["-1/2", "2/1", "2/2", "1/3", "7"]),
        ("10:30", "20:30 10:31 30:10 10:30:30 10:10:30 10 30 7".split()),
        (
            "ab, cd, ef",
            "ef, cd, ab|cd, ab, ef|ab, ef, cd|ab, cd, ef, ef|ab, ab, cd, ef|ab|ab, cd|cd, ef|ab, c|"
            "7".split("|"),
        ),
        ("aBc", "cBa|Bac|acB|not aBc|aBcc|aaBc|a|aB|Bc|7|AbC".split("|")),
    ],
)
def test_near_misses_are_what_a_careless_verifier_pays(reference: str, texts: list[str]) -> None:
    assert [text for _, text in near_misses(reference, [reference, "7"])] == texts


@pytest.mark.parametrize("reference", ["-0.9531", "7", "aa", "1 1", "0.5", "[1, 1]", "Ab aB"])
def test_no_near_miss_equals_the_reference_answer(reference: str) -> None:
    references = [reference, reference.upper(), f" {reference} ", ""]
    found = [text for _, text in near_misses(reference, references)]
    assert found and len(set(found)) == len(found)
    assert all(text.strip() and not same_answer(text, reference) for text in found)


def test_wrappers_that_a_reader_can_not_tell_from_the_answer_are_left_out() -> None:
    assert written("7")["boxed"] == "\\boxed{7}" and "bold" in written("7")
    assert not {"italics", "full stop", "dollars"} & written("*$1.").keys()
