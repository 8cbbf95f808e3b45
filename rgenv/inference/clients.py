"""How a client of Atropos is asked, ours or one that a program or subclass has chosen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rgenv.inference.dialects import Ask, Completion
from rgenv.inference.engine import Engine
from rgenv.inference.request_errors import address


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
        return [
            Completion(ids, logprobs, _name(reason), list(read))
            for ids, logprobs, reason in zip(*parts, strict=True)
        ]


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
