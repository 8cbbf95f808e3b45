"""Dialects: how an inference engine is asked for token ids, and how its answer is read.

docs/running.md says which engine speaks which dialect.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from rgenv.runtime.turns import in_turn
from rgenv.text import describe

WHOLE_DISTRIBUTION = {
    **{"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0},
    **{"presence_penalty": 0.0, "frequency_penalty": 0.0},
}
"""Without these, vLLM takes the values of the model's generation_config.json, and then samples from
another distribution than that of the log probabilities."""


class NoTokens(Exception):
    """An answer without token ids, or without a log probability for each."""


class Completion(NamedTuple):
    """A completion as an engine returns it, with the prompt that it has read."""

    tokens: list[Any]
    logprobs: list[Any]
    finish_reason: Any
    prompt: Sequence[int] = ()


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
        completions: returns the completions in the body of an answer.
        remedy: what to do about a server that answers there without token ids.
    """

    name: str
    path: str
    body: Callable[[Ask], dict[str, Any]]
    completions: Callable[[bytes], list[Completion]]
    remedy: str

    async def read(self, body: bytes) -> list[Completion]:
        """Return the completions of an answer.

        Raises:
            NoTokens: the answer has none, or one lacks token ids or log probabilities.
            msgspec.DecodeError: it is no JSON.
        """
        try:
            found = await in_turn(self.completions, body)
        except (msgspec.ValidationError, LookupError, TypeError, AttributeError) as error:
            raise NoTokens(describe(error)) from None
        if not found:
            raise NoTokens("no completion")
        return found


def _completions_body(ask: Ask) -> dict[str, Any]:
    return {
        "model": ask.model,
        "prompt": list(ask.prompt),
        **ask.sampling,
        "logprobs": 0,
        "return_token_ids": True,
    }


class _Logprobs(Struct):
    token_logprobs: list[float]


class _Choice(Struct):
    token_ids: list[int]
    logprobs: _Logprobs
    finish_reason: str | None = None


class _Choices(Struct):
    choices: list[_Choice]


def _from_completions(body: bytes) -> list[Completion]:
    return [
        Completion(choice.token_ids, choice.logprobs.token_logprobs, choice.finish_reason)
        for choice in msgspec.json.decode(body, type=_Choices).choices
    ]


def _scale_out_body(ask: Ask) -> dict[str, Any]:
    sampling = {**ask.sampling, "logprobs": 0}
    return {"model": ask.model, "token_ids": list(ask.prompt), "sampling_params": sampling}


def _from_scale_out(body: bytes) -> list[Completion]:
    return [
        Completion(
            choice["token_ids"],
            [position["logprob"] for position in choice["logprobs"]["content"]],
            choice.get("finish_reason"),
        )
        for choice in msgspec.json.decode(body)["choices"]
    ]


def _atropos_body(ask: Ask) -> dict[str, Any]:
    return {"prompt": {"prompt_token_ids": list(ask.prompt)}, "logprobs": 0, **ask.sampling}


class _OfAtropos(Struct):
    logprobs: list[list[tuple[dict[int, float]]]]
    finish_reasons: list[str | None]


def _from_atropos(body: bytes) -> list[Completion]:
    answer = msgspec.json.decode(body, type=_OfAtropos)
    found = []
    for positions, reason in zip(answer.logprobs, answer.finish_reasons, strict=False):
        pairs = [next(iter(position.items()), (-1, 0.0)) for (position,) in positions]
        tokens, logprobs = [token for token, _ in pairs], [number for _, number in pairs]
        found.append(Completion(tokens, logprobs, reason))
    return found


def _sglang_body(ask: Ask) -> dict[str, Any]:
    sampling = ask.sampling
    sampling["max_new_tokens"] = sampling.pop("max_tokens")
    return {"input_ids": list(ask.prompt), "sampling_params": sampling, "return_logprob": True}


def _from_sglang(body: bytes) -> list[Completion]:
    answer = msgspec.json.decode(body)
    found = []
    for choice in answer if isinstance(answer, list) else [answer]:
        about = choice["meta_info"]
        triples, reason = about["output_token_logprobs"], about.get("finish_reason")
        tokens, logprobs = [token for _, token, *_ in triples], [number for number, *_ in triples]
        word = reason["type"] if isinstance(reason, dict) else reason
        found.append(Completion(tokens, logprobs, word))
    return found


COMPLETIONS = Dialect(
    "vLLM's completions",
    "/v1/completions",
    _completions_body,
    _from_completions,
    "vLLM returns them since 0.10.2, so update it",
)
SCALE_OUT = Dialect(
    "vLLM's token ids in and out",
    "/inference/v1/generate",
    _scale_out_body,
    _from_scale_out,
    "start vLLM without --tokens-only",
)
ATROPOS = Dialect(
    "the format of Atropos' vLLM server",
    "/generate",
    _atropos_body,
    _from_atropos,
    "start `vllm serve MODEL` instead of it",
)
SGLANG = Dialect(
    "SGLang's generate",
    "/generate",
    _sglang_body,
    _from_sglang,
    "SGLang returns them with `return_logprob`, so update it",
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
