"""benchmarks/held_out.py: what training meets of evaluation sets."""

from argparse import Namespace

import pytest

from benchmarks import held_out
from rgenv.worker import selection
from rgenv.worker.problem_maker import ProblemMaker

OPTIONS = Namespace(seed=42, draws=300, problems=10, seconds=60.0)


def test_canonical_forms_ignore_symmetries() -> None:
    """Order of numbers, names, lines, rotations and labels do not matter; other changes do."""
    for form, one, same, other in (
        (held_out.plain, "A  b", "a b", "a c"),
        (held_out.sorted_numbers, "gcd of 4 and 6", "gcd of 6 and 4", "gcd of 6 and 8"),
        (held_out.renamed, "Anna meets Bob", "Tom meets Kim", "Tom meets Tom"),
        (held_out.sorted_lines, "1. a\n2. b", "1. b\n2. a", "1. a\n2. c"),
        (held_out.sorted_words, "one two", "two one", "one three"),
        (held_out.turned_boards, "x x y\ny y y", "a b\na b\nb b", "x y x\ny y y"),
        (held_out.last_board, "1 2\n\n0 0 1", "3 4\n\n2 1 1", "1 2\n\n0 1 0"),
        (held_out.last_board, ",,,}\n}}}}", "####\n#xxx", ",},}\n}}}}"),
        (held_out.relabelled_tail, "this: abba", "this: cddc", "this: abab"),
    ):
        assert repr(form(one)) == repr(form(same)) != repr(form(other)), form.__name__


@pytest.mark.parametrize(
    "task", ["lcm", "n_queens", "rotate_matrix", "tower_of_hanoi", "syllogism"]
)
@pytest.mark.parametrize("level", [None, 0.0])
def test_training_meets_no_evaluation_problem(task: str, level: float | None) -> None:
    """Neither word for word nor in any canonical form, for several evaluation seeds."""
    record = held_out.measure(ProblemMaker(), task, level, OPTIONS)
    assert record["training"] == 300 and record["evaluation"] == 30
    assert record["verbatim"] == 0 and record["share"] == {}


def test_problems_that_are_not_held_out_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where seeds stand for any problem, training meets the problems of a small task."""
    monkeypatch.setattr(selection, "draw", lambda maker, task, seed, config, level: seed)
    record = held_out.measure(ProblemMaker(), "tower_of_hanoi", 0.0, OPTIONS)
    assert record["verbatim"] > 0.3 and record["share"]["plain"] > 0.5
