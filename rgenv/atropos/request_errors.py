"""What the error of an inference server means, and what to change.

::

    raise explained(error, server.config) from None

Servers raise exceptions of openai, aiohttp and tenacity. Those that concern the user become
`RequestFailed`, of which `RequestRefused` and `RateLimited` are kinds; others stay as they are.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import aiohttp
import openai

from rgenv.errors import RateLimited, RequestFailed, RequestRefused
from rgenv.secrets import hide

REFUSES_ALL = (401, 402, 404)
"""Status codes that concern the account, the address or the model."""

REFUSES_SIZE = (400, 413, 422)
"""Status codes with which servers refuse a request that is too large for them."""

MAY_WORK_LATER = (408, 409, 425)

REMEDIES = {
    401: "Set the environment variable OPENAI_API_KEY, or --openai.api_key, to a valid key.",
    402: "The account has no credit left: top it up, or choose another service.",
    403: "The key may not do this: choose another key, model or service.",
    404: "Check --openai.base_url, which ends with /v1 for most servers, and --openai.model_name "
    "({model}).",
    405: "Check --openai.base_url, which ends with /v1 for most servers.",
    413: "The prompt is too large for this server.",
}
PARAMETERS = (
    "Change the parameter that it names with --env.eval_request NAME=VALUE; null removes one."
)
REASONING = (
    "Reasoning models take --env.eval_request "
    "max_completion_tokens={tokens},temperature=null,top_p=null."
)


def explained(error: BaseException, config: Any) -> BaseException:
    """Return the exception to raise instead of `error`.

    Args:
        config: the settings of the server.
    """
    cause = _cause(error)
    where = address(config.base_url)
    if isinstance(cause, openai.APIStatusError):
        return _of_status(cause.status_code, cause, where, config)
    if isinstance(cause, aiohttp.ClientResponseError):
        return _of_status(cause.status, cause, where, config)
    if isinstance(cause, openai.APIConnectionError | aiohttp.ClientConnectionError):
        detail = cause.__cause__ or cause
        is_late = isinstance(cause, openai.APITimeoutError | TimeoutError)
        if not is_late or "Connect" in type(detail).__name__:
            return RequestFailed(
                f"{where} can't be reached ({_one_line(str(detail) or repr(detail))})"
            )
    if isinstance(cause, openai.APITimeoutError | TimeoutError):
        return RequestFailed(f"{where} did not answer within {config.timeout} s")
    return cause


def of_group(error: BaseException, config: Any, *, count: int, max_tokens: int) -> BaseException:
    """Return the exception to raise instead of `error` of a request for a group.

    Args:
        config: the settings of the server.
        count: the number of completions.
        max_tokens: the limit of prompt and completion.

    Returns:
        RequestRefused if the server would refuse the same request again, else `error`.
    """
    cause = _cause(error)
    if not isinstance(cause, aiohttp.ClientResponseError) or cause.status not in REFUSES_SIZE:
        return error
    return RequestRefused(
        f"{address(config.base_url)} refuses requests for {count} completions of up to "
        f"{max_tokens} tokens, prompt included, with status {cause.status}: lower "
        "--env.max_token_length or --env.group_size, or raise the limits of the server, such as "
        "--max-model-len",
        final=False,
    )


def _of_status(status: int, error: Any, where: str, config: Any) -> RequestFailed:
    reason = hide(_reason(error))
    body = getattr(error, "body", None)
    no_quota = isinstance(body, dict) and body.get("code") == "insufficient_quota"
    if status == 429 and not no_quota:
        return RateLimited(f"{where} limits the rate of requests ({reason})")
    if status >= 500 or status in MAY_WORK_LATER:
        return RequestFailed(f"{where} fails with status {status} ({reason})")
    return RequestRefused(
        f"{where} refuses requests with status {status} ({reason}). "
        + _remedy(402 if no_quota else status, reason, config),
        final=no_quota or status in REFUSES_ALL,
    )


def address(base_url: str | None) -> str:
    """Return the address of a server without name, password and parameters."""
    parts = urlsplit(base_url or "https://api.openai.com/v1")
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if host else "The inference server"


def _cause(error: BaseException) -> BaseException:
    """Return the exception of the last attempt behind tenacity's RetryError."""
    attempt = getattr(error, "last_attempt", None)
    return _cause(attempt.exception()) if attempt is not None and attempt.failed else error


def _reason(error: Any) -> str:
    body = getattr(error, "body", None)
    said = body.get("message") if isinstance(body, dict) else None
    return _one_line(str(said or getattr(error, "message", None) or error))


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 300 else f"{line[:300]}…"


def _remedy(status: int, reason: str, config: Any) -> str:
    if status in REMEDIES:
        return REMEDIES[status].format(model=config.model_name)
    if "max_completion_tokens" in reason or "temperature" in reason or "top_p" in reason:
        return REASONING.format(tokens="TOKENS")
    return PARAMETERS
