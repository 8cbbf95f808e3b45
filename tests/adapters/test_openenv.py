"""rgenv/adapters/openenv.py: a server of OpenEnv, its typed client, and OpenEnv's own checks."""

import asyncio
import json
import shutil
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.error import HTTPError

import pytest

from demo.processes import free_port
from tests.support.paths import ROOT
from tests.support.polling import until
from tests.support.trainers import against, installed, run, wheel

CLIENT = """
import asyncio, json, sys
from rgenv.adapters.openenv import CompletionAction, ReasoningGymClient

async def main():
    async with ReasoningGymClient(base_url=sys.argv[1]) as client:
        asked = await client.reset(task="gcd", seed=7, level=0.5)
        again = await client.reset(recipe=asked.observation.recipe)
        done = await client.step(CompletionAction(text="<answer>" + "(" * 10000 + "</answer>"))
        try:
            await client.reset(task="gdc")
        except RuntimeError as error:
            return [asked.observation == again.observation, done.done, done.reward, str(error)]

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

MISTAKES = {
    "There is no task 'gdc'. Did you mean gcd": {"task": "gdc"},
    "reset has no argument 'lvl'. Did you mean level?": {"task": "gcd", "lvl": 0.5},
    "level is 7: write a number from 0 to 1": {"task": "gcd", "level": 7},
    "{'task': 'gcd'} is not a recipe: write ": {"recipe": {"task": "gcd"}},
    "unexpected keyword argument 'sizes'": {
        "recipe": {"task": "gcd", "seed": 1, "config": {"sizes": 1}}
    },
}
"""What the server says -> the arguments of reset."""


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[str]:
    """The address of a server."""
    port, program, log = free_port(), installed("openenv") / "rgenv-openenv", tmp_path / "log"
    with log.open("w") as file:
        server = await asyncio.create_subprocess_exec(
            program, "--port", str(port), cwd=tmp_path, stderr=file, stdout=file
        )
    await until(lambda: "Uvicorn running" in log.read_text())
    yield f"http://127.0.0.1:{port}"
    server.terminate()
    await asyncio.wait_for(server.wait(), 30)


@against("openenv")
def test_sessions_ask_and_score(server: str, tmp_path: Path) -> None:
    """Problems come again by recipe, mistakes are sentences, and sessions do not mix."""
    printed = run("openenv", "python", "-c", CLIENT, server, cwd=tmp_path)
    [same, done, hostile, said], crowd = json.loads(printed)
    assert same and done and hostile == 0.0 and "Did you mean gcd" in said
    assert crowd == [1.0] * 20
    for sentence, words in MISTAKES.items():
        headers = {"Content-Type": "application/json"}
        plain = urllib.request.Request(f"{server}/reset", json.dumps(words).encode(), headers)
        with pytest.raises(HTTPError) as refused:
            urllib.request.urlopen(plain)
        assert refused.value.code == 422
        assert sentence in json.load(refused.value)["detail"]


@against("openenv")
def test_openenv_validates_server_and_folder(server: str, tmp_path: Path) -> None:
    printed = run("openenv", "openenv", "validate", "--url", server, "--json", cwd=tmp_path)
    assert json.loads(printed)["passed"] is True, printed
    folder = tmp_path / "pushed"
    shutil.copytree(ROOT / "deploy" / "openenv", folder)
    shutil.copy(wheel(), folder)
    run("openenv", "uv", "lock", "--project", folder, cwd=tmp_path)
    words = "openenv", "validate", folder, "--level", "static", "--json"
    assert json.loads(run("openenv", *words, cwd=tmp_path))["verdict"] == "pass"
    probe = run(
        "openenv", "python", "-m", "tests.support.openenv_probe", folder, server, cwd=tmp_path
    )
    assert set(json.loads(probe).values()) == {"pass"}, probe
