"""The choice of the problem that a seed stands for."""

from typing import Any

import pytest

from rgenv.tasks import shortcuts
from rgenv.tasks.families import family, is_held_out
from rgenv.worker import selection
from rgenv.worker.problem_maker import ProblemMaker


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
