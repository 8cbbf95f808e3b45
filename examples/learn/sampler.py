"""Batched sampling: many prompts, several completions of each, one forward pass a token.

    [first, second] = sample(model, [Request([5, 6], limit=20), Request([7], limit=9)], end=2)
    first.tokens, first.logprobs, first.ended

PromptFilter are read once and aligned on the right, their keys and values are copied for each
completion, and completions that have ended leave the batch. A log probability is that of the
distribution the token was drawn from: of the whole softmax at the request's temperature.

Not here: nucleus sampling, stop strings, continuous batching (a batch ends with its longest).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

from .model import PAD, best_device


@dataclass(frozen=True)
class Request:
    """One completion that is wanted; temperature 0 takes the likeliest token."""

    prompt: tuple[int, ...]
    limit: int
    temperature: float = 1.0


@dataclass
class Completion:
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    ended: bool = False  # by itself, with the end token, which is among the tokens


@dataclass
class Batch:
    """What is still being written: which requests, and what the model remembers of them."""

    rows: list[int]
    cache: DynamicCache
    mask: Tensor
    logits: Tensor

    def keep(self, places: list[int]) -> None:
        chosen = torch.tensor(places, device=self.mask.device)
        self.rows = [self.rows[place] for place in places]
        self.cache.batch_select_indices(chosen)
        self.mask, self.logits = self.mask[chosen], self.logits[chosen]


@torch.no_grad()
def sample(model: PreTrainedModel, requests: Sequence[Request], end: int) -> list[Completion]:
    """One completion for each request, in order."""
    found = [Completion() for _ in requests]
    batch = read_prompts(model, requests)
    temperatures = torch.tensor([request.temperature for request in requests])
    while True:
        drawn, logprobs = draw(batch.logits, temperatures[batch.rows].to(batch.logits.device))
        going = []
        for place, row in enumerate(batch.rows):
            one = found[row]
            one.tokens.append(drawn[place])
            one.logprobs.append(logprobs[place])
            one.ended = drawn[place] == end
            if not one.ended and len(one.tokens) < requests[row].limit:
                going.append(place)
        if not going:
            return found
        if len(going) < len(batch.rows):
            batch.keep(going)
        write(model, batch, [found[row].tokens[-1] for row in batch.rows])


def read_prompts(model: PreTrainedModel, requests: Sequence[Request]) -> Batch:
    """Read every prompt once, then make a row for each request."""
    prompts = list(dict.fromkeys(request.prompt for request in requests))
    longest = max(map(len, prompts))
    tokens = torch.full((len(prompts), longest), PAD)
    mask = torch.zeros_like(tokens)
    for row, prompt in enumerate(prompts):
        tokens[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    tokens, mask = tokens.to(best_device()), mask.to(best_device())
    cache = DynamicCache(config=model.config)
    out = model(
        input_ids=tokens,
        attention_mask=mask,
        position_ids=(mask.cumsum(-1) - 1).clamp(min=0),
        past_key_values=cache,
        logits_to_keep=1,
    )
    batch = Batch(list(range(len(prompts))), cache, mask, out.logits[:, -1])
    place = {prompt: row for row, prompt in enumerate(prompts)}
    batch.keep([place[request.prompt] for request in requests])
    batch.rows = list(range(len(requests)))
    return batch


def write(model: PreTrainedModel, batch: Batch, tokens: list[int]) -> None:
    """Add one token to every row."""
    batch.mask = torch.cat([batch.mask, torch.ones_like(batch.mask[:, :1])], dim=-1)
    out = model(
        input_ids=torch.tensor(tokens, device=batch.mask.device).unsqueeze(-1),
        attention_mask=batch.mask,
        position_ids=batch.mask.sum(-1, keepdim=True) - 1,
        past_key_values=batch.cache,
    )
    batch.logits = out.logits[:, -1]


def draw(logits: Tensor, temperatures: Tensor) -> tuple[list[int], list[float]]:
    """A token a row, and its log probability."""
    greedy = temperatures == 0
    logprobs = torch.log_softmax(
        logits.float() / temperatures.masked_fill(greedy, 1.0).unsqueeze(-1), dim=-1
    )
    drawn = torch.multinomial(logprobs.exp(), 1).squeeze(-1)
    drawn = torch.where(greedy, logprobs.argmax(-1), drawn)
    return drawn.tolist(), logprobs.gather(-1, drawn.unsqueeze(-1)).squeeze(-1).tolist()
