"""rgenv/validation/forms.py: right and wrong answers in many forms."""

import random

import pytest

from rgenv.pool.pool import WorkerPool
from rgenv.validation.form_writers import WRITERS
from rgenv.validation.forms import EXTENDABLE, WRAPPERS, forms, wrong_forms

QUESTION = "Solve for x: 2*x = 2268"


def test_forms_are_wrapped_values() -> None:
    """The plain answer and each other form of its value come alone and in wrappers."""
    found = forms("simple_equations", "1134", QUESTION)
    assert found["plain"] == "1134"
    assert found["boxed"] == "\\boxed{1134}"
    assert found["code fence"] == "```\n1134\n```"
    assert found["thousands"] == "1,134"
    assert {"plain", *WRAPPERS} <= set(found)
    wrapped = {name for name in found if name.startswith("assignment, ")}
    assert len(wrapped) == 1


@pytest.mark.parametrize(
    ("reference", "unfair"),
    [
        ('["a", "b"]', {"double quotes", "single quotes"}),
        ("What is it?", {"full stop"}),
        ("$\\frac{1}{2}$", {"dollars", "LaTeX brackets", "full stop"}),
        ("`x`", {"backticks"}),
    ],
)
def test_wrappers_that_cannot_be_told_from_the_answer_are_left_out(
    reference: str, unfair: set[str]
) -> None:
    """An answer that ends as the wrapper does gets other wrappers only."""
    found = set(forms("bf", reference, ""))
    assert not unfair & found
    assert set(WRAPPERS) - unfair <= found


def test_wrong_forms_are_no_right_forms() -> None:
    """No text is on both lists, for any draw."""
    right = {text.strip() for text in forms("simple_equations", "1134", QUESTION).values()}
    for seed in range(30):
        wrong = wrong_forms("simple_equations", "1134", QUESTION, random.Random(seed))
        assert not right & {text.strip() for text in wrong.values()}


def test_wrong_forms_hold_the_right_answer_among_other_text() -> None:
    """Prose, two candidates, two wrappers and two forms at once all appear."""
    wrong = wrong_forms("gcd", "1134", "", random.Random(0))
    assert wrong["prose before"] == "The answer is 1134"
    assert wrong["bold in backticks"] == "`**1134**`"
    assert wrong["two candidates 0"] == "1134, or maybe 1135"
    assert wrong["twice"] == "1134\n1134"
    assert "1134 (1134.0)" in wrong.values()
    assert wrong["next, thousands"] == "1,135"


@pytest.mark.parametrize("task", sorted(EXTENDABLE))
def test_moves_after_a_right_answer_are_not_called_wrong(task: str) -> None:
    """A sequence that goes on may end in a solved position."""
    wrong = wrong_forms(task, "R U", "", random.Random(0))
    assert "twice" not in wrong
    assert not any(name.startswith("two") for name in wrong)


@pytest.mark.parametrize("task", sorted(WRITERS))
async def test_reference_answers_are_paid_and_changed_ones_are_not(
    task: str, pool: WorkerPool
) -> None:
    """Every plain reference answer scores 1.0, and no text in a wrong form does."""
    problem = await pool.make(task, 3)
    answer = await pool.solve(problem) if problem.winnable else None
    if answer is None:
        return
    right = forms(task, answer, problem.question)
    [plain] = await pool.score(problem, [right["plain"]])
    assert plain.score == 1.0
    wrong = wrong_forms(task, answer, problem.question, random.Random(0))
    verdicts = await pool.score(problem, list(wrong.values()))
    assert not [text for text, v in zip(wrong.values(), verdicts, strict=True) if v.score >= 0.99]
