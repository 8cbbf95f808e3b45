"""Fixtures for tests of the class: a fake rollout API, and attempts that follow at once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from atroposlib.envs.base import BaseEnv
from atroposlib.envs.server_handling.server_baseline import APIServer
from tenacity import wait_none

from rgenv.runtime import backoff
from tests.support.fakes import RolloutApi


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the pauses between attempts, ours and Atropos' alike."""
    monkeypatch.setattr(backoff, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(backoff, "LONGEST_PAUSE", 0.01)
    for owner in (APIServer, BaseEnv):
        for method in vars(owner).values():
            if hasattr(method, "retry"):
                monkeypatch.setattr(method.retry, "wait", wait_none())


@pytest_asyncio.fixture(loop_scope="session")
async def api(tmp_path: Path) -> AsyncIterator[RolloutApi]:
    """A fake rollout API on a free port, whose trainer has a checkpoint folder."""
    async with RolloutApi() as api:
        api.registration["checkpoint_dir"] = str(tmp_path / "checkpoints")
        yield api
