"""Each adapter gives recorded answers the scores that the environment gives them."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeEnv
from tests.support.trainers import Row, needs, recorded_rows, scores_by_adapter

ADAPTERS = ["trl", "verifiers", "inspect"]
SERVED = [*ADAPTERS, "verl", "skyrl", "openenv", "ray"]
"""Also those that have no double: a server or a cluster is too much for one."""


async def judged(env: Any, rows: list[tuple[str, int, str]]) -> tuple[list[Row], list[float]]:
    """Return recipes with completions, and the scores of the environment."""
    pairs: list[Row] = []
    scores: list[float] = []
    for (task, seed), group in groupby(rows, key=lambda row: row[:2]):
        item = await env.make_item(task, seed)
        texts = [text for *_, text in group]
        pairs += [(item.recipe, text) for text in texts]
        scores += await env.score_completions(item, texts)
    return pairs, scores


@pytest.mark.slow
@pytest.mark.parametrize("adapter", ADAPTERS)
async def test_a_sample_scores_as_in_the_environment(
    make_env: MakeEnv, tmp_path: Path, adapter: str
) -> None:
    """A hundred answers to some tasks, over doubles of the frameworks."""
    rows, scores = await judged(await make_env(), recorded_rows(tasks=6, rows=100))
    assert len(rows) >= 100 and {0.0, 1.0} <= set(scores)
    assert scores_by_adapter(adapter, rows, tmp_path, real=False) == scores


COMPLETIONS = {
    "I guess <answer>{}</answer> but wait": 0.0,
    "I guess <answer>{}</answer>": 0.0,
    "It is clear.</think><answer>{}</answer>": 1.0,
    "No <answer>zzz</answer>.</think> So <answer>{}</answer>": 1.0,
    "<think>It is.</think><answer>{}</answer>": 1.0,
    "</think>{}": 0.0,
}
"""Completions with the right answer, and their scores where the template opens the thinking."""


async def opened_rows(env: Any) -> list[Row]:
    """Return completions after a prompt that opens the thinking, to check by the environment."""
    item = await env.make_item("chain_sum", 3)
    rows: list[Row] = [(item.recipe, text.format(item.answer)) for text in COMPLETIONS]
    scores = await env.score_completions(item, [f"<think>\n{text}" for _, text in rows])
    assert scores == list(COMPLETIONS.values())
    return rows


@pytest.mark.parametrize(
    ("adapter", "real"),
    [
        *(pytest.param(name, False, marks=pytest.mark.slow) for name in ADAPTERS),
        *(pytest.param(name, True, marks=needs(name)) for name in [*ADAPTERS, "verl"]),
    ],
)
async def test_a_template_may_open_the_thinking(
    make_env: MakeEnv, tmp_path: Path, adapter: str, real: bool
) -> None:
    """Completions that never close it earn nothing, as in the environment."""
    rows = await opened_rows(await make_env())
    scores = scores_by_adapter(adapter, rows, tmp_path, real=real, opened=True)
    assert scores == list(COMPLETIONS.values())


@pytest.mark.parametrize("adapter", [pytest.param(name, marks=needs(name)) for name in SERVED])
async def test_all_recorded_answers_score_as_in_the_environment(
    make_env: MakeEnv, tmp_path: Path, adapter: str
) -> None:
    """More than 5,000 answers to all tasks, hostile ones among them, in the real frameworks."""
    rows, scores = await judged(await make_env(), recorded_rows())
    assert len(rows) > 5000 and {0.0, 1.0} <= set(scores)
    assert scores_by_adapter(adapter, rows, tmp_path, real=True) == scores
