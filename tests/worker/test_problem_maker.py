"""Recipes make problems, seeds choose them, and problems score answers."""

import random

import numpy
import pytest
import reasoning_gym

from rgenv.tasks import shortcuts
from rgenv.tasks.families import family, is_held_out
from rgenv.worker import selection
from rgenv.worker.problem_maker import ProblemMaker


@pytest.mark.parametrize("task, seed", [("list_functions", 483159), ("codeio", 126804)])
def test_what_was_drawn_before_changes_no_problem(task: str, seed: int) -> None:
    """Both draw these problems from Python's global generator; other tasks may use numpy's."""
    entries, states = [], []
    for before in range(2):
        random.seed(before)
        numpy.random.seed(before)
        entries.append(ProblemMaker().make(task, seed, {}))
        states.append(numpy.random.random())
    assert entries[0] == entries[1]
    assert states[0] == states[1]


def test_a_task_may_choose_an_item_of_a_larger_data_set() -> None:
    """acre tests one object in the first item, and several objects in half of the items here."""
    objects = []
    for seed in range(40):
        question = ProblemMaker().make("acre", seed, {})["question"]
        assert (
            question
            == reasoning_gym.create_dataset("acre", size=10, seed=seed)[seed % 4]["question"]
        )
        first = ProblemMaker(strict=False).make("acre", seed, {})
        assert (
            first["question"]
            == reasoning_gym.create_dataset("acre", size=1, seed=seed)[0]["question"]
        )
        objects.append(question.split("New test case:\n")[1].split("\n")[0].count(",") + 1)
    assert objects.count(1) == 20 and max(objects) > 3


def test_a_question_for_an_input_is_scored_and_never_chosen() -> None:
    """Other inputs of codeio's programs may give the same output, too."""
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
