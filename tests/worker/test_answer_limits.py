"""Answers that would take a verifier too long are refused."""

import pytest

from rgenv.worker.operations import score_answer
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


@pytest.mark.parametrize("task", LIMITS)
def test_expensive_answers_are_refused_quickly(task: str) -> None:
    for text in TOO_EXPENSIVE[task]:
        with processor_seconds(1.0, text[:60]):
            assert score_answer(lambda _: 0.0, task, text).rejected, text[:60]
