"""Engine: asks one server of vLLM or SGLang for token ids and log probabilities.

The first request finds which dialect (dialects.py) the server speaks.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference.dialects import Ask, Completion, Dialect, NoTokens, flaw
from rgenv.inference.endings import ending
from rgenv.inference.http import KIB, MIB, NoAnswer, Response, ask
from rgenv.inference.request_errors import address, of_response
from rgenv.runtime.backoff import ATTEMPTS
from rgenv.text import one_line

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
"""Seconds between two looks at the health of a server."""

HEALTH_SECONDS = 30.0
"""After this, a server without an answer counts as unhealthy. SGLang's takes up to 20 s."""

TRIAL_TOKENS = 2

TOKEN_BYTES = 512
"""The most bytes that an answer may take for a token; the longest format takes about 350."""

LONGEST_CONTEXT = 2**31

NO_PAGE = (404, 405)


def root_of(base_url: str) -> str:
    """Return the address of a server without the /v1 of its OpenAI API."""
    return base_url.rstrip("/").removesuffix("/v1").rstrip("/")


def finished(completions: Sequence[Completion], where: str) -> list[Completion]:
    """Return the completions that an engine finished; RequestFailed: none."""
    named = [one._replace(finish_reason=ending(one.finish_reason)) for one in completions]
    kept = [one for one in named if one.finish_reason not in ("error", None)]
    if not kept:
        reason = one_line(completions[0].finish_reason, 40)
        raise RequestFailed(
            f"{where} broke the completions off (finish_reason {reason}), as engines do that sleep "
            "or restart"
        )
    return kept


class Engine:
    """A client of one server.

    Attributes:
        context_length: the most tokens that prompt and completion may have; None: unknown.
        healthy: whether the health page answered last; True as long as nobody looks.
    """

    def __init__(self, config: Any, dialects: Sequence[Dialect]) -> None:
        self.context_length: int | None = None
        self.healthy = True
        self._config = config
        self._dialects = dialects
        self._root = root_of(config.base_url or "")
        self._dialect: Dialect | None = None
        self._finding = asyncio.Lock()
        self._is_watched = False

    async def complete(self, asked: Ask) -> list[Completion]:
        """Return the completions that the server finished.

        Raises:
            RequestRefused: the server refuses, or returns no token ids.
            RequestFailed: it is away, fails, or broke all completions off.
        """
        asked = replace(asked, model=asked.model or self._config.model_name)
        dialect = await self._spoken(asked)
        response = await self._post(dialect, asked)
        if response.status != 200:
            raise self._refusal(response)
        try:
            return finished(dialect.read(await self._json(response, dialect)), self._where)
        except NoTokens as error:
            raise RequestFailed(f"{self._where} sent no token ids ({error})") from None

    # Sending

    async def _post(self, dialect: Dialect, asked: Ask) -> Response:
        """Send a request; its answer may be as large as so many completions."""
        completion = 16 * KIB + TOKEN_BYTES * asked.max_tokens
        try:
            response = await ask(
                "POST",
                f"{self._root}{dialect.path}",
                seconds=self._config.timeout,
                most=MIB + 16 * len(asked.prompt) + asked.n * completion,
                body=json.dumps(dialect.body(asked)).encode(),
                headers=self._headers,
            )
        except NoAnswer as error:
            await self._look_again()
            raise RequestFailed(f"{self._where} {error}") from None
        if response.is_redirect:
            raise self._refusal(response)
        if response.status >= 500:
            await self._look_again()
        return response

    async def _json(self, response: Response, dialect: Dialect) -> Any:
        try:
            return await response.json()
        except ValueError:
            shown = one_line(response.text[:KIB], 60)
            raise RequestFailed(f"{self._where}{dialect.path} sent no JSON ({shown!r})") from None

    async def _get(self, path: str, seconds: float) -> Response:
        return await ask("GET", f"{self._root}{path}", seconds=seconds, headers=self._headers)

    @property
    def _headers(self) -> dict[str, str]:
        key = self._config.api_key
        return {"Authorization": f"Bearer {key}"} if key else {}

    @property
    def _where(self) -> str:
        return address(self._root)

    def _refusal(self, response: Response, path: str = "") -> RequestFailed:
        return of_response(response, self._config, path)

    # Health

    async def watch(self) -> None:
        """Look at the server's health page for ever; no completion is asked for."""
        self._is_watched = True
        while True:
            self.healthy = await self._is_healthy()
            await asyncio.sleep(CHECK_SECONDS)

    async def _look_again(self) -> None:
        """Look at the health page at once, so that a failed request is not sent there again."""
        if self._is_watched:
            self.healthy = await self._is_healthy()

    async def _is_healthy(self) -> bool:
        try:
            response = await self._get("/health", HEALTH_SECONDS)
        except NoAnswer:
            return False
        return response.status < 500  # some servers have no such page

    # Which dialect

    async def _spoken(self, asked: Ask) -> Dialect:
        async with self._finding:
            if self._dialect is None:
                self._dialect = await self._found(asked)
                self.context_length = await self._listed_context_length()
        return self._dialect

    async def _found(self, asked: Ask) -> Dialect:
        trial = Ask(asked.prompt, n=1, max_tokens=TRIAL_TOKENS, model=asked.model)
        tried: list[tuple[Dialect, Response, str]] = []
        for dialect in self._dialects:
            for _ in range(ATTEMPTS):
                response, completions, reason = await self._tried(dialect, trial)
                if response.status == 200 and not reason:
                    log.info("%s speaks %s (%s).", self._where, dialect.name, dialect.path)
                    return dialect
                if not completions:
                    break
            tried.append((dialect, response, reason))
        raise await self._speaks_none(tried)

    async def _tried(self, dialect: Dialect, trial: Ask) -> tuple[Response, list[Completion], str]:
        """Ask in a dialect; return the answer, its completions if any, and what is wrong."""
        response = await self._post(dialect, trial)
        if response.status in (408, 429, 502, 503, 504):
            raise self._refusal(response)
        if response.status != 200:
            return response, [], ""
        try:
            read = dialect.read(await self._json(response, dialect))
            completions = finished(read, self._where)
        except NoTokens as error:
            return response, [], str(error)
        return response, completions, flaw(*completions[0][:3])

    async def _speaks_none(self, tried: list[tuple[Dialect, Response, str]]) -> RequestFailed:
        telling = [attempt for attempt in tried if attempt[1].status not in NO_PAGE]
        names = {model["id"] for model in await self._models()}
        if names and self._config.model_name not in names:
            listed = " or ".join(one_line(name, 80) for name in sorted(names)[:3])
            return RequestRefused(
                f"{self._where} has no model {self._config.model_name}: set --openai.model_name to "
                f"{listed}.",
                final=True,
            )
        if not telling:
            paths = " nor ".join(dict.fromkeys(dialect.path for dialect, *_ in tried))
            return RequestRefused(
                f"{self._where} has neither {paths}: start vLLM or SGLang there, or set "
                "--openai.base_url (docs/engines.md).",
                final=True,
            )
        dialect, response, reason = min(telling, key=lambda attempt: attempt[1].status)
        if response.status != 200:
            return self._refusal(response, dialect.path)
        return RequestRefused(
            f"{self._where}{dialect.path} returns no token ids with log probabilities ({reason}): "
            f"{dialect.remedy} (docs/engines.md).",
            final=True,
        )

    async def _models(self) -> list[dict[str, Any]]:
        """Return the models that the server lists, each with its name as "id"; not all list any."""
        try:
            response = await self._get("/v1/models", HEALTH_SECONDS)
            models = (await response.json())["data"] if response.status == 200 else []
            return [model for model in models if isinstance(model.get("id"), str)]
        except (NoAnswer, ValueError, KeyError, TypeError, AttributeError):
            return []

    async def _listed_context_length(self) -> int | None:
        for model in await self._models():
            length = model.get("max_model_len")
            if model["id"] == self._config.model_name and type(length) is int:
                return length if 0 < length < LONGEST_CONTEXT else None
        return None
