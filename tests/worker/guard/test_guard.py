"""rgenv/worker/guard: hostile answers are never executed.

Honest answers keep their scores: test_safe_parse.py and test_conformance.py.
"""

import builtins
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rgenv.tasks.record import Task
from rgenv.tasks.safe_parse import literal
from rgenv.worker.guard import guard
from rgenv.worker.operations import rejection
from tests.support.library import make_entry
from tests.support.paths import DATA
from tests.support.timing import processor_seconds

pytestmark = pytest.mark.slow

LIST_TASKS = "binary_matrix n_queens spiral_matrix string_insertion".split()
FORMULA_TASKS = (
    "countdown puzzle24 polynomial_multiplication simple_integration intermediate_integration"
).split()
EXECUTED = [*LIST_TASKS, *FORMULA_TASKS]
"""Tasks whose verifiers pass answers to eval or to sympy's parser."""


LARGE = [
    '{"a": [' + "1, " * 9_000 + "1]}",
    '{"a": "' + "b" * 30_000 + '"}',
    "{" + ", ".join(f'"k{n}": {n}' for n in range(2_000)) + "}",
]
"""Answers to codeio. Those to formulas and lists are parsed by `safe_parse`."""


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


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("text", LARGE, ids=["items", "text", "keys"])
def test_large_answers_to_codeio_are_refused_in_well_under_a_second(text: str) -> None:
    """Their trees are not compared with that of the right answer."""
    dataset, entry = make_entry("codeio", 0, {})
    with processor_seconds(1.0):
        with contextlib.suppress(guard.Rejected):
            dataset.score_answer(text, entry)
        assert guard.take_rejection() or rejection("codeio", text)


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


def test_libraries_are_not_changed(installed: None) -> None:
    """sympy and eval work as before outside the guarded modules."""
    import sympy

    assert sympy.parse_expr("2*x(3)") == 2 * sympy.Function("x")(3)
    assert sympy.simplify("sin(x)**2 + cos(x)**2") == 1
    assert builtins.eval("1 + 1") == 2


def test_another_layout_of_a_covered_task_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a name has moved, installation fails instead of leaving a verifier unguarded."""
    record = Task(guarded={"sympy.parse_expr": literal})
    monkeypatch.setattr(guard, "records", lambda: {"ab": record})
    with pytest.raises(RuntimeError, match="does not fit this reasoning-gym"):
        guard.install()


def test_a_wrong_antiderivative_is_not_simplified(
    installed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The verifier simplifies the difference to a right answer that expanding does not prove."""
    import sympy

    simplified: list[Any] = []
    monkeypatch.setattr(sympy, "simplify", lambda formula: simplified.append(formula) or formula)
    dataset, entry = make_entry("intermediate_integration", 0, {})
    dataset.score_answer("sin(x)**40*cos(3*x)**30*tan(x) + sqrt(x)*log(x + 1)", entry)
    assert simplified == []
    dataset.score_answer(f"{entry['answer']} + sin(2*x) - 2*sin(x)*cos(x)", entry)
    assert len(simplified) == 1
