"""Engine: asks a server of vLLM or SGLang for token ids with their log probabilities.

The first request finds which dialect the server speaks. docs/running.md says which engine speaks
which.
"""

import asyncio
import json
import logging
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import msgspec
from msgspec import defstruct

from rgenv.errors import RateLimited, RequestFailed, RequestRefused, ServerAway
from rgenv.inference.http import NO_PAGE, NoAnswer, ask, bearer, models_in, post, reason_in, similar
from rgenv.runtime.parts import in_turn
from rgenv.text import describe, one_line

log = logging.getLogger(__name__)

ENDINGS = {
    "length": "length max_tokens max_output_tokens model_length model_context_window_exceeded",
    "content_filter": "content_filter refusal safety recitation prohibited_content sensitive",
    "error": "error abort aborted failed server_error cancelled timeout time_limit network_error",
}
"""OpenAI's name -> the words of engines, providers and gateways."""


def ending(reason: Any) -> Any:
    """Return a finish reason under OpenAI's name; "error": the server failed, not the model.

    Other words stay, in lower case.
    """
    if not isinstance(reason, str):
        return reason
    word = reason.lower().replace("-", "_")
    return next((name for name, words in ENDINGS.items() if word in words.split()), word)


class NoTokens(Exception):
    """An answer without completions, or without token ids or log probabilities in each."""


class NotOfEngine(NoTokens):
    """An answer that has nothing of a completion."""


KEYS = (b'"choices"', b'"text"', b'"meta_info"', b'"logprobs"')
"""Keys of which each answer of an engine has one."""


class Completion(NamedTuple):
    """A completion as an engine returns it, with the prompt that it has read."""

    tokens: list[int]
    logprobs: list[float]
    finish_reason: str | None
    prompt: Sequence[int] = ()


@dataclass(frozen=True)
class Ask:
    """A request for completions; `more` has sampling parameters under the engine's names."""

    prompt: Sequence[int]
    n: int = 1
    max_tokens: int = 16
    temperature: float = 1.0
    top_p: float = 1.0
    model: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def named(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("n", "max_tokens", "temperature", "top_p")}

    @property
    def sampling(self) -> dict[str, Any]:
        # Where one is left out, vLLM takes it from the model's generation_config.json.
        whole = {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
        no_penalty = {"presence_penalty": 0.0, "frequency_penalty": 0.0}
        return {**whole, **no_penalty, **self.named, **self.more}


@dataclass(frozen=True)
class Dialect:
    """One endpoint of an engine.

    Attributes:
        completions: gives tokens, log probabilities and finish reason of each completion.
        remedy: what to do about a server that answers there without token ids.
        answer: the type of an answer.
    """

    name: str
    path: str
    body: Callable[[Ask], dict[str, Any]]
    completions: Callable[[Any], Iterable[tuple[Any, ...]]]
    remedy: str
    answer: Any = Any

    def read(self, body: bytes) -> list[Completion]:
        """Return the completions of an answer, or raise NoTokens."""
        try:
            try:
                answer = msgspec.json.decode(body, type=self.answer)
            except ValueError:  # NaN is no JSON; `flaw` tells it in words
                answer = msgspec.convert(json.loads(body), self.answer)
            found = msgspec.convert([*self.completions(answer)], list[Completion])
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            if any(key in body for key in KEYS):
                raise NoTokens(describe(error)) from None
            found = []
        if not found:
            said = reason_in(body.decode(errors="replace"))
            raise NotOfEngine(one_line(said, 200) or "nothing")
        return found


# The part of vLLM's answer that is read; the rest would take most of the time.
_LOGPROBS = defstruct("Logprobs", [("token_logprobs", list[float])])
_REASON = ("finish_reason", str | None, None)
_CHOICE = defstruct("Choice", [("token_ids", list[int]), ("logprobs", _LOGPROBS), _REASON])
_CHOICES = defstruct("Choices", [("choices", list[_CHOICE])])  # type: ignore[valid-type]

_WITH_IDS = {"logprobs": 0, "return_token_ids": True}
COMPLETIONS = Dialect(
    "vLLM's completions",
    "/v1/completions",
    lambda ask: {"model": ask.model, "prompt": list(ask.prompt), **ask.sampling, **_WITH_IDS},
    lambda answer: [
        (one.token_ids, one.logprobs.token_logprobs, one.finish_reason) for one in answer.choices
    ],
    "vLLM returns them since 0.10.2, so update an older one",
    answer=_CHOICES,
)


def _from_scale_out(answer: Any) -> Iterator[tuple[Any, ...]]:
    for one in answer["choices"]:
        logprobs = [position["logprob"] for position in one["logprobs"]["content"]]
        yield one["token_ids"], logprobs, one.get("finish_reason")


SCALE_OUT = Dialect(
    "vLLM's token ids in and out",
    "/inference/v1/generate",
    lambda ask: {
        "model": ask.model,
        "token_ids": list(ask.prompt),
        "sampling_params": {**ask.sampling, "logprobs": 0},
    },
    _from_scale_out,
    "start vLLM without --tokens-only",
)


def _from_atropos(answer: Any) -> Iterator[tuple[Any, ...]]:
    for positions, reason in zip(answer["logprobs"], answer["finish_reasons"], strict=False):
        pairs = [next(iter(position.items()), (-1, 0.0)) for (position,) in positions]
        yield [int(token) for token, _ in pairs], [number for _, number in pairs], reason


ATROPOS = Dialect(
    "the format of Atropos' vLLM server",
    "/generate",
    lambda ask: {"prompt": {"prompt_token_ids": list(ask.prompt)}, "logprobs": 0, **ask.sampling},
    _from_atropos,
    "start `vllm serve MODEL` instead of it",
)


def _sglang_body(ask: Ask) -> dict[str, Any]:
    sampling = ask.sampling
    sampling["max_new_tokens"] = sampling.pop("max_tokens")
    return {"input_ids": list(ask.prompt), "sampling_params": sampling, "return_logprob": True}


def _from_sglang(answer: Any) -> Iterator[tuple[Any, ...]]:
    for one in answer if isinstance(answer, list) else [answer]:
        about = one["meta_info"]
        triples, reason = about["output_token_logprobs"], about["finish_reason"]
        tokens, logprobs = [token for _, token, *_ in triples], [number for number, *_ in triples]
        yield tokens, logprobs, reason and reason["type"]


SGLANG = Dialect(
    "SGLang's generate",
    "/generate",
    _sglang_body,
    _from_sglang,
    "SGLang returns them with `return_logprob`, so update it",
)
OF_VLLM = (COMPLETIONS, SCALE_OUT, ATROPOS)
OF_SGLANG = (SGLANG,)

ROUNDING = 1e-3
"""A log probability may be above 0 by this much, because engines round; the trainer gets 0."""

LOWEST = -1000.0
"""A double holds no probability this small; engines write such numbers for minus infinity."""


def flaw(one: Completion, *, vocabulary: float = math.inf, most: float = math.inf) -> str:
    """Return why no trainer can use a completion of at most `most` tokens; empty if one can.

    One id outside the vocabulary ends a trainer's process, and NaN makes all of its weights NaN.
    """
    tokens, logprobs = one.tokens, one.logprobs
    if not tokens:
        return "no token"
    if len(tokens) != len(logprobs):
        return f"{len(tokens)} tokens with {len(logprobs)} log probabilities"
    if len(tokens) > most:
        return f"{len(tokens)} tokens where at most {most} were asked for"
    if min(tokens) < 0 or max(tokens) >= vocabulary:
        return "a token id outside the vocabulary"
    if any(map(math.isnan, logprobs)):
        return "a log probability that is NaN"
    if max(logprobs) > ROUNDING:
        return "a log probability above 0"
    if min(logprobs) < LOWEST:
        return f"a log probability below {LOWEST:g}"
    return ""


def root_of(base_url: str) -> str:
    """Return the address of a server without the /v1 of its OpenAI API."""
    return base_url.rstrip("/").removesuffix("/v1").rstrip("/")


def begun_once(tokens: list[int], tokenizer: Any) -> list[int]:
    """Return tokens without a second token that begins a text: chat templates may add one, too."""
    is_twice = len(tokens) > 1 and tokens[0] == tokens[1] == tokenizer.bos_token_id
    return tokens[1:] if is_twice else tokens


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
                raise RequestFailed(
                    f"{self._where} sent no token ids with log probabilities ({error})"
                ) from None
            kind = "" if is_training else "eval_"
            getattr(self, f"{kind}request_timings").append(time.monotonic() - began)
            getattr(self, f"{kind}attempts_list").append(1)
        found, logprobs, reasons, _ = map(list, zip(*completions, strict=True))
        return tokens, found, logprobs, reasons

    @property
    def _where(self) -> str:
        return root_of(self.config.base_url or "")

    async def _complete(self, dialect: Dialect, asked: Ask) -> list[Completion]:
        """Return the completions of one answer, or raise NoTokens or RequestFailed."""
        response = await post(f"{self._where}{dialect.path}", dialect.body(asked), self.config)
        return await in_turn(dialect.read, response.body)

    async def _found(self, asked: Ask) -> Dialect:
        """Return the first dialect in which the server gives what a trainer can use."""
        trial = Ask(asked.prompt, n=1, max_tokens=2, model=asked.model)
        refusal, lacking, came = None, "", ""
        for dialect in (*self.dialects, *self.dialects):  # twice: one bad answer says little
            try:
                one = (await self._complete(dialect, trial))[0]
                if ending(one.finish_reason) == "error":
                    raise RequestFailed(f"{self._where} broke the first completion off")
                if not (problem := flaw(one)):
                    log.info("%s speaks %s (%s).", self._where, dialect.name, dialect.path)
                    self.context_length = (await self._listed()).get(self.config.model_name)
                    return dialect
                lacking = lacking or (
                    f"{dialect.path} sends what no trainer can use ({problem}): look at its log."
                )
            except NotOfEngine as error:  # as where there is no such page
                came = came or (
                    f"{dialect.path} answers without a completion ({error}): look at its log, or "
                    "set --openai.base_url to vLLM or SGLang (docs/running.md)."
                )
            except NoTokens as error:
                lacking = lacking or (
                    f"{dialect.path} returns no token ids with log probabilities "
                    f"({error}): {dialect.remedy} (docs/running.md)."
                )
            except (ServerAway, RateLimited):  # says nothing about the dialect
                raise
            except RequestFailed as error:
                if getattr(error, "status", 0) not in NO_PAGE:
                    refusal = refusal or error
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
        raise RequestRefused(f"{self._where}{lacking or came or neither}", final=True)

    async def _listed(self) -> dict[str, int | None]:
        """Return the models that the server lists, with their limits of tokens, if it lists any."""
        url, headers = f"{self._where}/v1/models", bearer(self.config)
        try:
            return models_in(await ask("GET", url, seconds=30.0, headers=headers))
        except NoAnswer:
            return {}
