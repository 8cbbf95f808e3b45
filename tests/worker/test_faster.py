"""The fast searches return what the library's return."""

from typing import Any

import pytest
from reasoning_gym import create_dataset

from rgenv.tasks.registry import record_of
from tests.support.library import replace_slow_functions
from tests.support.timing import processor_seconds


def problems(task: str, config: dict[str, Any], seeds: int) -> list[str]:
    """Return entries of `task` as text, with small and large seeds."""
    found = []
    for seed in range(seeds):
        entry = create_dataset(task, size=1, seed=seed * 2**49 + seed, **config)[0]
        if entry["metadata"].get("example_correct_answer") == "":  # found when somebody asks for it
            entry["metadata"]["example_correct_answer"] = record_of(task).solve(entry["metadata"])
        found.append(repr(entry))
    return found


def test_what_takes_the_library_for_ever_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A grid that needs ten colours, a program that never ends, numbers of millions of digits."""
    replace_slow_functions(monkeypatch)
    with processor_seconds(5.0):
        with pytest.raises(ValueError, match="without end"):
            create_dataset("arc_1d", size=1, seed=142, min_size=50, max_size=50)[0]
        dataset = create_dataset("bf", size=1, seed=0, difficulty=3)
        source = "int target = 255; int x = 2; int y = 2; if (acc > 250) {"
        monkeypatch.setattr(dataset, "generate_bfit_code", lambda difficulty, rng: source)
        with pytest.raises(ValueError, match="too many steps"):  # twos never make 255
            dataset[0]
        entry = create_dataset("number_sequence", size=1, seed=3123)[0]
        assert entry["question"].startswith("0, 2, 4, 6, ?") and entry["answer"] == "8"


@pytest.mark.parametrize("difficulty", [None, 6])
def test_codeio_has_the_programs_of_the_library(
    difficulty: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = create_dataset("codeio", size=1, difficulty=difficulty)._jsonl_data
    replace_slow_functions(monkeypatch)
    assert create_dataset("codeio", size=1, difficulty=difficulty)._jsonl_data == theirs


@pytest.mark.parametrize(
    ("task", "config", "seeds"),
    [
        ("zebra_puzzles", {"num_people": 3, "num_characteristics": 3}, 6),
        ("futoshiki", {"min_board_size": 4, "max_board_size": 6, "max_difficulty": 2}, 12),
        ("futoshiki", {"min_board_size": 8, "max_board_size": 8, "min_difficulty": 3}, 1),
        ("knight_swap", {"min_nodes": 8, "max_nodes": 9, "min_pieces": 1, "max_pieces": 1}, 6),
        ("knight_swap", {"impossible_ratio": 1.0}, 12),
        ("countdown", {"min_numbers": 3, "max_numbers": 5, "min_target": 5}, 12),
        ("sokoban", {"max_w": 7, "max_h": 7, "max_boxes": 4}, 6),
        ("game_of_life", {"simulation_steps": 3, "grid_size_x": 7}, 6),
        ("game_of_life_halting", {"grid_size_x": 20, "grid_size_y": 18, "difficulty": 2}, 6),
        ("simple_integration", {"min_terms": 1}, 12),
        ("polynomial_equations", {"min_degree": 2}, 6),
        ("propositional_logic", {"max_vars": 6, "max_statements": 6}, 24),
        ("word_ladder", {f"{end}_chain_length": n for end, n in (("min", 4), ("max", 5))}, 3),
        ("arc_agi", {"use_eval": False}, 3),
    ],
)
def test_problems_are_identical(
    task: str, config: dict[str, Any], seeds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = problems(task, config, seeds)
    replace_slow_functions(monkeypatch)
    assert problems(task, config, seeds) == theirs
