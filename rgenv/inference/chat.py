"""Chat completions for evaluation, from servers with OpenAI's API.

Atropos' clients have the settings alone: they send a request that is refused up to nine times.
"""

import asyncio
import json
import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from rgenv.errors import RequestFailed, RequestRefused, StartupError
from rgenv.inference.engine import ending
from rgenv.inference.http import Response, failure, post, reason_in, similar
from rgenv.text import content_text, describe, one_line
from rgenv.types import Instead, Message, Reply

log = logging.getLogger(__name__)


LEAST_SECONDS = 1.0
"""Seconds that a server has for its first answer, whatever the start has left."""


async def complete(server: Any, messages: list[Message], parameters: Mapping[str, Any]) -> Reply:
    """Return one completion, or raise RequestFailed."""
    # Atropos' options for reasoning, such as reasoning_effort, change the parameters.
    changed = server._inject_reasoning_kwargs({"extra_body": dict(parameters)})
    more = changed.pop("extra_body")
    content = {"messages": messages, "model": server.config.model_name, **changed, **more}
    return _reply(await _send(server, content), messages, server.config)


async def require_chat(server: Any, listed: Mapping[str, object], timeout: float) -> None:
    """Warn of a model that a server does not list; some take others, too.

    One that lists none is sent a request without messages, which it may answer within `timeout`
    seconds. StartupError: it refuses the key or the address, or does not speak the chat API.
    """
    model, url = server.config.model_name, server.config.base_url
    if listed:
        if model not in listed:
            log.warning(
                "The inference server at %s lists no model %s: if it refuses that name, set "
                "--openai.model_name to %s.",
                *(url, model, similar(model, listed)),
            )
        return
    seconds = max(timeout, LEAST_SECONDS)
    try:
        async with asyncio.timeout(seconds):
            response = await _send(server, {"model": model})
        if b'"choices"' not in response.body and b'"error"' not in response.body:
            raise RequestRefused(
                f"{url} does not speak OpenAI's chat API "
                f"({one_line(response.text, 60)!r}): set --openai.base_url to a server that does.",
                final=True,
            )
    except RequestRefused as error:
        if error.final or error.status == 403:
            raise StartupError(f"The inference server at {error}") from None
    except RequestFailed as error:
        log.warning("No completion yet: %s", error)
    except TimeoutError:
        log.warning("No completion yet: %s did not answer within %g s.", url, seconds)


async def _send(server: Any, content: Mapping[str, Any]) -> Response:
    config = server.config
    who = {"Organization": server.openai.organization, "Project": server.openai.project}
    headers = {f"OpenAI-{name}": value for name, value in who.items() if value}
    parts = urlsplit(config.base_url)  # which may have a query
    url = parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions").geturl()
    return await post(url, content, config, headers=headers, through_proxies=True)


def _reply(response: Response, messages: list[Message], config: Any) -> Reply:
    """Read an answer with status 200, which gateways give for a failure of their provider, too."""
    where = config.base_url
    try:
        answer = msgspec.json.decode(response.body)
        choice = (answer.get("choices") or [{}])[0]
        if error := choice.get("error") or answer.get("error"):
            code = error.get("code") if isinstance(error, dict) else None
            meaning = code if type(code) is int and 400 <= code < 600 else 502
            said = f"error {code or ''}".rstrip() + f": {reason_in(json.dumps(error))}"
            raise failure(response.status, said, config, meaning=meaning)
        word = choice.get("finish_reason")
        if (reason := ending(word) or "stop") == "error":
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
