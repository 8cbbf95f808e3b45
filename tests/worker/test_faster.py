"""The fast searches return what the library's return."""

import copy
import importlib
import random
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from reasoning_gym import create_dataset
from reasoning_gym.games.futoshiki import FutoshikiDataset

from rgenv.tasks.games import futoshiki
from rgenv.tasks.record import Task
from rgenv.worker import faster, levels
from rgenv.worker.faster import install as install_
from rgenv.worker.faster import replacements

TASKS = ("sokoban", "futoshiki", "knight_swap", "bf", "arc_1d")
SEEDS = range(6)


def problems(task: str, level: float | None, seeds: Iterable[int]) -> Iterator[str]:
    """Yield entries of `task` as text, with small and large seeds."""
    config = {} if level is None else levels.level_config(task, level)
    for seed in seeds:
        yield repr(create_dataset(task, size=1, seed=seed * 2**49 + seed, **config)[0])


def install(patch: pytest.MonkeyPatch) -> None:
    """Install the replacements until the end of the test."""
    for owner, name, replacement in replacements():
        patch.setattr(owner, name, replacement)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("level", [None, 0.0])
def test_problems_are_identical(
    task: str, level: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Question, answer and metadata are equal to the last character."""
    seeds = range(2) if task == "sokoban" and level == 0.0 else SEEDS
    before = list(problems(task, level, seeds))
    install(monkeypatch)
    assert list(problems(task, level, seeds)) == before


def test_a_grid_that_needs_ten_colors_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A problem of arc_1d for which the library would search for ever raises ValueError."""
    install(monkeypatch)
    dataset = create_dataset("arc_1d", size=1, seed=142, min_size=50, max_size=50)
    with pytest.raises(ValueError, match="without end"):
        dataset[0]


@pytest.mark.soak
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("level", [None, 0.0, 0.5, 1.0])
def test_many_problems_are_identical(
    task: str, level: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Question, answer and metadata are equal at all levels, with more seeds."""
    install(monkeypatch)
    ours = {seed: made(task, level, seed) for seed in range(40)}
    monkeypatch.undo()
    finished = {seed: entry for seed, entry in ours.items() if entry is not None}
    assert len(finished) >= 38
    assert finished == {seed: next(problems(task, level, [seed])) for seed in finished}


def made(task: str, level: float | None, seed: int) -> str | None:
    """Return an entry as text; None if the library would search for ever."""
    try:
        return next(problems(task, level, [seed]))
    except ValueError:
        return None


def puzzles() -> Iterator[tuple[Any, list[list[int]], dict[Any, str]]]:
    """Yield futoshiki boards with too few clues, enough clues, and contradictory clues."""
    rng = random.Random(3)
    for seed in range(24):
        dataset = create_dataset("futoshiki", size=1, seed=seed, min_board_size=4, max_board_size=4)
        solution = futoshiki.random_solution(dataset, 4, rng)
        constraints = dataset._generate_random_constraints(solution, 1, rng)
        grid = copy.deepcopy(solution)
        cells = [(r, c) for r in range(4) for c in range(4)]
        for r, c in rng.sample(cells, rng.randint(0, 16)):
            grid[r][c] = 0
        if seed % 3 == 0:
            grid[seed % 4][1] = 2
        yield dataset, grid, constraints


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_solutions_are_counted_as_the_library_counts_them(limit: int) -> None:
    """Both counts agree, up to the limit, and the board is not changed."""
    counts = set()
    for dataset, grid, constraints in puzzles():
        before = copy.deepcopy(grid)
        ours = futoshiki.count_solutions(dataset, grid, constraints, limit)
        assert ours == FutoshikiDataset.count_solutions(dataset, grid, constraints, limit)
        assert grid == before
        counts.add(ours)
    assert counts >= ({0, 1} if limit == 1 else {0, 1, limit})


def test_a_program_that_never_ends_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twos never make 255, and 256 is 0 again, so the library would run this program for ever."""
    install(monkeypatch)
    dataset = create_dataset("bf", size=1, seed=0, difficulty=3)
    source = "int target = 255; int x = 2; int y = 2; if (acc > 250) {"
    monkeypatch.setattr(dataset, "generate_bfit_code", lambda difficulty, rng: source)
    with pytest.raises(ValueError, match="never ends"):
        dataset[0]


def test_other_programs_are_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that was not compiled last still runs."""
    install(monkeypatch)
    interpreter = importlib.import_module("bfi")
    assert interpreter.interpret("++++++++[>++++++++<-]>+.", buffer_output=True) == "A"


def test_a_function_that_does_not_exist_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Installation fails if the library has no function of the replaced name."""
    wrong = Task(faster={"games.knight_swap:KnightSwapLogic:no_such": None})
    monkeypatch.setattr(faster, "record_of", lambda task: wrong)
    with pytest.raises(AttributeError, match="no_such"):
        install_()
