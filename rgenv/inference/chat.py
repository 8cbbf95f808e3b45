"""Chat completions for evaluation, from servers with OpenAI's API.

Atropos' clients have the settings alone: they send a request that is refused up to nine times.
"""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from rgenv.errors import RequestFailed
from rgenv.inference.engine import ending
from rgenv.inference.http import Response, failure, post, reason_in
from rgenv.text import content_text, one_line
from rgenv.types import Instead, Message, Reply


async def complete(server: Any, messages: list[Message], parameters: Mapping[str, Any]) -> Reply:
    """Return one completion, or raise RequestFailed."""
    # Atropos' options for reasoning, such as reasoning_effort, change the parameters.
    changed = server._inject_reasoning_kwargs({"extra_body": dict(parameters)})
    more, config = changed.pop("extra_body"), server.config
    content = {"messages": messages, "model": config.model_name, **changed, **more}
    response = await send(server, content)
    try:
        answer = msgspec.json.decode(response.body)
        choice = (answer.get("choices") or [{}])[0]
        if error := choice.get("error") or answer.get("error"):  # of a gateway's provider
            code = error.get("code") if isinstance(error, dict) else None
            meaning = code if type(code) is int and 400 <= code < 600 else 502
            said = f"error {code or ''}".rstrip() + f": {reason_in(json.dumps(error))}"
            raise failure(response.status, said, config, meaning=meaning)
        word = choice.get("finish_reason")
        if (reason := ending(word) or "stop") == "error":
            broken = f"{config.base_url} broke the completion off (finish_reason {word})"
            raise RequestFailed(broken)
        message = choice["message"]
        text, instead = _said(message, reason)
        tokens = (answer.get("usage") or {}).get("completion_tokens")
        thought = message.get("reasoning_content") or message.get("reasoning")
        return Reply(messages, text, reason, tokens, str(thought or ""), instead)
    except (ValueError, LookupError, TypeError, AttributeError):
        shown = one_line(response.text, 200) or "an empty body"
        raise RequestFailed(f"{config.base_url} answers without a completion ({shown})") from None


async def send(server: Any, content: Mapping[str, Any]) -> Response:
    """Send a request as it is, or raise RequestFailed."""
    who = {"Organization": server.openai.organization, "Project": server.openai.project}
    headers = {f"OpenAI-{name}": value for name, value in who.items() if value}
    parts = urlsplit(server.config.base_url)  # which may have a query
    url = parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions").geturl()
    return await post(url, content, server.config, headers=headers, through_proxies=True)


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
