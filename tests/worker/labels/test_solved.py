"""Puzzles with nothing left to do are not served."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.worker.problem_maker import corrected
from tests.support.library import make_entry

TINY: dict[str, Any] = {
    **{f"{end}_{side}": 6 for end in ("min", "max") for side in "wh"},
    **{"min_boxes": 1, "max_boxes": 1, "max_depth": 20},
}


@pytest.mark.parametrize("seed", range(12))
def test_a_sokoban_board_without_a_box_to_push_is_not_served(seed: int) -> None:
    """An entry is refused exactly if its board shows no box beside a goal."""
    _, entry = make_entry("sokoban", seed, TINY)
    board = entry["question"].partition("puzzle:")[2]
    assert (corrected("sokoban", entry) is None) == ("@" not in board)


def test_seed_7_of_sokoban_is_solved_at_the_start() -> None:
    """The only box of this board stands on its goal."""
    _, entry = make_entry("sokoban", 7, TINY)
    assert entry["answer"] == "D" and corrected("sokoban", entry) is None


TURNS = st.lists(st.sampled_from("LRDUBF"), min_size=1, max_size=6)


@given(turns=TURNS)
def test_a_cube_whose_turns_undo_each_other_is_not_served(turns: list[str]) -> None:
    """Turns followed by their inverses in reverse order leave the cube as it was."""
    undone = [*turns, *(f"{turn}'" for turn in reversed(turns))]
    assert corrected("rubiks_cube", cube(undone)) is None


@given(turns=TURNS)
def test_a_scrambled_cube_is_served(turns: list[str]) -> None:
    """A few turns, no two of neighbours in one plane, leave something to do."""
    entry = cube(turns)
    if all({one, other} not in PLANES and one != other for one, other in pairwise(turns)):
        assert corrected("rubiks_cube", entry) is entry


PLANES = ({"L", "R"}, {"U", "D"}, {"F", "B"})


def cube(moves: list[str]) -> dict[str, Any]:
    metadata = {"cube_size": 3, "scramble_moves": " ".join(moves)}
    return {"question": "", "answer": None, "metadata": metadata}


@pytest.mark.parametrize(("product", "is_served"), [("72*z - 72", False), ("(x + 1)*(2*x)", True)])
def test_a_polynomial_that_is_expanded_already_is_not_served(product: str, is_served: bool) -> None:
    """A factor of 1 leaves nothing to multiply."""
    entry = {
        "question": f"Calculate the following: {product}",
        "answer": "72*z - 72",
        "metadata": {"polynomial_expr": product},
    }
    assert (corrected("polynomial_multiplication", entry) is not None) == is_served
