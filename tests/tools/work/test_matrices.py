"""Cells counted by hand."""

from typing import Any

from tools.work import matrices


def life(rows: str, steps: int) -> dict[str, Any]:
    question = f"What will this board look like?\n\n{rows}."
    return {"question": question, "answer": "", "metadata": {"simulation_steps": steps}}


def test_cells_around_a_living_one() -> None:
    """One living cell has eight neighbours, and dies."""
    board = "[[0,0,0,0,0],[0,0,0,0,0],[0,0,1,0,0],[0,0,0,0,0],[0,0,0,0,0]]"
    assert matrices.game_of_life(life(board, 1)) == 8
    assert matrices.game_of_life(life(board, 3)) == 8


def test_a_blinker_goes_on() -> None:
    """Three in a row have fifteen cells to count at each step."""
    row = "[0,0,0,0,0]"
    board = f"[{row},{row},[0,1,1,1,0],{row},{row}]"
    assert matrices.game_of_life(life(board, 2)) == 30


def test_halting_is_followed_for_four_steps() -> None:
    """A blinker is counted four times, a cell that dies once."""
    dead = "[0 0 0 0 0]\n "
    blinker = f"Will it halt?\n\nInitial board:\n[{dead}{dead}[0 1 1 1 0]\n {dead}[0 0 0 0 0]]"
    single = blinker.replace("1 1 1", "0 1 0")
    assert matrices.game_of_life_halting({"question": blinker, "metadata": {}}) == 60
    assert matrices.game_of_life_halting({"question": single, "metadata": {}}) == 8


def test_distances_are_added() -> None:
    """The distances of a matrix are the steps of its search."""
    entry = {"question": "", "metadata": {"solution": [[0, 1], [1, 2]]}}
    assert matrices.binary_matrix(entry) == 4


def test_operations_are_counted() -> None:
    """The identity, which every question begins with, does not count."""
    entry = {"question": "", "metadata": {"operations": [{"transform": "hmirror"}]}}
    assert matrices.manipulate_matrix(entry) == 1
