"""rgenv/tasks/answers: a right answer scores 1.0 in any form, a wrong one in no form."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.tasks.answers import canonical, right_forms, wrong_forms
from rgenv.tasks.answers.kind import TEXT
from rgenv.tasks.registry import record_of
from rgenv.worker.levels import level_config
from rgenv.worker.operations import right_answer, score_answer
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.records import KINDS
from tests.tasks.answers.test_wrappers import WRAPPERS
from tests.worker.verifiers.conftest import guarded

__all__ = ["guarded"]

pytestmark = pytest.mark.usefixtures("guarded")

LEVELS = (None, 0.0, 0.5, 1.0)
SEEDS = range(500, 502)
PROBLEMS = ProblemMaker(strict=True)
PAYS_IN_PART = frozenset(
    """
    boxnet calendar_arithmetic emoji_mystery figlet_font futoshiki game_of_life knights_knaves
    letter_jumble mini_sudoku polynomial_equations sentence_reordering spell_backward sudoku
    word_sorting
    """.split()
)
"""Tasks that give credit to answers that are nearly right."""


def entries(task: str) -> Iterator[tuple[dict[str, Any], Any, Any, str]]:
    """Yield parameters, data set and entry of problems with a right answer, and that answer."""
    for level, seed in itertools.product(LEVELS, SEEDS):
        config = {} if level is None else level_config(task, level)
        entry = PROBLEMS.make(task, seed, config)
        if PROBLEMS.winnable(task, seed, config) and (right := right_answer(task, entry)):
            yield config, PROBLEMS.dataset(task, seed, config), entry, right


@pytest.mark.parametrize("task", sorted(KINDS))
def test_right_answers_are_paid_in_every_form_and_wrong_ones_in_none(task: str) -> None:
    """At the defaults and three levels. Only some tasks give credit to what is nearly right."""
    for config, dataset, entry, right in entries(task):

        def scored(text: str, dataset: Any = dataset, entry: Any = entry) -> float:
            reply = score_answer(
                lambda form: PROBLEMS.score(task, dataset, entry, form), task, text
            )
            return max(reply.get("raw") or 0.0, reply.get("tagged") or 0.0)

        forms = right_forms(KINDS[task], right, entry["question"])
        known = entry["answer"] == right
        wrapped = [one % right for one in WRAPPERS if known and "text" not in one]
        for text in [*forms.values(), *wrapped]:
            assert scored(text) == 1.0, (config, text)
        wrong = wrong_forms(KINDS[task], right, entry["question"], random.Random(0))
        for text in wrong.values():
            assert scored(text) < (0.5 if task in PAYS_IN_PART else 0.001), (config, text)


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
