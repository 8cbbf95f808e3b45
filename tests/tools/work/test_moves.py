"""Puzzles take more moves at higher levels."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.support.work import mean_work
from tools.work import moves

COUNTS = {"knight_swap": 12, "quantum_lock": 20, "rubiks_cube": 10, "shortest_path": 30}
"""Problems a level; 15 for the others."""


@pytest.mark.parametrize("task", sorted(moves.PROXIES))
def test_the_mean_rises_from_level_to_level(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the same seeds, the problems of each of five levels take more work than those before."""
    means = mean_work(task, COUNTS.get(task, 15), monkeypatch)
    assert all(low < high for low, high in pairwise(means)), means


@pytest.mark.parametrize(
    ("scramble", "turns"),
    [("L", 1), ("L L'", 0), ("L L", 1), ("L R", 2), ("L L L L", 0), ("L R R' L'", 0)],
)
def test_turns_of_a_cube_that_undo_each_other_do_not_count(scramble: str, turns: int) -> None:
    """Neighbouring turns of one face are a single turn, or none."""
    assert moves.rubiks_cube({"metadata": {"scramble_moves": scramble}}) == turns


def test_a_face_that_no_rotation_moves_takes_no_work() -> None:
    """The right face stays where it is while the front and the back come to the top."""
    rotations = ["front", "back", "bottom", "front"]
    metadata = {"target_side": "right", "rotations": rotations}
    assert moves.color_cube_rotation({"metadata": metadata}) == 0
    assert moves.color_cube_rotation({"metadata": metadata | {"target_side": "top"}}) == 4


def test_a_box_goes_to_the_nearest_target_of_its_colour() -> None:
    """It takes the steps between them and one into the target."""
    state = {"0.5_0.5": ["box_red", "target_blue"], "0.5_2.5": ["target_red"], "3.5_0.5": []}
    assert moves.boxnet({"metadata": {"initial_state": state}}) == 3


def test_a_grid_without_a_path_takes_the_steps_to_its_farthest_cell() -> None:
    """Whoever says that there is no path has looked everywhere."""
    matrix = ["*OO", "XXO", "#XO"]
    assert moves.shortest_path({"metadata": {"matrix": [list(row) for row in matrix]}}) == 4
    assert moves.shortest_path({"metadata": {"matrix": [list("*O#")]}}) == 2
