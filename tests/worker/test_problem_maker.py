"""Recipes make problems, from new data sets and reused ones; seeds choose them; they are scored."""

import dataclasses
import random
from typing import Any

import pytest
from reasoning_gym.factory import DATASETS

from rgenv.tasks import shortcuts
from rgenv.tasks.families import is_held_out
from rgenv.worker import levels, selection
from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.records import PREPARED


def test_a_question_for_an_input_is_scored_and_never_chosen() -> None:
    maker, config = ProblemMaker(), {"input_prediction_probability": 0.0}
    made = maker.make("codeio", 0, config)
    assert "predict a feasible input" in made.entry["question"]
    assert not made.winnable
    assert [made.score(text) for text in (made.entry["answer"], "{}")] == [1.0, 0.0]
    for seed in range(5):
        drawn = selection.draw(maker, "codeio", seed, {})
        assert "predict the output" in drawn.entry["question"]


def test_a_task_without_a_fitting_problem_keeps_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every problem has the same fault, the seed's own problem is made."""
    monkeypatch.setattr(shortcuts, "solving", lambda *_: "always")
    maker = ProblemMaker()
    families = [maker.make("chain_sum", n, {}).family for n in range(20)]
    trained = [n for n, found in enumerate(families) if not is_held_out(found)]
    assert len(trained) > 10
    assert [selection.draw(maker, "chain_sum", n, {}).seed for n in trained] == trained


@pytest.mark.slow
@pytest.mark.parametrize("task", PREPARED)
def test_init_reads_exactly_the_parameters_in_prepared(task: str) -> None:
    dataset_cls, config_cls = DATASETS[task]
    read: set[str] = set()

    class Watched(config_cls):
        def __getattribute__(self, name: str) -> Any:
            read.add(name)
            return super().__getattribute__(name)

        def validate(self) -> None:
            """Accept everything: the real one reads every parameter."""

    config = Watched(seed=1, size=1)
    read.clear()
    dataset_cls(config)
    names = {field.name for field in dataclasses.fields(config_cls)}
    assert read & names - {"seed", "size"} == set(PREPARED[task])


@pytest.mark.slow
def test_reused_data_sets_make_the_problems_of_new_ones() -> None:
    guard.install()
    top = [(task, levels.level_config(task, 1.0)) for task in PREPARED]
    random.Random(5).shuffle(top)
    wanted: list[tuple[str, int, Any]] = [(task, 2**53 - 1, at) for task, at in top]
    part = {"datasets": [{"name": "codeio", "config": {"difficulty": 7}}]}  # has other programs
    wanted += [("codeio", 26, {}), ("composite", 1, part), ("codeio", 43, {})]
    reusing = ProblemMaker()
    for task, seed, config in wanted:
        fresh = ProblemMaker()
        again, first = (maker.make(task, seed, config) for maker in (reusing, fresh))
        assert repr(again.entry) == repr(first.entry), task
        reused, new = reusing.dataset(again), fresh.dataset(first)
        assert vars(reused).keys() == vars(new).keys(), task
