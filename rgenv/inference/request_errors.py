"""What an error of an inference server means, and what to change."""

import json
from typing import Any
from urllib.parse import urlsplit

from rgenv.errors import RateLimited, RequestFailed, RequestRefused
from rgenv.inference.endings import ending
from rgenv.inference.http import Response
from rgenv.text import one_line

REFUSES_ALL = (401, 402, 404)
"""Status codes that concern the account, the address or the model."""

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
LENGTHS = (
    "Compare --env.max_token_length and --env.eval_max_tokens with the server's limit "
    "(vLLM: --max-model-len; SGLang: --context-length)."
)
OF_ENGINES = {400: LENGTHS, 422: LENGTHS, 401: "Set --openai.api_key to the server's key."}
"""Instead of `REMEDIES`, for servers that are no chat servers."""

PARAMETERS = (
    "Change the parameter that it names with --env.eval_request NAME=VALUE; null removes one."
)
REASONING = (
    "Reasoning models take --env.eval_request "
    "max_completion_tokens={tokens},temperature=null,top_p=null."
)


def of_response(response: Response, config: Any, path: str = "") -> RequestFailed:
    """Return the error that an answer means whose status is not 200; `path` is to be named."""
    if response.is_redirect:
        return RequestRefused(
            f"{address(config.base_url)} redirects to {response.location}, and redirects are not "
            "followed: set --openai.base_url to the address of the server itself.",
            final=True,
        )
    reason = one_line(reason_in(response.text))
    no_credit = response.status == 429 and "insufficient_quota" in response.text
    said = f"{path}: {reason}" if path else reason
    return of_status(response.status, said, config, no_credit=no_credit)


def of_success(answer: Any, config: Any) -> RequestFailed | None:
    """Return the error that an answer of a chat server with status 200 means; None: none.

    Gateways answer so when the provider behind them fails.
    """
    [choice] = answer.get("choices") or [{}]
    error, reason = choice.get("error") or answer.get("error"), choice.get("finish_reason")
    if not error:
        if ending(reason) != "error":
            return None
        where = address(config.base_url)
        return RequestFailed(f"{where} broke the completion off (finish_reason {reason})")
    code = error.get("code") if isinstance(error, dict) else None
    status = code if type(code) is int and 400 <= code < 600 else 502
    return of_status(status, reason_in(json.dumps(error)), config)


def reason_in(text: str) -> str:
    """Return what an error page says, from any of the formats that engines use."""
    try:
        body = json.loads(text)
        while isinstance(body, dict):
            body = next((body[n] for n in ("error", "message", "detail") if body.get(n)), str(body))
        return str(body)
    except (ValueError, RecursionError):
        return text


def of_status(status: int, reason: str, config: Any, *, no_credit: bool = False) -> RequestFailed:
    """Return the error that an answer with this status means, which says `reason`."""
    where, reason = address(config.base_url), one_line(reason)
    if status == 429 and not no_credit:
        return RateLimited(f"{where} limits the rate of requests ({reason})")
    if status >= 500 or status in MAY_WORK_LATER:
        return RequestFailed(f"{where} fails with status {status} ({reason})")
    return RequestRefused(
        f"{where} refuses requests with status {status} ({reason}). "
        + _remedy(402 if no_credit else status, reason, config),
        final=no_credit or status in REFUSES_ALL,
    )


def address(base_url: str | None) -> str:
    """Return the address of a server without name, password and parameters."""
    parts = urlsplit(base_url or "https://api.openai.com/v1")
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if host else "The inference server"


def _remedy(status: int, reason: str, config: Any) -> str:
    if config.server_type != "openai" and status in OF_ENGINES:
        return OF_ENGINES[status]
    if status in REMEDIES:
        return REMEDIES[status].format(model=config.model_name)
    if "max_completion_tokens" in reason or "temperature" in reason or "top_p" in reason:
        return REASONING.format(tokens="TOKENS")
    return PARAMETERS
