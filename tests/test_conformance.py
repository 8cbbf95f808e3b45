"""Ordinary completions score as the reference implementation scored them.

The reference asks the library's own verifiers; ours differ from them on the tasks of VERIFIERS.
"""

import asyncio
import gzip
import hashlib
import json
from collections import defaultdict
from typing import Any

import pytest_asyncio

from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.answer_format import extract_answer
from rgenv.types import Verdict
from rgenv.worker.labels import CORRECTIONS
from rgenv.worker.protocol import WorkerSettings
from rgenv.worker.verifiers import VERIFIERS
from tests.support.paths import DATA

RECORDED = DATA / "conformance.jsonl.gz"

OURS_BY_DECISION = {"only_in_think", "unclosed_think", "empty"}
"""Kinds of completion that the reference accepted; they score 0 here."""

Row = dict[str, Any]
Replayed = list[tuple[Row, str | None, Verdict]]


def recorded() -> dict[tuple[str, int], list[Row]]:
    groups: dict[tuple[str, int], list[Row]] = defaultdict(list)
    with gzip.open(RECORDED, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            groups[row["task"], row["seed"]].append(row)
    return groups


async def replay(pool: WorkerPool, rows: list[Row]) -> Replayed:
    problem = await pool.make(rows[0]["task"], rows[0]["seed"])
    if hashlib.sha256(problem.question.encode()).hexdigest() != rows[0]["question_sha256"]:
        return []
    answers = [extract_answer(row["completion"]) for row in rows]
    verdicts = await pool.score(problem, answers)
    return list(zip(rows, answers, verdicts, strict=True))


async def replay_all(pool: WorkerPool) -> Replayed:
    groups = await asyncio.gather(*(replay(pool, rows) for rows in recorded().values()))
    return [result for group in groups for result in group]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def replayed() -> Replayed:
    """Every recorded completion with our answer and the library's verdict."""
    async with WorkerPool(workers=2, settings=WorkerSettings(strict=False)) as pool:
        return await replay_all(pool)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def strict(pool: WorkerPool) -> Replayed:
    """The same with the verdict of strict verifiers."""
    return await replay_all(pool)


def ordinary(replayed: Replayed) -> Replayed:
    return [
        (row, answer, verdict)
        for row, answer, verdict in replayed
        if row["kind"] not in OURS_BY_DECISION | {"uppercase_tags"} and answer != ""
    ]


async def test_the_recorded_prompts_are_made_again(replayed: Replayed) -> None:
    """All 315 recipes give the very prompt that was recorded, in any worker."""
    assert len(replayed) == 4095


async def test_ordinary_completions_score_exactly_as_recorded(replayed: Replayed) -> None:
    """100 % agreement of answer and score, outside the kinds that are ours by decision."""
    assert len(ordinary(replayed)) > 2790
    wrong = [
        (row["task"], row["seed"], row["kind"], row["score"], answer, verdict)
        for row, answer, verdict in ordinary(replayed)
        if answer != row["extracted"] or verdict.score != row["score"]
    ]
    assert wrong == []


async def test_strict_verifiers_change_nothing_else(strict: Replayed) -> None:
    """Full scores go only where the answer was prose, junk or another item's, nothing is paid
    more, and only tasks with a verifier or a mended label of ours differ at all."""
    differing = [
        (row["task"], row["kind"], row["score"], verdict.score)
        for row, _, verdict in ordinary(strict)
        if verdict.score != row["score"]
    ]
    assert {task for task, *_ in differing} <= set(VERIFIERS) | set(CORRECTIONS)
    judged = [changed for changed in differing if changed[0] not in CORRECTIONS]
    lost = {kind for _, kind, before, _ in judged if before == 1.0}
    assert {"prose_inside"} <= lost <= {"prose_inside", "junk", "other_answer"}
    assert [changed for changed in judged if changed[3] > changed[2]] == []
    assert len({task for task, *_ in judged}) > 30


async def test_empty_and_misplaced_answers_score_zero(replayed: Replayed) -> None:
    """Only inside thinking, thinking never closed, or empty: nothing is earned."""
    for row, answer, verdict in replayed:
        if row["kind"] in OURS_BY_DECISION or answer == "":
            assert (verdict.score, verdict.kind) == (0.0, "no_answer"), row


async def test_tags_in_capitals_score_like_tags_in_small_letters(replayed: Replayed) -> None:
    """The same answer gets the same score however its tags are written."""
    scores: dict[tuple[str, int], dict[str, float]] = defaultdict(dict)
    for row, _, verdict in replayed:
        scores[row["task"], row["seed"]][row["kind"]] = verdict.score
    for problem, by_kind in scores.items():
        assert by_kind["uppercase_tags"] == by_kind["think_then_answer"], problem
