"""rgenv/profiling/walk.py: which cell is asked next, and what follows for the others."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.profiling.verdicts import STAGE, Counts, Verdict, verdict
from rgenv.profiling.walk import Cell, Level, inferred, next_level, settled

LEVELS = [0.0, 0.25, 0.5, 0.75, 1.0]


def profile(shares: dict[Level, float], seed: int = 0) -> dict[Level, Cell]:
    """Walk through the cells of a task that is right with these chances."""
    rng = random.Random(seed)
    cells = {level: Cell() for level in shares}
    for _ in range(1000):
        if (following := next_level(cells)) is None:
            return cells
        [level] = following
        before = cells[level].counts
        right = before.right + sum(rng.random() < shares[level] for _ in range(STAGE))
        counts = Counts(before.trials + STAGE, right)
        found = verdict(counts, group_size=8, blind=0.0)
        if found is None and counts.trials >= 64:
            found = "undecided"
        cells[level] = replace(cells[level], counts=counts, verdict=found)
    raise AssertionError("the walk does not end")


def verdicts(cells: dict[Level, Cell]) -> dict[Level, Verdict | None]:
    """Return all verdicts, those that follow from others included."""
    found = settled(cells)
    return {level: found.get(level) for level in cells}


def cells_of(verdicts: dict[Level, Verdict | None]) -> dict[Level, Cell]:
    return {level: Cell(verdict=found) for level, found in verdicts.items()}


@pytest.mark.parametrize(
    ("shares", "expected", "most"),
    [
        ([0, 0, 0, 0, 0], ["dead"] * 5, 48),
        ([1, 1, 1, 1, 1], ["mastered"] * 5, 48),
        ([0.5] * 5, ["learnable"] * 5, 72),
        ([1, 1, 0.5, 0, 0], ["mastered"] * 2 + ["learnable"] + ["dead"] * 2, 140),
        ([1, 0, 0, 0, 0], ["mastered"] + ["dead"] * 4, 140),
        ([1, 1, 1, 1, 0], ["mastered"] * 4 + ["dead"], 140),
        ([0.5, 0, 0, 0, 0], ["learnable"] + ["dead"] * 4, 110),
    ],
)
def test_every_level_has_its_verdict_at_little_cost(
    shares: list[float], expected: list[Verdict], most: int
) -> None:
    """A task that is dead or mastered throughout takes the completions of one cell and a stage."""
    cells = profile(dict(zip(LEVELS, shares, strict=True)))
    assert list(verdicts(cells).values()) == expected
    assert sum(cell.counts.trials for cell in cells.values()) <= most


@given(st.lists(st.floats(0, 1), min_size=1, max_size=7), st.booleans(), st.integers(0, 100))
def test_a_walk_ends_with_a_verdict_on_each_cell(
    shares: list[float], with_defaults: bool, seed: int
) -> None:
    """Whatever the shares are, and also where they rise with the level."""
    cells: dict[Level, float] = {n / 10: share for n, share in enumerate(shares)}
    if with_defaults:
        cells[None] = 0.5
    found = profile(cells, seed)
    assert None not in verdicts(found).values()
    assert not with_defaults or found[None].counts.trials


def test_verdicts_that_disagree_say_nothing_about_the_levels_between() -> None:
    """A level above a dead one and below a mastered one is asked."""
    unknown: dict[Level, Verdict | None] = dict.fromkeys(LEVELS)
    assert inferred(cells_of(unknown | {0.0: "dead", 1.0: "mastered"})) == {}
    found = inferred(cells_of(unknown | {0.0: "mastered", 0.5: "too long"}))
    assert found.pop(0.25, None) is None and found == {
        0.75: ("too long", 0.5),
        1.0: ("too long", 0.5),
    }
