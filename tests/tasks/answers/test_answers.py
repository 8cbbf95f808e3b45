"""rgenv/tasks/answers: a right answer scores 1.0 in any form, a wrong one in no form."""

from __future__ import annotations

import time

import pytest

from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.tasks.answers import canonical
from rgenv.tasks.answers.kind import TEXT
from rgenv.tasks.registry import record_of
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.records import KINDS

PROBLEMS = ProblemMaker(strict=True)


HOSTILE = [
    piece * (size // len(piece))
    for size in (1_400, 16_000, 100_000)
    for piece in (
        "9",
        "1,",
        "1 ",
        "x",
        "-",
        "(",
        "1e",
        "{",
        "\\",
        "٣",
        "a ",
        "0",
        "9.",
        "×",
        "2^9×",
    )
]


@pytest.mark.parametrize("task", sorted(KINDS))
def test_long_texts_are_read_quickly(task: str) -> None:
    """Long texts, up to 100 kB, are read in milliseconds each, whatever they hold."""
    entry = PROBLEMS.make(task, 500, {})
    started = time.process_time()
    for text in HOSTILE:
        canonical(KINDS[task], f"1{text}1", entry)
    assert time.process_time() - started < 0.05 * len(HOSTILE)


def test_every_task_has_a_kind() -> None:
    """Every task but composite, which is made of other tasks."""
    assert set(KINDS) == set(KNOWN_TASKS) - {COMPOSITE}
    assert record_of(COMPOSITE).answer is TEXT
