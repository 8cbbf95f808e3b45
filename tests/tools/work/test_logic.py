"""Statements are longer and more at higher levels."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rgenv.worker.levels import fixed_tasks
from tests.support.work import mean_work
from tools.work import WORK, logic


@pytest.mark.parametrize("task", sorted(set(logic.PROXIES) - set(fixed_tasks())))
def test_the_mean_rises_from_level_to_level(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the same seeds, the problems of each of five levels take more work than those before."""
    means = mean_work(task, 3 if task == "zebra_puzzles" else 15, monkeypatch)
    assert all(low < high for low, high in pairwise(means)), means


def syllogism(first: str, second: str, conclusion: str) -> float:
    question = f"1. {first}\n2. {second}\n\nDoes it follow that:\n{conclusion}?\n(Answer)"
    return WORK["syllogism"]({"question": question})


def test_a_syllogism_with_statements_to_turn_round_takes_more_work() -> None:
    """Both premises count, each quantifier but All, and each statement in another order."""
    assert syllogism("All a are b", "All b are c", "All a are c") == 2
    assert syllogism("All a are b", "Some b are not c", "Some a are not c") == 4
    assert syllogism("All b are a", "All c are b", "All a are c") == 4


def test_the_parts_of_a_statement_are_operators_and_claims() -> None:
    """The names of people do not count."""
    statement = ("and", ("lying", 0), ("not", ("telling-truth", 1)))
    assert logic.parts(statement) == 4
    assert logic.knights_knaves({"metadata": {"statements": (statement, ("lying", 0))}}) == 10
