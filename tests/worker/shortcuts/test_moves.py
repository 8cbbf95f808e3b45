"""Rules for tasks whose answer is a sequence of moves, a path, an assignment or a formula."""

import json

import pytest

from tests.support.records import RULES

LOCK = "Start: 0 (red)\nTarget: 4\nButtons:\nA: Add 2 (when any)\nB: Add 3 (when green)"
CARS = "Board:\nB.....\nB.....\nAA.C..\n...C..\n......\n......"
BOXES = "+ + + + + +  \n+ * @ - X +  \n+ + + + + +  "

CUBE = """A cube has:
- a red top side
- an aqua right side
- a blue front side
- a lime left side
- a gold back side
- a pink bottom side

The cube is rotated so that the side which was before at the left is now at the top.

Next, the bottom side is rotated to become the top face.

When the bottom is brought to the top, the cube is turned over.

Now the cube is rotated to place its back side at the top.

What is now the color of the front side of the cube?"""


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        ("color_cube_rotation", CUBE, "the turns in reverse", "pink"),
        (
            "countdown",
            "Using all the numbers 5, 3, 4, make 2.\nUse",
            "add and subtract all",
            "- 5 + 3 + 4",
        ),
        ("puzzle24", "Make 24 using 4, 2, 1, 3. You", "multiply all", "1*2*3*4"),
        ("quantum_lock", LOCK, "always the nearest", "A → A"),
        (
            "countdown",
            "Calculate 9 using all of these: 2, 3, 4.\nEach",
            "multiply all",
            "2 * 3 * 4",
        ),
        ("rush_hour", CARS, "the rest by +3, then the red car", "C+3 AA+4"),
        ("shortest_path", "following grid:\n* O\nO #", "vertical first", "down right"),
        ("sokoban", BOXES, "push straight, vertical first", "RR"),
    ],
)
def test_rules_write_moves_down(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule writes down moves or a formula by its question, without trying them."""
    assert RULES[task](question)[rule].strip() == answer


def test_vertices_are_coloured_in_turns() -> None:
    """The colours go round, whatever the edges are."""
    question = "Vertices: [0, 1, 2]\nEdges: [(0, 1)]\nPossible colors: [1, 2]\n"
    assert json.loads(RULES["graph_color"](question)["turns of 2"]) == {"0": 1, "1": 2, "2": 1}
