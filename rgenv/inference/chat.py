"""Chat completions for evaluation, from servers with OpenAI's API.

Atropos' clients hold the settings of the servers. They don't send these requests, because they send
one that is refused up to nine times.
"""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import msgspec

from rgenv.errors import RequestFailed
from rgenv.inference.http import Response
from rgenv.inference.reply import Instead, Reply, ending
from rgenv.inference.requests import OPENAI, failure, post, reason_in
from rgenv.text import content_text, describe, one_line
from rgenv.types import Message


class ChatServers:
    """Asks one client of Atropos after the other."""

    def __init__(self, servers: Sequence[Any], parameters: Mapping[str, Any]) -> None:
        self._servers = itertools.cycle(servers)
        self._parameters = dict(parameters)

    async def complete(self, messages: list[Message]) -> Reply:
        """Return one completion.

        Raises:
            RequestRefused: the server refuses the request; the message says what to change.
            RequestFailed: it is away, fails, or its answer has no completion.
        """
        server = next(self._servers)
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
        response = await post(url, content, config, headers=headers, through_proxies=True)
        return _reply(response, messages, config)


def _reply(response: Response, messages: list[Message], config: Any) -> Reply:
    """Read an answer with status 200; what the model thought beside its completion is apart.

    Gateways answer so, too, when the provider behind them fails.
    """
    where = config.base_url or OPENAI
    try:
        answer = msgspec.json.decode(response.body)
        choice = (answer.get("choices") or [{}])[0]
        if error := choice.get("error") or answer.get("error"):
            code = error.get("code") if isinstance(error, dict) else None
            status = code if type(code) is int and 400 <= code < 600 else 502
            raise failure(status, reason_in(json.dumps(error)), config)
        reason = ending(choice.get("finish_reason")) or "stop"
        if reason == "error":
            word = choice["finish_reason"]
            raise RequestFailed(f"{where} broke the completion off (finish_reason {word})")
        message = choice["message"]
        text, instead = _said(message, reason)
        tokens = (answer.get("usage") or {}).get("completion_tokens")
        thought = message.get("reasoning_content") or message.get("reasoning")
        return Reply(messages, text, reason, tokens, str(thought or ""), instead)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        shown = f"{describe(error)}: {one_line(response.text, 200)}"
        raise RequestFailed(f"{where} answers without a completion ({shown})") from None


def _said(message: Any, reason: str) -> tuple[str, Instead | None]:
    """Return the text of a message, and what it is instead of a completion, if so."""
    if text := content_text(message.get("content")):
        return text, None
    if refusal := message.get("refusal"):
        return str(refusal), "refused"
    if calls := message.get("tool_calls"):
        return json.dumps(calls), "tool_call"
    if reason == "content_filter":
        return "", "refused"
    return "", None if reason == "length" else "empty"
