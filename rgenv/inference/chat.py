"""Chat completions for evaluation, from servers with OpenAI's API.

Atropos' clients hold the settings of the servers. They don't send these requests, because they
read answers of any size, follow redirects, and send a request that is refused up to nine times.
"""

import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from rgenv.errors import RequestFailed
from rgenv.evaluation.asking import Instead, Reply
from rgenv.inference.endings import WORD, ending
from rgenv.inference.http import KIB, MIB, NoAnswer, ask
from rgenv.inference.request_errors import address, of_response, of_success
from rgenv.runtime.backoff import Unanswered
from rgenv.text import content_text, describe, one_line
from rgenv.types import Message

log = logging.getLogger(__name__)

ANSWER_BYTES = 64 * MIB
"""The most bytes of an answer: more than a million tokens as text."""

MOST_TOKENS = 2**31

FEW_TOKENS = 32
"""Tokens that a model may write besides its text, such as those that end it."""


class ChatServers:
    """Sends each request to that client of Atropos which has the fewest under way."""

    def __init__(self, servers: Sequence[Any], parameters: Mapping[str, Any]) -> None:
        self._servers = servers
        self._parameters = dict(parameters)
        self._under_way: Counter[int] = Counter()
        self._told = False
        self.unanswered = Unanswered()

    async def complete(self, messages: list[Message]) -> Reply:
        """Return one completion.

        Raises:
            RequestRefused: the server refuses the request; the message says what to change.
            RequestFailed: it is away, fails, or its answer has no completion.
        """
        place = min(range(len(self._servers)), key=self._under_way.__getitem__)
        server = self._servers[place]
        self._under_way[place] += 1
        try:
            with self.unanswered.request():
                return await self._ask(server, messages)
        finally:
            self._under_way[place] -= 1

    async def _ask(self, server: Any, messages: list[Message]) -> Reply:
        # Atropos' options for reasoning, such as reasoning_effort, change the parameters.
        changed = server._inject_reasoning_kwargs({"extra_body": self._parameters})
        content = {
            "messages": messages,
            "model": server.config.model_name,
            **{name: value for name, value in changed.items() if name != "extra_body"},
            **changed["extra_body"],
        }
        try:
            response = await ask(
                "POST",
                _url(server),
                seconds=server.config.timeout,
                most=ANSWER_BYTES,
                body=json.dumps(content).encode(),
                headers=_headers(server),
                through_proxies=True,
            )
        except NoAnswer as error:
            raise RequestFailed(f"{address(server.config.base_url)} {error}") from None
        if response.status != 200:
            raise of_response(response, server.config)
        try:
            answer = await response.json()
            if failure := of_success(answer, server.config):
                raise failure
            reply = _reply(messages, answer)
            self._note_hidden(reply, server)
            return reply
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
            shown = one_line(response.text[: 16 * KIB], 200)
            raise RequestFailed(
                f"{address(server.config.base_url)} answers without a completion "
                f"({describe(error)}: {shown})"
            ) from None

    def _note_hidden(self, reply: Reply, server: Any) -> None:
        """Say once that a server keeps the thinking to itself: a token has a character at least."""
        tokens = reply.tokens or 0
        if not (self._told or reply.reasoning) and tokens > len(reply.text) + FEW_TOKENS:
            self._told = True
            log.warning(
                "%s strips the thinking from completions: one of %d characters took %d tokens. "
                "Answers are read from what is left.",
                address(server.config.base_url),
                len(reply.text),
                tokens,
            )


def _url(server: Any) -> str:
    """Return the address of the page for completions; Atropos' client knows the default."""
    parts = urlsplit(server.config.base_url or str(server.openai.base_url))
    return urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions"))


def _headers(server: Any) -> dict[str, str]:
    named = {
        "OpenAI-Organization": server.openai.organization,
        "OpenAI-Project": server.openai.project,
    }
    who = {name: value for name, value in named.items() if value}
    return {"Authorization": f"Bearer {server.config.api_key}", **who}


def _reply(messages: list[Message], answer: Any) -> Reply:
    """Read an answer; what the model thought beside its completion is no part of it."""
    [choice] = answer["choices"]
    said = choice["message"]
    thought = said.get("reasoning_content") or said.get("reasoning")
    reason = ending(choice.get("finish_reason"))
    tokens = (answer.get("usage") or {}).get("completion_tokens")
    text, instead = _said(said, reason)
    return Reply(
        messages,
        _storable(text),
        reason if isinstance(reason, str) and WORD.fullmatch(reason) else "stop",
        tokens if type(tokens) is int and 0 <= tokens < MOST_TOKENS else None,
        reasoning=_storable(thought) if isinstance(thought, str) else "",
        instead=instead,
    )


def _said(message: Any, reason: Any) -> tuple[str, Instead | None]:
    if text := content_text(message.get("content")):
        return text, None
    if refusal := message.get("refusal"):
        return str(refusal), "refused"
    if calls := message.get("tool_calls"):
        return json.dumps(calls), "tool_call"
    if reason == "content_filter":
        return "", "refused"
    return "", None if reason == "length" else "empty"


def _storable(text: str) -> str:
    """Return a text that files can hold: without halves of characters."""
    return text.encode(errors="replace").decode()
