"""rgenv/worker/fast_generators.py: what takes the place of the library's searches gives what they give."""

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from reasoning_gym import create_dataset
from reasoning_gym.games.futoshiki import FutoshikiDataset

from rgenv.worker import fast_generators, levels

TASKS = ("sokoban", "futoshiki", "knight_swap")
SEEDS = range(6)


def problems(task: str, level: float | None, seeds: range) -> Iterator[str]:
    config = {} if level is None else levels.level_config(task, level)
    for seed in seeds:
        yield repr(create_dataset(task, size=1, seed=seed * 2**49 + seed, **config)[0])


def install(patch: pytest.MonkeyPatch) -> None:
    for place, name, replacement in fast_generators.replacements():
        patch.setattr(place, name, replacement)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("level", [None, 0.0])
def test_every_problem_stays_what_it_was(
    task: str, level: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Question, answer and metadata, to the last character."""
    seeds = range(2) if task == "sokoban" and level == 0.0 else SEEDS
    before = list(problems(task, level, seeds))
    install(monkeypatch)
    assert list(problems(task, level, seeds)) == before


@pytest.mark.soak
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("level", [None, 0.0, 0.5, 1.0])
def test_every_problem_of_many_stays_what_it_was(
    task: str, level: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same at all levels, with more seeds."""
    before = list(problems(task, level, range(40)))
    install(monkeypatch)
    assert list(problems(task, level, range(40))) == before


def puzzles() -> Iterator[tuple[Any, list[list[int]], dict[Any, str]]]:
    """Futoshiki boards with too few clues, with enough, and with clues that contradict."""
    rng = random.Random(3)
    for seed in range(24):
        dataset = create_dataset("futoshiki", size=1, seed=seed, min_board_size=4, max_board_size=4)
        solution = fast_generators.random_solution(dataset, 4, rng)
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
    """None, one, several, no more than the limit; the board is as it was."""
    counts = set()
    for dataset, grid, constraints in puzzles():
        before = copy.deepcopy(grid)
        ours = fast_generators.count_solutions(dataset, grid, constraints, limit)
        assert ours == FutoshikiDataset.count_solutions(dataset, grid, constraints, limit)
        assert grid == before
        counts.add(ours)
    assert counts >= ({0, 1} if limit == 1 else {0, 1, limit})


def test_a_release_laid_out_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is to be replaced has to be there."""
    monkeypatch.setattr(
        fast_generators, "QUICK", {"games.knight_swap:KnightSwapLogic:no_such": None}
    )
    with pytest.raises(AttributeError, match="no_such"):
        list(fast_generators.replacements())
