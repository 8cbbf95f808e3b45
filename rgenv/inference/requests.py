"""Post to an inference server, and say what its refusals and failures mean and what to change."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from rgenv.errors import RateLimited, RequestFailed, RequestRefused, ServerAway
from rgenv.inference.http import NoAnswer, Response, ask
from rgenv.text import nearest, one_line

OPENAI = "https://api.openai.com/v1"
"""Where chat requests go if there is no address."""

NO_PAGE = (404, 405, 501)
REFUSES_ALL = (401, 402, *NO_PAGE)
"""Status codes that concern the account, the address or the model."""

AWAY = (408, 502, 503, 504)
MAY_WORK_LATER = (409, 425)

LENGTHS = (
    "Compare --env.max_token_length and --env.eval_max_tokens with the server's limit "
    "(vLLM: --max-model-len; SGLang: --context-length)."
)
REMEDIES = {
    401: "Set the environment variable OPENAI_API_KEY, or --openai.api_key, to a valid key.",
    402: "The account has no credit left: top it up, or choose another service.",
    403: "The key may not do this: choose another key, model or service.",
    404: "Check --openai.base_url, which ends with /v1 for most servers, and --openai.model_name "
    "({model}).",
    **dict.fromkeys((405, 501), "Check --openai.base_url, which ends with /v1 for most servers."),
    413: "The prompt is too large for this server.",
}
OF_ENGINES = {400: LENGTHS, 422: LENGTHS, 401: "Set --openai.api_key to the server's key."}
"""Instead of `REMEDIES`, for other servers than chat servers."""

PARAMETERS = (
    "Change the parameter that it names with --env.eval_request NAME=VALUE; null removes one."
)
REASONING = (
    "Reasoning models take --env.eval_request "
    "max_completion_tokens=TOKENS,temperature=null,top_p=null."
)
OF_REASONING = ("max_completion_tokens", "temperature", "top_p")
"""Parameters that reasoning models refuse, or name instead."""

WEB_PAGE = (
    "{} answers with a web page: set --openai.base_url to the address of the API, which ends with "
    "/v1 for most servers."
)


async def post(url: str, content: Any, config: Any, **more: Any) -> Response:
    """Post JSON and return the answer, whose status is 200.

    Args:
        config: Atropos' settings of the server.
        more: of `http.ask`.

    Raises:
        RequestFailed: or a kind of it: ServerAway, RateLimited, RequestRefused.
    """
    body = json.dumps(content).encode()
    try:
        response = await ask("POST", url, seconds=config.timeout, body=body, **more)
    except NoAnswer as error:
        raise ServerAway(f"{config.base_url or OPENAI} {error}") from None
    if response.is_redirect:
        raise RequestRefused(
            f"{config.base_url or OPENAI} redirects to {response.location}, and redirects are not "
            "followed: set --openai.base_url to the address of the server itself.",
            final=True,
        )
    status, is_page = response.status, b"<html" in response.body[:1000].lower()
    if is_page and status in (200, *NO_PAGE):  # of another program, such as a login page
        page = WEB_PAGE.format(config.base_url or OPENAI)
        raise RequestRefused(page, final=True, status=status)
    if status != 200:
        meaning = 402 if status == 429 and "insufficient_quota" in response.text else None
        raise failure(status, reason_in(response.text), config, meaning=meaning)
    return response


def failure(status: int, reason: str, config: Any, *, meaning: int | None = None) -> RequestFailed:
    """Return the error that a status means; `meaning` is the one that would be right."""
    where, reason, meaning = config.base_url or OPENAI, one_line(reason), meaning or status
    if meaning == 429:
        return RateLimited(f"{where} limits the rate of requests ({reason})")
    if (meaning >= 500 and meaning not in NO_PAGE) or meaning in (*AWAY, *MAY_WORK_LATER):
        kind = ServerAway if meaning in AWAY else RequestFailed
        return kind(f"{where} answers with status {status} ({reason})")
    remedies = REMEDIES if config.server_type == "openai" else REMEDIES | OF_ENGINES
    names_one = any(name in reason for name in OF_REASONING)
    remedy = remedies.get(meaning, REASONING if names_one else PARAMETERS)
    return RequestRefused(
        f"{where} refuses requests with status {status} ({reason}). "
        f"{remedy.format(model=config.model_name)}",
        final=meaning in REFUSES_ALL,
        status=status,
    )


def reason_in(text: str) -> str:
    """Return what an error page says, from any of the formats that engines use."""
    try:
        body = json.loads(text)
    except ValueError:
        return text
    while isinstance(body, dict):
        body = next((body[n] for n in ("error", "message", "detail") if body.get(n)), str(body))
    return str(body)


def models_in(response: Response) -> dict[str, int | None]:
    """Return the models that a page lists, with their limits of tokens; none if it is no list."""
    try:
        models = msgspec.json.decode(response.body)["data"]
        return {model["id"]: model.get("max_model_len") for model in models}
    except (ValueError, LookupError, TypeError):
        return {}


def similar(model: str, listed: Mapping[str, object]) -> str:
    """Return the listed models that may be meant, for messages."""
    names = nearest(model, listed, n=3) or sorted(listed)[:3]
    return " or ".join(one_line(name, 80) for name in names)
