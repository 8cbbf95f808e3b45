"""Invariants of grids."""

from rgenv.tasks.symmetries import cell_amounts as cells
from rgenv.tasks.symmetries import grids
from rgenv.tasks.symmetries import largest_grid as largest
from rgenv.tasks.symmetries import line_amounts as lines
from rgenv.tasks.symmetries import rows_of_cells as table
from rgenv.tasks.symmetries import turned_and_renamed as turned

GRID = ["112", "003"]


def test_grids_are_found_in_a_text() -> None:
    """Rows have equally many symbols or numbers; other lines separate grids."""
    text = "Solve:\n[[1, 2],\n [3, 40]].\n\nas in\na b c\nd e f\n- not this one\n"
    assert grids(text) == [[["1", "2"], ["3", "40"]], [["a", "b", "c"], ["d", "e", "f"]]]
    assert largest(text) == [["a", "b", "c"], ["d", "e", "f"]]
    assert table("ab\nc") == ["ab", "c "]


def test_a_turned_grid_has_no_orientation_or_symbols() -> None:
    """Another arrangement of the same cells differs."""
    rotated, relabelled, swapped = ["01", "01", "32"], ["aab", "cce"], ["121", "003"]
    assert turned(GRID) == turned(rotated) == turned(GRID[::-1]) == turned(relabelled)
    assert turned(GRID) != turned(swapped)


def test_lines_have_no_order() -> None:
    """Rows and columns may change places, each among themselves or all of them."""
    moved, swapped, other = ["003", "112"], ["211", "300"], ["111", "023"]
    assert lines(GRID) == lines(moved) == lines(swapped) == lines(list(zip(*GRID, strict=True)))
    assert lines(GRID) != lines(other)


def test_cells_have_no_order() -> None:
    """Only size and amounts count."""
    assert cells(GRID) == cells(["01", "32", "01"]) != cells(["111", "003"])
