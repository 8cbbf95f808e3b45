"""rgenv/tasks/answers/grids.py: a grid has one reading, whatever its form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.answers.grids import Grid, Groups, Matrix, NumberGrid, digit, rows
from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.answers.notation import item_number
from tests.support.written_forms import grid_forms

NAMES = list(grid_forms([["1"]], compact=True))
DIGITS = st.integers(1, 5).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from("0123456789"), min_size=width, max_size=width), min_size=1
    )
)


@given(DIGITS, st.sampled_from(NAMES))
def test_digits_are_read_in_every_form(cells: list[list[str]], name: str) -> None:
    """Spaces, commas, bars, brackets, quotes and lines drawn do not change the cells."""
    assert rows(grid_forms(cells, compact=True)[name], digit, single=True) == cells


@given(
    st.lists(st.lists(st.integers(-99, 99).map(str), min_size=2, max_size=2), min_size=1),
    st.sampled_from([name for name in NAMES if name != "compact"]),
)
def test_numbers_of_several_digits_are_read_in_every_form(
    cells: list[list[str]], name: str
) -> None:
    """Cells of several characters are separated in all forms but the compact one."""
    assert rows(grid_forms(cells)[name], item_number) == cells


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
    assert rows(text, digit, single=True) is None


@pytest.mark.parametrize(
    ("kind", "answer", "text", "form"),
    [
        (Grid(), "", "1 2\n3 4", "1 2\n3 4"),
        (Grid("01", cells="[01]"), "", "10\n01", "1 0\n0 1"),
        (Grid("01", cells="[01]"), "", "1 2\n3 4", None),
        (Groups(), "", "1. eat, tea\n2. tan", '[["eat", "tea"], ["tan"]]'),
        (Groups(), "", '[["a"], ["a"]]', None),
        (NumberGrid(), "", "1.0 2\n3 4", "1 2\n3 4"),
        (NumberGrid(), "", "12\n34", "12\n34"),
        (Matrix(), "10 11", "10 11", "10 11"),
        (Matrix(), "1 0\n1 1", "10\n11", "1 0\n1 1"),
    ],
)
def test_grids_are_written_as_the_library_does(
    kind: Answer, answer: str, text: str, form: str | None
) -> None:
    """``10`` is a cell of a matrix that has such cells, and else two cells."""
    assert kind.read(text, {"answer": answer}) == form
