"""The minimal trainer as a program."""

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web

from demo import train
from demo.http_server import start_server
from demo.processes import free_port
from tests.demo.test_trainer import group

Serve = Callable[..., Any]


@pytest_asyncio.fixture
async def serve() -> AsyncIterator[Serve]:
    """Start a rollout API that hands out the same batch again and again; return its URL."""
    started = []

    async def start(batch: list[dict[str, Any]], port: int = 0) -> str:
        async def answer(request: web.Request) -> web.Response:
            return web.json_response({"uuid": 1, "batch": batch})

        app = web.Application()
        app.router.add_route("*", "/{path:.*}", answer)
        started.append(await start_server(app, port=port))
        return f"http://127.0.0.1:{started[-1].port}"

    yield start
    for server in started:
        await server.close()


async def run(url: str, folder: Path, *words: str) -> int:
    """Run the program in a thread, with batches of two rollouts."""
    line = [f"--url={url}", f"--checkpoint-dir={folder}", "--batch-size=2", "--batches=3", *words]
    return await asyncio.to_thread(train.main, line)


async def test_batches_are_counted(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program ends after the last batch and says how many groups came."""
    assert await run(await serve([group()]), tmp_path) == 0
    said = capsys.readouterr()
    assert said.out.endswith("3 batches, 3 groups, nothing wrong with any of them\n")
    assert "Training: 3/3 batches, 3 groups, mean score 0.50" in said.err


async def test_a_broken_group_fails_the_run(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 1, and each problem is named."""
    assert await run(await serve([group(scores=[2.0, 0.0])]), tmp_path) == 1
    assert "batch 1, group 1: score 2.0 is not between 0 and 1" in capsys.readouterr().err


async def test_without_a_rollout_api_the_run_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code is 1, and the sentence has the address and the remedy."""
    monkeypatch.setattr(train, "API_SECONDS", 0.1)
    url = f"http://127.0.0.1:{free_port()}"
    assert await run(url, tmp_path) == 1
    assert f"Failed: no rollout API answers at {url}: start it with" in capsys.readouterr().err


async def test_a_rollout_api_that_is_starting_is_waited_for(serve: Serve, tmp_path: Path) -> None:
    """Who opens four terminals starts the trainer while the API is still loading."""
    port = free_port()
    running = asyncio.create_task(run(f"http://127.0.0.1:{port}", tmp_path))
    await asyncio.sleep(0.2)
    await serve([group()], port)
    assert await running == 0


async def test_a_wait_is_not_silent(
    serve: Serve,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """While no batch comes, the display says so."""
    monkeypatch.setattr(train, "WAIT_SECONDS", 0.0)
    monkeypatch.setattr("rgenv.runtime.progress.LINE_SECONDS", 0.0)
    batch: list[dict[str, Any]] = []
    running = asyncio.create_task(run(await serve(batch), tmp_path))
    async with asyncio.timeout(300):
        while "Training: 0/3 batches, waiting for a batch" not in capsys.readouterr().err:
            await asyncio.sleep(0.1)
    batch.append(group())
    assert await running == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--url", "localhost:8000"], "'localhost:8000' is no address: write http://HOST:PORT"),
        (["--batches", "0"], "must be at least 1"),
        (["--batches", "many"], "'many' is no integer"),
        (["--checkpoint-dir", __file__], "is a file, not a folder"),
    ],
)
def test_a_bad_command_line(
    words: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 2, and the message says what is wrong with the option."""
    with pytest.raises(SystemExit) as ended:
        train.main(words)
    assert ended.value.code == 2 and reason in capsys.readouterr().err
