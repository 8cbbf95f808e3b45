"""Dialects: how an inference engine is asked for token ids, and how its answer is read.

docs/engines.md says which engine speaks which dialect.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rgenv.inference.endings import WORD
from rgenv.text import describe

WHOLE_DISTRIBUTION = {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
"""Without these, vLLM takes the values of the model's generation_config.json, and then samples from
another distribution than that of the log probabilities."""

NO_PENALTIES = {"presence_penalty": 0.0, "frequency_penalty": 0.0}

TOKEN_NAME = "token_id:"
MOST_DIGITS = 20


UNREADABLE = (KeyError, IndexError, TypeError, ValueError, AttributeError)
"""Errors of reading JSON that has another form than expected."""


class NoTokens(ValueError):
    """An answer without token ids, or without a log probability for each."""


class Completion(NamedTuple):
    """A completion as an engine returns it, with the prompt if the server has read another one."""

    tokens: list[Any]
    logprobs: list[Any]
    finish_reason: Any
    prompt: list[int] | None = None


NOTHING = Completion([], [], "stop")
"""In place of a completion that can't be read."""


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
    """

    name: str
    path: str
    body: Callable[[Ask], dict[str, Any]]
    remedy: str
    _choices: Callable[[Any], Any]
    _completion: Callable[[Any], Completion]

    def read(self, answer: Any) -> list[Completion]:
        """Return the completions; one that can't be read has no token. NoTokens: none can."""
        try:
            choices = self._choices(answer)
            if not isinstance(choices, list):
                raise TypeError(f"the completions are of type {type(choices).__name__}")
        except UNREADABLE as error:
            raise NoTokens(describe(error)) from None
        completions, problem = [], "no completion"
        for choice in choices:
            try:
                one = self._completion(choice)
                if not isinstance(one.tokens, list) or not isinstance(one.logprobs, list):
                    raise TypeError("tokens or log probabilities are no list")
            except UNREADABLE as error:
                problem, one = describe(error), NOTHING
            completions.append(one)
        if all(one is NOTHING for one in completions):
            raise NoTokens(problem)
        return completions


def _completions_body(ask: Ask) -> dict[str, Any]:
    return {
        "model": ask.model,
        "prompt": list(ask.prompt),
        **WHOLE_DISTRIBUTION,
        **NO_PENALTIES,
        **ask.sampling,
        "logprobs": 0,
        "return_token_ids": True,
        "return_tokens_as_token_ids": True,  # for versions without the field above
    }


def _of_completions(choice: Any) -> Completion:
    tokens = choice.get("token_ids")
    if tokens is None:
        tokens = [_numbered(name) for name in choice["logprobs"]["tokens"]]
    return Completion(tokens, choice["logprobs"]["token_logprobs"], choice.get("finish_reason"))


def _numbered(name: Any) -> int:
    if not name.startswith(TOKEN_NAME):
        raise NoTokens("tokens as text")
    return _id(name.removeprefix(TOKEN_NAME))


def _id(digits: Any) -> int:
    if not (digits.isascii() and digits.isdigit() and len(digits) < MOST_DIGITS):
        raise NoTokens(f"{digits[:MOST_DIGITS]!r} as the id of a token")
    return int(digits)


def _scale_out_body(ask: Ask) -> dict[str, Any]:
    sampling = {**WHOLE_DISTRIBUTION, **NO_PENALTIES, **ask.sampling, "logprobs": 0}
    return {"model": ask.model, "token_ids": list(ask.prompt), "sampling_params": sampling}


def _of_scale_out(choice: Any) -> Completion:
    logprobs = [position["logprob"] for position in choice["logprobs"]["content"]]
    return Completion(choice["token_ids"], logprobs, choice.get("finish_reason"))


def _atropos_body(ask: Ask) -> dict[str, Any]:
    return {"prompt": {"prompt_token_ids": list(ask.prompt)}, "logprobs": 0, **ask.sampling}


def _atropos_choices(answer: Any) -> list[Any]:
    return list(zip(answer["logprobs"], answer["finish_reasons"], strict=True))


def _of_atropos(choice: Any) -> Completion:
    positions, reason = choice
    pairs = [next(iter(position[0].items()), ("", None)) for position in positions]
    return Completion([_id(token) for token, _ in pairs], [p for _, p in pairs], reason)


def _sglang_body(ask: Ask) -> dict[str, Any]:
    sampling = {**WHOLE_DISTRIBUTION, **NO_PENALTIES, **ask.sampling}
    sampling["max_new_tokens"] = sampling.pop("max_tokens")
    return {"input_ids": list(ask.prompt), "sampling_params": sampling, "return_logprob": True}


def _of_sglang(one: Any) -> Completion:
    about = one["meta_info"]
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
    lambda answer: answer["choices"],
    _of_completions,
)
SCALE_OUT = Dialect(
    "vLLM's token ids in and out",
    "/inference/v1/generate",
    _scale_out_body,
    "start vLLM without --tokens-only",
    lambda answer: answer["choices"],
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
    lambda answer: answer if isinstance(answer, list) else [answer],
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


def flaw(
    tokens: Any,
    logprobs: Any,
    finish_reason: Any,
    *,
    vocabulary: float = math.inf,
    most: float = math.inf,
) -> str:
    """Return why no trainer can use a completion of at most `most` tokens; empty if one can.

    One id outside the vocabulary ends a trainer's process, and one log probability that is none
    makes all of its weights NaN.
    """
    if not isinstance(tokens, list) or not isinstance(logprobs, list):
        return "no list of tokens"
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
    if any(number != number for number in logprobs):
        return "a log probability that is NaN"
    if max(logprobs) > ROUNDING:
        return "a log probability above 0"
    if min(logprobs) < LOWEST:
        return f"a log probability below {LOWEST:g}"
    if not isinstance(finish_reason, str) or not WORD.fullmatch(finish_reason):
        return "a finish_reason that is no word"
    return ""
