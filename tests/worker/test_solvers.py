"""Right answers, also for tasks whose entries hold none."""

import json

import pytest

from rgenv.tasks.cognition.rubiks_cube import solve as cube_turns
from rgenv.tasks.games.boxnet import solve as boxnet_plan
from rgenv.tasks.games.rush_hour import EXIT
from rgenv.tasks.games.rush_hour import solve as rush_hour_moves
from rgenv.worker.operations import right_answer


def test_a_task_without_answer_and_solver_has_no_solution() -> None:
    """The result is None, not an error."""
    assert right_answer("somebody_elses_task", {"answer": None, "metadata": {}}) is None


def test_boxnet_moves_each_box_to_its_nearest_target() -> None:
    """One agent moves a box by one square at a time; the last one puts it on its target."""
    state = {"0.5_0.5": ["box_red"], "0.5_1.5": [], "1.5_1.5": ["target_red"]}
    state |= {"9.5_9.5": ["target_red", "box_red"]}
    assert json.loads(boxnet_plan({"initial_state": state}) or "") == [
        {"Agent[0.5, 0.5]": "move(box_red, square[1.5, 0.5])"},
        {"Agent[1.5, 0.5]": "move(box_red, square[1.5, 1.5])"},
        {"Agent[1.5, 1.5]": "move(box_red, target_red)"},
        {"Agent[9.5, 9.5]": "move(box_red, target_red)"},
    ]


BLOCKED_BY_B = "".join(["oooooo", "ooooBo", "AAooBo", "ooooBo", "oooooo", "oooooo"])


def test_rush_hour_moves_the_blocking_car_first() -> None:
    """The red car A leaves after B has moved down."""
    assert rush_hour_moves({"board_config": BLOCKED_BY_B}) == "B+2 A+4"
    assert BLOCKED_BY_B.index("A") + 4 == EXIT


def test_a_long_search_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit of positions the search ends with None."""
    monkeypatch.setattr("rgenv.tasks.games.rush_hour.MAX_BOARDS", 1)
    assert rush_hour_moves({"board_config": BLOCKED_BY_B}) is None


def test_a_large_cube_is_solved_by_undoing_the_scramble() -> None:
    """Without a solution of the library, the scramble is inverted, last turn first."""
    large = {"example_correct_answer": "", "scramble_moves": "R 2U' Fw"}
    assert cube_turns(large) == "Fw' 2U R'"
    assert cube_turns(large | {"example_correct_answer": "R'"}) == "R'"
