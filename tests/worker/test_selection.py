"""The choice of the problem that a seed stands for."""

import pytest

from rgenv.tasks import shortcuts
from rgenv.tasks.families import family, is_held_out
from rgenv.worker import selection
from rgenv.worker.problem_maker import ProblemMaker


def test_a_task_without_a_fitting_problem_keeps_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every problem has the same fault, the seed's own problem is made."""
    monkeypatch.setattr(shortcuts, "solving", lambda *_: "always")
    maker = ProblemMaker()
    families = [family("chain_sum", maker.make("chain_sum", n, {})) for n in range(20)]
    trained = [n for n, found in enumerate(families) if not is_held_out(found)]
    assert len(trained) > 10
    assert [selection.draw(maker, "chain_sum", seed, {}) for seed in trained] == trained
