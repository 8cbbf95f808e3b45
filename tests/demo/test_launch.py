"""Programs of a training loop, started as child processes."""

import sys
from pathlib import Path

import aiohttp
import pytest

from demo import launch
from demo.launch import environment_command, model_settings, start_api, start_policy, start_server
from demo.processes import ChildFailed, Children


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
