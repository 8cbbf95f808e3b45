"""rgenv/atropos/wandb_logging.py: offline mode."""

import os
from pathlib import Path

import pytest

from demo.processes import free_port
from rgenv.atropos.wandb_logging import start
from tests.support.paths import ROOT
from tests.support.programs import run_python

PROGRAM = """
import asyncio
import wandb
from rgenv.atropos.wandb_logging import start
asyncio.run(start("a", {}))
wandb.finish()
"""


def run(folder: Path, **variables: str) -> str:
    """Return what the program prints, in a process without an account; wandb remembers its own."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("WANDB")}
    env |= {"NETRC": str(folder / "none"), "PYTHONPATH": str(ROOT), "WANDB_MODE": "online"}
    done = run_python("-c", PROGRAM, cwd=folder, env=env | variables)
    return done.stdout + done.stderr


def test_without_an_account_or_a_network_wandb_logs_offline(tmp_path: Path) -> None:
    """The warning says how to upload the run and how to turn wandb off, or names the server that
    does not take the account."""
    said = run(tmp_path)
    assert "No wandb account found: logging offline to ./wandb" in said
    assert "wandb sync" in said and "--env.use_wandb false" in said
    assert len([*tmp_path.glob("wandb/offline-run-*")]) == 1
    server = f"http://127.0.0.1:{free_port()}"
    said = run(tmp_path, WANDB_API_KEY="k" * 40, WANDB_BASE_URL=server)
    assert len([*tmp_path.glob("wandb/offline-run-*")]) == 2
    assert f"wandb can't be used (Failed to authenticate with {server}" in said


async def test_a_mode_that_somebody_chose_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wandb.login", None)
    monkeypatch.setenv("WANDB_MODE", "disabled")
    await start("a", {})
