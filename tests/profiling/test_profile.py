"""rgenv/profiling/profile.py: what follows from the cells for tasks, levels and tokens."""

from typing import Any

import pytest

from rgenv.profiling.profile import Profile
from rgenv.profiling.verdicts import Counts, Verdict
from rgenv.profiling.walk import Cell, Cells


def cell(verdict: Verdict | None, right: int = 0, trials: int = 40, **more: Any) -> Cell:
    """Return a cell whose completions have ten tokens each."""
    return Cell(Counts(trials, right, tokens=10 * trials, **more), verdict=verdict)


def profile(*, model: str = "m", **tasks: Cells) -> Profile:
    """Return a profile of tasks with these cells."""
    return Profile.of({"model": model}, tasks, group_size=8, completions=64, target=0.7)


@pytest.mark.parametrize(
    ("cells", "verdict", "weight", "start"),
    [
        ({0.0: cell("mastered", 40), 0.5: cell("learnable", 20), 1.0: cell("dead")},
         "learnable", 1.0, 0.3),
        ({0.0: cell("learnable", 8), 0.5: cell("dead"), 1.0: Cell()}, "learnable", 1.0, 0.0),
        ({0.0: Cell(), 0.5: cell("learnable", 36), 1.0: cell("learnable", 35)},
         "learnable", 1.0, 1.0),
        ({0.0: cell("mastered", 40), 0.5: cell("dead"), 1.0: Cell()}, "learnable", 1.0, 0.15),
        ({0.0: cell("dead"), 0.5: Cell(), 1.0: Cell()}, "dead", 0.0, None),
        ({0.0: Cell(), 0.5: Cell(), 1.0: cell("mastered", 40)}, "mastered", 0.0, None),
        ({0.0: cell("undecided", 3), 0.5: cell("dead"), 1.0: Cell()}, "undecided", 0.5, 0.0),
        ({0.0: cell("undecided", 0), 0.5: cell("dead"), 1.0: Cell()}, "undecided", 0.0, None),
        ({None: cell("learnable", 20)}, "learnable", 1.0, None),
        ({0.0: cell("broken format"), 0.5: Cell(), 1.0: Cell()}, "broken format", 0.0, None),
    ],
)  # fmt: skip
def test_a_task_starts_where_the_target_is_reached(
    cells: Cells, verdict: Verdict, weight: float, start: float | None
) -> None:
    """Between the levels that were asked, the accuracy is interpolated."""
    found = profile(gcd=cells).tasks["gcd"]
    assert (found.verdict, found.weight, found.start_level) == (verdict, weight, start)


def test_a_guessable_level_is_dead_above_where_nothing_can_be_guessed() -> None:
    """The verdict that follows has the name that suits the level."""
    cells = {0.0: Cell(Counts(40, 20), 0.5, "guessable"), 1.0: Cell(blind=0.0)}
    found = profile(acre=cells)
    assert [c.verdict for c in found.cells] == ["guessable", "dead"]
    assert found.cells[1].from_level == 0.0
