"""Families: what the symmetries of a task leave alone, and which families are held out."""

import random
import re
from collections.abc import Callable

import pytest

from rgenv.tasks.families import family, invariant
from rgenv.worker.problem_maker import ProblemMaker

MAKER = ProblemMaker()


def test_an_unknown_question_keeps_its_words_and_numbers() -> None:
    """Where the task's function can't read a question, order, case and spacing are ignored."""
    one, two, other = (
        invariant("maze", {"question": text})
        for text in ("Walk 3 or 40", "40 or 3  walk", "Walk 3 40")
    )
    assert one == two != other


# Symmetries, applied to real questions


def shuffled_numbers(question: str) -> str:
    head, _, numbers = question.partition(": ")
    listed = re.findall(r"\d+", numbers)
    random.Random(1).shuffle(listed)
    return f"{head}: {', '.join(listed)}"


def other_names(question: str) -> str:
    return re.sub(r"\b(?!How|All|The|She|He|With)[A-Z][a-z]+", "Kim", question)


def board(change: Callable[[list[list[str]]], list[list[str]]]) -> Callable[[str], str]:
    """Change the lines of a question that are rows of symbols."""

    def changed(question: str) -> str:
        lines = question.splitlines()
        places = [n for n, line in enumerate(lines) if re.fullmatch(r"\S( \S)+ *", line)]
        rows = change([lines[n].split() for n in places])
        return "\n".join([*lines[: places[0]], *map(" ".join, rows), *lines[places[-1] + 1 :]])

    return changed


def quarter(rows: list[list[str]]) -> list[list[str]]:
    return [list(row) for row in zip(*rows[::-1], strict=True)]


def mirror(rows: list[list[str]]) -> list[list[str]]:
    return [row[::-1] for row in rows]


def other_digits(rows: list[list[str]]) -> list[list[str]]:
    return [[cell.translate(str.maketrans("123456789", "987654321")) for cell in r] for r in rows]


def other_letters(question: str) -> str:
    head, _, tail = question.strip().rpartition("\n")
    return f"{head}\n{tail.translate(str.maketrans('abcdefghijklm', 'mlkjihgfedcba'))}"


def other_vertices(question: str) -> str:
    head, _, edges = question.partition("Edges:")
    return head + "Edges:" + re.sub(r"\((\d), (\d)\)", r"(1\2, 1\1)", edges)


@pytest.mark.parametrize(
    ("task", "change"),
    [
        ("lcm", shuffled_numbers),
        ("aiw", other_names),
        ("n_queens", board(quarter)),
        ("mini_sudoku", board(other_digits)),
        ("sudoku", board(quarter)),
        ("spiral_matrix", board(other_digits)),
        ("shortest_path", board(mirror)),
        ("isomorphic_strings", other_letters),
        ("graph_color", other_vertices),
        ("maze", str.upper),
    ],
)
def test_symmetries_keep_the_family(task: str, change: Callable[[str], str]) -> None:
    families = set()
    for entry in (MAKER.make(task, seed, {}).entry for seed in range(1, 6)):
        text = change(entry["question"])
        assert text != entry["question"]
        assert family(task, {**entry, "question": text}) == family(task, entry)
        families.add(family(task, entry))
    assert len(families) > 1
