"""rgenv/worker/guard: how it is installed; tests/test_hostile.py has what it refuses."""

import pytest
import reasoning_gym.algebra.simple_integration as module

from rgenv.tasks.record import Task
from rgenv.tasks.safe_parse import literal
from rgenv.worker.guard import guard
from tests.support.library import make_entry


def test_a_rejection_is_returned_once() -> None:
    guard.install()
    guard.take_rejection()
    library = module.sympy
    guard.install()
    assert module.sympy is library
    dataset, entry = make_entry("n_queens", 0, {})
    assert dataset.score_answer("print()", entry) == 0.0
    assert guard.take_rejection() == "Call where a literal is expected"
    assert guard.take_rejection() is None
    assert dataset.score_answer("I don't know", entry) == 0.0
    assert guard.take_rejection() is None


def test_another_layout_of_a_covered_task_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a name has moved, installation fails instead of leaving a verifier unguarded."""
    record = Task(guarded={"sympy.parse_expr": literal})
    monkeypatch.setattr(guard, "records", lambda: {"ab": record})
    with pytest.raises(RuntimeError, match="does not fit this reasoning-gym"):
        guard.install()
