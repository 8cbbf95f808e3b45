"""Engine: asks one server of vLLM or SGLang for token ids and log probabilities.

The first request finds which dialect (dialects.py) the server speaks.
"""

import asyncio
import json
import logging
import time
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference.dialects import Ask, Completion, Dialect, NoTokens, flaw
from rgenv.inference.endings import ending
from rgenv.inference.http import NoAnswer, Response, ask
from rgenv.inference.request_errors import of_response
from rgenv.inference.tokenizers import begun_once
from rgenv.text import nearest, one_line

log = logging.getLogger(__name__)

CHECK_SECONDS = 1.0
"""Seconds between two looks at the health of a server."""

HEALTH_SECONDS = 30.0
"""After this, a server without an answer counts as unhealthy. SGLang's takes up to 20 s."""

TRIAL_TOKENS = 2

NO_PAGE = (404, 405)

BUSY = (408, 429, 502, 503, 504)
"""Status codes that say nothing about the dialect."""

Tokens = tuple[list[int], list[list[int]], list[list[float]], list[str]]
"""What Atropos expects: prompt, completions, their log probabilities and finish reasons."""


def root_of(base_url: str) -> str:
    """Return the address of a server without the /v1 of its OpenAI API."""
    return base_url.rstrip("/").removesuffix("/v1").rstrip("/")


def finished(completions: Sequence[Completion], where: str) -> list[Completion]:
    """Return the completions that an engine finished, with OpenAI's words; RequestFailed: none."""
    named = [one._replace(finish_reason=ending(one.finish_reason)) for one in completions]
    kept = [one for one in named if one.finish_reason not in ("error", None)]
    if not kept:
        raise RequestFailed(
            f"{where} broke the completions off (finish_reason {completions[0].finish_reason}), as "
            "engines do that sleep or restart"
        )
    return kept


class Engine:
    """A client of one server; atropos/engines.py joins it with Atropos' own, whose limits it keeps.

    Attributes:
        dialects: those to try, in this order.
        context_length: the most tokens that prompt and completion may have; None: unknown.
        server_healthy: whether the health page answered last; True as long as nobody looks.
    """

    dialects: ClassVar[Sequence[Dialect]] = ()
    context_length: int | None = None
    config: Any
    tokenizer: Any
    sem: asyncio.Semaphore
    eval_sem: asyncio.Semaphore
    server_healthy: bool
    initialized: bool
    _dialect: Dialect | None = None

    async def tokens_and_logprobs_completion(self, **request: Any) -> Tokens:
        """Ask once, with `input_ids` or `prompt`, as soon as the server is healthy and has room.

        Returns:
            The prompt, and the completions that the server finished.

        Raises:
            RequestRefused: the server refuses, or returns no token ids.
            RequestFailed: it is away, fails, or broke all completions off.
        """
        if not self.initialized and self._is_watched:
            self.check_task = asyncio.create_task(self.check_server_status_task())
        self.initialized = True
        while not self.server_healthy:
            await asyncio.sleep(CHECK_SECONDS)
        is_training = request.pop("split", "train") == "train"
        asked = _asked(request, self.tokenizer, self.config.model_name)
        async with self.sem if is_training else self.eval_sem:
            began = time.monotonic()
            completions = await self._completed(asked)
            kind = "" if is_training else "eval_"
            getattr(self, f"{kind}request_timings").append(time.monotonic() - began)
            getattr(self, f"{kind}attempts_list").append(1)
        tokens, logprobs, reasons, _ = zip(*completions, strict=True)
        return list(asked.prompt), list(tokens), list(logprobs), list(reasons)

    async def _completed(self, asked: Ask) -> list[Completion]:
        if self._dialect is None:
            self._dialect = await self._found(asked)
        response = await self._post(self._dialect, asked)
        if response.status != 200:
            raise of_response(response, self.config)
        try:
            return await self._read(self._dialect, response)
        except NoTokens as error:
            raise RequestFailed(f"{self._where} sent no token ids ({error})") from None

    async def _post(self, dialect: Dialect, asked: Ask) -> Response:
        """Send a request; after a failure, look at once whether the server is still healthy."""
        content = json.dumps(dialect.body(asked)).encode()
        try:
            response = await self._ask("POST", dialect.path, self.config.timeout, content)
        except NoAnswer as error:
            await self._look()
            raise RequestFailed(f"{self._where} {error}") from None
        if response.status >= 500:
            await self._look()
        return response

    async def _ask(
        self, method: str, path: str, seconds: float, body: bytes | None = None
    ) -> Response:
        headers = {"Authorization": f"Bearer {self.config.api_key}"}
        url = f"{self._where}{path}"
        return await ask(method, url, seconds=seconds, body=body, headers=headers)

    async def _read(self, dialect: Dialect, response: Response) -> list[Completion]:
        """Return the completions that the server finished, or raise NoTokens or RequestFailed."""
        try:
            completions = await dialect.read(response.body)
        except msgspec.DecodeError as error:
            shown = f"{error}: {one_line(response.text, 60)!r}"
            raise RequestFailed(f"{self._where}{dialect.path} sent no JSON ({shown})") from None
        return finished(completions, self._where)

    @property
    def _where(self) -> str:
        return root_of(self.config.base_url or "")

    # Health

    async def check_server_status_task(self, chat_completion: bool = True) -> None:
        """Look at the server's health page for ever; no completion is asked for."""
        while True:
            await self._look()
            await asyncio.sleep(CHECK_SECONDS)

    @property
    def _is_watched(self) -> bool:
        return bool(self.config.health_check and self.config.base_url)

    async def _look(self) -> None:
        if self._is_watched:
            try:
                response = await self._ask("GET", "/health", HEALTH_SECONDS)
                self.server_healthy = response.status < 500  # some servers have no such page
            except NoAnswer:
                self.server_healthy = False

    # Which dialect

    async def _found(self, asked: Ask) -> Dialect:
        """Return the first dialect in which the server gives what a trainer can use."""
        trial = Ask(asked.prompt, n=1, max_tokens=TRIAL_TOKENS, model=asked.model)
        lacking: list[RequestFailed] = []
        refusals: list[RequestFailed] = []
        for dialect in self.dialects:
            response = await self._post(dialect, trial)
            if response.is_redirect or response.status in BUSY:
                raise of_response(response, self.config)
            if response.status == 200:
                if not (problem := await self._flaw(dialect, response)):
                    log.info("%s speaks %s (%s).", self._where, dialect.name, dialect.path)
                    self.context_length = (await self._listed()).get(self.config.model_name)
                    return dialect
                lacking.append(
                    RequestRefused(
                        f"{self._where}{dialect.path} returns no token ids with log probabilities "
                        f"({problem}): {dialect.remedy} (docs/running.md).",
                        final=True,
                    )
                )
            elif response.status not in NO_PAGE:
                refusals.append(of_response(response, self.config, dialect.path))
        raise await self._speaks_none([*lacking, *refusals])

    async def _flaw(self, dialect: Dialect, response: Response) -> str:
        try:
            return flaw((await self._read(dialect, response))[0])
        except NoTokens as error:
            return str(error)

    async def _speaks_none(self, refusals: Sequence[RequestFailed]) -> RequestFailed:
        """Return the error that says best why no dialect is spoken."""
        listed = await self._listed()
        if listed and self.config.model_name not in listed:
            names = nearest(self.config.model_name, listed) or sorted(listed)[:3]
            return RequestRefused(
                f"{self._where} has no model {self.config.model_name}: set --openai.model_name to "
                f"{' or '.join(one_line(name, 80) for name in names)}.",
                final=True,
            )
        if refusals:
            return refusals[0]
        paths = " nor ".join(dict.fromkeys(dialect.path for dialect in self.dialects))
        return RequestRefused(
            f"{self._where} has neither {paths}: start vLLM or SGLang there, or set "
            "--openai.base_url (docs/running.md).",
            final=True,
        )

    async def _listed(self) -> dict[str, int | None]:
        """Return the models that the server lists, with their limits of tokens, if it lists any."""
        try:
            response = await self._ask("GET", "/v1/models", HEALTH_SECONDS)
            return {model["id"]: model.get("max_model_len") for model in response.json()["data"]}
        except (NoAnswer, msgspec.DecodeError, KeyError, TypeError):
            return {}


def _asked(request: dict[str, Any], tokenizer: Any, model: str) -> Ask:
    more = dict(request)
    prompt, ids = more.pop("prompt", None), more.pop("input_ids", None)
    return Ask(
        begun_once(list(ids or tokenizer.encode(prompt)), tokenizer),
        n=more.pop("n", 1),
        max_tokens=more.pop("max_tokens", None) or 16,
        temperature=more.pop("temperature", 1.0),
        top_p=more.pop("top_p", 1.0),
        model=more.pop("model", None) or model,
        more=more,
    )
