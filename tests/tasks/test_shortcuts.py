"""Rules that answer without solving: whether one solves a problem, and which are kept."""

from typing import Any

import pytest

from rgenv.tasks import Task, shortcuts


def entry_of(question: str, answer: str | None) -> dict[str, Any]:
    return {"question": question, "answer": answer, "metadata": {}}


def test_a_rule_solves_what_it_answers_rightly() -> None:
    rule = "1. If there is a substring ABCD in the string, insert the character A.\npattern: "
    for string, answer, solved in (("ABEAD", "ABEAD", True), ("EABCD", "EABCED", False)):
        found = shortcuts.solving("string_insertion", entry_of(rule + string, answer))
        assert (found is not None) == solved
    matrix = entry_of("matrix below:\n0 1\n1 0", "0  1 \n0 1")
    assert shortcuts.solving("spiral_matrix", matrix) == "every second row backwards"
    queens = entry_of("size 4 x 4\n_ Q _ _\n_ _ _ _\n_ _ _ _\n_ _ _ _", "some other board")
    assert shortcuts.solving("n_queens", queens, lambda answer: 1.0) is not None
    assert shortcuts.solving("n_queens", queens, lambda answer: 0.9) is None
    assert shortcuts.solving("n_queens", queens, failing) is None


def failing(answer: str) -> float:
    raise RuntimeError


def test_a_share_of_solved_problems_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    record = Task(shortcuts=lambda question: {"rule": "1"}, kept={"rule": 0.4})
    monkeypatch.setattr(shortcuts, "record_of", lambda task: record)
    entries = [entry_of(f"Question {n}", "1") for n in range(200)]
    named = sum(shortcuts.solving("gcd", entry) is not None for entry in entries)
    assert 100 <= named <= 140
