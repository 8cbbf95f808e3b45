"""Engine: asks one server of vLLM or SGLang for token ids and log probabilities.

The first request finds which dialect (dialects.py) the server speaks.
"""

import asyncio
import functools
import json
import logging
import operator
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import msgspec

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference.dialects import Ask, Completion, Dialect, NoTokens, flaw
from rgenv.inference.endings import ending
from rgenv.inference.http import NoAnswer, Response, ask
from rgenv.inference.request_errors import address, of_response, of_status, reason_in
from rgenv.inference.tokenizers import begun_once
from rgenv.runtime.backoff import ATTEMPTS
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

    @functools.cached_property
    def _finding(self) -> asyncio.Lock:
        return asyncio.Lock()

    async def tokens_and_logprobs_completion(self, **request: Any) -> Tokens:
        """Ask as Atropos and subclasses do, with `input_ids` or `prompt`."""
        is_training = request.pop("split", "train") == "train"
        asked = _asked(request, self.tokenizer)
        completions = await self.complete(asked, is_training=is_training)
        return (
            list(asked.prompt),
            [one.tokens for one in completions],
            [one.logprobs for one in completions],
            [one.finish_reason for one in completions],
        )

    async def complete(self, asked: Ask, *, is_training: bool = True) -> list[Completion]:
        """Ask once, as soon as the server is healthy and below its limit of requests.

        Returns:
            The completions that the server finished.

        Raises:
            RequestRefused: the server refuses, or returns no token ids.
            RequestFailed: it is away, fails, or broke all completions off.
        """
        if not self.initialized and self._is_watched:
            self.check_task = asyncio.create_task(self.check_server_status_task())
        self.initialized = True
        while not self.server_healthy:
            await asyncio.sleep(CHECK_SECONDS)
        async with self.sem if is_training else self.eval_sem:
            began = time.monotonic()
            completions = await self._completed(asked)
            kind = "" if is_training else "eval_"
            getattr(self, f"{kind}request_timings").append(time.monotonic() - began)
            getattr(self, f"{kind}attempts_list").append(1)
        return completions

    async def _completed(self, asked: Ask) -> list[Completion]:
        asked = replace(asked, model=asked.model or self.config.model_name)
        async with self._finding:
            if self._dialect is None:
                self._dialect = await self._found(asked)
        response = await self._post(self._dialect, asked)
        if response.status != 200:
            raise of_response(response, self.config)
        try:
            return finished(await self._read(self._dialect, response), self._where)
        except NoTokens as error:
            raise RequestFailed(f"{self._where} sent no token ids ({error})") from None

    async def _post(self, dialect: Dialect, asked: Ask) -> Response:
        """Send a request; after a failure, look at once whether the server is still healthy."""
        content = json.dumps(dialect.body(asked)).encode()
        problem = ""
        try:
            response = await self._ask("POST", dialect.path, self.config.timeout, content)
        except NoAnswer as error:
            problem = f"{self._where} {error}"
        if self._is_watched and (problem or response.status >= 500):
            self.server_healthy = await self._is_healthy()
        if problem:
            raise RequestFailed(problem)
        return response

    async def _ask(
        self, method: str, path: str, seconds: float, body: bytes | None = None
    ) -> Response:
        key, url = self.config.api_key, f"{root_of(self.config.base_url or '')}{path}"
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return await ask(method, url, seconds=seconds, body=body, headers=headers)

    async def _read(self, dialect: Dialect, response: Response) -> list[Completion]:
        try:
            return await dialect.read(response.body)
        except msgspec.DecodeError as error:
            shown = f"{error}: {one_line(response.text, 60)!r}"
            raise RequestFailed(f"{self._where}{dialect.path} sent no JSON ({shown})") from None

    @property
    def _where(self) -> str:
        return address(root_of(self.config.base_url or ""))

    # Health

    async def check_server_status_task(self, chat_completion: bool = True) -> None:
        """Look at the server's health page for ever; no completion is asked for."""
        while True:
            self.server_healthy = await self._is_healthy()
            await asyncio.sleep(CHECK_SECONDS)

    @property
    def _is_watched(self) -> bool:
        return bool(self.config.health_check and self.config.base_url)

    async def _is_healthy(self) -> bool:
        try:
            response = await self._ask("GET", "/health", HEALTH_SECONDS)
        except NoAnswer:
            return False
        return response.status < 500  # some servers have no such page

    # Which dialect

    async def _found(self, asked: Ask) -> Dialect:
        """Return the first dialect in which the server gives what a trainer can use."""
        refusals: list[tuple[int, RequestFailed]] = []
        for dialect in self.dialects:
            status, problem = await self._tried(dialect, asked)
            if status == 200 and not problem:
                log.info("%s speaks %s (%s).", self._where, dialect.name, dialect.path)
                self.context_length = (await self._listed()).get(self.config.model_name)
                return dialect
            if status == 200:
                refusal: RequestFailed = RequestRefused(
                    f"{self._where}{dialect.path} returns no token ids with log probabilities "
                    f"({problem}): {dialect.remedy} (docs/running.md).",
                    final=True,
                )
                refusals.append((status, refusal))
            elif status not in NO_PAGE:
                refusal = of_status(status, f"{dialect.path}: {problem}", self.config)
                refusals.append((status, refusal))
        listed = await self._listed()
        if listed and self.config.model_name not in listed:
            names = nearest(self.config.model_name, listed) or sorted(listed)[:3]
            raise RequestRefused(
                f"{self._where} has no model {self.config.model_name}: set --openai.model_name to "
                f"{' or '.join(one_line(name, 80) for name in names)}.",
                final=True,
            )
        if refusals:
            raise min(refusals, key=operator.itemgetter(0))[1]
        paths = " nor ".join(dict.fromkeys(dialect.path for dialect in self.dialects))
        raise RequestRefused(
            f"{self._where} has neither {paths}: start vLLM or SGLang there, or set "
            "--openai.base_url (docs/running.md).",
            final=True,
        )

    async def _tried(self, dialect: Dialect, asked: Ask) -> tuple[int, str]:
        """Ask for two tokens; return the status, and what is wrong with the answer.

        A flawed completion may be an accident, so it is asked for again.
        """
        trial = Ask(asked.prompt, n=1, max_tokens=TRIAL_TOKENS, model=asked.model)
        problem = ""
        for _ in range(ATTEMPTS):
            response = await self._post(dialect, trial)
            if response.is_redirect or response.status in BUSY:
                raise of_response(response, self.config)
            if response.status != 200:
                return response.status, reason_in(response.text)
            try:
                completions = finished(await self._read(dialect, response), self._where)
            except NoTokens as error:
                return 200, str(error)
            if not (problem := flaw(completions[0])):
                break
        return 200, problem

    async def _listed(self) -> dict[str, int | None]:
        """Return the models that the server lists, with their limits of tokens, if it lists any."""
        try:
            response = await self._ask("GET", "/v1/models", HEALTH_SECONDS)
            return {model["id"]: model.get("max_model_len") for model in response.json()["data"]}
        except (NoAnswer, msgspec.DecodeError, KeyError, TypeError):
            return {}


def _asked(request: dict[str, Any], tokenizer: Any) -> Ask:
    more = dict(request)
    prompt, ids = more.pop("prompt", None), more.pop("input_ids", None)
    known = {name: more.pop(name) for name in ("temperature", "top_p") if name in more}
    limits = [more.pop(name, None) for name in ("max_tokens", "max_new_tokens")]
    return Ask(
        prompt=begun_once(list(ids or tokenizer.encode(prompt)), tokenizer),
        n=more.pop("n", 1),
        max_tokens=next((limit for limit in limits if limit), 16),
        model=more.pop("model", None) or "",
        more=more,
        **known,
    )
