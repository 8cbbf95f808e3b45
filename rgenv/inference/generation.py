"""Generation: gets completions from whichever inference server is free.

A request goes to the healthy server with the fewest requests under way, by share of its limit. If
that server fails, the request goes to another one, or waits until a server is healthy again. A
server that has just failed rests: it would have the fewest requests if it failed fast.
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference.dialects import Ask, Completion, flaw
from rgenv.inference.engine import Engine, finished
from rgenv.inference.request_errors import address
from rgenv.runtime.backoff import insist
from rgenv.runtime.turns import in_turn

log = logging.getLogger(__name__)

POLL_SECONDS = 0.5

REST_SECONDS = 5.0
"""Seconds after a failure in which a server is asked only if all healthy ones have just failed."""

DIGITS = re.compile(r"[0-9]+")

ANSWER_TOKENS = 32_768
"""Tokens that one answer may have. Taking its body apart holds the event loop for 4 ms then."""


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
        clients: Callable[[], Sequence[Client]],
        *,
        at_once: int | None = None,
        vocabulary: Callable[[], float] = lambda: math.inf,
        count: Callable[[str], None] = lambda name: None,
        answered: Callable[[int, float], None] = lambda longest, seconds: None,
    ) -> None:
        self._clients = clients
        self._answered = answered
        self._at_once = at_once
        self._vocabulary = vocabulary
        self._count = count
        self._flaws: set[str] = set()
        self.answers = 0

    @property
    def under_way(self) -> int:
        return sum(client.under_way for client in self._clients())

    async def complete(
        self, asked: Ask, text: str, *, is_training: bool = True
    ) -> list[Completion]:
        """Return up to `asked.n` completions: those that the servers finished.

        Raises:
            RequestFailed: healthy servers failed `REFUSALS` times.
        """
        most = self._at_once or asked.n
        sizes = [min(most, asked.n - done) for done in range(0, asked.n, most)]
        parts = await asyncio.gather(
            *(self._part(replace(asked, n=size), text, is_training) for size in sizes),
            return_exceptions=True,
        )
        errors = [part for part in parts if isinstance(part, BaseException)]
        if len(errors) == len(parts):
            raise errors[0]
        return [one for part in parts if not isinstance(part, BaseException) for one in part]

    async def _part(self, asked: Ask, text: str, is_training: bool) -> list[Completion]:
        async def attempt() -> list[Completion]:
            client = await self._free_server()
            client.under_way += 1
            try:
                usable = await self._ask(client, asked, text, is_training)
            except RequestFailed:
                client.failed_at = time.monotonic()
                raise
            finally:
                client.under_way -= 1
            if len(usable) < asked.n:
                client.failed_at = time.monotonic()
            return usable

        return await insist(attempt, few=(RequestFailed,), never=(RequestRefused,))

    async def _ask(
        self, client: Client, asked: Ask, text: str, is_training: bool
    ) -> list[Completion]:
        usable: list[Completion] = []
        flawed, began = "", time.monotonic()
        completions = await client.complete(asked, text, is_training=is_training)
        for one in completions[: asked.n]:
            why, one = await in_turn(self._judged, one, asked.max_tokens)
            if why:
                flawed = why
                self._note(why, client.where)
            else:
                usable.append(one)
        if longest := max((len(one.tokens) for one in usable), default=0):
            self._answered(longest, time.monotonic() - began)
        self.answers += 1
        if flawed and not usable:
            raise RequestFailed(f"{client.where} sends what no trainer can use: {flawed}")
        return usable

    def _judged(self, one: Completion, most: int) -> tuple[str, Completion]:
        """Return why no trainer can use a completion, if so, and it, without roundings above 0."""
        why = flaw(one, vocabulary=self._vocabulary(), most=most)
        if not why and max(one.logprobs) > 0:
            one = one._replace(logprobs=[min(0.0, number) for number in one.logprobs])
        return why, one

    def _note(self, why: str, where: str) -> None:
        """Count a completion that no trainer can use; log the first one of each kind."""
        self._count("completions_unusable")
        kind = DIGITS.sub("", why)  # the length may be another one each time
        if kind not in self._flaws:
            self._flaws.add(kind)
            log.warning(
                "%s sent a completion that no trainer can use: %s. Such ones are left out.",
                where,
                why,
            )

    async def _free_server(self) -> Client:
        """Return the least loaded healthy server that does not rest, once one is healthy."""
        while not (healthy := [client for client in self._clients() if client.healthy]):
            await asyncio.sleep(POLL_SECONDS)
        rested = time.monotonic() - REST_SECONDS
        return min(healthy, key=lambda one: (one.failed_at > rested, one.under_way / one.limit))


class Client:
    """One client of Atropos, ours or any other, and what is under way there.

    Attributes:
        failed_at: when a request failed last, of the monotonic clock.
    """

    def __init__(self, server: Any) -> None:
        self._server = server
        self.under_way = 0
        self.failed_at = -math.inf
        config = getattr(server, "config", None)
        self.where = address(getattr(config, "base_url", None) or "")
        self.limit = int(getattr(config, "num_max_requests_at_once", 1))

    @property
    def healthy(self) -> bool:
        return bool(getattr(self._server, "server_healthy", True))

    @property
    def context_length(self) -> int | None:
        """The most tokens that prompt and completion may have; None: unknown."""
        length: int | None = getattr(self._server, "context_length", None)
        return length

    async def complete(
        self, asked: Ask, text: str, *, is_training: bool = True
    ) -> list[Completion]:
        """Ask for completions; another client than ours gets the prompt as text, too."""
        if isinstance(self._server, Engine):
            return await self._server.complete(asked, is_training=is_training)
        read, *parts = await self._server.tokens_and_logprobs_completion(
            prompt=text,
            input_ids=list(asked.prompt),
            n=asked.n,
            max_tokens=asked.max_tokens,
            temperature=asked.temperature,
            top_p=asked.top_p,
            split="train" if is_training else "eval",
        )
        completions = [
            Completion(ids, logprobs, _name(reason), list(read))
            for ids, logprobs, reason in zip(*parts, strict=True)
        ]
        return finished(completions, self.where) if completions else []


def _name(reason: Any) -> Any:
    """Return a finish reason, which is a word; SGLang's own format is a mapping."""
    return (reason.get("type") if isinstance(reason, dict) else reason) or "stop"


def clients_of(manager: Any) -> Callable[[], Sequence[Client]]:
    """Return a function that returns a `Client` of each server; programs may replace servers."""
    known: dict[int, tuple[Any, Client]] = {}

    def clients() -> Sequence[Client]:
        for server in manager.servers:
            if known.get(id(server), (None,))[0] is not server:
                known[id(server)] = server, Client(server)
        return [known[id(server)][1] for server in manager.servers]

    return clients
