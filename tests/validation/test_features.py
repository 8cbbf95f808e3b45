"""rgenv/validation/features.py: what can be counted in a question."""

import pytest

from rgenv.validation.features import features, largest_grid

BOARD = """Count the minutes:
2 0 1
0 0 1
1 1 1
"""
MAZE = "Go from S to o:\n```\n#####\n#S..#\n#..o#\n#####\n```\nHow many steps?"


def test_numbers_and_ends_are_features() -> None:
    """Numbers are looked at together, and one by one at both ends."""
    found = features("Find the sum of 12, -7 and 3.5 in x5.")
    assert found["numbers"] == 3 and found["number 0"] == 12 and found["number -1"] == 3.5
    assert found["largest number"] == 12 and found["smallest number"] == -7
    assert found["sum of numbers"] == 8.5 and found["words"] == 10
    assert found["last word: 5"] == 1 and found["end of word 0"] == ord("d")


def test_a_grid_is_the_largest_block_of_equally_long_lines() -> None:
    """Cells are words or characters; what is around them is none."""
    board, maze = largest_grid(BOARD), largest_grid(MAZE)
    assert board is not None and board.tolist() == [["2", "0", "1"], ["0", "0", "1"], ["1"] * 3]
    assert maze is not None and maze.shape == (4, 5) and maze[1][1] == "S"
    assert largest_grid("one line\nand\nanother one") is None


def test_distances_are_those_of_a_taxi() -> None:
    """From each cell of a kind to the nearest of the other; walls do not count."""
    found = features(BOARD)
    assert found["largest distance of '1' to '2'"] == 4
    assert found["least distance of '1' to '2'"] == 2
    assert found["number of '2' enclosed by '0'"] == 1
    assert features(MAZE)["distance of single cells 0 and 1"] == 3
    # Kinds have a rank, too: another maze has other signs.
    other = features(MAZE.translate(str.maketrans("#.So", "%-xy")))
    assert other["number of kind 0 enclosed by kind 0"] > 0
    assert other["distance of single cells 0 and 1"] == 3


def test_runs_are_counted_in_both_directions() -> None:
    """A drawn rectangle has two long runs in rows and two in columns."""
    drawn = "Count:\n ###  \n # #  \n ###  \n      \n      "
    found = features(drawn)
    assert found["long runs of signs in rows"] == found["long runs of signs in columns"] == 2
    assert found["longest run of '#' in rows"] == 3 and found["runs of '#' in rows"] == 4


@pytest.mark.parametrize("question", ["", " ", "\n\n", "é❌\x00", "(" * 30_000, "1\n" * 5])
def test_odd_questions_have_features(question: str) -> None:
    """Each is a number, of any text."""
    assert all(value == float(value) for value in features(question).values())
