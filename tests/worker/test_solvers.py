"""rgenv/worker/solvers.py: answers that are right, for the tasks that come without one."""

import json

import pytest

from rgenv.errors import MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem
from rgenv.worker.solvers import (
    EXIT,
    SOLVERS,
    boxnet_plan,
    cube_turns,
    right_answer,
    rush_hour_moves,
)


@pytest.mark.parametrize("task", sorted(SOLVERS))
async def test_what_a_solver_says_is_right(pool: WorkerPool, task: str) -> None:
    """The verifier gives full marks to the answer found, on every item that can be won."""
    problems = [await pool.make(task, seed) for seed in range(12)]
    for problem in (winnable := [problem for problem in problems if problem.winnable]):
        answer = await pool.solve(problem)
        [verdict] = await pool.score(problem, [answer])
        assert verdict.score == 1.0, (task, problem.seed, answer)
    assert len(winnable) >= 2


async def test_an_answer_that_is_kept_is_the_answer(pool: WorkerPool) -> None:
    """Where the library has one, it is given as it is."""
    problem = await pool.make("chain_sum", 7)
    assert await pool.solve(problem) == problem.answer == "156"


def test_nothing_is_known_of_a_task_without_answer_or_solver() -> None:
    """None, not a guess and not an error."""
    assert right_answer("somebody_elses_task", {"answer": None, "metadata": {}}) is None


def test_a_box_goes_to_its_nearest_target_square_by_square() -> None:
    """One agent moves at a time; the last one puts the box on its target."""
    state = {"0.5_0.5": ["box_red"], "0.5_1.5": [], "1.5_1.5": ["target_red"]}
    state |= {"9.5_9.5": ["target_red", "box_red"]}
    assert json.loads(boxnet_plan({"initial_state": state}) or "") == [
        {"Agent[0.5, 0.5]": "move(box_red, square[1.5, 0.5])"},
        {"Agent[1.5, 0.5]": "move(box_red, square[1.5, 1.5])"},
        {"Agent[1.5, 1.5]": "move(box_red, target_red)"},
        {"Agent[9.5, 9.5]": "move(box_red, target_red)"},
    ]


def test_a_way_out_is_found_move_by_move() -> None:
    """The red car waits for a lorry that has to go down three."""
    board = "".join(["oooooo", "ooooBo", "AAooBo", "ooooBo", "oooooo", "oooooo"])
    assert rush_hour_moves({"board_config": board}) == "B+2 A+4"
    assert board.index("A") + 4 == EXIT


def test_a_car_that_can_never_leave_has_no_moves() -> None:
    """A wall in its row ends the search with None."""
    board = "".join(["oooooo", "oooooo", "AAxooo", "oooooo", "oooooo", "oooooo"])
    assert rush_hour_moves({"board_config": board}) is None


def test_a_long_search_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Past the limit of positions there is no answer, however near it was."""
    monkeypatch.setattr("rgenv.worker.solvers.MAX_BOARDS", 1)
    board = "".join(["oooooo", "ooooBo", "AAooBo", "ooooBo", "oooooo", "oooooo"])
    assert rush_hour_moves({"board_config": board}) is None


def test_a_large_cube_is_turned_back() -> None:
    """Without the library's solution the scramble is undone, last turn first."""
    large = {"example_correct_answer": "", "scramble_moves": "R 2U' Fw"}
    assert cube_turns(large) == "Fw' 2U R'"
    assert cube_turns(large | {"example_correct_answer": "R'"}) == "R'"


async def test_a_problem_that_cannot_be_made_again_is_a_failure(pool: WorkerPool) -> None:
    """Solving fails as making does, and the worker goes on."""
    with pytest.raises(MakeFailed, match="min_numbers"):
        await pool.solve(Problem("gcd", 1, None, {"min_numbers": -1}, "?", None))
    assert (await pool.make("gcd", 1)).answer is not None
