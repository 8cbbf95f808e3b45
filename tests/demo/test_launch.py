"""Programs of a training loop, started as child processes."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import aiohttp
import pytest

from demo import launch
from demo.launch import environment_command, model_settings, start_api, start_policy, start_server
from demo.processes import ChildFailed, Children
from tests.support.paths import ROOT


async def status_of(url: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(url) as reply:
        return reply.status


async def test_servers_answer_once_they_are_started(tmp_path: Path, tokenizer_dir: Path) -> None:
    """The rollout API and the policy server answer at the returned URLs."""
    async with Children(tmp_path) as children:
        api = await start_api(children)
        policy = await start_policy(children, tokenizer_dir, "--seed=3")
        assert await status_of(f"{api}/info") == 200
        assert await status_of(f"{policy}/health") == 200


def test_servers_end_with_the_program_that_started_them(
    tmp_path: Path, tokenizer_dir: Path
) -> None:
    """SIGKILL for a program ends the policy server that it started."""
    code = (
        "import asyncio, sys; from pathlib import Path\n"
        "from demo.launch import start_policy; from demo.processes import Children\n"
        "async def main():\n"
        "    children = Children(Path(sys.argv[1]))\n"
        "    print(await start_policy(children, sys.argv[2]), flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())"
    )
    program = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path, tokenizer_dir],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with program:
        url = program.stdout.readline().strip()
        assert asyncio.run(status_of(f"{url}/health")) == 200
        program.kill()
    deadline = time.monotonic() + 300
    with pytest.raises(aiohttp.ClientConnectorError):
        while time.monotonic() < deadline:
            asyncio.run(status_of(f"{url}/health"))
            time.sleep(0.1)


async def test_a_server_that_dies_is_an_error(tmp_path: Path) -> None:
    """A server that ends before it is ready is reported with its log."""
    async with Children(tmp_path) as children:
        with pytest.raises(ChildFailed, match=r"(?s)some server ended with exit code 1.*no port"):
            await start_server(
                children, "some server", [sys.executable, "-c", "raise SystemExit('no port')"]
            )


async def test_a_server_that_is_never_ready_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that does not print its port is reported after a time limit."""
    monkeypatch.setattr(launch, "READY_SECONDS", 0.2)
    async with Children(tmp_path) as children:
        with pytest.raises(ChildFailed, match="some server was not ready after"):
            await start_server(
                children, "some server", [sys.executable, "-c", "import time; time.sleep(60)"]
            )


def test_the_environment_is_started_by_flags() -> None:
    """Each setting of the environment is a flag with a value."""
    words = environment_command("serve", model_settings("http://p", Path("tok")) | {"env.seed": 3})
    assert words[1:3] == ["reasoning_gym_environment.py", "serve"]
    flags = dict(zip(words[3::2], words[4::2], strict=True))
    assert flags["--env.seed"] == "3"
    assert flags["--env.tokenizer_name"] == flags["--openai.tokenizer_name"] == "tok"
    assert flags["--openai.base_url"] == "http://p/v1"
    assert all(
        name.startswith("--") and not value.startswith("--") for name, value in flags.items()
    )
