"""A proxy that does to a connection what networks and dying servers do.

    python -m demo.faults --target http://127.0.0.1:8000 --fault error=0.1 --fault reset=0.05
    {"port": 40213}

Put it between the environment and an inference server or a rollout API. `FAULTS` names what it can
do; each request suffers at most one fault, drawn with the given probabilities from a fixed seed.
In a program::

    async with FaultProxy(target, rates={"error": 0.1}, seed=1) as proxy:
        proxy.url, proxy.rates, proxy.injected
        await proxy.go_down(); await proxy.come_back()

Not here: faults of the environment itself, which is killed with signals.
"""

import argparse
import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import aiohttp
from aiohttp import web

from .leash import told_or_orphaned

FAULTS = {
    "error": "an answer with status 500; the server never sees the request",
    "reset": "the connection breaks; the server never sees the request",
    "late_reset": "the server answers, then the connection breaks: nobody knows what happened",
    "slow": "the request arrives after some seconds",
    "hang": "no answer, ever",
    "garbage": "half of the answer's JSON",
    "html": "status 200 and the page of some other server",
    "fewer": "inference: one completion less than asked for",
    "nan": "inference: a log probability that is no number",
    "empty": "inference: a completion without tokens",
}
MAX_BODY_BYTES = 256 * 2**20
Watch = Callable[[str, bytes, int], None]
"""Told of every request that the server answered: path, body, status."""


class FaultProxy:
    """Forwards to `target`, with faults; `rates` may be changed at any time.

    Args:
        rates: fault -> probability.
        only: paths that suffer; empty: all.
        slow_seconds: how long a slow request takes more.
    """

    def __init__(
        self,
        target: str,
        rates: Mapping[str, float] | None = None,
        *,
        seed: int = 0,
        only: tuple[str, ...] = (),
        slow_seconds: float = 2.0,
        watch: Watch = lambda path, body, status: None,
    ) -> None:
        if unknown := set(rates or {}) - set(FAULTS):
            raise ValueError(f"no fault {min(unknown)!r}: choose among {', '.join(FAULTS)}")
        self.target = target
        self.rates = dict(rates or {})
        self.injected: Counter[str] = Counter()
        self.port = 0
        self._rng = random.Random(seed)
        self._only = only
        self._slow_seconds = slow_seconds
        self._watch = watch
        self._runner: web.AppRunner | None = None
        self._session: aiohttp.ClientSession | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "FaultProxy":
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        await self.come_back()
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self.go_down()
        if self._session is not None:
            await self._session.close()

    async def go_down(self) -> None:
        """Refuse connections and break those that are open."""
        if self._runner is not None:
            await self._runner.cleanup()
        self._runner = None

    async def come_back(self) -> None:
        """Listen again, on the same port."""
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()
        self.port = self._runner.addresses[0][1]

    def _draw(self, path: str) -> str | None:
        if self._only and path not in self._only:
            return None
        place = self._rng.random()
        for fault, rate in self.rates.items():
            place -= rate
            if place < 0:
                return fault
        return None

    async def _handle(self, request: web.Request) -> web.Response:
        fault = self._draw(request.path)
        if fault is not None:
            self.injected[fault] += 1
        if fault == "error":
            return web.json_response({"error": "injected"}, status=500)
        if fault == "html":
            return web.Response(text="<html>another server</html>", content_type="text/html")
        if fault == "reset":
            return broken(request)
        if fault in ("slow", "hang"):
            await asyncio.sleep(self._slow_seconds if fault == "slow" else 10**6)
        status, body = await self._forward(request)
        if fault == "late_reset":
            return broken(request)
        if status == 200 and fault in SPOILERS:
            body = SPOILERS[fault](body)
        return web.Response(status=status, body=body, content_type="application/json")

    async def _forward(self, request: web.Request) -> tuple[int, bytes]:
        content = await request.read()
        assert self._session is not None
        headers = {k: v for k, v in request.headers.items() if k.lower() in PASSED_ON}
        try:
            async with self._session.request(
                request.method, self.target + request.path_qs, data=content, headers=headers
            ) as reply:
                body = await reply.read()
        except aiohttp.ClientError as error:
            return 502, json.dumps({"error": str(error)}).encode()
        self._watch(request.path, content, reply.status)
        return reply.status, body


PASSED_ON = {"content-type", "authorization"}  # aiohttp unpacks what it reads


def broken(request: web.Request) -> web.Response:
    """Cut the connection instead of answering."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()


def _half(body: bytes) -> bytes:
    return body[: len(body) // 2]


def _edited(change: Callable[[dict[str, Any]], None]) -> Callable[[bytes], bytes]:
    """A change to the completions of a /generate answer; other answers stay."""

    def spoil(body: bytes) -> bytes:
        answer = json.loads(body)
        if isinstance(answer, dict) and answer.get("logprobs"):
            change(answer)
        return json.dumps(answer).encode()

    return spoil


def _fewer(answer: dict[str, Any]) -> None:
    del answer["logprobs"][-1], answer["finish_reasons"][-1]


def _nan(answer: dict[str, Any]) -> None:
    [token] = answer["logprobs"][0][0][0]
    answer["logprobs"][0][0][0] = {token: float("nan")}


def _empty(answer: dict[str, Any]) -> None:
    answer["logprobs"][0] = []


SPOILERS: dict[str, Callable[[bytes], bytes]] = {
    "garbage": _half,
    "fewer": _edited(_fewer),
    "nan": _edited(_nan),
    "empty": _edited(_empty),
}


def rate(text: str) -> tuple[str, float]:
    """``name=probability`` from the command line."""
    name, _, number = text.partition("=")
    if name not in FAULTS:
        raise argparse.ArgumentTypeError(f"no fault {name!r}: choose among {', '.join(FAULTS)}")
    return name, float(number or 1)


async def serve(options: argparse.Namespace) -> None:
    """Serve until a signal arrives or the parent is gone."""
    async with FaultProxy(options.target, dict(options.fault), seed=options.seed) as proxy:
        print(json.dumps({"port": proxy.port}), flush=True)
        await told_or_orphaned()


def main() -> None:
    listed = "\n".join(f"  {name:12}{text}" for name, text in FAULTS.items())
    parser = argparse.ArgumentParser(
        description="Forward to a server, with faults.",
        epilog=f"faults:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--target", required=True, help="URL of the server")
    parser.add_argument("--fault", type=rate, action="append", default=[], help="name=probability")
    parser.add_argument("--seed", type=int, default=0)
    asyncio.run(serve(parser.parse_args()))


if __name__ == "__main__":
    main()
