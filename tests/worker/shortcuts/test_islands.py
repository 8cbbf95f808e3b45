"""Rules that count one island of a grid, chosen by its looks."""

import pytest

from rgenv.tasks.graphs.largest_island import islands
from tests.support.records import RULES

RIVER = "binary matrix grid:\n1 1 0 0\n0 1 1 1\n0 0 0 1\n1 0 0 1\n\nAn"
THREE = "binary matrix grid:\n1 0 0 1 1\n1 0 0 0 0\n1 0 1 0 0\n0 0 1 1 0\n\nAn"


@pytest.mark.parametrize(
    ("question", "rule", "answer"),
    [
        (RIVER, "the island in the middle", "7"),
        (RIVER, "the island of most rows", "7"),
        (THREE, "the first island", "3"),
        (THREE, "the last island", "3"),
        (THREE, "the first island from the right", "2"),
        (THREE, "the island with the longest run down", "3"),
        (THREE, "the island where most land is near", "3"),
        (RIVER, "the island in the largest box", "7"),
        (RIVER, "the island with the longest three runs", "7"),
    ],
)
def test_rules_count_one_island(question: str, rule: str, answer: str) -> None:
    """Each rule counts all cells of an island that stands out, or those of a part."""
    assert RULES["largest_island"](question)[rule] == answer


def test_islands_are_told_apart() -> None:
    """Cells that touch at a corner only are not of one island."""
    assert islands(["110", "001", "101"]) == [{(0, 0), (0, 1)}, {(1, 2), (2, 2)}, {(2, 0)}]


def test_ties_are_broken_without_regard_to_the_place() -> None:
    """Of two islands that look alike, a rule takes the upper one about as often as the lower."""
    lower = 0
    for gap in range(40):
        rows = ["1 1 1", *["0 0 0"] * (gap + 1), "1 1 1", "1 0 0"]
        found = RULES["largest_island"]("binary matrix grid:\n" + "\n".join(rows) + "\n\nAn")
        lower += found["the island of most columns"] == "4"
    assert 8 <= lower <= 32
