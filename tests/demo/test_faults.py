"""The proxy that injects faults."""

import asyncio
import json
import math
import signal
import sys
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer

from demo.faults import FAULTS, FaultProxy
from demo.processes import Children
from tests.support.polling import until

ANSWER = {"logprobs": [[[{"5": -0.1}], [{"6": -0.2}]]] * 3, "finish_reasons": ["stop"] * 3}


class Target:
    """A server that records requests and answers each like an inference server, after `seconds`."""

    def __init__(self) -> None:
        self.requests: list[bytes] = []
        self.url = ""
        self.seconds = 0.0

    async def handle(self, request: web.Request) -> web.Response:
        self.requests.append(await request.read())
        await asyncio.sleep(self.seconds)
        return web.json_response(ANSWER)


@pytest_asyncio.fixture(loop_scope="session")
async def target() -> AsyncIterator[Target]:
    target = Target()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", target.handle)
    async with TestServer(app) as server:
        target.url = str(server.make_url("")).rstrip("/")
        yield target


async def ask(proxy: FaultProxy, timeout: float = 5.0) -> tuple[int, bytes]:
    limit = aiohttp.ClientTimeout(total=timeout)
    async with (
        aiohttp.ClientSession(timeout=limit) as session,
        session.post(f"{proxy.url}/generate", json={"n": 3}) as reply,
    ):
        return reply.status, await reply.read()


async def test_without_faults_everything_is_forwarded(target: Target) -> None:
    """Request and answer arrive unchanged, and `watch` is called."""
    seen: list[Any] = []
    async with FaultProxy(target.url, watch=lambda *call: seen.append(call)) as proxy:
        status, body = await ask(proxy)
    assert status == 200 and json.loads(body) == ANSWER
    assert [json.loads(content) for content in target.requests] == [{"n": 3}]
    assert [(path, status) for path, _, status in seen] == [("/generate", 200)]


async def test_a_watcher_hears_of_what_arrived_although_the_client_left(target: Target) -> None:
    """A client that is killed while the target answers does not hide what the target took."""
    seen: list[Any] = []
    target.seconds = 0.5
    async with FaultProxy(target.url, watch=lambda *call: seen.append(call)) as proxy:
        with pytest.raises(TimeoutError):
            await ask(proxy, timeout=0.2)
        assert target.requests and not seen
        await until(lambda: seen)
    assert [(path, status) for path, _, status in seen] == [("/generate", 200)]


@pytest.mark.parametrize(("fault", "arrives"), [("reset", 0), ("late_reset", 1)])
async def test_a_reset_breaks_the_connection(target: Target, fault: str, arrives: int) -> None:
    """A reset comes before the server gets the request, a late one after it has answered."""
    async with FaultProxy(target.url, {fault: 1.0}) as proxy:
        with pytest.raises(aiohttp.ClientError):
            await ask(proxy)
    assert len(target.requests) == arrives


async def test_answers_are_corrupted(target: Target) -> None:
    """Each fault of an answer corrupts it in its own way, once."""
    answers = {}
    async with FaultProxy(target.url) as proxy:
        for fault in ("error", "html", "garbage", "fewer", "nan", "empty"):
            proxy.rates = {fault: 1.0}
            answers[fault] = await ask(proxy)
        assert all(proxy.injected[fault] == 1 for fault in answers)
    assert answers["error"][0] == 500 and b"<html>" in answers["html"][1]
    with pytest.raises(json.JSONDecodeError):
        json.loads(answers["garbage"][1])
    loaded = {name: json.loads(answers[name][1]) for name in ("fewer", "nan", "empty")}
    assert len(loaded["fewer"]["logprobs"]) == len(loaded["fewer"]["finish_reasons"]) == 2
    assert math.isnan(loaded["nan"]["logprobs"][0][0][0]["5"])
    assert loaded["empty"]["logprobs"][0] == [] and len(loaded["empty"]["logprobs"]) == 3


async def test_slow_and_hanging_requests(target: Target) -> None:
    """A slow request is delayed; a hanging one gets no answer."""
    async with FaultProxy(target.url, {"slow": 1.0}, slow_seconds=0.2) as proxy:
        began = asyncio.get_running_loop().time()
        assert (await ask(proxy))[0] == 200
        assert asyncio.get_running_loop().time() - began >= 0.2
        proxy.rates = {"hang": 1.0}
        with pytest.raises(TimeoutError):
            await ask(proxy, timeout=0.3)


async def test_it_goes_down_and_comes_back_on_its_port(target: Target) -> None:
    """While the proxy is down it refuses connections; later it has the same port."""
    async with FaultProxy(target.url) as proxy:
        port = proxy.port
        await proxy.go_down()
        with pytest.raises(aiohttp.ClientConnectionError):
            await ask(proxy)
        await proxy.come_back()
        assert proxy.port == port and (await ask(proxy))[0] == 200


async def test_faults_depend_on_seed_and_path(target: Target) -> None:
    """The same seed gives the same faults; paths outside `only` get none."""
    outcomes = []
    for _ in range(2):
        async with FaultProxy(target.url, {"error": 0.5}, seed=3, only=("/generate",)) as proxy:
            outcomes.append([(await ask(proxy))[0] for _ in range(12)])
            async with aiohttp.ClientSession() as session:
                for _ in range(5):
                    async with session.get(f"{proxy.url}/health") as reply:
                        assert reply.status == 200
    assert outcomes[0] == outcomes[1] and set(outcomes[0]) == {200, 500}


def test_an_unknown_fault_is_refused() -> None:
    """The error lists all faults."""
    with pytest.raises(ValueError, match="late_reset"):
        FaultProxy("http://127.0.0.1:1", {"flood": 1.0})


async def test_it_runs_as_a_program(target: Target, tmp_path: Any) -> None:
    """The program prints its port, injects faults and ends after SIGTERM."""
    command = [sys.executable, "-m", "demo.faults", "--target", target.url, "--fault", "error"]
    async with Children(logs=tmp_path) as children:
        child = await children.start("proxy", command)
        async with asyncio.timeout(300):
            while not (text := child.log.read_text()).endswith("\n"):
                await asyncio.sleep(0.05)
        proxy = FaultProxy(target.url)
        proxy.port = json.loads(text)["port"]
        assert (await ask(proxy))[0] == 500
    assert child.process.returncode == 128 + signal.SIGTERM
    assert set(FAULTS) >= {"error", "reset", "slow"}
