"""Rules that fill a puzzle in one pass, or with half of its conditions in mind."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.records import RULES

SIGNS = "puzzle:\n\n_   _ < 3\n∨       \n1   3   _\n         \n_   2   _\n\nEnsure"
SURVO = "is:\n0 0 5\n0 4 5\n3 7 10\n use the numbers [3, 1, 2]."


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        (
            "futoshiki",
            SIGNS,
            "the first numbers that fit",
            "2   1 < 3\n∨       \n1   3   2\n         \n3   2   1",
        ),
        (
            "kakurasu",
            "[3, 3, 3]. Column sums: [1, 5, 6].",
            "row by row, smallest weight first, with the rest in mind",
            "1 1 0\n0 0 1\n0 0 1",
        ),
        (
            "kakurasu",
            "[1, 2, 3]. Column sums: [1, 2, 3].",
            "1 where it fits, from the lower right",
            "1 0 0\n0 1 0\n0 0 1",
        ),
        (
            "n_queens",
            "size 4 x 4\n_ Q _ _\n_ _ _ _\n_ _ _ _\n_ _ _ _",
            "from the upper left",
            "_ Q _ _\n_ _ _ Q\nQ _ _ _\n_ _ Q _",
        ),
        (
            "n_queens",
            "size 4 x 4\n_ Q _ _\n_ _ _ _\n_ _ _ _\n_ _ _ _",
            "the row with the fewest squares first",
            "_ Q _ _\n_ _ _ Q\nQ _ _ _\n_ _ Q _",
        ),
        ("survo", SURVO, "rows alone", "3 2 5\n1 4 5\n3 7 10"),
        ("survo", SURVO, "columns alone", "1 3 5\n2 4 5\n3 7 10"),
    ],
)
def test_rules_fill_blanks(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule goes on without a look at what it left out of mind."""
    assert RULES[task](question)[rule] == answer


@given(st.integers(2, 6).flatmap(lambda n: st.tuples(st.just(n), st.permutations(range(n)))))
def test_a_futoshiki_is_completed_to_a_latin_square(puzzle: tuple[int, Sequence[int]]) -> None:
    """Rows and columns hold each number once, and what was shown stays."""
    size, order = puzzle
    rows = [[str((order[y] + x) % size + 1) for x in range(size)] for y in range(size)]
    shown = [
        ["_" if (x + y + order[0]) % 3 else c for x, c in enumerate(r)] for y, r in enumerate(rows)
    ]
    text = f"\n{' ' * size}\n".join("   ".join(row) for row in shown)
    found = RULES["futoshiki"](f"puzzle:\n\n{text}\n\nEnsure")
    for answer in found.values():
        filled = [line.split() for line in answer.split("\n")[::2]]
        assert all(len(set(line)) == size for line in [*filled, *zip(*filled, strict=True)])
        assert all(
            c in ("_", d)
            for r, f in zip(shown, filled, strict=True)
            for c, d in zip(r, f, strict=True)
        )


@given(st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=3, max_size=3))
def test_rows_alone_have_their_sums(cells: list[list[int]]) -> None:
    """What is found with the sums of the rows in mind has these sums."""
    rows = [[*row, sum(row)] for row in cells]
    rows.append([sum(column) for column in zip(*rows, strict=True)])
    shown = [
        [0 if x == y else cell for x, cell in enumerate(row[:3])] + row[3:]
        for y, row in enumerate(rows[:3])
    ]
    text = "\n".join(" ".join(map(str, row)) for row in [*shown, rows[3]])
    numbers = [cells[i][i] for i in range(3)]
    for name, answer in RULES["survo"](f"is:\n{text}\nuse {numbers} once").items():
        filled = [[int(cell) for cell in line.split()] for line in answer.split("\n")]
        assert sorted(filled[i][i] for i in range(3)) == sorted(numbers)
        if name.startswith("rows alone"):
            assert all(sum(row[:-1]) == row[-1] for row in filled[:3])
