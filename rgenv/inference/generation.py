"""Generation: gets completions from whichever inference server is free.

A request goes to the server with the fewest requests under way, by share of its limit. If that one
fails, the request goes to another one, or is asked again until a server answers.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rgenv.errors import RequestFailed, RequestRefused, StartupError
from rgenv.inference.engine import Ask, Completion, ending, flaw
from rgenv.runtime.backoff import LONGEST_PAUSE, Patience
from rgenv.runtime.parts import in_turn

log = logging.getLogger(__name__)


def completions_at_once(most: int | None, max_tokens: int) -> int:
    """Return how many completions of so many tokens to ask for in a request, `most` at most."""
    # Reading more tokens at once would hold the event loop: these take 5 ms of vLLM, else 40 ms.
    fitting = max(1, 32_768 // max(1, max_tokens))
    return min(most or fitting, fitting)


def where(server: Any) -> str:
    """Return the address of a client's server, for messages."""
    config = getattr(server, "config", None)
    return getattr(config, "base_url", None) or "The inference server"


class Generation:
    """Spreads requests over the clients of Atropos' manager, which a program may replace.

    Args:
        patience: seconds without an answer after which a request for training ends the run.
        at_once: the most completions in a request; None: any number.
        answered: receives the longest completion and the seconds of each request.
    """

    def __init__(
        self,
        manager: Any,
        *,
        patience: float = math.inf,
        at_once: int | None = None,
        vocabulary: Callable[[], float] = lambda: math.inf,
        count: Callable[[str], None] = lambda name: None,
        answered: Callable[[int, float], None] = lambda longest, seconds: None,
    ) -> None:
        self._manager = manager
        self._under_way: Counter[int] = Counter()  # at each client, by its id
        self._failing: dict[int, float] = {}  # id of a client -> when to ask it again
        self._patience, self._at_once = Patience(patience), at_once
        self._answered, self._count, self._vocabulary = answered, count, vocabulary
        self._is_out, self._last_failure = False, ""

    @property
    def servers(self) -> list[Any]:
        return list(self._manager.servers)

    @property
    def outage(self) -> str:
        """What the last failure was, if the last request to each server failed a short time ago."""
        since = time.monotonic() - LONGEST_PAUSE
        is_out = all(self._failing.get(id(server), -math.inf) > since for server in self.servers)
        return self._last_failure if is_out else ""

    async def complete(
        self, asked: Ask, text: str, *, is_training: bool = True
    ) -> list[Completion]:
        """Return up to `asked.n` completions that the servers finished.

        RequestFailed: the request is refused, or fails while others are answered, or is one of an
        evaluation, which asks again itself. StartupError: nothing was answered for too long.
        """
        if asked.n > (most := self._at_once or asked.n):
            sizes = [min(most, asked.n - done) for done in range(0, asked.n, most)]
            asks = [replace(asked, n=size) for size in sizes]
            calls = [self.complete(one, text, is_training=is_training) for one in asks]
            return [one for part in await asyncio.gather(*calls) for one in part]
        this, failed = object(), set[int]()  # another server is asked, if there is one
        while True:
            server, began = self._next_server(failed), time.monotonic()
            self._under_way[id(server)] += 1
            try:
                usable = await self.ask_once(server, asked, text, is_training=is_training)
            except RequestRefused:
                raise
            except RequestFailed as error:
                failed.add(id(server))
                self._last_failure = str(error)
                self._failing[id(server)] = time.monotonic() + LONGEST_PAUSE
                if not is_training or (pause := self._pause_after(error, this)) is None:
                    raise
            else:
                if self._is_out:
                    log.info("Inference is back after %.0f s.", self._patience.failing_for)
                self._is_out = False
                self._patience.worked(this)
                self._failing.pop(id(server), None)
                if longest := max((len(one.tokens) for one in usable), default=0):
                    self._answered(longest, time.monotonic() - began)
                return usable
            finally:
                self._under_way[id(server)] -= 1
            if len(failed) >= len(self.servers):
                await asyncio.sleep(pause)

    def _next_server(self, failed: set[int]) -> Any:
        """Return the least loaded server. One that fails comes last, but every `LONGEST_PAUSE`."""
        now = time.monotonic()

        def order(server: Any) -> tuple[bool, bool, float]:
            most = getattr(getattr(server, "config", None), "num_max_requests_at_once", 1)
            is_failing = self._failing.get(id(server), 0.0) > now
            return id(server) in failed, is_failing, self._under_way[id(server)] / most

        server = min(self.servers, key=order)
        if id(server) in self._failing:
            self._failing[id(server)] = now + LONGEST_PAUSE
        return server

    def _pause_after(self, error: RequestFailed, request: object) -> float | None:
        """Return the seconds to wait; None: others are answered, so this one is given up."""
        pause = self._patience.failed(request)
        if self._patience.exhausted:
            raise StartupError(
                "No inference server has completed a request for "
                f"{self._patience.failing_for:.0f} s (last: {error}): check it, then start again."
            )
        if self.outage and not self._is_out:
            self._is_out = True
            seconds = self._patience.seconds
            log.warning("All inference servers fail; waiting up to %g s: %s", seconds, error)
        return pause

    async def ask_once(
        self, server: Any, asked: Ask, text: str, *, is_training: bool = True
    ) -> list[Completion]:
        """Return what a trainer can use of a server's completions; RequestFailed: nothing.

        Clients of Atropos that are not ours may need the prompt as text.
        """
        split = "train" if is_training else "eval"
        read, *parts = await server.tokens_and_logprobs_completion(
            prompt=text, input_ids=list(asked.prompt), split=split, **asked.named
        )
        usable, why = list[Completion](), ""
        limits = {"vocabulary": self._vocabulary(), "most": asked.max_tokens}
        for tokens, logprobs, reason in zip(*parts, strict=True):
            one = Completion(tokens, logprobs, ending(reason), read)
            if one.finish_reason in ("error", None):
                why = why or (
                    f"broke the completions off (finish_reason {one.finish_reason}), as engines do "
                    "that sleep or restart"
                )
            elif found := await in_turn(flaw, one, **limits):
                why = f"sends what no trainer can use: {found}"
                log.debug("%s %s", where(server), why)
                self._count("completions_unusable")
            else:
                usable.append(one)
        if why and not usable:
            raise RequestFailed(f"{where(server)} {why}")
        return usable[: asked.n]
