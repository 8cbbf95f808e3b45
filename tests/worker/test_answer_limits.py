"""Answers that would take a verifier too long are refused."""

import json

import pytest

from rgenv.worker.operations import rejection
from tests.support.records import LIMITS
from tests.support.timing import processor_seconds

TOO_EXPENSIVE = {
    "boxnet": ['[{"Agent[0.5, 0.5]": "move(' + ", " * 15_000 + '"}]'],
    "calendar_arithmetic": ["7" * 4_000],
    "codeio": ['{"a": ' * 5_000 + "1" + "}" * 5_000, '{"a": ' + "7" * 4_300 + "}"],
    "coin_flip": ["1e777777777", "1e-777777777", "1e+77777777", "7" * 4_000],
    "prime_factorization": ["777777777×" * 3_000 + "7", "2×" * 10_000 + "2", "7" * 4_000],
    "propositional_logic": [
        " ∨ ".join(f"p{n}" for n in range(30)),
        "a ∧ b ∧ c ∧ d ∧ e",
        "P ∧ " * 2_000 + "P",
        "P → " * 480 + "P",
        "¬" * 1_500 + "P",
        "(" * 900 + "P" + ")" * 900,
        "p" * 30_000,
    ],
    "rubiks_cube": ["R77777777", "R " * 15_000, "R9 U9 " * 5_000, "7777777777"],
    "rush_hour": ["B-777777777", "A+999 B-999 " * 2_000, "A+" + "9" * 4_000],
    "time_intervals": ["7" * 4_000, "7" * 4_000 + " days, 10:00"],
}

LARGE_BUT_HONEST = {
    "boxnet": '[{"Agent[0.5, 0.5]": "move(box_blue, square[0.5, 1.5])"}]' * 30,
    "calendar_arithmetic": "-123456789",
    "codeio": json.dumps({"a": [[[[[list(range(50))]]]]], "b": 10**100}),
    "coin_flip": "1/340282366920938463463374607431768211456",
    "prime_factorization": " × ".join(["2"] * 60),
    "propositional_logic": "((P ∧ Q) ∨ ¬(R → S)) ↔ " * 7 + "(T ∧ (U ∨ V))",
    "rubiks_cube": "R U' F2 L " * 200,
    "rush_hour": "A+4 B-4 " * 100,
    "time_intervals": "365 days, 23:59:59",
}


@pytest.mark.parametrize("task", LIMITS)
def test_expensive_answers_are_refused_quickly(task: str) -> None:
    """Text that loops, grows or nests without bound is refused in well under a second."""
    for text in TOO_EXPENSIVE[task]:
        with processor_seconds(1.0, text[:60]):
            assert rejection(task, text), text[:60]


@pytest.mark.parametrize("task", LIMITS)
def test_honest_answers_stay_far_below_the_limits(task: str) -> None:
    """An answer many times as large as any right one still reaches the verifier."""
    assert rejection(task, LARGE_BUT_HONEST[task]) is None
    assert rejection(task, f"<answer>{LARGE_BUT_HONEST[task]}</answer>") is None
