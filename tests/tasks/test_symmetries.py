"""What symmetries leave of numbers, words, patterns and grids."""

import pytest

from rgenv.tasks.symmetries import cell_amounts as cells
from rgenv.tasks.symmetries import grids, letters_of_words, order_of_appearance, small_words
from rgenv.tasks.symmetries import largest_grid as largest
from rgenv.tasks.symmetries import letter_pattern as pattern
from rgenv.tasks.symmetries import line_amounts as lines
from rgenv.tasks.symmetries import part_of as part
from rgenv.tasks.symmetries import rows_of_cells as table
from rgenv.tasks.symmetries import sorted_amounts as amounts
from rgenv.tasks.symmetries import sorted_numbers as numbers
from rgenv.tasks.symmetries import sorted_words as words
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


def test_numbers_have_no_order_signs_or_zeros_in_front() -> None:
    """A decimal has two runs of digits."""
    assert numbers("12 - 007 + 3.5") == numbers("-3.5, 12, 7") == ["12", "3", "5", "7"]


def test_words_have_no_order_or_case() -> None:
    """Small words leave out what a capital letter begins."""
    assert words("The cat, the DOG") == words("dog the Cat the") == ["cat", "dog", "the", "the"]
    assert small_words("Anna likes cats. She has Tom.") == ["cats", "has", "likes"]
    assert letters_of_words("tac Dog") == letters_of_words("god cat") == ["act", "dgo"]


def test_a_pattern_has_no_symbols_or_direction() -> None:
    """The order of appearance has a direction."""
    assert pattern("aab") == pattern("yxx") == [0, 0, 1]
    assert pattern("aba") != pattern("aab")
    assert order_of_appearance("aab") != order_of_appearance("baa")
    assert amounts("banana") == amounts("cabcac") == [1, 2, 3]


def test_a_part_of_a_question_is_the_last_match() -> None:
    """A question without it is refused."""
    assert part(r"(\d)", {"question": "1 or 2"}) == "2"
    with pytest.raises(ValueError, match="no"):
        part(r"(\d)", {"question": "one"})
