"""Recipes make problems, seeds choose them, and problems score answers."""

import pytest

from rgenv.tasks import shortcuts
from rgenv.tasks.families import family, is_held_out
from rgenv.worker import selection
from rgenv.worker.problem_maker import ProblemMaker


def test_a_question_for_an_input_is_scored_and_never_chosen() -> None:
    maker, config = ProblemMaker(), {"input_prediction_probability": 0.0}
    entry, dataset = maker.make("codeio", 0, config), maker.dataset("codeio", 0, config)
    assert "predict a feasible input" in entry["question"]
    assert not maker.winnable("codeio", 0, config)
    scores = [maker.score("codeio", dataset, entry, text) for text in (entry["answer"], "{}")]
    assert scores == [1.0, 0.0]
    for seed in range(5):
        drawn = selection.draw(maker, "codeio", seed, {})
        assert "predict the output" in maker.make("codeio", drawn, {})["question"]


def test_a_task_without_a_fitting_problem_keeps_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every problem has the same fault, the seed's own problem is made."""
    monkeypatch.setattr(shortcuts, "solving", lambda *_: "always")
    maker = ProblemMaker()
    families = [family("chain_sum", maker.make("chain_sum", n, {})) for n in range(20)]
    trained = [n for n, found in enumerate(families) if not is_held_out(found)]
    assert len(trained) > 10
    assert [selection.draw(maker, "chain_sum", seed, {}) for seed in trained] == trained
