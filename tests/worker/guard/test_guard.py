"""rgenv/worker/guard: hostile answers are never executed.

Honest answers keep their scores: test_safe_parse.py and test_conformance.py.
"""

import builtins
import contextlib
import functools
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from rgenv.tasks.record import Task
from rgenv.tasks.safe_parse import literal
from rgenv.worker.guard import guard
from rgenv.worker.operations import rejection
from tests.support.library import make_entry
from tests.support.records import GUARDED
from tests.support.text_runners import PARSERS, RunnerFinder, Use
from tests.support.timing import processor_seconds

pytestmark = pytest.mark.slow

LIST_TASKS = "binary_matrix n_queens spiral_matrix string_insertion".split()
FORMULA_TASKS = (
    "countdown puzzle24 polynomial_multiplication simple_integration intermediate_integration"
).split()
EXECUTED = [*LIST_TASKS, *FORMULA_TASKS]
"""Tasks whose verifiers pass answers to eval or to sympy's parser."""
FORMS = ["{}", "<answer>{}</answer>"]

# Hostile answers. In each payload, {m} is a file that appears when the payload is executed.

PAYLOADS = [
    "__import__('pathlib').Path('{m}').touch()",
    "open('{m}', 'a').close()",
    "[[open('{m}', 'w')]]",
    "[open('{m}', 'w') for _ in 'a']",
    "(lambda: open('{m}', 'w'))()",
    "f\"{{open('{m}', 'w')}}\"",
    "24 + 0*open('{m}', 'w').write('x')",
    "x**2 + open('{m}', 'w').fileno()",
    'exec(\'open("{m}", "w")\')',
    "{{'a': eval('open(\"{m}\", \"w\")')}}",
    'sympify(\'open("{m}", "w")\')',
    "Lambda(x, open('{m}', 'w'))(1)",
    "x.__init__.__globals__['__builtins__']['open']('{m}', 'w')",
    "Symbol(open('{m}', 'w'))",
    "Integral(open('{m}', 'w'), x)",
    "__import__('os')._exit(3)",
    "exec('raise SystemExit')",
    "exit()",
    "__import__",
]
IN_STRINGS = [
    '\'open("{m}", "w")\'',  # sympy may read text from a text, which diff parses again
    "[open('{m}', 'w') for Symbol in 'a']",
    "The answer is __import__('pathlib').Path('{m}').touch()",
]
"""Payloads that need no rejection, as long as they are not executed."""

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


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("task", EXECUTED)
def test_code_is_rejected_and_not_executed(task: str, tmp_path: Path) -> None:
    """A rejection is reported even though the verifier swallows the exception."""
    marker, (dataset, entry) = tmp_path / "executed", make_entry(task, 0, {})
    for payload in (*PAYLOADS, *IN_STRINGS):
        # sympy's tokenizer makes a syntax error of a comprehension
        is_syntax = task in LIST_TASKS or " for _ in " not in payload
        for form in FORMS:
            with contextlib.suppress(guard.Rejected):  # some verifiers do not swallow it
                score = dataset.score_answer(form.format(payload.format(m=marker)), entry)
                assert isinstance(score, float) and 0.0 <= score <= 1.0
            reason = guard.take_rejection()
            assert reason or form != "{}" or payload in IN_STRINGS or not is_syntax, payload
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


# The guard is complete: the tests read every module of the library.

TRUSTED_TEXT = {
    ("code.codeio", "_generate_io_pair"): "the programs of its data set, to make a problem",
    ("arithmetic.basic_arithmetic", "eval_floordiv"): "the problem that it has just made",
    ("arithmetic.bitwise_arithmetic", "generate_problem"): "the problem that it has just made",
    ("arithmetic.bitwise_arithmetic", "verify_solution"): "the problem, from the metadata",
}
"""Module and function -> the text of the library's own that it executes. It is never an answer."""

TRUSTED_MODULES = re.compile(r"arithmetic\.gsm_symbolic\.generators_\w+")
"""These evaluate fractions from their own lists."""


@functools.cache
def library_modules() -> list[RunnerFinder]:
    spec = find_spec("reasoning_gym")
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent
    return [
        RunnerFinder(".".join(path.relative_to(folder).with_suffix("").parts), path.read_text())
        for path in sorted(folder.rglob("*.py"))
    ]


def unguarded(uses: list[Use]) -> list[Use]:
    """Return the uses that are neither replaced by the guard nor excused above."""
    return [
        use
        for use in uses
        if use.written not in GUARDED.get(use.module, {})
        and (use.module, use.function) not in TRUSTED_TEXT
        and not TRUSTED_MODULES.fullmatch(use.module)
    ]


def test_every_module_that_executes_text_is_guarded() -> None:
    """A release that calls eval, exec or sympy's parsers in a new place fails this test."""
    uses = [use for module in library_modules() for use in module.uses]
    assert len(library_modules()) > 100
    assert unguarded(uses) == []


def test_everything_guarded_or_excused_exists() -> None:
    """No entry of the tables outlives the code that it is about."""
    uses = [use for module in library_modules() for use in module.uses]
    parsers = {
        (module, target)
        for module, targets in GUARDED.items()
        for target in targets
        if target.rpartition(".")[2] in ("eval", *PARSERS)
    }
    assert parsers <= {(use.module, use.written) for use in uses}
    assert set(TRUSTED_TEXT) <= {(use.module, use.function) for use in uses}


def test_only_guarded_verifiers_use_sympy() -> None:
    """Many functions of sympy parse text, so every verifier that calls any of them is guarded."""
    using_sympy = {
        module.name for module in library_modules() if module.reached() & module.sympy_functions
    }
    assert using_sympy == {
        module
        for module, targets in GUARDED.items()
        if any(target.endswith("parse_expr") for target in targets)
    }
