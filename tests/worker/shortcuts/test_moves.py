"""Rules for tasks whose answer is a sequence of moves, a path, an assignment or a formula."""

import json

import pytest

from rgenv.worker.shortcuts.moves import RULES

LOCK = "Start: 0 (red)\nTarget: 4\nButtons:\nA: Add 2 (when any)\nB: Add 3 (when green)"
CARS = "Board:\nB.....\nB.....\nAA.C..\n...C..\n......\n......"
BOXES = "+ + + + + +  \n+ * @ - X +  \n+ + + + + +  "


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        ("countdown", "Calculate 9 using all of these: 2, 3, 4.\nEach", "add all", "2 + 3 + 4"),
        (
            "countdown",
            "Using all the numbers 5, 3, 4, make 2.\nUse",
            "add and subtract all",
            "- 5 + 3 + 4",
        ),
        ("puzzle24", "Make 24 using 4, 2, 1, 3. You", "multiply all", "1*2*3*4"),
        ("quantum_lock", LOCK, "always the nearest", "A → A"),
        ("rush_hour", CARS, "only the red car", "AA+4"),
        ("rush_hour", CARS, "the rest by +1, then the red car", "C+1 AA+4"),
        ("shortest_path", "following grid:\n* O\nO #", "vertical first", "down right"),
        ("sokoban", BOXES, "push straight, vertical first", "RR"),
        ("path_star", "task:\n|1 2|2 3|1 4/1 4 = ", "guess: the last arm", "1 4"),
        ("path_star", "task:\n|1 2|2 3|1 4/1 4 = ", "guess: the first arm", "1 2 3"),
        (
            "cryptarithm",
            "cryptarithm:\n\n B\n+ A\n\nEach",
            "digits in the order of the alphabet",
            "A=0,B=1",
        ),
    ],
)
def test_rules_write_moves_down(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule writes down moves or a formula by its question, without trying them."""
    assert RULES[task](question)[rule].strip() == answer


def test_vertices_are_coloured_in_turns() -> None:
    """The colours go round, whatever the edges are."""
    question = "Vertices: [0, 1, 2]\nEdges: [(0, 1)]\nPossible colors: [1, 2]\n"
    assert json.loads(RULES["graph_color"](question)["turns of 2"]) == {"0": 1, "1": 2, "2": 1}


def test_fixed_moves_use_all_jugs() -> None:
    """The sequences depend on the names of the jugs only."""
    small, large = (RULES["jugs"](f"many litres of water: A:{n}, B:{n + 2}\nAnd") for n in (3, 30))
    assert small == large
    assert json.loads(small["fill one, pour along"]) == ["fill A", "pour A->B"]
