"""Engine: asks one server of vLLM or SGLang for token ids and log probabilities.

The first request finds which dialect (dialects.py) the server speaks.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from typing import Any, ClassVar

from rgenv.errors import RateLimited, RequestFailed, RequestRefused, ServerAway
from rgenv.inference.dialects import Ask, Completion, Dialect, NotOfEngine, NoTokens, ending, flaw
from rgenv.inference.http import NO_PAGE, NoAnswer, ask, models_in, post, similar
from rgenv.inference.tokenizers import begun_once

log = logging.getLogger(__name__)


def root_of(base_url: str) -> str:
    """Return the address of a server without the /v1 of its OpenAI API."""
    return base_url.rstrip("/").removesuffix("/v1").rstrip("/")


class Engine:
    """A client of one server; atropos/servers.py joins it with Atropos' own, whose limits it keeps.

    Attributes:
        dialects: to try, in this order.
        context_length: the most tokens of prompt and completion that it takes; None: unknown.
    """

    dialects: ClassVar[Sequence[Dialect]] = ()
    context_length: int | None = None
    config: Any
    tokenizer: Any
    sem: asyncio.Semaphore
    eval_sem: asyncio.Semaphore
    _dialect: Dialect | None = None

    async def tokens_and_logprobs_completion(self, **request: Any) -> Any:
        """Ask once, with `input_ids` or `prompt`; RequestFailed: the server refuses or fails.

        The result is Atropos': prompt, completions, their log probabilities and finish reasons.
        """
        more = {name: value for name, value in request.items() if value is not None}
        is_training = more.pop("split", "train") == "train"
        prompt, ids = more.pop("prompt", None), more.pop("input_ids", None)
        tokens = begun_once(list(ids or self.tokenizer.encode(prompt)), self.tokenizer)
        names = ("n", "max_tokens", "temperature", "top_p", "model")
        known = {"model": self.config.model_name, **{n: more.pop(n) for n in names if n in more}}
        asked = Ask(tokens, **known, more=more)
        async with self.sem if is_training else self.eval_sem:
            began = time.monotonic()
            self._dialect = self._dialect or await self._found(asked)
            try:
                completions = await self._complete(self._dialect, asked)
            except NoTokens as error:
                raise RequestFailed(f"{self._where} sent no token ids ({error})") from None
            kind = "" if is_training else "eval_"
            getattr(self, f"{kind}request_timings").append(time.monotonic() - began)
            getattr(self, f"{kind}attempts_list").append(1)
        found, logprobs, reasons, _ = map(list, zip(*completions, strict=True))
        return list(asked.prompt), found, logprobs, reasons

    @property
    def _where(self) -> str:
        return root_of(self.config.base_url or "")

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.config.api_key}"}

    async def _complete(self, dialect: Dialect, asked: Ask) -> list[Completion]:
        """Return the completions of one answer, or raise NoTokens or RequestFailed."""
        url, body = f"{self._where}{dialect.path}", dialect.body(asked)
        response = await post(url, body, self.config, headers=self._headers)
        return await dialect.read(response.body)

    async def _found(self, asked: Ask) -> Dialect:
        """Return the first dialect in which the server gives what a trainer can use."""
        trial = Ask(asked.prompt, n=1, max_tokens=2, model=asked.model)
        refusal, lacking = None, ""
        for dialect in self.dialects:
            try:
                one = (await self._complete(dialect, trial))[0]
                if ending(one.finish_reason) == "error":
                    raise RequestFailed(f"{self._where} broke the first completion off")
                problem = flaw(one)
            except NotOfEngine:  # as where there is no such page
                continue
            except NoTokens as error:
                problem = str(error)
            except (ServerAway, RateLimited):  # says nothing about the dialect
                raise
            except RequestFailed as error:
                if getattr(error, "status", 0) not in NO_PAGE:
                    refusal = refusal or error
                continue
            if not problem:
                log.info("%s speaks %s (%s).", self._where, dialect.name, dialect.path)
                self.context_length = (await self._listed()).get(self.config.model_name)
                return dialect
            lacking = lacking or (
                f"{dialect.path} returns no token ids with log probabilities "
                f"({problem}): {dialect.remedy} (docs/running.md)."
            )
        listed, model = await self._listed(), self.config.model_name
        if listed and model not in listed:
            other = similar(model, listed)
            lacking = f" has no model {model}: set --openai.model_name to {other}."
        elif refusal is not None and not lacking:
            raise refusal
        paths = " nor ".join(dict.fromkeys(dialect.path for dialect in self.dialects))
        neither = (
            f" has neither {paths}: start vLLM or SGLang there, or set --openai.base_url "
            "(docs/running.md)."
        )
        raise RequestRefused(f"{self._where}{lacking or neither}", final=True)

    async def _listed(self) -> dict[str, int | None]:
        """Return the models that the server lists, with their limits of tokens, if it lists any."""
        url = f"{self._where}/v1/models"
        try:
            return models_in(await ask("GET", url, seconds=30.0, headers=self._headers))
        except NoAnswer:
            return {}
