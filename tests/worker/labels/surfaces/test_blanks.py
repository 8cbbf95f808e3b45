"""rgenv/worker/labels/surfaces/blanks.py: blanks that no single sum fills."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.worker.labels.surfaces.blanks import alone, survo
from tests.worker.labels.surfaces.served import LEVELS, made, served


@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1))
def test_lines_with_one_blank_are_counted(blanks: set[tuple[int, int]]) -> None:
    """A row or column counts if exactly one of the blanks is in it."""
    places = [[cell[axis] for cell in blanks] for axis in (0, 1)]
    assert alone(sorted(blanks)) == sum(p.count(i) == 1 for p in places for i in range(5))


@pytest.mark.parametrize("level", LEVELS)
def test_as_many_blanks_stand_elsewhere(level: float | None) -> None:
    """The question shows the library's matrix with as many blanks, fewer of them alone."""
    before, after = made("survo", level, 60), served(survo, "survo", level, 60)
    assert len(after) == len(before)
    lonely = []
    for old, new in zip(before, after, strict=True):
        shown = [x.split() for x in new["question"].split("\n") if re.fullmatch(r"[\d ]+", x)]
        solution = [line.split() for line in new["answer"].split("\n")]
        cells = [(y, x) for y, row in enumerate(shown) for x, cell in enumerate(row) if cell == "0"]
        numbers = re.findall(r"\d+", new["question"].rpartition("[")[2].split("]")[0])
        assert new["answer"] == old["answer"] and len(cells) == old["metadata"]["num_empty"]
        assert sorted(solution[y][x] for y, x in cells) == sorted(numbers)
        filled = [
            [solution[y][x] if (y, x) in cells else c for x, c in enumerate(r)]
            for y, r in enumerate(shown)
        ]
        assert filled == solution
        puzzle = old["metadata"]["puzzle"]
        was = [(y, x) for y, row in enumerate(puzzle) for x, cell in enumerate(row) if cell == 0]
        lonely.append((alone(was), alone(cells)))
    assert sum(now for _, now in lonely) < 0.75 * sum(was for was, _ in lonely)
