"""rgenv/tasks/answers/grids.py: a grid has one reading, whatever its form."""

import pytest

from rgenv.tasks.answers.grids import Grid, Groups, Matrix, NumberGrid, digit, rows
from rgenv.tasks.answers.kind import Answer
from rgenv.tasks.answers.notation import item_number

GRIDS = [
    "1 2 \r\n3 4 \r\n\r\n",
    "1  2\n3  4",
    "1\t2\n3\t4",
    "1, 2,\n3, 4",
    "| 1 | 2 |\n| 3 | 4 |",
    "1|2\n---+---\n3|4",
    "[[1,2],[3,4]]",
    '[["1", "2"], ["3", "4"]]',
    "[['1', '2'], ['3', '4']]",
    "[1, 2]\n[3, 4]",
    "[[1 2]\n [3 4]]",
    "1 2; 3 4",
    "[1, 2; 3, 4]",
    "\\begin{matrix}1 & 2\\\\3 & 4\\end{matrix}",
]


@pytest.mark.parametrize("text", GRIDS)
def test_a_grid_is_read_in_every_form(text: str) -> None:
    """Spaces, commas, bars, brackets, quotes and lines drawn do not change the cells."""
    assert rows(text, digit, single=True) == [["1", "2"], ["3", "4"]]
    assert rows(text.replace("1", "-10"), item_number) == [["-10", "2"], ["3", "4"]]


@pytest.mark.parametrize("text", ["12\n34", '["12", "34"]'])
def test_digits_may_stand_next_to_each_other(text: str) -> None:
    """Cells of several characters are separated."""
    assert rows(text, digit, single=True) == [["1", "2"], ["3", "4"]]
    assert rows(text, item_number) == [["12"], ["34"]]


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
        "[1 2; 3 4",
        "1 2; 3 4\n1 2",
        "[[1 2; 3 4]]",
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
        (Grid("[01]"), "", "10\n01", "1 0\n0 1"),
        (Grid("[01]"), "", "1 2\n3 4", None),
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
