"""rgenv/worker: an answer of several parts scores the same in each of its forms."""

from __future__ import annotations

import functools
import json
import re
import time
import timeit
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from rgenv.tasks.answers import canonical
from rgenv.tasks.answers.lists import MAX_TEXT
from rgenv.worker.operations import right_answer
from tests.support.entries import made, scored
from tests.support.records import KINDS
from tests.support.written_forms import (
    Forms,
    grid_forms,
    list_forms,
    mapping_forms,
    spaced_forms,
)

pytestmark = pytest.mark.usefixtures("guarded")


class Layout(NamedTuple):
    """How the answers of a task are made of parts.

    Attributes:
        parts: takes an answer, as the library writes it, apart.
        join: puts the parts together again.
        forms: writes the parts in other forms.
    """

    parts: Callable[[str], list[Any]]
    join: Callable[[list[Any]], str]
    forms: Callable[[list[Any]], Forms]


def separated(separator: str) -> Layout:
    return Layout(lambda text: text.split(separator), separator.join, spaced_forms)


def rows(compact: bool) -> Layout:
    return Layout(
        lambda text: [line.split() for line in text.splitlines()],
        lambda parts: "\n".join(map(" ".join, parts)),
        lambda parts: grid_forms(parts, compact),
    )


def of_json(forms: Callable[[list[Any]], Forms]) -> Layout:
    return Layout(json.loads, json.dumps, forms)


def role_pairs(text: str) -> list[Any]:
    return re.findall(r"(\w+) is an? (\w+)", text)


LAYOUTS = {
    **dict.fromkeys("ab arc_1d path_star rush_hour spiral_matrix".split(), separated(" ")),
    **dict.fromkeys("string_splitting string_synthesis rubiks_cube".split(), separated(" ")),
    **dict.fromkeys("word_sequence_reversal word_sorting".split(), separated(", ")),
    **dict.fromkeys("arc_agi rearc kakurasu mini_sudoku sudoku n_queens".split(), rows(True)),
    **dict.fromkeys("binary_matrix manipulate_matrix pool_matrix survo".split(), rows(False)),
    **dict.fromkeys(
        ["number_filtering", "number_sorting"],
        Layout(lambda text: re.findall(r"[\d.-]+", text), str, spaced_forms),
    ),
    "cryptarithm": Layout(
        lambda text: [pair.split("=") for pair in text.split(",")],
        lambda parts: ",".join(map("=".join, parts)),
        mapping_forms,
    ),
    "futoshiki": Layout(
        lambda text: [re.findall(r"\d", row) for row in text.splitlines() if row.strip("∧∨ ")],
        lambda parts: "\n".join(map(" ".join, parts)),
        lambda parts: grid_forms(parts, compact=True),
    ),
    "game_of_life": of_json(
        lambda parts: grid_forms([list(map(str, row)) for row in parts], compact=True)
    ),
    "graph_color": Layout(
        lambda text: list(json.loads(text).items()),
        lambda parts: json.dumps(dict(parts)),
        mapping_forms,
    ),
    "group_anagrams": of_json(lambda parts: {**grid_forms(parts), "reversed": str(parts[::-1])}),
    "jugs": of_json(list_forms),
    "knights_knaves": Layout(
        role_pairs,
        lambda parts: ", and ".join(f"{name} is a {role}" for name, role in parts) + ".",
        mapping_forms,
    ),
    "list_functions": Layout(
        lambda text: text.strip("[]").split(", "),
        lambda parts: f"[{', '.join(parts)}]",
        spaced_forms,
    ),
    "modulo_grid": Layout(
        lambda text: [list(row) for row in text.splitlines()],
        lambda parts: "\n".join(map("".join, parts)),
        lambda parts: grid_forms(parts, compact=True),
    ),
    "palindrome_partitioning": of_json(grid_forms),
    "quantum_lock": separated(" → "),
    "rotate_matrix": rows(True),
    "shortest_path": separated(" "),
    "sokoban": Layout(list, "".join, spaced_forms),
    "tower_of_hanoi": Layout(str.splitlines, "\n".join, list_forms),
    "word_ladder": separated(","),
}
SEEDS = 2


def examples(task: str) -> list[tuple[int, float | None, str]]:
    """Return seeds and levels of entries with a right answer, each with that answer."""
    found = []
    for level in (None, 0.0, 1.0):
        for seed in range(SEEDS):
            _, entry = made(task, seed, level)
            solved = right_answer(task, entry) if task == "rush_hour" else None
            answer = solved or right_answer(task, entry)
            if answer and answer != "infeasible" and scored(task, answer, seed, level) == 1.0:
                found.append((seed, level, answer))
    return found


def changed(parts: list[Any]) -> list[Any]:
    """Return parts with one of them replaced by another, or as they are if all are equal."""
    if isinstance(parts[0], list) and len(parts[0]) > 1 and not isinstance(parts[0][0], tuple):
        return [changed(parts[0]), *parts[1:]]
    if isinstance(parts[0], tuple):
        other = next((value for _, value in parts if value != parts[0][1]), parts[0][1])
        return [(parts[0][0], other), *parts[1:]]
    other = next((part for part in parts if part != parts[0]), parts[0])
    return [other, *parts[1:]]


@pytest.mark.parametrize("task", sorted(LAYOUTS))
def test_a_right_answer_is_right_in_every_form(task: str) -> None:
    """Brackets, quotes, separators, lines, numbers and bullets do not change the score."""
    layout = LAYOUTS[task]
    found = examples(task)
    assert found
    for seed, level, answer in found:
        for name, text in layout.forms(layout.parts(answer)).items():
            assert scored(task, text, seed, level) == 1.0, (name, seed, level, text)


@pytest.mark.parametrize("task", sorted(LAYOUTS))
def test_another_value_scores_the_same_in_every_form(task: str) -> None:
    """With one part replaced, each form scores what the library's form of that value scores."""
    layout = LAYOUTS[task]
    for seed, level, answer in examples(task):
        parts = changed(layout.parts(answer))
        score = scored(task, layout.join(parts), seed, level)
        for name, text in layout.forms(parts).items():
            assert scored(task, text, seed, level) == score, (name, seed, level, text)


NOT_ONE_VALUE = [
    ("cryptarithm", "{0},{1}"),
    ("graph_color", "{0}, {0}"),
    ("knights_knaves", "{0} {0}"),
    ("palindrome_partitioning", "{0}\n{0}"),
    ("word_sorting", "{0} or {0}"),
    ("sudoku", "{0}\n\n{0}"),
    ("jugs", "I think: {0}"),
    ("rubiks_cube", "{0} r2d2"),
    ("tower_of_hanoi", "{0}\nThat is all."),
]


@pytest.mark.parametrize(("task", "form"), NOT_ONE_VALUE)
def test_repetitions_and_prose_score_nothing(task: str, form: str) -> None:
    """A right answer that is repeated, or has words around it, is no answer."""
    for seed, level, answer in examples(task):
        first = answer.split(",")[0]
        assert scored(task, form.format(answer, first), seed, level) == 0.0


HOSTILE = ["1 ", "1,", "+1.5 ", "[1],", "'1',", "* a\n", "1. a\n", "A=1 ", "A is ", "✅", "\\", "["]
SLOWEST = """
    boxnet cryptarithm futoshiki group_anagrams jugs knight_swap number_sorting pool_matrix
    rubiks_cube spiral_matrix sudoku word_sorting
""".split()
"""At least one task of each way to read an answer."""


@pytest.mark.parametrize("task", SLOWEST)
def test_the_longest_texts_that_are_read_take_milliseconds(task: str) -> None:
    """A text of the greatest length that is read takes tens of milliseconds, not seconds.

    The faster of two counts, because collecting garbage takes longer than reading.
    """
    _, entry = made(task, 0)
    for piece in HOSTILE:
        text = piece * ((MAX_TEXT - 10) // len(piece))
        for form in (text, f"[{text}]"):
            call = functools.partial(canonical, KINDS[task], form, entry)
            times = timeit.repeat(call, timer=time.process_time, number=1, repeat=2)
            assert min(times) < 0.25, piece
