"""rgenv/atropos/wandb_logging.py: offline mode, tables and metrics of wandb."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from demo.processes import free_port
from rgenv.atropos import wandb_logging
from rgenv.atropos.wandb_logging import prefer_offline
from tests.support.paths import ROOT
from tests.support.programs import run_python


@pytest.fixture
def no_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WANDB_API_KEY", "WANDB_MODE", "WANDB_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "no-netrc"))
    monkeypatch.setenv("WANDB_MODE", "")  # restored after the test, which sets it


@pytest.fixture
def account(no_account: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """An API key, and a server that nobody runs."""
    monkeypatch.setenv("WANDB_API_KEY", "k" * 40)
    monkeypatch.setenv("WANDB_BASE_URL", f"http://127.0.0.1:{free_port()}")


@pytest.mark.usefixtures("no_account")
async def test_without_an_account_wandb_logs_offline(caplog: pytest.LogCaptureFixture) -> None:
    """The warning says how to upload the run and how to turn wandb off."""
    await prefer_offline(True)
    assert os.environ["WANDB_MODE"] == "offline"
    assert "wandb sync" in caplog.text and "--env.use_wandb false" in caplog.text


@pytest.mark.usefixtures("no_account")
@pytest.mark.parametrize(
    ("server", "answers"),
    [
        ("https://api.wandb.ai", True),
        ("https://api.forge.coreweave.com", True),  # where wandb 0.31 finds earlier accounts
        ("https://wandb.example", False),
        ("http://[", False),  # wandb says what is wrong
    ],
)
async def test_an_entry_in_netrc_is_an_account(
    server: str, answers: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of another host is none."""

    async def answered(url: str) -> bool:
        return True

    (tmp_path / "no-netrc").write_text("machine api.wandb.ai login user password key")
    monkeypatch.setattr(wandb_logging, "_answers", answered)
    monkeypatch.setenv("WANDB_BASE_URL", server)
    await prefer_offline(True)
    assert (os.environ["WANDB_MODE"] != "offline") == answers


@pytest.mark.usefixtures("account")
async def test_without_a_network_wandb_logs_offline(caplog: pytest.LogCaptureFixture) -> None:
    """An account whose server does not answer gives one warning, which names the server."""
    await prefer_offline(True)
    assert os.environ["WANDB_MODE"] == "offline"
    assert caplog.text.count(f"server {os.environ['WANDB_BASE_URL']} does not answer") == 1
    assert "wandb sync" in caplog.text


@pytest.mark.usefixtures("account")
async def test_a_network_that_swallows_requests_costs_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A server that takes connections and never answers counts as none."""
    monkeypatch.setattr(wandb_logging, "ANSWER_SECONDS", 0.5)
    silent = await asyncio.start_server(lambda reader, writer: asyncio.sleep(60), "127.0.0.1", 0)
    port = silent.sockets[0].getsockname()[1]
    monkeypatch.setenv("WANDB_BASE_URL", f"http://127.0.0.1:{port}")
    began = time.monotonic()
    await prefer_offline(True)
    assert os.environ["WANDB_MODE"] == "offline" and time.monotonic() - began < 30
    silent.close()


STARTS_A_RUN = """
import logging
from rgenv.atropos import wandb_logging
logging.basicConfig(level=logging.INFO)
wandb_logging.START_SECONDS = 3.0
wandb_logging.start("n", {}, project="p")
wandb_logging.wandb.log({"a": 1}, step=1)
wandb_logging.finish()
"""


@pytest.mark.soak
async def test_a_run_that_cannot_start_is_logged_offline(tmp_path: Path) -> None:
    """A server that answers but fails gives one line instead of a traceback."""

    async def refuse(_request: web.Request) -> web.Response:
        return web.json_response({"errors": [{"message": "no"}]}, status=401)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", refuse)
    async with TestServer(app) as server:
        url = str(server.make_url("")).rstrip("/")
        variables = {"WANDB_MODE": "online", "WANDB_API_KEY": "k" * 40, "WANDB_BASE_URL": url}
        env = os.environ | variables | {"PYTHONPATH": str(ROOT)}
        done = await asyncio.to_thread(run_python, "-c", STARTS_A_RUN, cwd=tmp_path, env=env)
    printed = done.stdout + done.stderr
    assert printed.count("logging offline to ./wandb") == 1 and "Traceback" not in printed
    assert list(tmp_path.glob("wandb/offline-run-*"))
