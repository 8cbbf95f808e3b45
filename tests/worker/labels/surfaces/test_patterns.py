"""Grids of remainders that nobody can remember."""

import re
from itertools import product

import pytest

from benchmarks.label_checks import CHECKS
from rgenv.tasks.cognition.modulo_grid import correct as modulo_grid
from rgenv.tasks.cognition.modulo_grid import is_determined
from tests.worker.labels.surfaces.served import LEVELS, made, served


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


def fillings(question: str) -> set[str]:
    """Return each completed grid that keeps the rule which a question states."""
    shown = question.rsplit("\n\n", 1)[1].split("\n")
    most = int(re.findall(r"from 2 to (\d+):", question)[0])
    cells = [(x, y) for y, row in enumerate(shown) for x in range(len(row))]
    signs = "".join(shown)
    numbers = [[a * x + b * y for x, y in cells] for a, b in product((1, 2, 3), repeat=2)]
    for a, b in product(range(7), repeat=2):
        places = [(x + a, y + b) for x, y in cells]
        numbers += [[abs(x - y) for x, y in places], [x * y for x, y in places]]
        numbers.append([x**y for x, y in places])
    found = set()
    for row, divisor in product(numbers, range(2, most + 1)):
        target = row[signs.index("✅")] % divisor
        filled = ["❌✅"[number % divisor == target] for number in row]
        if all(sign in ("❔", cell) for sign, cell in zip(signs, filled, strict=True)):
            rest = iter(filled)
            found.add("\n".join("".join(next(rest) for _ in line) for line in shown))
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_the_rule_in_the_question_has_one_filling(level: float | None) -> None:
    """Of all patterns with a divisor up to the stated bound, those that fit give the answer."""
    for entry in served(modulo_grid, "modulo_grid", level, 40):
        assert fillings(entry["question"]) == {entry["answer"]}
        assert entry["question"].rsplit("\n\n", 1)[1].count("✅") >= 2


def test_the_stated_bound_covers_the_divisors_of_the_settings() -> None:
    """Settings with greater divisors than usual raise the bound."""
    entry = made("modulo_grid", None, 1)[0]
    difficulty = {**entry["metadata"]["difficulty"], "divisor": 33}
    changed = modulo_grid({**entry, "metadata": {**entry["metadata"], "difficulty": difficulty}})
    assert changed is not None and "from 2 to 33:" in changed["question"]


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


def test_a_divisor_within_the_bound_leaves_a_hole_open() -> None:
    """If a grid hides the sums of 12, multiples of 12 up to 28 may be multiples of 24."""
    solution = ["".join("❌✅"[(x + y) % 12 == 0] for x in range(20)) for y in range(10)]
    shown = [
        "".join("❔" if x + y == 12 else cell for x, cell in enumerate(row))
        for y, row in enumerate(solution)
    ]
    assert is_determined(shown, solution, 20)
    assert not is_determined(shown, solution, 24)
