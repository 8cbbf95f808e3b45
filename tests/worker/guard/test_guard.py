"""rgenv/worker/guard: hostile answers are never executed.

Honest answers keep their scores: test_safe_parse.py and test_conformance.py.
"""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rgenv.tasks.record import Task
from rgenv.tasks.safe_parse import literal
from rgenv.worker.guard import guard
from tests.support.library import make_entry
from tests.support.paths import DATA

pytestmark = pytest.mark.slow

LIST_TASKS = "binary_matrix n_queens spiral_matrix string_insertion".split()
FORMULA_TASKS = (
    "countdown puzzle24 polynomial_multiplication simple_integration intermediate_integration"
).split()
EXECUTED = [*LIST_TASKS, *FORMULA_TASKS]
"""Tasks whose verifiers pass answers to eval or to sympy's parser."""


@pytest.fixture
def installed() -> Iterator[None]:
    """Install the guard, with no rejection recorded before and after."""
    guard.install()
    guard.take_rejection()
    yield
    guard.take_rejection()


def payloads() -> list[str]:
    """Return answers that make a file, if they are executed."""
    lines = map(json.loads, (DATA / "hostile.jsonl").read_text(encoding="utf-8").splitlines())
    return [line["answer"] for line in lines if line["kind"] == "code"]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("task", EXECUTED)
def test_code_is_rejected_and_not_executed(task: str, tmp_path: Path) -> None:
    """A rejection is reported even though the verifier swallows the exception."""
    marker, (dataset, entry) = tmp_path / "executed", make_entry(task, 0, {})
    for payload in payloads():
        text = payload.replace("{marker}", str(marker))
        for form in (text, f"<answer>{text}</answer>"):
            with contextlib.suppress(guard.Rejected):  # some verifiers do not swallow it
                assert dataset.score_answer(form, entry) < 0.1
            assert guard.take_rejection() or form != text, payload
    assert not marker.exists()


# Installation


def test_a_rejection_is_returned_once(installed: None) -> None:
    """The reason outlives the exception that the verifier swallows; taking it clears it.

    A second installation changes nothing.
    """
    import reasoning_gym.algebra.simple_integration as module

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
