"""Hostile answers in a real pool: none is executed, none hangs, reference answers still score 1.0.

Every answer of data/hostile.jsonl is scored on every task.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from rgenv.pool.pool import MAX_ANSWER_BYTES, WorkerPool
from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.types import KINDS, Verdict
from tests.support.paths import DATA
from tests.support.recordings import compare

pytestmark = pytest.mark.slow

HOSTILE = DATA / "hostile.jsonl"
DANGEROUS = """
binary_matrix countdown intermediate_integration n_queens polynomial_multiplication
prime_factorization propositional_logic puzzle24 rubiks_cube rush_hour simple_integration
spiral_matrix string_insertion
""".split()
"""Tasks whose verifiers in the library execute an answer or hang on one."""
TASKS = sorted(set(KNOWN_TASKS) - {COMPOSITE})
GROUP_SIZE = 16


def hostile_answers(marker: Path) -> list[str]:
    """Return the hostile answers, and shorter versions of those over the pool's limit."""
    answers = []
    for line in HOSTILE.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        parts = entry.get("parts") or [[entry["answer"], 1]]  # text and repetitions
        answers.append("".join(text * times for text, times in parts))
        if len(answers[-1]) > MAX_ANSWER_BYTES:
            answers.append(
                "".join(t * (times * 5000 // len(answers[-1]) + 1) for t, times in parts)
            )
    return [answer.replace("{marker}", str(marker)) for answer in answers]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded() -> AsyncIterator[WorkerPool]:
    """A pool for this module alone, because hostile answers may kill its workers."""
    async with WorkerPool(workers=2) as pool:
        yield pool


async def attack(pool: WorkerPool, task: str, answers: Sequence[str]) -> list[Verdict]:
    """Score `answers`, and check that the reference answer still scores 1.0 afterwards."""
    problem = await pool.make(task, 1)
    groups = [answers[i : i + GROUP_SIZE] for i in range(0, len(answers), GROUP_SIZE)]
    verdicts = await asyncio.gather(*(pool.score(problem, group) for group in groups))
    if problem.answer:
        [honest] = await pool.score(problem, [problem.answer])
        assert (honest.score, honest.kind) == (1.0, "scored"), task
    return [verdict for group in verdicts for verdict in group]


@pytest.mark.parametrize("task", TASKS)
async def test_every_verifier_meets_every_hostile_answer(
    guarded: WorkerPool, tmp_path: Path, task: str
) -> None:
    marker = tmp_path / "marker"
    verdicts = await attack(guarded, task, hostile_answers(marker))
    assert not marker.exists(), f"{task} executed an answer"
    for verdict in verdicts:
        assert type(verdict.score) is float and 0.0 <= verdict.score <= 1.0
        assert verdict.kind in KINDS
        assert task not in DANGEROUS or verdict.kind not in ("timeout", "crashed")
    compare(f"hostile: {task}", [verdict.score for verdict in verdicts])
