"""Batched sampling: many prompts, several completions of each, one forward pass for each token.

    [first, second] = sample(model, [Request((5, 6), limit=20), Request((7,), limit=9)], end=2)
    first.token_ids, first.logprobs, first.finish_reason

Each distinct prompt is processed once, padded on the left. Its keys and values are copied for each
of its completions, and completions that have ended leave the batch. Log probabilities are those of
the distribution that was sampled from: the whole softmax at the request's temperature.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from transformers import DynamicCache, PreTrainedModel

from demo.wire_format import Completion

from .model import PAD, arithmetic, best_device


@dataclass(frozen=True)
class Request:
    """A request for one completion of `limit` tokens at most; temperature 0 takes the likeliest."""

    prompt: tuple[int, ...]
    limit: int
    temperature: float = 1.0


@dataclass
class Batch:
    """The completions that have not ended.

    Attributes:
        rows: the index of the request of each row.
        mask: 1 where a row has a token, 0 for padding on the left.
        logits: those of the next token.
    """

    rows: list[int]
    cache: DynamicCache
    mask: Tensor
    logits: Tensor

    def keep(self, places: list[int]) -> None:
        """Select rows by their place in the batch; a row may be selected several times."""
        selected = torch.tensor(places, device=self.mask.device)
        self.rows = [self.rows[place] for place in places]
        self.cache.batch_select_indices(selected)
        self.mask, self.logits = self.mask[selected], self.logits[selected]


def sample(model: PreTrainedModel, requests: Sequence[Request], end: int) -> list[Completion]:
    """Return one completion for each request, in order; `end` is the end token."""
    with torch.no_grad(), arithmetic(model):
        return _sample(model, requests, end)


def _sample(model: PreTrainedModel, requests: Sequence[Request], end: int) -> list[Completion]:
    completions = [Completion([], [], "length") for _ in requests]
    batch = _process_prompts(model, requests)
    temperatures = torch.tensor([request.temperature for request in requests])
    while True:
        drawn, logprobs = _draw(batch.logits, temperatures[batch.rows].to(batch.logits.device))
        unfinished = []
        for place, row in enumerate(batch.rows):
            completions[row].token_ids.append(drawn[place])
            completions[row].logprobs.append(logprobs[place])
            if drawn[place] == end:
                completions[row] = completions[row]._replace(finish_reason="stop")
            elif len(completions[row].token_ids) < requests[row].limit:
                unfinished.append(place)
        if not unfinished:
            return completions
        if len(unfinished) < len(batch.rows):
            batch.keep(unfinished)
        _append(model, batch, [completions[row].token_ids[-1] for row in batch.rows])


def _process_prompts(model: PreTrainedModel, requests: Sequence[Request]) -> Batch:
    """Process each distinct prompt once, then make a row for each request."""
    prompts = list(dict.fromkeys(request.prompt for request in requests))
    longest = max(map(len, prompts))
    tokens = torch.full((len(prompts), longest), PAD)
    mask = torch.zeros_like(tokens)
    for row, prompt in enumerate(prompts):
        tokens[row, longest - len(prompt) :] = torch.tensor(prompt)
        mask[row, longest - len(prompt) :] = 1
    tokens, mask = tokens.to(best_device()), mask.to(best_device())
    cache = DynamicCache(config=model.config)
    output = model(
        input_ids=tokens,
        attention_mask=mask,
        position_ids=(mask.cumsum(-1) - 1).clamp(min=0),
        past_key_values=cache,
        logits_to_keep=1,
    )
    batch = Batch(list(range(len(prompts))), cache, mask, output.logits[:, -1])
    place = {prompt: row for row, prompt in enumerate(prompts)}
    batch.keep([place[request.prompt] for request in requests])
    batch.rows = list(range(len(requests)))
    return batch


def _append(model: PreTrainedModel, batch: Batch, tokens: list[int]) -> None:
    """Append one token to each row and compute the logits of the next one."""
    batch.mask = torch.cat([batch.mask, torch.ones_like(batch.mask[:, :1])], dim=-1)
    output = model(
        input_ids=torch.tensor(tokens, device=batch.mask.device).unsqueeze(-1),
        attention_mask=batch.mask,
        position_ids=batch.mask.sum(-1, keepdim=True) - 1,
        past_key_values=batch.cache,
    )
    batch.logits = output.logits[:, -1]


def _draw(logits: Tensor, temperatures: Tensor) -> tuple[list[int], list[float]]:
    """Draw a token for each row; return the tokens and their log probabilities."""
    greedy = temperatures == 0
    logprobs = torch.log_softmax(
        logits.float() / temperatures.masked_fill(greedy, 1.0).unsqueeze(-1), dim=-1
    )
    drawn = torch.multinomial(logprobs.exp(), 1).squeeze(-1)
    drawn = torch.where(greedy, logprobs.argmax(-1), drawn)
    return drawn.tolist(), logprobs.gather(-1, drawn.unsqueeze(-1)).squeeze(-1).tolist()
