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
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference.dialects import Ask, Completion, flaw
from rgenv.inference.engine import Engine, finished
from rgenv.inference.request_errors import address
from rgenv.runtime.backoff import Unanswered, insist

log = logging.getLogger(__name__)

POLL_SECONDS = 0.5

REST_SECONDS = 5.0
"""Seconds after a failure in which a server is asked only if all healthy ones have just failed."""

DIGITS = re.compile(r"[0-9]+")

ANSWER_TOKENS = 160_000
"""Tokens that one answer may have. In the longest format a token has 23 values and 5 names, and
large_json.py reads 4 million and 1.2 million of them."""


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
        self._flaws: Counter[str] = Counter()
        self._one_at_a_time = asyncio.Lock()
        self.unanswered = Unanswered()

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
        async def attempt(_before: int) -> list[Completion]:
            client = await self._free_server()
            try:
                return await self._ask(client, asked, text, is_training)
            except RequestFailed:
                client.failed_at = time.monotonic()
                raise

        return await insist(attempt, few=(RequestFailed,), never=(RequestRefused,))

    async def _ask(
        self, client: Client, asked: Ask, text: str, is_training: bool
    ) -> list[Completion]:
        client.under_way += 1
        usable: list[Completion] = []
        flawed, began = "", time.monotonic()
        try:
            with self.unanswered.request():
                completions = await client.complete(asked, text, is_training=is_training)
                for one in completions[: asked.n]:
                    async with self._one_at_a_time:  # a long completion takes milliseconds
                        why = flaw(*one[:3], vocabulary=self._vocabulary(), most=asked.max_tokens)
                        if why:
                            flawed = why
                            self._note(why, client)
                        else:
                            at_most_0 = [min(0.0, float(number)) for number in one.logprobs]
                            usable.append(one._replace(logprobs=at_most_0))
                        await asyncio.sleep(0)
                if longest := max((len(one.tokens) for one in usable), default=0):
                    self._answered(longest, time.monotonic() - began)
        finally:
            client.under_way -= 1
        if len(usable) < asked.n:
            client.failed_at = time.monotonic()
        if flawed and not usable:
            raise RequestFailed(f"{client.where} sends what no trainer can use: {flawed}")
        return usable

    def _note(self, why: str, client: Client) -> None:
        """Count a completion that no trainer can use; log the first ones, then ever fewer."""
        self._count("completions_unusable")
        kind = DIGITS.sub("", why)  # a server may send another length each time
        self._flaws[kind] += 1
        number = self._flaws[kind]
        if math.log10(number).is_integer():
            log.warning(
                "%s sent a completion that no trainer can use: %s (%d so far). It is left out.",
                client.where,
                why,
                number,
            )

    async def _free_server(self) -> Client:
        """Return the least loaded healthy server that does not rest, once one is healthy."""
        while not (healthy := [client for client in self._clients() if client.healthy]):
            await asyncio.sleep(POLL_SECONDS)
        rested = time.monotonic() - REST_SECONDS
        return min(healthy, key=lambda one: (one.failed_at > rested, one.under_way / one.limit))


# One client of Atropos, ours or any other


class Client:
    """Asks one client of Atropos; `failed_at` is of the monotonic clock."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.under_way = 0
        self.failed_at = -math.inf

    @property
    def config(self) -> Any:
        return getattr(self._server, "config", None)

    @property
    def where(self) -> str:
        return address(getattr(self.config, "base_url", None) or "")

    @property
    def healthy(self) -> bool:
        return bool(getattr(self._server, "server_healthy", True))

    @property
    def limit(self) -> int:
        return int(getattr(self.config, "num_max_requests_at_once", 1))

    @property
    def context_length(self) -> int | None:
        """The most tokens that prompt and completion may have; None: unknown."""
        length = getattr(getattr(self._server, "engine", self._server), "context_length", None)
        return length if isinstance(length, int) else None

    async def complete(
        self, asked: Ask, text: str, *, is_training: bool = True
    ) -> list[Completion]:
        if isinstance(getattr(self._server, "engine", None), Engine):
            ours: list[Completion] = await self._server.complete(asked, is_training=is_training)
            return ours
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
