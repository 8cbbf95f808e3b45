"""Chat completions for evaluation, from servers with OpenAI's API.

::

    chat = ChatServers(server_manager.servers, {"max_tokens": 4096, "temperature": 0.1})
    reply = await chat.complete([{"role": "user", "content": "2 + 2?"}])

Requests go through the clients of Atropos' servers, but not through its methods: these send a
request that is refused up to nine times, with pauses of a minute in all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from openai import Timeout

from rgenv.atropos.request_errors import address, explained
from rgenv.errors import RequestFailed
from rgenv.evaluation.asking import Reply
from rgenv.types import Message

CONNECT_SECONDS = 10.0
"""After this, an address that does not react counts as dead. A completion may take much longer."""

NAMED = ("max_tokens", "temperature", "top_p")
"""Parameters that OpenAI's client takes as arguments here; others go into the body as they are."""


class ChatServers:
    """Sends each request to the server with the fewest requests under way.

    Args:
        servers: Atropos' clients.
        parameters: of each request.
    """

    def __init__(self, servers: Sequence[Any], parameters: Mapping[str, Any]) -> None:
        self._servers = servers
        self._parameters = {n: v for n, v in parameters.items() if n in NAMED}
        self._body = {n: v for n, v in parameters.items() if n not in NAMED}
        self._under_way: Counter[int] = Counter()

    async def complete(self, messages: list[Message]) -> Reply:
        """Return one completion.

        Raises:
            RequestRefused: the server refuses the request; the message says what to change.
            RateLimited: the server has too many requests.
            RequestFailed: the answer has no completion.
            Exception: whatever else went wrong; the request may be repeated.
        """
        place = min(range(len(self._servers)), key=self._under_way.__getitem__)
        server = self._servers[place]
        self._under_way[place] += 1
        try:
            answer = await self._ask(server, messages)
        except Exception as error:  # of the client
            raise explained(error, server.config) from None
        finally:
            self._under_way[place] -= 1
        return _reply(messages, answer, server.config)

    async def _ask(self, server: Any, messages: list[Message]) -> Any:
        # Atropos' options for reasoning, such as reasoning_effort, change the parameters.
        parameters = server._inject_reasoning_kwargs({**self._parameters, "extra_body": self._body})
        timeout = Timeout(server.config.timeout, connect=CONNECT_SECONDS)
        return await server.openai.with_options(timeout=timeout).chat.completions.create(
            model=server.config.model_name, messages=messages, **parameters
        )


def _reply(messages: list[Message], answer: Any, config: Any) -> Reply:
    """Read an answer; what the model thought beside its completion is no part of the completion."""
    if not getattr(answer, "choices", None):  # some services answer errors with status 200
        raise RequestFailed(
            f"{address(config.base_url)} answers without a completion ({str(answer)[:200]})"
        )
    [choice, *_] = answer.choices
    said = choice.message
    thought = getattr(said, "reasoning_content", None) or getattr(said, "reasoning", None)
    return Reply(
        messages,
        said.content or "",
        choice.finish_reason or "stop",
        answer.usage.completion_tokens if answer.usage is not None else None,
        reasoning=thought if isinstance(thought, str) else "",
    )
