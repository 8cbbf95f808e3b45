"""rgenv/worker/values/numbers: units, names and bases, only where the question uses them."""

from __future__ import annotations

from typing import Any

import pytest

from rgenv.worker.values.numbers import KINDS

APPLES = (
    "How many red apples does Ann have after 3 hours? More than 2? Not over 9? What percent is it?"
)


def read(task: str, text: str, answer: str, question: str = "", **metadata: Any) -> str | None:
    return KINDS[task](text, {"answer": answer, "question": question, "metadata": metadata})


@pytest.mark.parametrize(
    "text", ["24", "$24", "\\$24.00", "24 apples", "24 red apples", "24%", "24 \\%", "+24"]
)
def test_a_story_may_name_its_unit(text: str) -> None:
    """The sign or the words after a number count for nothing if the question has them."""
    assert read("gsm_symbolic", text, "24", APPLES) == "24"


@pytest.mark.parametrize(
    "text",
    [
        "not 24",
        "24 pears",
        "24 apples red",
        "24 apples or 25",
        "24 more than",
        "24 not",
        "24 over",
        "24 dozen",
        "24 or 25",
        "24, 25",
        "24 25",
        "$$24",
        "- 24",
        "24 red apples does",
    ],
)
def test_a_story_takes_no_other_words(text: str) -> None:
    """Words that the question lacks, words that change a number, and sentences are not read."""
    assert read("gsm_symbolic", text, "24", APPLES) is None


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("simple_geometry", "114°"),
        ("simple_geometry", "114.0^\\circ"),
        ("simple_geometry", "114 degrees"),
        ("leg_counting", "114 legs"),
        ("maze", "114 steps"),
        ("rotten_oranges", "114 minutes"),
    ],
)
def test_a_unit_of_the_task_may_follow(task: str, text: str) -> None:
    """A unit that belongs to the task counts for nothing."""
    assert read(task, text, "114") == "114"
    assert read(task, f"{text} {text}", "114") is None
    assert read("gcd", text, "114") is None


def test_hexadecimal_digits_are_hexadecimal() -> None:
    """Digits alone are not decimal where a hexadecimal number is asked for."""
    assert read("bitwise_arithmetic", "77", "0x77") == "0x77"
    assert read("bitwise_arithmetic", "119", "0x77") == "0x119"
    assert read("bitwise_arithmetic", "−0X2A", "-0x2a") == "-0x2a"
    for text in ("--0x77", "0x", "0x77h", "-0", "0x7 7", "g"):
        assert read("bitwise_arithmetic", text, "0x77") is None


def test_a_base_may_be_shown() -> None:
    """Prefix and index of the right base count for nothing; those of another base do."""
    assert read("base_conversion", "0x1F", "1f", target_base=16) == "1f"
    assert read("base_conversion", "1f_{16}", "1f", target_base=16) == "1f"
    assert read("base_conversion", "12,314.0", "12314", target_base=5) == "12314"
    assert read("base_conversion", "1e3", "1e3", target_base=20) == "1e3"
    for text in ("0b101", "101_5", "0101", "1 01", "-101"):
        assert read("base_conversion", text, "101", target_base=3) != "101"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1.50e-09", True),
        ("1.5e-9", True),
        ("1.501 × 10^{-9}", True),
        ("1.501174e-9", True),
        ("0.0000000015", True),
        ("1.51e-9", False),
        ("1.49e-9", False),
        ("1.504e-9", False),
        ("2e-9", False),
        ("-1.50e-9", False),
    ],
)
def test_three_figures_are_enough_and_more_must_agree(text: str, same: bool) -> None:
    """A power counts if it is right to three figures, and to all that it shows."""
    answer = "1.501173876985378e-09"
    assert (read("power_function", text, answer) == answer) == same


def test_the_digits_that_are_asked_for_have_to_be_there() -> None:
    """Fewer digits than asked for are another number, and so are more."""
    answer, question = "11.0935615120", "a maximum of 12 significant digits"
    assert read("decimal_arithmetic", "11.093561512", answer, question) == answer
    for text in ("11.0935615121", "11.09356151201", "11.0936", "11.094"):
        assert read("decimal_arithmetic", text, answer, question) != answer


def test_a_candidate_counts_as_it_is_shown() -> None:
    """The digits in which the question shows a float are the float; others are not."""
    answer, question = "659816480.57", "pick one of 6.598164805700001e+08 659,816,480.56"
    for text in ("6.598164805700001e+08", "659,816,480.57", "659816480.570000"):
        assert read("number_format", text, answer, question) == answer
    for text in ("659816480.5700002", "659816480.571", "659816480.58", "659816480.56"):
        assert read("number_format", text, answer, question) != answer


def test_days_and_yes_are_words() -> None:
    """calendar_arithmetic asks for numbers and for words."""
    assert read("calendar_arithmetic", "FRIDAY", "Friday") == "Friday"
    assert read("calendar_arithmetic", "7.0", "7") == "7"
