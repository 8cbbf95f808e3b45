"""The choice of the problem that a seed stands for."""

from collections import Counter

import pytest

from rgenv.worker import selection, shortcuts
from rgenv.worker.levels import level_config
from rgenv.worker.problem_maker import ProblemMaker


@pytest.mark.parametrize("task", sorted(selection.LABELS))
@pytest.mark.parametrize("level", [None, 0.0, 1.0])
def test_labels_have_their_share(task: str, level: float | None) -> None:
    """Seeds in a row have each label about as often as the table says."""
    maker = ProblemMaker()
    config = {} if level is None else level_config(task, level)
    drawn = [selection.draw(maker, task, seed, config) for seed in range(80)]
    found = Counter(maker.make(task, seed, config)["answer"] for seed in drawn)
    for label, share in selection.LABELS[task].items():
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
    assert [selection.draw(maker, "chain_sum", seed, {}) for seed in range(5)] == list(range(5))
