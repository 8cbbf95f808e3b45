"""The choice of the problem that a seed stands for."""

from typing import Any

import pytest

from rgenv.tasks.families import family, is_held_out
from rgenv.worker import selection, shortcuts
from rgenv.worker.problem_maker import ProblemMaker


def test_few_problems_are_solved_by_a_shortcut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shortcut that solves half of the library's problems solves few of those that are drawn."""

    def solving(task: str, entry: object, score: object) -> str | None:
        return "last digit" if int(str(entry["answer"])) % 2 else None  # type: ignore[index]

    monkeypatch.setattr(shortcuts, "solving", solving)
    maker = ProblemMaker()
    drawn = [selection.draw(maker, "chain_sum", seed, {}) for seed in range(200)]
    odd = sum(int(maker.make("chain_sum", seed, {})["answer"]) % 2 for seed in drawn)
    assert 0 < odd < 20


def test_the_drawn_seed_keeps_the_range_of_the_seed() -> None:
    """Seeds for training, for evaluation and below 2**32 give seeds of the same kind."""
    maker = ProblemMaker()
    for seed, low, high in [(7, 0, 2**32), (2**40, 0, 2**52), (2**52 + 1, 2**52, 2**53)]:
        drawn = [selection.draw(maker, "syllogism", seed + n, {}) for n in range(20)]
        assert all(low <= one < high for one in drawn)
        assert any(one != seed + n for n, one in enumerate(drawn))


def test_a_task_without_a_fitting_problem_keeps_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every problem has the same fault, the seed's own problem is made."""
    monkeypatch.setattr(shortcuts, "solving", lambda *_: "always")
    maker = ProblemMaker()
    trained = [
        n
        for n in range(20)
        if not is_held_out("chain_sum", family("chain_sum", entry_of(maker, n)))
    ]
    assert len(trained) > 10
    assert [selection.draw(maker, "chain_sum", seed, {}) for seed in trained] == trained


def entry_of(maker: ProblemMaker, seed: int) -> Any:
    return maker.make("chain_sum", seed, {})
