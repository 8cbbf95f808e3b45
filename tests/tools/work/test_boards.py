"""Cells, moves and rounds of a search counted by hand."""

from __future__ import annotations

import math
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.work import boards


@given(size=st.integers(1, 9), total=st.integers(0, 50))
def test_subsets_are_counted(size: int, total: int) -> None:
    """The count is that of all sets of numbers with this sum, one by one."""
    numbers = range(1, size + 1)
    sets = chain.from_iterable(combinations(numbers, k) for k in range(size + 1))
    assert boards.subsets(size, total) == sum(sum(chosen) == total for chosen in sets)


@pytest.mark.parametrize(("box", "count"), [(1, 8), (2, 4)])
def test_candidates_are_what_rows_columns_and_boxes_leave(box: int, count: int) -> None:
    """The four empty cells of the first two rows can hold 3 or 4 by row, and one by box."""
    puzzle = [[1, 2, 0, 0], [0, 0, 1, 2], [2, 1, 4, 3], [4, 3, 2, 1]]
    assert boards.candidates(puzzle, box) <= count
    assert boards.candidates([[0] * 4] * 4, box) == 64


def test_a_board_with_all_queens_but_one_is_searched_in_one_row() -> None:
    """At most as many squares are tried as the row has."""
    rows = ["_Q___", "___Q_", "Q____", "__Q__", "_____"]
    work = boards.n_queens({"metadata": {"puzzle": [list(row) for row in rows]}})
    assert work <= math.log2(1 + 5)


def life(rows: str, steps: int) -> dict[str, Any]:
    question = f"What will this board look like?\n\n{rows}."
    return {"question": question, "answer": "", "metadata": {"simulation_steps": steps}}


def test_cells_around_a_living_one() -> None:
    """One living cell has eight neighbours, and dies."""
    board = "[[0,0,0,0,0],[0,0,0,0,0],[0,0,1,0,0],[0,0,0,0,0],[0,0,0,0,0]]"
    assert boards.game_of_life(life(board, 1)) == 8
    assert boards.game_of_life(life(board, 3)) == 8


def test_a_blinker_goes_on() -> None:
    """Three in a row have fifteen cells to count at each step."""
    row = "[0,0,0,0,0]"
    board = f"[{row},{row},[0,1,1,1,0],{row},{row}]"
    assert boards.game_of_life(life(board, 2)) == 30


def test_halting_is_followed_for_four_steps() -> None:
    """A blinker is counted four times, a cell that dies once."""
    dead = "[0 0 0 0 0]\n "
    blinker = f"Will it halt?\n\nInitial board:\n[{dead}{dead}[0 1 1 1 0]\n {dead}[0 0 0 0 0]]"
    single = blinker.replace("1 1 1", "0 1 0")
    assert boards.game_of_life_halting({"question": blinker, "metadata": {}}) == 60
    assert boards.game_of_life_halting({"question": single, "metadata": {}}) == 8


def test_distances_are_added() -> None:
    """The distances of a matrix are the steps of its search."""
    entry = {"question": "", "metadata": {"solution": [[0, 1], [1, 2]]}}
    assert boards.binary_matrix(entry) == 4


def test_operations_are_counted() -> None:
    """The identity, which every question begins with, does not count."""
    entry = {"question": "", "metadata": {"operations": [{"transform": "hmirror"}]}}
    assert boards.manipulate_matrix(entry) == 1


@pytest.mark.parametrize(
    ("scramble", "turns"),
    [("L", 1), ("L L'", 0), ("L L", 1), ("L R", 2), ("L L L L", 0), ("L R R' L'", 0)],
)
def test_turns_of_a_cube_that_undo_each_other_do_not_count(scramble: str, turns: int) -> None:
    """Neighbouring turns of one face are a single turn, or none."""
    assert boards.rubiks_cube({"metadata": {"scramble_moves": scramble}}) == turns


def test_a_face_that_no_rotation_moves_takes_no_work() -> None:
    """The right face stays where it is while the front and the back come to the top."""
    rotations = ["front", "back", "bottom", "front"]
    metadata = {"target_side": "right", "rotations": rotations}
    assert boards.color_cube_rotation({"metadata": metadata}) == 0
    assert boards.color_cube_rotation({"metadata": metadata | {"target_side": "top"}}) == 4


def test_a_box_goes_to_the_nearest_target_of_its_colour() -> None:
    """It takes the steps between them and one into the target."""
    state = {"0.5_0.5": ["box_red", "target_blue"], "0.5_2.5": ["target_red"], "3.5_0.5": []}
    assert boards.boxnet({"metadata": {"initial_state": state}}) == 3


def test_a_grid_without_a_path_takes_the_steps_to_its_farthest_cell() -> None:
    """Whoever says that there is no path has looked everywhere."""
    matrix = ["*OO", "XXO", "#XO"]
    assert boards.shortest_path({"metadata": {"matrix": [list(row) for row in matrix]}}) == 4
    assert boards.shortest_path({"metadata": {"matrix": [list("*O#")]}}) == 2


@pytest.mark.parametrize(
    ("edges", "depth"),
    [([], 0), ([(0, 1)], 1), ([(2, 1), (1, 0), (2, 0)], 2), ([(0, 1), (1, 0)], 2)],
)
def test_the_longest_chain_of_prerequisites_counts(
    edges: list[tuple[int, int]], depth: int
) -> None:
    """A course that is needed twice is followed once, and a cycle ends a chain."""
    metadata = {"prerequisites": edges, "courses": [0, 1, 2]}
    assert boards.course_schedule({"metadata": metadata}) == depth


@pytest.mark.parametrize(
    ("rows", "minutes"), [(["211"], 2), (["2101"], 1), (["111"], 0), (["12121"], 1)]
)
def test_oranges_rot_from_all_sides(rows: list[str], minutes: int) -> None:
    """The time ends when no more oranges rot, whether some stay fresh or not."""
    matrix = [[int(cell) for cell in row] for row in rows]
    assert boards.rotten_oranges({"metadata": {"matrix": matrix}}) == minutes
