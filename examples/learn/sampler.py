"""What a model makes of many rows at once: it draws completions, or weighs written ones.

    [first, second] = sample(model, [Request((5, 6), limit=20), Request((7, 9), limit=9)])
    first.token_ids, first.logprobs, first.finish_reason
    logprobs = completion_logprobs(model, rollouts)     # one for each completion token

Each distinct prompt is read once, and its keys and values are copied for each of its completions.
Log probabilities of drawn tokens are those of the distribution that was sampled from: the whole
softmax at the request's temperature.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence
from transformers import DynamicCache, PreTrainedModel

from demo.wire_format import Completion

from .model import arithmetic, best_device


class Request(NamedTuple):
    """A request for one completion of `limit` tokens at most."""

    prompt: tuple[int, ...]
    limit: int
    temperature: float = 1.0

    @property
    def longest(self) -> int:
        return len(self.prompt) + self.limit


@dataclass(frozen=True)
class Rollout:
    """The tokens of a prompt, then `length` of a completion; `logprobs` if a server gave some."""

    tokens: list[int]
    length: int
    logprobs: Sequence[float] = ()
    advantage: float = 1.0

    @property
    def prompt(self) -> tuple[int, ...]:
        return tuple(self.tokens[: -self.length])


class Rows:
    """Rows of tokens that a model has read: prompts without their last token, at first."""

    def __init__(self, model: PreTrainedModel, prompts: Sequence[tuple[int, ...]]) -> None:
        places = {prompt: place for place, prompt in enumerate(dict.fromkeys(prompts))}
        self._model, self._cache = model, DynamicCache(config=model.config)
        self._mask = torch.ones(len(places), 0, dtype=torch.long, device=best_device())
        self.read([prompt[:-1] for prompt in places], logits_to_keep=1)
        if len(places) < len(prompts):
            self.keep([places[prompt] for prompt in prompts])

    def read(self, tokens: Sequence[Sequence[int]], **options: Any) -> Tensor:
        """Append tokens to each row; return the logits of what follows each of them."""
        read = _padded(tokens)
        self._mask = torch.cat([self._mask, _padded([[1] * len(row) for row in tokens])], -1)
        logits: Tensor = self._model(
            input_ids=read,
            attention_mask=self._mask,
            position_ids=self._mask.cumsum(-1)[:, -read.shape[1] :] - 1,
            past_key_values=self._cache,
            **options,
        ).logits
        return logits.float()

    def keep(self, places: list[int]) -> None:
        """Select rows by their place; a row may be selected several times."""
        selected = torch.tensor(places, device=best_device())
        self._cache.batch_select_indices(selected)
        self._mask = self._mask[selected]


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    tensors = [torch.tensor(row, dtype=torch.long) for row in rows]
    return pad_sequence(tensors, batch_first=True).to(best_device())


def sample(model: PreTrainedModel, requests: Sequence[Request]) -> list[Completion]:
    """Return one completion for each request, in order."""
    completions = [Completion([], [], "length") for _ in requests]
    running = list(range(len(requests)))
    last = [request.prompt[-1] for request in requests]
    temperatures = torch.tensor([[request.temperature] for request in requests])
    with torch.no_grad(), arithmetic(model):
        rows = Rows(model, [request.prompt for request in requests])
        while True:
            logits = rows.read([[token] for token in last])[:, -1]
            every = torch.log_softmax(logits / temperatures[running].to(logits.device), -1)
            drawn = torch.multinomial(every.exp(), 1)
            logprobs = every.gather(-1, drawn).squeeze(-1).tolist()
            kept, last = [], []
            for place, token in enumerate(drawn.squeeze(-1).tolist()):
                number = running[place]
                completions[number].token_ids.append(token)
                completions[number].logprobs.append(logprobs[place])
                if token == model.config.eos_token_id:
                    completions[number] = completions[number]._replace(finish_reason="stop")
                elif len(completions[number].token_ids) < requests[number].limit:
                    kept.append(place)
                    last.append(token)
            if not kept:
                return completions
            if len(kept) < len(running):
                rows.keep(kept)
                running = [running[place] for place in kept]


def completion_logprobs(model: PreTrainedModel, rollouts: Sequence[Rollout]) -> Tensor:
    """Return the log probability of each completion token, of all rollouts in order."""
    completions = [rollout.tokens[-rollout.length :] for rollout in rollouts]
    with arithmetic(model):
        rows = Rows(model, [rollout.prompt for rollout in rollouts])
        logits = rows.read([rollout.tokens[-rollout.length - 1 : -1] for rollout in rollouts])
    every = torch.log_softmax(logits, -1).gather(-1, _padded(completions).unsqueeze(-1))
    return torch.cat([row[: len(one), 0] for row, one in zip(every, completions, strict=True)])
