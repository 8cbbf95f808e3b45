"""Start the programs of a training loop, each as a user would, and wait until they are ready.

async with Children(logs=folder) as children:
    api = await start_api(children)                                     # URL
    policy = await start_policy(children, tokenizer)                    # URL
    await children.start("environment", environment_command("serve", policy, tokenizer, flags))
"""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import aiohttp

from .processes import Child, ChildFailed, Children, free_port

READY_SECONDS = 120.0
POLL_SECONDS = 0.1
T = TypeVar("T")


def api_command(port: int) -> list[str]:
    """Return the command line of Atropos' rollout API."""
    script = Path(sys.executable).with_name("run-api")
    module = [sys.executable, "-m", "atroposlib.cli.run_api"]
    program = [str(script)] if script.exists() else module
    return [*program, "--host", "127.0.0.1", "--port", str(port)]


def environment_command(command: str, settings: Mapping[str, object]) -> list[str]:
    """Return a command line of the environment.

    Args:
        command: "serve", "process" or "evaluate".
        settings: option -> value, for example {"env.group_size": 8}.
    """
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    return [sys.executable, "reasoning_gym_environment.py", command, *words]


def view_command(folder: Path) -> list[str]:
    """Return a command line that writes the page of a run: `view.html` in its folder."""
    return [sys.executable, "reasoning_gym_environment.py", "view", str(folder)]


def model_settings(inference: str, tokenizer: Path) -> dict[str, object]:
    """Return the environment's settings for an inference server and a tokenizer on this machine."""
    return {
        "env.tokenizer_name": tokenizer,
        "env.use_wandb": "false",
        "openai.server_type": "vllm",
        "openai.base_url": f"{inference}/v1",
        "openai.tokenizer_name": tokenizer,
    }


async def start_api(children: Children) -> str:
    """Start the rollout API and return its URL once it answers.

    Raises:
        ChildFailed: it did not answer in time.
    """
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    child = await children.start("rollout API", api_command(port))

    async def probe() -> str | None:
        try:
            async with aiohttp.ClientSession() as session, session.get(url) as reply:
                return url if reply.status == 200 else None
        except aiohttp.ClientError:
            return None

    return await children.while_alive(_wait_until_ready(child, probe))


async def start_policy(children: Children, tokenizer: Path, *options: str) -> str:
    """Start the stand-in policy server and return its URL."""
    module = [sys.executable, "-m", "demo.policy_server", "--tokenizer", str(tokenizer)]
    return await start_server(children, "policy server", [*module, *options])


async def start_server(children: Children, name: str, command: Sequence[str]) -> str:
    """Start a server that prints its port as JSON, and return its URL.

    Raises:
        ChildFailed: it did not print its port in time.
    """
    child = await children.start(name, command)

    async def probe() -> str | None:
        for line in child.log.read_text(encoding="utf-8", errors="replace").splitlines(True):
            if line.startswith('{"port"') and line.endswith("\n"):
                return f"http://127.0.0.1:{json.loads(line)['port']}"
        return None

    return await children.while_alive(_wait_until_ready(child, probe))


async def _wait_until_ready(child: Child, probe: Callable[[], Awaitable[T | None]]) -> T:
    """Call `probe` until it returns something."""
    deadline = time.monotonic() + READY_SECONDS
    while (result := await probe()) is None:
        if time.monotonic() > deadline:
            raise ChildFailed(child, f"was not ready after {READY_SECONDS:.0f} s")
        await asyncio.sleep(POLL_SECONDS)
    return result
