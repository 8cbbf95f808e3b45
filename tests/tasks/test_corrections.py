"""Reference answers: what a correction makes of an entry, and what it refuses."""

from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.code import codeio
from rgenv.tasks.cognition.number_sequence import continuations
from tests.support.library import corrected, make_entry
from tests.tasks.test_examples import Example, examples

CODEIO = [row.values[0] for row in examples("served") if row.id == "codeio"]
PROGRAMS = {row["entry"]["question"].partition("directly.\n\n")[2].strip() for row in CODEIO}


def let_run(monkeypatch: pytest.MonkeyPatch, programs: dict[str, int]) -> None:
    """Have the library's programs be these, with their numbers."""
    known = {program: (number, "") for program, number in programs.items()}
    monkeypatch.setattr(codeio, "_generators", lambda: known)


@pytest.mark.parametrize("row", examples("served"))
def test_an_answer_is_right_or_the_problem_is_refused(
    row: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_run(monkeypatch, dict.fromkeys(PROGRAMS, 4))
    given = row["entry"] | {"seed": 0}  # not a row of somebody else's
    result = corrected(row["task"], given)
    if row["served"] == "as it is":
        assert result is given
    else:
        assert (result and result["answer"]) == row["served"]


def test_only_programs_of_the_library_run_whose_output_can_be_predicted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A program of somebody else's is not executed, and a listed one not asked."""
    entry = CODEIO[0]["entry"]
    assert CODEIO[0]["served"] == "as it is" and corrected("codeio", entry) is None
    for number, served in ((3, False), (4, True)):
        let_run(monkeypatch, dict.fromkeys(PROGRAMS, number))
        assert (corrected("codeio", entry | {"seed": 0}) is not None) == served


@pytest.mark.parametrize(
    ("premises", "conclusion"),
    [(["(P ↔ Q)", "(P ∨ Q)"], "P"), (["(P → Q)", "P"], "Q"), (["(P → Q)", "¬Q"], "¬P")],
)
def test_an_example_follows_from_all_premises_together(
    premises: list[str], conclusion: str
) -> None:
    metadata = {"premises": premises, "variables": ["P", "Q"], "example_answer": "(P ∧ Q)"}
    entry = {"question": "", "answer": None, "metadata": metadata}
    result = corrected("propositional_logic", entry)
    assert result is not None and result["metadata"]["example_answer"] == conclusion


def test_a_box_that_is_on_its_goal_is_no_problem() -> None:
    tiny: dict[str, Any] = {f"{end}_{side}": 6 for end in ("min", "max") for side in "wh"}
    tiny |= {"min_boxes": 1, "max_boxes": 1, "max_depth": 20}
    for seed in range(8):
        _, entry = make_entry("sokoban", seed, tiny)
        board = entry["question"].partition("puzzle:")[2]
        assert (corrected("sokoban", entry) is None) == ("@" not in board)
        assert seed != 7 or "@" not in board


@pytest.mark.parametrize("kind", ["log_inverse_trig", "polynomial_exp_trig", "cyclic"])
def test_integrals_by_parts_are_solved(kind: str) -> None:
    for seed in range(8):
        config = {"problem_types": (kind,), "problem_type_weights": [1.0]}
        _, entry = make_entry("intermediate_integration", seed, config)
        served = corrected("intermediate_integration", entry)
        assert served is not None and served["question"] == entry["question"]
        slope = sympy.diff(sympy.sympify(served["answer"]), entry["metadata"]["variable"])
        assert (slope - sympy.sympify(entry["metadata"]["integrand"])).expand() == 0


@given(st.lists(st.sampled_from("LRDUBF"), min_size=1, max_size=6))
def test_a_cube_whose_turns_undo_each_other_is_not_served(turns: list[str]) -> None:
    """Turns followed by their inverses in reverse order leave it as it was; one turn does not."""
    undone = [*turns, *(f"{turn}'" for turn in reversed(turns))]
    for moves, served in ((undone, False), (turns[:1], True)):
        metadata = {"cube_size": 3, "scramble_moves": " ".join(moves)}
        entry = {"question": "", "answer": None, "metadata": metadata}
        assert (corrected("rubiks_cube", entry) is entry) == served


def test_multiples_of_the_last_two_terms_continue_a_sequence() -> None:
    """A sequence that goes on in two ways is not asked, so all plain ways have to be known."""
    assert 124 in set(continuations((1, 2, 7, 29)))  # 5 * 29 - 3 * 7
    assert 124 not in set(continuations((1, 2, 7, 28)))
