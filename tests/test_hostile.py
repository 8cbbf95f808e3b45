"""Hostile answers through the real pool: nothing runs, nothing hangs, honest answers still score.

The answers are those of data/hostile.jsonl, all of them over every task.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest
import pytest_asyncio

from rgenv.pool.pool import MAX_ANSWER_BYTES, WorkerPool
from rgenv.tasks import KNOWN_TASKS
from rgenv.types import KINDS, Verdict
from tests.support.paths import DATA

HOSTILE = DATA / "hostile.jsonl"
DANGEROUS = [
    "binary_matrix",
    "n_queens",
    "spiral_matrix",
    "string_insertion",
    "countdown",
    "puzzle24",
    "polynomial_multiplication",
    "simple_integration",
    "intermediate_integration",
    "propositional_logic",
    "rubiks_cube",
    "rush_hour",
    "prime_factorization",
]
TASKS = sorted(set(KNOWN_TASKS) - {"composite"})
GROUP = 16


def hostile_answers(marker: Path) -> list[str]:
    """All texts, `marker` filled in, parts joined; long ones also cut to under the limit."""
    answers = []
    for line in HOSTILE.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        parts = entry.get("parts") or [[entry["answer"], 1]]
        answers.append("".join(text * times for text, times in parts))
        if len(answers[-1]) > MAX_ANSWER_BYTES:
            answers.append(
                "".join(t * (times * 5000 // len(answers[-1]) + 1) for t, times in parts)
            )
    return [answer.replace("{marker}", str(marker)) for answer in answers]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded() -> AsyncIterator[WorkerPool]:
    """A pool of its own: these tests may cost it workers."""
    async with WorkerPool(workers=2) as pool:
        yield pool


async def attack(pool: WorkerPool, task: str, answers: Iterable[str]) -> list[Verdict]:
    problem = await pool.make(task, 1)
    answers = list(answers)
    groups = [answers[i : i + GROUP] for i in range(0, len(answers), GROUP)]
    verdicts = await asyncio.gather(*(pool.score(problem, group) for group in groups))
    if problem.answer:
        [honest] = await pool.score(problem, [problem.answer])
        assert (honest.score, honest.kind) == (1.0, "scored"), task
    return [verdict for group in verdicts for verdict in group]


def check(task: str, verdicts: list[Verdict], marker: Path) -> None:
    assert not marker.exists(), f"{task} ran an answer"
    for verdict in verdicts:
        assert type(verdict.score) is float and 0.0 <= verdict.score <= 1.0
        assert verdict.kind in KINDS


@pytest.mark.parametrize("task", TASKS)
async def test_every_verifier_meets_every_hostile_answer(
    guarded: WorkerPool, tmp_path: Path, task: str
) -> None:
    """No trace of execution, finite scores in range, and honest answers score as before."""
    marker = tmp_path / "marker"
    check(task, await attack(guarded, task, hostile_answers(marker)), marker)


@pytest.mark.parametrize("task", DANGEROUS)
async def test_no_hostile_answer_costs_a_worker(guarded: WorkerPool, task: str) -> None:
    """Even on the tasks that execute or hang, what is hostile is turned away before it can."""
    verdicts = await attack(guarded, task, hostile_answers(Path("/nowhere/marker")))
    assert [v for v in verdicts if v.kind in ("timeout", "crashed")] == []
