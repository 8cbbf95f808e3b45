"""rgenv/worker/labels/surfaces/patterns.py: grids of remainders that nobody can remember."""

import pytest

from benchmarks.label_checks import CHECKS
from rgenv.worker.labels.surfaces.patterns import is_determined, modulo_grid
from tests.worker.labels.surfaces.served import LEVELS, served


@pytest.mark.parametrize("level", LEVELS)
def test_one_pattern_fits_and_no_hole_has_a_mirror_image(level: float | None) -> None:
    """An independent search finds the answer, and cells across the diagonal of holes are holes."""
    entries = served(modulo_grid, "modulo_grid", level, 15)
    assert len(entries) == 15
    for entry in entries:
        assert CHECKS["modulo_grid"](entry) is True, "another pattern fits"
        shown = entry["question"].rsplit("\n\n", 1)[1].split("\n")
        right = entry["answer"].split("\n")
        cells = {(y, x): cell for y, row in enumerate(shown) for x, cell in enumerate(row)}
        for (y, x), cell in cells.items():
            assert cell == "❔" or cell == right[y][x]
            if cell == "❔":
                assert cells.get((x, y), "❔") == "❔"


@pytest.mark.parametrize("level", LEVELS)
def test_few_grids_come_twice(level: float | None) -> None:
    """Hardly a solved grid of a level is that of another problem."""
    answers = [entry["answer"] for entry in served(modulo_grid, "modulo_grid", level, 150)]
    assert len(set(answers)) > 0.9 * len(answers)


def test_two_patterns_leave_a_hole_open() -> None:
    """A single ✅ is at remainder 0 of several products; a grid that shows a sum is determined."""
    assert not is_determined(["✅❌❔", "❌❌❔"], ["✅❌❌", "❌❌❌"])
    solution = ["".join("❌✅"[(x + y) % 3 == 0] for x in range(12)) for y in range(6)]
    assert is_determined([solution[0][:-1] + "❔", *solution[1:]], solution)
