"""rgenv/worker/problem_maker.py: recipes make problems, and problems score answers."""

import random

import numpy
import pytest
import reasoning_gym

from rgenv.worker import selection
from rgenv.worker.levels import level_config
from rgenv.worker.problem_maker import MAX_ENTRIES, ProblemMaker
from rgenv.worker.protocol import first_evaluation_seed


def test_a_recipe_made_again_is_the_same_entry_until_it_is_evicted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Recently used entries are kept, and an evicted one is made again with an equal result."""
    assert MAX_ENTRIES > 1
    monkeypatch.setattr("rgenv.worker.problem_maker.MAX_ENTRIES", 2)
    maker = ProblemMaker()
    first = maker.make("gcd", 1, {})
    maker.make("gcd", 2, {})
    assert maker.make("gcd", 1, {}) is first
    maker.make("gcd", 3, {})
    assert maker.make("gcd", 1, {}) is first
    maker.make("gcd", 4, {})
    maker.make("gcd", 5, {})
    assert maker.make("gcd", 1, {}) is not first
    assert maker.make("gcd", 1, {}) == first


def test_whether_a_problem_can_be_won_depends_on_its_parameters() -> None:
    seed = first_evaluation_seed("simple_geometry") + 2
    configs = [level_config("simple_geometry", level) for level in (0.0, 0.5, 1.0)]
    used = ProblemMaker()
    found = [used.winnable("simple_geometry", seed, config) for config in configs]
    assert found == [ProblemMaker().winnable("simple_geometry", seed, c) for c in configs]
    assert len(set(found)) == 2


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
