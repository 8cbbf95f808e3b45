"""Helpers for tests of the learning example: a tiny vocabulary, groups from a model, a server."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from examples.learn import server as serving
from examples.learn.sampler import Request, sample

torch.set_num_threads(1)  # a second thread does not help with tiny tensors
VOCABULARY, END = 50, 3


def group_of(model: Any, scores: list[float], **changes: Any) -> dict[str, Any]:
    """Sample a group from the model and return it as the rollout API sends it."""
    torch.manual_seed(len(scores))
    prompt = [5, 6, 7]
    completions = sample(model, [Request(tuple(prompt), 6)] * len(scores), END)
    return {
        "tokens": [prompt + one.token_ids for one in completions],
        "masks": [[-100] * 3 + one.token_ids for one in completions],
        "scores": scores,
        "inference_logprobs": [[1.0] * 3 + one.logprobs for one in completions],
        "overrides": [{} for _ in completions],
        "group_overrides": {
            "task": "gcd",
            "level": 0.3,
            "kinds": ["scored"] * len(scores),
            "finish_reasons": ["stop"] * len(scores),
        },
    } | changes


@contextlib.asynccontextmanager
async def serving_model(model: Any, end: int) -> AsyncIterator[str]:
    """Yield the address of a server in this process."""
    server, sampling = await serving.start(model, end)
    task = asyncio.create_task(sampling)
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        await server.close()
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
