"""The choice of the problem that a seed stands for."""

from collections import Counter
from typing import Any

import pytest

from rgenv.dataset.stream import EVAL_SEEDS, Stream, evaluation_seeds
from rgenv.tasks.families import family, is_held_out
from rgenv.worker import selection, shortcuts
from rgenv.worker.levels import level_config
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.records import LABELS


@pytest.mark.parametrize("task", sorted(LABELS))
@pytest.mark.parametrize("level", [None, 0.0, 1.0])
def test_labels_have_their_share(task: str, level: float | None) -> None:
    """Seeds in a row have each label about as often as the table says."""
    maker = ProblemMaker()
    config = {} if level is None else level_config(task, level)
    drawn = [selection.draw(maker, task, seed, config) for seed in range(80)]
    found = Counter(maker.make(task, seed, config)["answer"] for seed in drawn)
    for label, share in LABELS[task].items():
        assert abs(found[label] / 80 - share) < 0.2, found


def test_a_seed_always_stands_for_the_same_problem() -> None:
    """Another worker draws the same seed, whatever it made before."""
    config = level_config("syllogism", 0.0)
    warm = ProblemMaker()
    drawn = [selection.draw(warm, "syllogism", seed, config) for seed in range(20)]
    assert drawn == [selection.draw(ProblemMaker(), "syllogism", s, config) for s in range(20)]


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


@pytest.mark.parametrize("task", ["chain_sum", "pool_matrix", "syllogism", "tower_of_hanoi"])
@pytest.mark.parametrize("level", [None, 0.0, 1.0])
def test_evaluation_seeds_and_no_others_stand_for_held_out_problems(
    task: str, level: float | None
) -> None:
    """The family of the drawn problem is on the side of its seed, in small tasks, too."""
    maker = ProblemMaker()
    config = {} if level is None else level_config(task, level)
    stream = Stream(seed=1, tasks={task: 1.0})
    trained = [stream.seed(n, 0, task) for n in range(20)]
    for held_out, seeds in ((False, trained), (True, evaluation_seeds(task, 20, eval_seed=1))):
        drawn = [selection.draw(maker, task, seed, config, level) for seed in seeds]
        families = [family(task, maker.make(task, seed, config)) for seed in drawn]
        assert [is_held_out(task, each) for each in families] == [held_out] * 20


def test_composite_holds_out_what_its_parts_hold_out() -> None:
    """A problem is of the same family alone and as a part of a composite."""
    maker = ProblemMaker()
    config = {"datasets": [{"name": "lcm"}]}
    for seed in (*range(10), *evaluation_seeds("composite", 10, eval_seed=1)):
        drawn = selection.draw(maker, "composite", seed, config)
        entry = maker.make("composite", drawn, config)
        assert is_held_out("lcm", family("lcm", entry)) == (seed >= EVAL_SEEDS)


def entry_of(maker: ProblemMaker, seed: int) -> Any:
    return maker.make("chain_sum", seed, {})
