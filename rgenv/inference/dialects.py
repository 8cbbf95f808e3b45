"""Dialects: how an inference engine is asked for token ids, and how its answer is read.

docs/running.md says which engine speaks which dialect.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from rgenv.runtime.turns import in_turn
from rgenv.text import describe

WHOLE_DISTRIBUTION = {
    **{"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0},
    **{"presence_penalty": 0.0, "frequency_penalty": 0.0},
}
"""Without these, vLLM takes the values of the model's generation_config.json, and then samples from
another distribution than that of the log probabilities."""

TOKEN_NAME = "token_id:"


class NoTokens(ValueError):
    """An answer without token ids, or without a log probability for each."""


class Completion(NamedTuple):
    """A completion as an engine returns it, with the prompt if the server has read another one."""

    tokens: list[Any]
    logprobs: list[Any]
    finish_reason: Any
    prompt: list[int] | None = None


UNREADABLE = Completion([], [], "stop")
"""In place of a completion without token ids or log probabilities; `flaw` tells it apart."""


@dataclass(frozen=True)
class Ask:
    """A request for completions; `more` has sampling parameters under the engine's names."""

    prompt: Sequence[int]
    n: int
    max_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    model: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sampling(self) -> dict[str, Any]:
        return {
            **WHOLE_DISTRIBUTION,
            "n": self.n,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "top_p": self.top_p,
            **self.more,
        }


@dataclass(frozen=True)
class Dialect:
    """One endpoint of an engine.

    Attributes:
        path: below the server's address, without /v1.
        body: returns the JSON of a request.
        remedy: what to do about a server that answers there without token ids.
        choices: takes the body of an answer apart into one piece for each completion.
        completion: reads one piece.
    """

    name: str
    path: str
    body: Callable[[Ask], dict[str, Any]]
    remedy: str
    choices: Callable[[bytes], Sequence[Any]]
    completion: Callable[[Any], Completion]

    async def read(self, body: bytes) -> list[Completion]:
        """Return the completions of an answer.

        Raises:
            NoTokens: the answer has none, or all of them lack token ids or log probabilities.
            msgspec.DecodeError: it is no JSON.
        """
        completions, problem = [], "no completion"
        try:
            choices = await in_turn(self.choices, body)
        except msgspec.ValidationError as error:
            raise NoTokens(str(error)) from None
        for choice in choices:
            try:
                one = await in_turn(self.completion, choice)
            except (ValueError, LookupError, TypeError) as error:  # of another form
                problem, one = describe(error), UNREADABLE
            completions.append(one)
        if all(one is UNREADABLE for one in completions):
            raise NoTokens(problem)
        return completions


class _Choices(Struct):
    choices: list[Raw]


def _choices(body: bytes) -> list[Raw]:
    """Leave each completion as it is, to be read on its own."""
    return msgspec.json.decode(body, type=_Choices).choices


def _completions_body(ask: Ask) -> dict[str, Any]:
    return {
        "model": ask.model,
        "prompt": list(ask.prompt),
        **ask.sampling,
        "logprobs": 0,
        "return_token_ids": True,
        "return_tokens_as_token_ids": True,  # for versions without the field above
    }


class _NamedLogprobs(Struct):
    token_logprobs: list[float]
    tokens: Raw = Raw(b"[]")


class _OfCompletions(Struct):
    logprobs: _NamedLogprobs
    token_ids: list[int] | None = None
    finish_reason: str | None = None


def _of_completions(choice: Raw) -> Completion:
    read = msgspec.json.decode(choice, type=_OfCompletions)
    tokens = read.token_ids
    if tokens is None:
        names = msgspec.json.decode(read.logprobs.tokens, type=list[str])
        if not all(name.startswith(TOKEN_NAME) for name in names):
            raise NoTokens("tokens as text")
        tokens = [int(name.removeprefix(TOKEN_NAME)) for name in names]
    return Completion(tokens, read.logprobs.token_logprobs, read.finish_reason)


def _scale_out_body(ask: Ask) -> dict[str, Any]:
    sampling = {**ask.sampling, "logprobs": 0}
    return {"model": ask.model, "token_ids": list(ask.prompt), "sampling_params": sampling}


def _of_scale_out(choice: Raw) -> Completion:
    read = msgspec.json.decode(choice)
    logprobs = [position["logprob"] for position in read["logprobs"]["content"]]
    return Completion(list(read["token_ids"]), logprobs, read.get("finish_reason"))


def _atropos_body(ask: Ask) -> dict[str, Any]:
    return {"prompt": {"prompt_token_ids": list(ask.prompt)}, "logprobs": 0, **ask.sampling}


class _OfAtropos(Struct):
    logprobs: list[Raw]
    finish_reasons: list[str | None]


def _atropos_choices(body: bytes) -> list[tuple[Raw, str | None]]:
    answer = msgspec.json.decode(body, type=_OfAtropos)
    return list(zip(answer.logprobs, answer.finish_reasons, strict=False))


def _of_atropos(choice: tuple[Raw, str | None]) -> Completion:
    written, reason = choice
    positions = msgspec.json.decode(written, type=list[tuple[dict[int, float]]])
    pairs = [next(iter(position.items()), (-1, 0.0)) for (position,) in positions]
    return Completion([token for token, _ in pairs], [number for _, number in pairs], reason)


def _sglang_body(ask: Ask) -> dict[str, Any]:
    sampling = ask.sampling
    sampling["max_new_tokens"] = sampling.pop("max_tokens")
    return {"input_ids": list(ask.prompt), "sampling_params": sampling, "return_logprob": True}


def _sglang_choices(body: bytes) -> list[Raw]:
    is_list = body.lstrip().startswith(b"[")
    return msgspec.json.decode(body, type=list[Raw]) if is_list else [Raw(body)]


def _of_sglang(choice: Raw) -> Completion:
    about = msgspec.json.decode(choice)["meta_info"]
    triples, reason = about["output_token_logprobs"], about.get("finish_reason")
    return Completion(
        [token for _, token, *_ in triples],
        [logprob for logprob, *_ in triples],
        reason["type"] if isinstance(reason, dict) else reason,
    )


COMPLETIONS = Dialect(
    "vLLM's completions",
    "/v1/completions",
    _completions_body,
    "vLLM returns them since 0.10.2, so update it",
    _choices,
    _of_completions,
)
SCALE_OUT = Dialect(
    "vLLM's token ids in and out",
    "/inference/v1/generate",
    _scale_out_body,
    "start vLLM without --tokens-only",
    _choices,
    _of_scale_out,
)
ATROPOS = Dialect(
    "the format of Atropos' vLLM server",
    "/generate",
    _atropos_body,
    "start `vllm serve MODEL` instead of it",
    _atropos_choices,
    _of_atropos,
)
SGLANG = Dialect(
    "SGLang's generate",
    "/generate",
    _sglang_body,
    "SGLang returns them with `return_logprob`, so update it",
    _sglang_choices,
    _of_sglang,
)
OF_VLLM = (COMPLETIONS, SCALE_OUT, ATROPOS)
OF_SGLANG = (SGLANG,)


# Which completions a trainer can use


ROUNDING = 1e-3
"""A log probability may be above 0 by this much, because engines round; the trainer gets 0."""

LOWEST = -1000.0
"""No token is sampled with so small a log probability, not even at a high temperature: its
probability is below what a double holds. Engines write such numbers for minus infinity."""


def flaw(one: Completion, *, vocabulary: float = math.inf, most: float = math.inf) -> str:
    """Return why no trainer can use a completion of at most `most` tokens; empty if one can.

    One id outside the vocabulary ends a trainer's process, and one log probability that is none
    makes all of its weights NaN.
    """
    tokens, logprobs = one.tokens, one.logprobs
    if not tokens:
        return "no token"
    if len(tokens) != len(logprobs):
        return f"{len(tokens)} tokens with {len(logprobs)} log probabilities"
    if len(tokens) > most:
        return f"{len(tokens)} tokens where at most {most} were asked for"
    if set(map(type, tokens)) != {int}:
        return "a token id that is no whole number"
    if min(tokens) < 0 or max(tokens) >= vocabulary:
        return "a token id outside the vocabulary"
    if not set(map(type, logprobs)) <= {int, float}:
        return "a log probability that is no number"
    if any(map(math.isnan, logprobs)):
        return "a log probability that is NaN"
    if max(logprobs) > ROUNDING:
        return "a log probability above 0"
    if min(logprobs) < LOWEST:
        return f"a log probability below {LOWEST:g}"
    return ""
