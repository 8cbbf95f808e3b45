"""rgenv/worker/values/grids: a grid has one reading, whatever its form."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.worker.values.grids import KINDS, digit, rows, square
from rgenv.worker.values.lists import number
from tests.support.written_forms import grid_forms

NAMES = [name for name in grid_forms([["1"]], compact=True) if name != "fence"]
DIGITS = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from("0123456789"), min_size=width, max_size=width), min_size=1
    )
)


@given(DIGITS, st.sampled_from(NAMES))
def test_digits_are_read_in_every_form(cells: list[list[str]], name: str) -> None:
    """Spaces, commas, bars, brackets, quotes and lines drawn do not change the cells."""
    assert rows(grid_forms(cells, compact=True)[name], digit) == cells


@given(
    st.lists(st.lists(st.integers(-99, 99).map(str), min_size=2, max_size=2), min_size=1),
    st.sampled_from([name for name in NAMES if name != "compact"]),
)
def test_numbers_of_several_digits_are_read_in_every_form(
    cells: list[list[str]], name: str
) -> None:
    """Cells of several characters are separated in all forms but the compact one."""
    assert rows(grid_forms(cells)[name], number) == cells


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1 2,3",
        "[1, 2",
        "[1, 2] or [2, 1]",
        "The grid:\n1 2",
        "1 2\n3 and 4",
        "[12, 34]",
        "[[[1]]]",
        "[[1, 2], []]",
        "[[1, 2], [ ]]",
    ],
)
def test_other_texts_are_no_grids(text: str) -> None:
    """Prose, mixed separators, open brackets, digits in groups and empty lists are refused."""
    assert rows(text, digit) is None


@pytest.mark.parametrize("text", ["_Q\nQ_", ". q\nq .", '["_Q", "Q_"]', "|_|Q|\n|-+-|\n|Q|_|"])
def test_queens_are_read_from_letters_and_dots(text: str) -> None:
    """A square is a queen in any case, or an underscore or a dot."""
    assert rows(text, square) == [["_", "Q"], ["Q", "_"]]


@pytest.mark.parametrize(
    ("task", "text", "form"),
    [
        ("n_queens", ". Q .\n. . Q\nQ .", "_ Q _\n_ _ Q\nQ _ _"),
        ("n_queens", "[['_'] * 4] * 4", ""),
        ("modulo_grid", "❌ ✅\ufe0f\n✅ ❌", "❌✅\n✅❌"),
        ("game_of_life", "0 1\n1 0", "[[0,1],[1,0]]"),
        ("game_of_life", "[[true, 0]]", None),
        ("group_anagrams", "1. eat, tea\n2. tan", '[["eat", "tea"], ["tan"]]'),
        ("palindrome_partitioning", '[["a"], ["a"]]', ""),
        ("survo", "1.0 2\n3 4", "1 2\n3 4"),
    ],
)
def test_grids_are_written_as_the_library_does(task: str, text: str, form: str | None) -> None:
    """A kind returns the library's form of the same grid, and the empty text for no grid."""
    assert KINDS[task](text, {"answer": ""}) == form


def test_digits_next_to_each_other_are_one_number_where_numbers_have_several_digits() -> None:
    """``10`` is a cell where the right matrix has such cells, and two cells where it has none."""
    text = json.dumps([["10", "11"]])
    assert KINDS["binary_matrix"]("10 11", {"answer": "10 11"}) == "10 11"
    assert KINDS["binary_matrix"]("10\n11", {"answer": "1 0\n1 1"}) == "1 0\n1 1"
    assert rows(text, number) == [["10", "11"]]
