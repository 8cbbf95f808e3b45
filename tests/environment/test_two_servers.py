"""reasoning_gym_environment.py over an honest inference server and one that lies."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from demo.http_server import start_server
from demo.policy import Policy
from demo.policy_server import Service
from demo.processes import Children
from demo.run import start_api
from tests.support.commands import Commands, exit_code, log_of

pytestmark = [pytest.mark.soak]

GROUP_SIZE = 8
AT_ONCE, SECONDS = 2, 0.25
"""The honest server answers so many requests at once, each in so many seconds."""

FIRST, LAST = 10, 70
"""Between these groups, the rate is measured."""

TRIALS = 2
"""Requests of the start, which names a server that lies by then, and ends."""

LIES = ("status 500", "status 400", "one of eight")


class Servers:
    """An honest server and, before it in the list unless `lie` is empty, one that lies at once."""

    def __init__(self, service: Service, lie: str = "") -> None:
        self._service, self._lie = service, lie
        self._busy = asyncio.Semaphore(AT_ONCE)
        self._open: list[Any] = []
        self.asked = 0

    async def __aenter__(self) -> list[int]:
        for answer in [self._lying, self._honest] if self._lie else [self._honest]:
            app = web.Application(client_max_size=2**26)
            app.router.add_get("/health", healthy)
            app.router.add_post("/generate", answer)
            self._open.append(await start_server(app, shutdown_timeout=0.1))
        return [server.port for server in self._open]

    async def __aexit__(self, *_: object) -> None:
        for server in self._open:
            await server.close()

    async def _honest(self, request: web.Request) -> web.Response:
        body = await request.json()
        async with self._busy:
            await asyncio.sleep(SECONDS)
        return web.json_response(self._service.generate(body))

    async def _lying(self, request: web.Request) -> web.Response:
        answer = self._service.generate(await request.json())
        self.asked += 1
        if self.asked > TRIALS and self._lie.startswith("status"):
            return web.json_response({"error": "no"}, status=int(self._lie.split()[1]))
        if self.asked > TRIALS:
            answer = {name: values[:1] for name, values in answer.items()}
        return web.json_response(answer)


async def healthy(_request: web.Request) -> web.Response:
    return web.Response()


@pytest.mark.parametrize("command", ["process", "serve"])
async def test_a_lying_server_does_not_starve_an_honest_one(
    commands: Commands, tokenizer: Any, command: str
) -> None:
    """Groups come nearly as fast as from the honest server alone, and nothing ends the run."""
    service = Service(Policy(seed=3), tokenizer)
    alone = await rate(commands, command, Servers(service))
    assert alone <= 1.5 * AT_ONCE / SECONDS
    for lie in LIES:
        servers = Servers(service, lie)
        found = await rate(commands, command, servers)
        assert servers.asked > TRIALS
        assert found > 0.7 * alone, f"{lie}: {found:.2f} groups a second, {alone:.2f} alone"


async def rate(commands: Commands, command: str, servers: Servers) -> float:
    """Return the groups that a run gets in a second, once it goes."""
    folder = commands.folder = commands.folder.parent / f"{command} {servers._lie}"
    folder.mkdir()
    options: dict[str, Any] = {"group_size": GROUP_SIZE, "dump_rollouts": "true"}
    options |= {"ensure_scores_are_not_same": "false", "force": "true"}
    async with servers as ports, Children(logs=folder) as commands.children:
        config = configuration(folder / "run.yaml", ports, commands.tokenizer_dir)
        words = ("--config", str(config))
        if command == "process":
            options |= {"total_steps": LAST, "data_path_to_save_groups": folder / "groups.jsonl"}
            env = await commands.start(command, *words, without_server=True, **options)
            assert await exit_code(env) == 0, log_of(env)
        else:
            api = await start_api(commands.children)
            options |= {"rollout_server_url": api}
            env = await commands.start(command, *words, without_server=True, **options)
            await commands.train(api, batches=LAST // 2 + 1)  # of two groups each
            env.process.terminate()
            assert await exit_code(env) == 143, log_of(env)
    assert "Traceback" not in log_of(env)
    times = sorted(row["metadata"]["time"] for row in commands.dumped())
    return (LAST - FIRST) / (times[LAST - 1] - times[FIRST - 1])


def configuration(path: Path, ports: list[int], tokenizer: Path) -> Path:
    """Write a file with a section for each server."""
    servers = [
        {
            "base_url": f"http://127.0.0.1:{port}/v1",
            "model_name": "stand-in",
            "server_type": "vllm",
            "tokenizer_name": str(tokenizer),
            "num_max_requests_at_once": 8,
        }
        for port in ports
    ]
    path.write_text(json.dumps({"openai": servers}))
    return path
