"""Chat completions for evaluation, from servers with OpenAI's API.

Atropos' clients hold the settings of the servers. They don't send these requests, because they send
one that is refused up to nine times.
"""

import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.evaluation.asking import Instead, Reply
from rgenv.inference.endings import ending
from rgenv.inference.http import NoAnswer, Response, ask
from rgenv.inference.request_errors import (
    WEB_PAGE,
    address,
    is_web_page,
    of_response,
    of_status,
    reason_in,
)
from rgenv.text import content_text, describe, one_line
from rgenv.types import Message

log = logging.getLogger(__name__)

FEW_TOKENS = 32
"""Tokens that a model may write besides its text, such as those that end it."""


class ChatServers:
    """Sends each request to that client of Atropos which has the fewest under way.

    Attributes:
        answers: the number of requests that were answered.
    """

    def __init__(self, servers: Sequence[Any], parameters: Mapping[str, Any]) -> None:
        self._servers = servers
        self._parameters = dict(parameters)
        self._under_way: Counter[int] = Counter()
        self._told = False
        self.answers = 0

    @property
    def under_way(self) -> int:
        return self._under_way.total()

    async def complete(self, messages: list[Message]) -> Reply:
        """Return one completion.

        Raises:
            RequestRefused: the server refuses the request; the message says what to change.
            RequestFailed: it is away, fails, or its answer has no completion.
        """
        place = min(range(len(self._servers)), key=self._under_way.__getitem__)
        self._under_way[place] += 1
        try:
            reply = await self._ask(self._servers[place], messages)
        finally:
            self._under_way[place] -= 1
        self.answers += 1
        return reply

    async def _ask(self, server: Any, messages: list[Message]) -> Reply:
        config = server.config
        # Atropos' options for reasoning, such as reasoning_effort, change the parameters.
        changed = server._inject_reasoning_kwargs({"extra_body": self._parameters})
        more = changed.pop("extra_body")
        content = {"messages": messages, "model": config.model_name, **changed, **more}
        who = {"Organization": server.openai.organization, "Project": server.openai.project}
        headers = {f"OpenAI-{name}": value for name, value in who.items() if value}
        headers["Authorization"] = f"Bearer {config.api_key}"
        parts = urlsplit(config.base_url or str(server.openai.base_url))
        url = urlunsplit(parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions"))
        try:
            response = await ask(
                "POST",
                url,
                seconds=config.timeout,
                body=json.dumps(content).encode(),
                headers=headers,
                through_proxies=True,
            )
        except NoAnswer as error:
            raise RequestFailed(f"{address(config.base_url)} {error}") from None
        if response.status != 200:
            raise of_response(response, config)
        reply = _read(response, messages, config)
        self._note_hidden(reply, address(config.base_url))
        return reply

    def _note_hidden(self, reply: Reply, where: str) -> None:
        """Say once that a server keeps the thinking to itself: a token has a character at least."""
        tokens = reply.tokens or 0
        if not (self._told or reply.reasoning) and tokens > len(reply.text) + FEW_TOKENS:
            self._told = True
            log.warning(
                "%s strips the thinking from completions: one of %d characters took %d tokens. "
                "Answers are read from what is left.",
                where,
                len(reply.text),
                tokens,
            )


def _read(response: Response, messages: list[Message], config: Any) -> Reply:
    """Read an answer with status 200, which may hold a failure; it raises that."""
    where = address(config.base_url)
    try:
        answer = response.json()
        if failure := _failure(answer, config):
            raise failure
        return _reply(messages, answer)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        if is_web_page(response.text):
            raise RequestRefused(WEB_PAGE.format(where), final=True) from None
        shown = one_line(response.text, 200)
        raise RequestFailed(
            f"{where} answers without a completion ({describe(error)}: {shown})"
        ) from None


def _failure(answer: Any, config: Any) -> RequestFailed | None:
    """Return the error that an answer with status 200 means; None: none.

    Gateways answer so when the provider behind them fails.
    """
    [choice] = answer.get("choices") or [{}]
    error, reason = choice.get("error") or answer.get("error"), choice.get("finish_reason")
    if error:
        code = error.get("code") if isinstance(error, dict) else None
        status = code if type(code) is int and 400 <= code < 600 else 502
        return of_status(status, reason_in(json.dumps(error)), config)
    if ending(reason) == "error":
        where = address(config.base_url)
        return RequestFailed(f"{where} broke the completion off (finish_reason {reason})")
    return None


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
        text,
        reason if isinstance(reason, str) and reason else "stop",
        tokens if isinstance(tokens, int) else None,
        reasoning=thought if isinstance(thought, str) else "",
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
