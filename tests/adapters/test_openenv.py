"""rgenv/adapters/openenv.py: a server of OpenEnv, its typed client, and OpenEnv's own checks."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.polling import until
from tests.support.trainers import against, folder_of, run

CLIENT = """
import asyncio, json, sys
from rgenv.adapters.openenv import CompletionAction, ReasoningGymClient

async def main():
    async with ReasoningGymClient(base_url=sys.argv[1]) as client:
        asked = await client.reset(task="gcd", seed=7, level=0.5)
        again = await client.reset(recipe=asked.observation.recipe)
        wrong = await client.step(CompletionAction(text="<answer>0</answer>"))
        await client.reset()
        hostile = await client.step(CompletionAction(text="<answer>" + "(" * 10000 + "</answer>"))
        try:
            await client.reset(task="gdc")
        except RuntimeError as error:
            said = str(error)
        same = asked.observation == again.observation
        return [same, wrong.done, wrong.reward, hostile.reward, said]

async def crowd():
    async def one(seed):
        async with ReasoningGymClient(base_url=sys.argv[1]) as client:
            asked = await client.reset(task="chain_sum", seed=seed)
            question = asked.observation.messages[-1]["content"].split(": ")[1].split(" =")[0]
            done = await client.step(CompletionAction(text=f"<answer>{eval(question)}</answer>"))
            return done.reward
    return await asyncio.gather(*map(one, range(20)))

print(json.dumps([asyncio.run(main()), asyncio.run(crowd())]))
"""


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[str]:
    """The address of a server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    program = folder_of("openenv") / "bin" / "rgenv-openenv"
    with (tmp_path / "log").open("w") as log:
        serving = await asyncio.create_subprocess_exec(
            program, "--port", str(port), cwd=tmp_path, stderr=log, stdout=log
        )
    await until(lambda: "Uvicorn running" in (tmp_path / "log").read_text(), timeout=60)
    yield f"http://127.0.0.1:{port}"
    serving.terminate()
    await asyncio.wait_for(serving.wait(), 30)


@against("openenv")
def test_sessions_ask_and_score(server: str, tmp_path: Path) -> None:
    """Problems come again by recipe, mistakes are sentences, and sessions do not mix."""
    printed = run("openenv", "python", "-c", CLIENT, server, cwd=tmp_path)
    [same, done, wrong, hostile, said], crowd = json.loads(printed)
    assert same and done and wrong == hostile == 0.0
    assert "There is no task 'gdc'. Did you mean gcd" in said
    assert crowd == [1.0] * 20


@against("openenv")
def test_openenv_validates_server_and_folder(server: str, tmp_path: Path) -> None:
    """`openenv validate` passes on the running server, and on the folder once uv has locked it."""
    report = json.loads(run("openenv", "openenv", "validate", "--url", server, cwd=tmp_path))
    assert report["passed"] is True, report
    repository = tmp_path / "repository"
    shutil.copytree(ROOT / "deploy" / "openenv", repository / "deploy" / "openenv")
    for name in ("pyproject.toml", "docs/library.md", "LICENSE"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, repository / name)
    folder = repository / "deploy" / "openenv"
    run("openenv", "uv", "lock", "--project", folder, cwd=tmp_path)
    printed = run("openenv", "openenv", "validate", folder, "--json", cwd=tmp_path)
    assert json.loads(printed)["passed"] is True, printed
