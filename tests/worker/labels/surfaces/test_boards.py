"""Boards with the same numbers of cells for any answer."""

import re
from collections import Counter
from random import Random
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.label_checks import CHECKS
from rgenv.tasks.algorithmic.game_of_life_halting import correct as game_of_life_halting
from rgenv.tasks.algorithmic.game_of_life_halting import lifetime
from rgenv.tasks.algorithmic.rotten_oranges import correct as rotten_oranges
from rgenv.tasks.algorithmic.rotten_oranges import minutes_to_rot
from rgenv.tasks.graphs.largest_island import correct as largest_island
from rgenv.tasks.graphs.largest_island import islands
from tests.support.records import RULES
from tests.worker.labels.surfaces.served import LEVELS, made, served, share

ITEMS = 60


def simulated(live: set[tuple[int, int]], rows: int, columns: int, steps: int) -> int | None:
    """Return the first step without live cells, counting neighbours one by one."""
    for step in range(steps + 1):
        if not live:
            return step
        near = Counter(
            ((r + dr) % rows, (c + dc) % columns)
            for r, c in live
            for dr in (-1, 0, 1)
            for dc in (-1, 0, 1)
            if dr or dc
        )
        live = {cell for cell, n in near.items() if n == 3 or (n == 2 and cell in live)}
    return None


@given(st.integers(4, 9), st.integers(4, 9), st.integers(0, 2**32), st.integers(0, 12))
def test_lifetime_agrees_with_a_simulation(rows: int, columns: int, seed: int, steps: int) -> None:
    """Boards of any shape die at the step at which a simulation cell by cell says so."""
    rng = Random(seed)
    cells = {(r, c) for r in range(rows) for c in range(columns) if rng.random() < 0.25}
    board = sum(1 << r * columns + c for r, c in cells)
    assert lifetime(board, rows, columns, steps) == simulated(cells, rows, columns, steps)


@pytest.mark.parametrize("level", LEVELS)
def test_games_of_life_have_the_simulated_answer(level: float | None) -> None:
    """A simulation finds the answer, and half of the boards die out."""
    entries = served(game_of_life_halting, "game_of_life_halting", level, ITEMS)
    assert len(entries) > 0.3 * ITEMS and 0.25 < share(entries, "True") < 0.75
    for entry in entries:
        assert CHECKS["game_of_life_halting"](entry) is True
        assert entry["metadata"]["should_oscillate"] == (entry["answer"] == "False")


@pytest.mark.parametrize("level", LEVELS)
def test_five_steps_do_not_tell_which_boards_die(level: float | None) -> None:
    """Hardly a board is dead after five steps, and hardly two boards are the same."""
    entries = served(game_of_life_halting, "game_of_life_halting", level, 2 * ITEMS)
    early, boards = 0, set()
    for entry in entries:
        text = entry["question"].partition("board:")[2]
        boards.add(text)
        rows = [re.findall("[01]", line) for line in text.strip().split("\n")]
        cells = {(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell == "1"}
        early += simulated(cells, len(rows), len(rows[0]), 5) is not None
    assert early < 0.1 * len(entries) and len(boards) > 0.9 * len(entries)


def test_boards_that_die_have_as_many_live_cells() -> None:
    """The mean number of live cells, and of live cells side by side, is the same for both."""
    totals: dict[str, Counter[str]] = {"True": Counter(), "False": Counter()}
    for entry in served(game_of_life_halting, "game_of_life_halting", None, 300):
        rows = re.findall(r"[01](?: [01])*", entry["question"].partition("board:")[2])
        counts = totals[entry["answer"]]
        counts["live"] += "".join(rows).count("1")
        lines = [row.replace(" ", "") for row in rows]
        lines += map("".join, zip(*lines, strict=True))
        counts["beside"] += sum(len(re.findall("1(?=1)", line)) for line in lines)
        counts["boards"] += 1
    dead, alive = totals.values()
    for name in ("live", "beside"):
        ratio = (dead[name] / dead["boards"]) / (alive[name] / alive["boards"])
        assert 0.8 < ratio < 1.25, name


@pytest.mark.parametrize("level", LEVELS)
def test_ones_say_nothing_about_the_largest_island(level: float | None) -> None:
    """Grids of one size have the same number of ones, and not all of them in one island."""
    entries = served(largest_island, "largest_island", level, ITEMS)
    assert len(entries) > 0.6 * ITEMS, "some grids of the library are empty"
    ones: dict[int, set[int]] = {}
    for entry in entries:
        assert CHECKS["largest_island"](entry) is True
        grid = entry["metadata"]["grid"]
        ones.setdefault(len(grid) * len(grid[0]), set()).add(sum(map(sum, grid)))
        assert int(entry["answer"]) < sum(map(sum, grid))
        assert "\n".join(" ".join(map(str, row)) for row in grid) in entry["question"]
    assert all(len(counts) == 1 for counts in ones.values())
    assert max(Counter(entry["answer"] for entry in entries).values()) < 0.5 * ITEMS


@pytest.mark.parametrize("level", LEVELS)
def test_the_question_states_the_size_of_the_grid_of_islands(level: float | None) -> None:
    """The numbers of rows and columns in the first line are those of the grid below it."""
    for entry in served(largest_island, "largest_island", level, ITEMS):
        stated = re.findall(r"(\d+) x (\d+)", entry["question"].split("\n")[0])
        rows = re.findall(r"^[01](?: [01])*$", entry["question"], re.MULTILINE)
        assert {len(row.split()) for row in rows} == {int(stated[0][1])}
        assert len(rows) == int(stated[0][0]) and len(stated) == 1


@pytest.mark.parametrize("level", LEVELS)
def test_islands_that_stand_out_are_seldom_the_largest(level: float | None) -> None:
    """Neither the island that comes first nor that with the longest run is right most often."""
    entries = served(largest_island, "largest_island", level, 4 * ITEMS)
    for rule in ("the first island", "the island with the longest run", "the island in the middle"):
        found = [RULES["largest_island"](entry["question"])[rule] for entry in entries]
        right = sum(one == entry["answer"] for one, entry in zip(found, entries, strict=True))
        assert right < 0.6 * len(entries), rule


@pytest.mark.parametrize("level", LEVELS)
def test_the_number_of_islands_does_not_tell_the_largest(level: float | None) -> None:
    """Grids of one size have as many islands, whether their largest is large or small."""
    entries = served(largest_island, "largest_island", level, 4 * ITEMS)
    counts: dict[int, list[tuple[int, int]]] = {}
    for entry in entries:
        grid = entry["metadata"]["grid"]
        found = islands(["".join(map(str, row)) for row in grid])
        counts.setdefault(len(grid) * len(grid[0]), []).append((int(entry["answer"]), len(found)))
    rest = [
        count - mean(each for _, each in of_size)
        for of_size in counts.values()
        for _, count in sorted(of_size)[: len(of_size) // 2]
    ]
    assert abs(mean(rest)) < 0.5


def test_default_grids_of_islands_differ() -> None:
    """Hardly two grids of the library's small ones are replaced by the same grid."""
    entries = served(largest_island, "largest_island", None, 400)
    assert len({entry["question"] for entry in entries}) > 0.98 * len(entries)


@pytest.mark.parametrize("level", LEVELS)
def test_oranges_keep_their_numbers(level: float | None) -> None:
    """An independent check finds the answer, and less than half of the grids are impossible."""
    entries = served(rotten_oranges, "rotten_oranges", level, ITEMS)
    assert len(entries) > 0.8 * ITEMS and 0.2 < share(entries, "-1") < 0.6
    assert all(CHECKS["rotten_oranges"](entry) is True for entry in entries)


def test_oranges_are_moved_not_changed() -> None:
    """A grid has as many fresh and rotten oranges as the library's."""
    for before in made("rotten_oranges", None, ITEMS):
        after = rotten_oranges(before)
        assert after is not None
        counts = [
            Counter(cell for row in entry["metadata"]["matrix"] for cell in row)
            for entry in (before, after)
        ]
        assert counts[0] == counts[1]


def test_minutes_are_counted_until_nothing_changes() -> None:
    """One orange a minute rots in a row of four; one behind an empty cell stays fresh."""
    assert minutes_to_rot([2, 1, 1, 0, 0, 1, 0, 0, 0], 3) == (3, 0)
    assert minutes_to_rot([2, 0, 1, 0, 0, 0, 0, 0, 0], 3) == (0, 0b100)
