"""Ask servers over HTTP, within limits of size and time, and say what their failures mean."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec

from rgenv.errors import (
    RateLimited,
    RequestFailed,
    RequestRefused,
    ServerAway,
    ServerHangs,
    StartupError,
)
from rgenv.runtime.backoff import insist
from rgenv.secrets import hide
from rgenv.text import describe, nearest, one_line

MOST_BYTES = 256 * 2**20
"""Of a body: 64 completions of 21,000 tokens have half as much in the longest format."""

POLL_SECONDS = 0.5
"""Between two looks of `require_answer`."""

NO_PAGE = (404, 405, 501)

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


class NoAnswer(OSError):
    """A server gave no answer that can be used; the message continues a sentence about it."""


class TooLate(NoAnswer):
    """A server did not answer in time."""


class Response(NamedTuple):
    """What a server answered; `location` is where a redirect leads to, `wait` is in seconds."""

    status: int
    body: bytes
    location: str
    wait: float = 0.0

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def is_redirect(self) -> bool:
        return 300 <= self.status < 400


async def ask(
    method: str,
    url: str,
    *,
    seconds: float,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
    through_proxies: bool = False,
) -> Response:
    """Send one request and return the response, whatever its status; no redirect is followed.

    NoAnswer: there is none, or it is too late, too large, or not HTTP.
    """
    sent = {"Content-Type": "application/json", **(headers or {})}
    # An address that does not react counts as dead soon; a completion may take much longer.
    limit = aiohttp.ClientTimeout(total=seconds, sock_connect=10.0)
    content, proxy = bytearray(), None
    try:
        parts = urlsplit(url)
        if through_proxies and not proxy_bypass(parts.hostname or ""):
            proxy = getproxies().get(parts.scheme)  # aiohttp's own way reads .netrc, too
        async with (
            aiohttp.ClientSession(timeout=limit, headers=sent) as session,
            session.request(method, url, data=body, allow_redirects=False, proxy=proxy) as reply,
        ):
            async for part in reply.content.iter_any():
                content += part
                if len(content) > MOST_BYTES:
                    break
    except aiohttp.ClientConnectionError as error:
        reason = one_line(error).replace(" ssl:default", "")  # it stands there for http, too
        raise NoAnswer(f"can't be reached ({reason or type(error).__name__})") from None
    except TimeoutError:
        raise TooLate(f"did not answer within {seconds:g} s") from None
    except aiohttp.ClientPayloadError as error:
        raise NoAnswer(f"broke off its answer ({one_line(error)})") from None
    except aiohttp.ClientResponseError as error:
        raise NoAnswer(f"sent no HTTP ({one_line(error.message)})") from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise NoAnswer(f"can't be asked ({describe(error)})") from None
    if len(content) > MOST_BYTES:
        raise NoAnswer(f"sent more than {MOST_BYTES >> 20} MiB")
    location, later = (reply.headers.get(name, "") for name in ("Location", "Retry-After"))
    wait = float(later) if re.fullmatch(r"\d{1,5}(\.\d+)?", later) else 0.0  # else a date
    return Response(reply.status, bytes(content), one_line(location), wait)


async def require_answer(
    url: str,
    timeout: float,
    message: str,
    *,
    judge: Callable[[int, str], str | None],
    **more: Any,
) -> Response:
    """Poll `url` until `judge` finds nothing wrong with status and body, and return the answer.

    StartupError: `message` and the result of the last attempt; or the address redirects.
    """

    async def look() -> Response:
        response = await ask("GET", url, seconds=10.0, **more)
        if response.is_redirect:
            raise StartupError(
                f"{hide(url)} redirects to {response.location}, and redirects are not followed: "
                "set the address of the server itself."
            )
        if problem := judge(response.status, response.text):
            raise NoAnswer(problem)
        return response

    seconds, doing = max(1.0, timeout), f"Asking {hide(url)}"
    try:
        return await insist(look, on=(NoAnswer,), seconds=seconds, doing=doing, every=POLL_SECONDS)
    except OSError as error:  # NoAnswer, or TimeoutError of the first look
        raise StartupError(f"{message} (Last: {error})") from None


def quoted(status: int, body: str) -> str:
    """Return an answer as one line, for messages."""
    return f"HTTP {status}, {one_line(body, 60)!r}"


def bearer(config: Any) -> dict[str, str]:
    """Return the header with the API key in Atropos' settings of a server."""
    return {"Authorization": f"Bearer {config.api_key or ''}"}


async def post(url: str, content: Any, config: Any, **more: Any) -> Response:
    """Post JSON, by Atropos' settings of a server; RequestFailed: the status is not 200."""
    where, body = config.base_url, json.dumps(content).encode()
    try:
        headers = bearer(config) | more.pop("headers", {})
        response = await ask(
            "POST", url, seconds=config.timeout, body=body, headers=headers, **more
        )
    except TooLate as error:
        raise ServerHangs(f"{where} {error} (--openai.timeout)") from None
    except NoAnswer as error:
        raise ServerAway(f"{where} {error}") from None
    status, is_page = response.status, b"<html" in response.body[:1000].lower()  # for a login
    if response.is_redirect:
        sentence = (
            f"{where} redirects to {response.location}, and redirects are not followed: set "
            "--openai.base_url to the address of the server itself."
        )
    elif is_page and status in (200, *NO_PAGE):
        sentence = (
            f"{where} answers with a web page: set --openai.base_url to the address of the API, "
            "which ends with /v1 for most servers."
        )
    elif status == 200:
        return response
    else:
        meaning = 402 if status == 429 and "insufficient_quota" in response.text else None
        reason = reason_in(response.text)
        raise failure(status, reason, config, meaning=meaning, wait=response.wait)
    raise RequestRefused(sentence, final=True, status=status)


def failure(
    status: int, reason: str, config: Any, *, meaning: int | None = None, wait: float = 0.0
) -> RequestFailed:
    """Return the error that a status means; `meaning` is the one that would be right."""
    where, reason, meaning = config.base_url, one_line(reason), meaning or status
    if meaning == 429:
        return RateLimited(f"{where} limits the rate of requests ({reason})", wait)
    is_away = meaning in (408, 502, 503, 504)
    if is_away or meaning in (409, 425) or (meaning >= 500 and meaning not in NO_PAGE):
        kind = ServerAway if is_away else RequestFailed
        return kind(f"{where} answers with status {status} ({reason})")
    remedies = REMEDIES if config.server_type == "openai" else REMEDIES | OF_ENGINES
    remedy = remedies.get(meaning, PARAMETERS)
    names = ("max_completion_tokens", "temperature", "top_p")  # which they refuse, or name instead
    if remedy is PARAMETERS and any(name in reason for name in names):
        values = "max_completion_tokens=TOKENS,temperature=null,top_p=null"
        remedy = f"Reasoning models take --env.eval_request {values}."
    return RequestRefused(
        f"{where} refuses requests with status {status} ({reason}). "
        f"{remedy.format(model=config.model_name)}",
        final=meaning in (401, 402, *NO_PAGE),  # of the account, the address or the model
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
