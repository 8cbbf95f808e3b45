"""Generation: gets completions from whichever inference server is free.

A request goes to the healthy server with the fewest requests under way, by share of its limit. If
that server fails, the request goes to another one, or waits until a server is healthy again.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference.dialects import Ask, Completion, flaw
from rgenv.inference.engine import finished
from rgenv.runtime.backoff import insist
from rgenv.runtime.turns import in_turn

log = logging.getLogger(__name__)

POLL_SECONDS = 0.5

ANSWER_TOKENS = 32_768
"""Tokens that one answer may have. Reading it holds the event loop for 5 ms then, if vLLM sent it,
and for up to 40 ms in the other dialects."""


def completions_at_once(most: int | None, max_tokens: int) -> int:
    """Return how many completions of so many tokens to ask for in a request, `most` at most."""
    fitting = max(1, ANSWER_TOKENS // max(1, max_tokens))
    return min(most or fitting, fitting)


class Generation:
    """Spreads requests over servers.

    Args:
        at_once: the most completions in a request; None: any number.
        vocabulary: returns the number of token ids that the model has.
        answered: receives the longest completion and the seconds of each request.

    Attributes:
        answers: the number of requests that were answered.
    """

    def __init__(
        self,
        servers: Servers,
        *,
        at_once: int | None = None,
        vocabulary: Callable[[], float] = lambda: math.inf,
        count: Callable[[str], None] = lambda name: None,
        answered: Callable[[int, float], None] = lambda longest, seconds: None,
    ) -> None:
        self._servers = servers
        self._under_way: Counter[int] = Counter()  # at each client, by its id
        self._answered = answered
        self._at_once = at_once
        self._vocabulary = vocabulary
        self._count = count
        self._has_warned = False
        self.answers = 0

    @property
    def under_way(self) -> int:
        return self._under_way.total()

    async def complete(
        self, asked: Ask, text: str, *, is_training: bool = True
    ) -> list[Completion]:
        """Return up to `asked.n` completions: those that the servers finished.

        Raises:
            RequestRefused: a server refuses the request.
            RequestFailed: healthy servers failed `REFUSALS` times.
        """
        most = self._at_once or asked.n
        sizes = [min(most, asked.n - done) for done in range(0, asked.n, most)]
        parts = [self._part(replace(asked, n=size), text, is_training) for size in sizes]
        return [one for part in await asyncio.gather(*parts) for one in part]

    async def _part(self, asked: Ask, text: str, is_training: bool) -> list[Completion]:
        failed: set[int] = set()  # ids of clients; another one is asked, if there is one

        async def attempt() -> list[Completion]:
            server = await self._free_server(failed)
            failed.add(id(server))
            self._under_way[id(server)] += 1
            try:
                return await self._usable(server, asked, text, is_training)
            finally:
                self._under_way[id(server)] -= 1

        return await insist(attempt, few=(RequestFailed,), never=(RequestRefused,))

    async def _usable(
        self, server: Any, asked: Ask, text: str, is_training: bool
    ) -> list[Completion]:
        """Ask a server once; return what a trainer can use of its answer."""
        usable, flawed = [], ""
        began = time.monotonic()
        completions = await ask_server(server, asked, text, is_training=is_training)
        for one in completions[: asked.n]:
            why = await in_turn(flaw, one, vocabulary=self._vocabulary(), most=asked.max_tokens)
            if why:
                flawed = why
                self._count("completions_unusable")
            else:
                usable.append(one)
        if longest := max((len(one.tokens) for one in usable), default=0):
            self._answered(longest, time.monotonic() - began)
        self.answers += 1
        if flawed and not usable:
            raise RequestFailed(f"{where(server)} sends what no trainer can use: {flawed}")
        if flawed and not self._has_warned:
            self._has_warned = True
            log.warning(
                "%s sent a completion that no trainer can use: %s. Such ones are left out.",
                where(server),
                flawed,
            )
        return usable

    async def _free_server(self, failed: set[int]) -> Any:
        """Return the least loaded healthy server, once one is healthy; those that failed last."""
        while not (healthy := [server for server in self._servers() if is_healthy(server)]):
            await asyncio.sleep(POLL_SECONDS)

        def load(server: Any) -> tuple[bool, float]:
            most = getattr(getattr(server, "config", None), "num_max_requests_at_once", 1)
            return id(server) in failed, self._under_way[id(server)] / most

        return min(healthy, key=load)


def where(server: Any) -> str:
    """Return the address of a client's server, for messages."""
    config = getattr(server, "config", None)
    return getattr(config, "base_url", None) or "The inference server"


def is_healthy(server: Any) -> bool:
    """Return what a client says of its server; programs may bring clients that say nothing."""
    return bool(getattr(server, "server_healthy", True))


async def ask_server(
    server: Any, asked: Ask, text: str, *, is_training: bool = True
) -> list[Completion]:
    """Ask a client of Atropos, ours or any other; others may need the prompt as text."""
    read, *parts = await server.tokens_and_logprobs_completion(
        prompt=text,
        input_ids=list(asked.prompt),
        n=asked.n,
        max_tokens=asked.max_tokens,
        temperature=asked.temperature,
        top_p=asked.top_p,
        split="train" if is_training else "eval",
    )
    completions = []
    for tokens, logprobs, reason in zip(*parts, strict=True):
        word = reason.get("type") if isinstance(reason, dict) else reason  # SGLang's own format
        completions.append(Completion(tokens, logprobs, word or "stop", read))
    return finished(completions, where(server)) if completions else []


Servers = Callable[[], Sequence[Any]]
"""Returns the clients of Atropos, which a program may replace."""


def clients_of(manager: Any) -> Servers:
    """Return a function that returns the clients of a server manager."""
    return lambda: list(manager.servers)
