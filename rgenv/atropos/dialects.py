"""Dialects: how an inference engine is asked for token ids, and how its answer is read.

::

    ask = Ask(prompt=[31, 7], n=2, max_tokens=9, temperature=1.0, top_p=1.0, model="m")
    answer = post(COMPLETIONS.path, COMPLETIONS.body(ask))
    COMPLETIONS.read(answer)    # [Completion(tokens=[5, 2], logprobs=[-0.1, -0.4], ...), ...]

docs/engines.md says which engine speaks which dialect. Not here: sending requests (engines.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

WHOLE_DISTRIBUTION = {"top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
"""Without these, vLLM takes the values of the model's generation_config.json, and then samples from
another distribution than that of the log probabilities."""

NO_PENALTIES = {"presence_penalty": 0.0, "frequency_penalty": 0.0}

BROKEN_OFF = ("abort", "error", None)
"""Finish reasons of completions that the engine did not finish."""

TOKEN_NAME = "token_id:"


class NoTokens(ValueError):
    """An answer without token ids, or without a log probability for each."""


class Completion(NamedTuple):
    """A completion as an engine returns it; `logprobs` has one number for each token."""

    tokens: list[int]
    logprobs: list[float]
    finish_reason: str | None


@dataclass(frozen=True)
class Ask:
    """A request for completions.

    Attributes:
        prompt: token ids.
        n: the number of completions.
        max_tokens: the maximum length of a completion.
        more: further sampling parameters, under the engine's names.
    """

    prompt: Sequence[int]
    n: int
    max_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    model: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def sampling(self) -> dict[str, Any]:
        """The parameters that vLLM's endpoints have in common."""
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
        name: for the log.
        path: below the server's address, without /v1.
        body: returns the JSON of a request.
        remedy: what to do about a server that answers there without token ids.
    """

    name: str
    path: str
    body: Callable[[Ask], dict[str, Any]]
    remedy: str
    _completions: Callable[[Any], list[Completion]]

    def read(self, answer: Any) -> list[Completion]:
        """Return the completions in an answer.

        Raises:
            NoTokens: there are none, or one has no token ids or not as many log probabilities.
        """
        try:
            completions = self._completions(answer)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise NoTokens(f"{type(error).__name__}: {error}") from None
        if not completions:
            raise NoTokens("no completion")
        for tokens, logprobs, _ in completions:
            if len(tokens) != len(logprobs):
                raise NoTokens(f"{len(tokens)} tokens, {len(logprobs)} log probabilities")
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


def _read_completions(answer: Any) -> list[Completion]:
    completions = []
    for choice in answer["choices"]:
        tokens = choice.get("token_ids")
        if tokens is None:
            names = choice["logprobs"]["tokens"]
            if not all(name.startswith(TOKEN_NAME) for name in names):
                raise NoTokens("tokens as text")
            tokens = [int(name.removeprefix(TOKEN_NAME)) for name in names]
        logprobs = choice["logprobs"]["token_logprobs"]
        completions.append(_completion(tokens, logprobs, choice.get("finish_reason")))
    return completions


def _scale_out_body(ask: Ask) -> dict[str, Any]:
    sampling = {**WHOLE_DISTRIBUTION, **NO_PENALTIES, **ask.sampling, "logprobs": 0}
    return {"model": ask.model, "token_ids": list(ask.prompt), "sampling_params": sampling}


def _read_scale_out(answer: Any) -> list[Completion]:
    return [
        _completion(
            choice["token_ids"],
            [position["logprob"] for position in choice["logprobs"]["content"]],
            choice.get("finish_reason"),
        )
        for choice in answer["choices"]
    ]


def _atropos_body(ask: Ask) -> dict[str, Any]:
    return {"prompt": {"prompt_token_ids": list(ask.prompt)}, "logprobs": 0, **ask.sampling}


def _read_atropos(answer: Any) -> list[Completion]:
    completions = []
    for positions, reason in zip(answer["logprobs"], answer["finish_reasons"], strict=True):
        pairs = [next(iter(position[0].items())) for position in positions]
        tokens = [int(token) for token, _ in pairs]
        completions.append(_completion(tokens, [logprob for _, logprob in pairs], reason))
    return completions


def _sglang_body(ask: Ask) -> dict[str, Any]:
    sampling = {**WHOLE_DISTRIBUTION, **NO_PENALTIES, **ask.sampling}
    sampling["max_new_tokens"] = sampling.pop("max_tokens")
    return {"input_ids": list(ask.prompt), "sampling_params": sampling, "return_logprob": True}


def _read_sglang(answer: Any) -> list[Completion]:
    completions = []
    for one in answer if isinstance(answer, list) else [answer]:
        about = one["meta_info"]
        triples = about["output_token_logprobs"]
        reason = about.get("finish_reason")
        completions.append(
            _completion(
                [token for _, token, *_ in triples],
                [logprob for logprob, *_ in triples],
                reason["type"] if isinstance(reason, dict) else reason,
            )
        )
    return completions


def _completion(tokens: Any, logprobs: Any, reason: str | None) -> Completion:
    return Completion(list(map(int, tokens)), list(map(float, logprobs)), reason)


COMPLETIONS = Dialect(
    "vLLM's completions",
    "/v1/completions",
    _completions_body,
    "vLLM returns them since 0.10.2, so update it",
    _read_completions,
)
SCALE_OUT = Dialect(
    "vLLM's token ids in and out",
    "/inference/v1/generate",
    _scale_out_body,
    "start vLLM without --tokens-only",
    _read_scale_out,
)
ATROPOS = Dialect(
    "the format of Atropos' vLLM server",
    "/generate",
    _atropos_body,
    "start `vllm serve MODEL` instead of it",
    _read_atropos,
)
SGLANG = Dialect(
    "SGLang's generate",
    "/generate",
    _sglang_body,
    "SGLang returns them with `return_logprob`, so update it",
    _read_sglang,
)
OF_VLLM = (COMPLETIONS, SCALE_OUT, ATROPOS)
OF_SGLANG = (SGLANG,)
