"""Generation: gets the tokens of completions from whichever inference server is free.

::

    generation = Generation(server_manager)
    completions = await generation.complete(prompt, 8, max_tokens=512, temperature=1.0, top_p=1.0)

A request goes to the healthy server with the fewest requests under way, by share of its limit. If
that server fails, the request goes to another one, or waits until a server is healthy again.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference.request_errors import address
from rgenv.inference.usable import flaw
from rgenv.rollouts.ledger import spending
from rgenv.runtime.backoff import Unanswered, pause

log = logging.getLogger(__name__)

ATTEMPTS = 5
"""Failures of a request, each of a server that was healthy, after which it has failed. The pauses
between them are 4 s in all; an engine that ends answers with errors for about one."""

POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Prompt:
    """A templated prompt as text and as tokens."""

    text: str
    tokens: list[int]


class Generated(NamedTuple):
    """The tokens of a completion, after those of its prompt as the server read it."""

    prompt: list[int]
    tokens: list[int]
    logprobs: list[float]
    finish_reason: str


class Generation:
    """Sends requests to the servers of Atropos' server manager.

    Args:
        manager: Atropos' server manager; its `servers` may be replaced at any time.
        vocabulary: returns the number of token ids that the model has.
        count: counts an event, by the name of its metric.

    Attributes:
        unanswered: measures for how long no server has answered.
    """

    def __init__(
        self,
        manager: Any,
        *,
        vocabulary: Callable[[], float] = lambda: math.inf,
        count: Callable[[str], None] = lambda name: None,
    ) -> None:
        self._manager = manager
        self._vocabulary = vocabulary
        self._count = count
        self._under_way: Counter[int] = Counter()
        self._flaws: Counter[str] = Counter()
        self._one_at_a_time = asyncio.Lock()
        self.unanswered = Unanswered()

    async def complete(self, prompt: Prompt, count: int, **request: Any) -> list[Generated]:
        """Return up to `count` completions: those that the servers finished.

        Args:
            request: sampling parameters; `split` "eval" uses the limit for evaluation.

        Raises:
            RequestRefused: a server refuses the request.
            RequestFailed: servers failed `ATTEMPTS` times.
            Exception: whatever else a server raised, if there is no completion at all.
        """
        most = getattr(self._manager, "max_n_completions", None) or count
        if count <= most:
            return await self._part(prompt, count, request)
        sizes = [min(most, count - done) for done in range(0, count, most)]
        parts = await asyncio.gather(
            *(self._part(prompt, size, request) for size in sizes), return_exceptions=True
        )
        errors = [part for part in parts if isinstance(part, BaseException)]
        if len(errors) == len(parts):
            raise errors[0]
        return [one for part in parts if not isinstance(part, BaseException) for one in part]

    async def _part(self, prompt: Prompt, count: int, request: dict[str, Any]) -> list[Generated]:
        failures = 0
        while True:
            try:
                return await self._ask(await self._free_server(), prompt, count, request)
            except RequestRefused:
                raise
            except RequestFailed:
                failures += 1
                if failures == ATTEMPTS:
                    raise
                await asyncio.sleep(pause(failures))

    async def _ask(
        self, server: Any, prompt: Prompt, count: int, request: dict[str, Any]
    ) -> list[Generated]:
        self._under_way[id(server)] += 1
        most = request.get("max_tokens", math.inf)
        usable: list[Generated] = []
        flawed = ""
        try:
            with self.unanswered.request(), spending(count, most) as spent:
                read, *parts = await server.tokens_and_logprobs_completion(
                    prompt=prompt.text, input_ids=list(prompt.tokens), n=count, **request
                )
                for ids, logprobs, named in zip(*parts, strict=True):
                    async with self._one_at_a_time:  # a long completion takes milliseconds
                        why = flaw(
                            ids, logprobs, _name(named), vocabulary=self._vocabulary(), most=most
                        )
                        if why:
                            flawed = why
                            spent.unusable(len(ids) if isinstance(ids, list) else 0)
                            self._note(why, server)
                        else:
                            at_most_0 = [min(0.0, float(number)) for number in logprobs]
                            usable.append(Generated(list(read), ids, at_most_0, _name(named)))
                        await asyncio.sleep(0)
                spent.answered([len(one.tokens) for one in usable])
        finally:
            self._under_way[id(server)] -= 1
        if flawed and not usable:
            raise RequestFailed(f"{_where(server)} sends what no trainer can use: {flawed}")
        return usable

    def _note(self, why: str, server: Any) -> None:
        """Count a completion that no trainer can use; log the first ones, then ever fewer."""
        self._count("completions_unusable")
        self._flaws[why] += 1
        number = self._flaws[why]
        if math.log10(number).is_integer():
            log.warning(
                "%s sent a completion that no trainer can use: %s (%d so far). It is left out.",
                _where(server),
                why,
                number,
            )

    async def _free_server(self) -> Any:
        """Return the least loaded healthy server, once there is one."""
        while True:
            servers: Sequence[Any] = self._manager.servers
            healthy = [one for one in servers if getattr(one, "server_healthy", True)]
            if healthy:
                return min(healthy, key=self._load)
            await asyncio.sleep(POLL_SECONDS)

    def _load(self, server: Any) -> float:
        limit = getattr(getattr(server, "config", None), "num_max_requests_at_once", 1)
        return self._under_way[id(server)] / limit


def _where(server: Any) -> str:
    return address(getattr(getattr(server, "config", None), "base_url", None) or "")


def _name(reason: Any) -> Any:
    """Return a finish reason, which is a word; SGLang's own format is a mapping."""
    name = reason.get("type") if isinstance(reason, dict) else reason
    return name or "stop"
