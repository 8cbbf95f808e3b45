"""Ordinary completions get the scores that the reference implementation gave them.

The recorded scores are those of the library's verifiers. Strict verifiers may differ on the tasks
of VERIFIERS and CORRECTIONS, and only there.
"""

import asyncio
import gzip
import hashlib
import json
from collections import defaultdict
from typing import Any

import pytest
import pytest_asyncio

from rgenv.dialogue.reading import READING
from rgenv.pool.pool import WorkerPool
from rgenv.types import Verdict
from rgenv.worker.protocol import WorkerSettings
from tests.support.paths import DATA
from tests.support.recordings import compare
from tests.support.records import CORRECTIONS, VERIFIERS

pytestmark = pytest.mark.slow

RECORDED = DATA / "conformance.jsonl.gz"

SCORED_0_BY_DESIGN = {"only_in_think", "unclosed_think", "empty"}
"""Kinds of completions that the reference implementation accepted and that score 0 here."""

Row = dict[str, Any]
"""One recorded completion; tests/data/README.md describes its keys."""
Replayed = list[tuple[Row, str | None, Verdict]]
"""Recorded completions, each with the answer that is extracted now and its verdict."""


def recorded() -> dict[tuple[str, int], list[Row]]:
    """Return the recorded completions of each problem, by task and seed."""
    groups: dict[tuple[str, int], list[Row]] = defaultdict(list)
    with gzip.open(RECORDED, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            groups[row["task"], row["seed"]].append(row)
    return groups


async def replay(pool: WorkerPool, rows: list[Row]) -> Replayed:
    """Score the completions of one problem; rows get `again`: its question is the recorded one."""
    problem = await pool.make(rows[0]["task"], rows[0]["seed"])
    digest = hashlib.sha256(problem.question.encode()).hexdigest()
    rows = [row | {"again": digest == row["question_sha256"]} for row in rows]
    answers = [READING.answer(row["completion"]) for row in rows]
    verdicts = await pool.score(problem, answers)
    return list(zip(rows, answers, verdicts, strict=True))


async def replay_all(pool: WorkerPool) -> Replayed:
    groups = await asyncio.gather(*(replay(pool, rows) for rows in recorded().values()))
    return [result for group in groups for result in group]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def replayed() -> Replayed:
    """Every recorded completion, scored by the library's verifiers."""
    async with WorkerPool(workers=2, settings=WorkerSettings(strict=False)) as pool:
        return await replay_all(pool)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def strict(pool: WorkerPool) -> Replayed:
    """Every recorded completion, scored by strict verifiers."""
    return await replay_all(pool)


def ordinary(replayed: Replayed) -> Replayed:
    """Return the completions that must score as recorded."""
    return [
        (row, answer, verdict)
        for row, answer, verdict in replayed
        if row["again"]
        and row["kind"] not in SCORED_0_BY_DESIGN | {"uppercase_tags"}
        and answer != ""
    ]


async def test_the_recorded_prompts_are_made_again(replayed: Replayed) -> None:
    assert len(replayed) == 4095 and all(row["again"] for row, *_ in replayed)


async def test_ordinary_completions_score_exactly_as_recorded(replayed: Replayed) -> None:
    assert len(ordinary(replayed)) > 2790
    wrong = [
        (row["task"], row["seed"], row["kind"], row["score"], answer, verdict)
        for row, answer, verdict in ordinary(replayed)
        if answer != row["extracted"] or verdict.score != row["score"]
    ]
    assert wrong == []


async def test_each_verdict_is_the_recorded_one(replayed: Replayed, strict: Replayed) -> None:
    for is_strict, rows in ((False, replayed), (True, strict)):
        lines = [f"{row['task']} {row['seed']} {v.kind} {v.score!r}" for row, _, v in rows]
        compare(f"conformance, strict {is_strict}", lines)


async def test_strict_verifiers_change_nothing_else(strict: Replayed) -> None:
    differing = [
        (row["task"], row["kind"], row["score"], verdict.score)
        for row, _, verdict in ordinary(strict)
        if verdict.score != row["score"]
    ]
    assert {task for task, *_ in differing} <= VERIFIERS | set(CORRECTIONS)
    judged = [changed for changed in differing if changed[0] not in CORRECTIONS]
    lost = {kind for _, kind, before, _ in judged if before == 1.0}
    assert {"prose_inside"} <= lost <= {"prose_inside", "junk", "other_answer"}
    raised = [changed for changed in judged if changed[3] > changed[2]]
    assert {(task, after) for task, _, _, after in raised} <= {("graph_color", 1.0)}
    assert len({task for task, *_ in judged}) > 20
