"""The log probabilities of completions, where the rollouts of a prompt share its computation.

    logprobs = completion_logprobs(model, by_prompt(rollouts))    # one for each completion token

A row of the batch has a prompt once and after it the completions of its group. Each completion
sees the prompt and itself, as if it stood alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import Tensor
from transformers import PreTrainedModel

from .model import arithmetic, best_device, padded

NOBODY, PROMPT = -1, 0
"""To whom a place of a row belongs; completions are counted from 1."""


@dataclass(frozen=True)
class Rollout:
    """The tokens of a prompt, and after them `length` tokens of a completion."""

    tokens: list[int]
    length: int


R = TypeVar("R", bound=Rollout)


def by_prompt(rollouts: Sequence[R]) -> list[list[R]]:
    """Return rollouts in groups with the same prompt, the shortest prompt first."""
    groups: dict[tuple[int, ...], list[R]] = {}
    for rollout in rollouts:
        groups.setdefault(tuple(rollout.tokens[: -rollout.length]), []).append(rollout)
    return [groups[prompt] for prompt in sorted(groups, key=len)]


def completion_logprobs(model: PreTrainedModel, groups: Sequence[Sequence[Rollout]]) -> Tensor:
    """Return the log probability of each completion token, of all rollouts in order."""
    rows: list[tuple[list[int], list[int], list[int]]] = []
    sources: list[tuple[int, int]] = []  # row and place of the token before
    targets: list[int] = []
    for number, group in enumerate(groups):
        prompt = list(group[0].tokens[: -group[0].length])
        tokens, positions = prompt[:], list(range(len(prompt)))
        owners = [PROMPT] * len(prompt)
        for owner, rollout in enumerate(group, start=1):
            completion = rollout.tokens[-rollout.length :]
            read = completion[:-1]  # nothing follows the last token
            begin = len(tokens)
            places = [len(prompt) - 1, *range(begin, begin + len(read))]
            sources += [(number, place) for place in places]
            targets += completion
            tokens += read
            positions += range(len(prompt), len(prompt) + len(read))
            owners += [owner] * len(read)
        rows.append((tokens, positions, owners))
    hidden = _hidden_states(model, *(list(column) for column in zip(*rows, strict=True)))
    chosen = torch.tensor(sources, device=best_device())
    with arithmetic(model):
        head = model.get_output_embeddings()  # type: ignore[no-untyped-call]  # not annotated
        logits = head(hidden[chosen[:, 0], chosen[:, 1]])
    wanted = torch.tensor(targets, device=best_device()).unsqueeze(-1)
    return torch.log_softmax(logits.float(), dim=-1).gather(-1, wanted).squeeze(-1)


def _hidden_states(
    model: PreTrainedModel,
    tokens: list[list[int]],
    positions: list[list[int]],
    owners: list[list[int]],
) -> Tensor:
    owner = padded(owners, fill=NOBODY)
    seen, seer = owner.unsqueeze(1), owner.unsqueeze(2)
    earlier = torch.ones_like(seen == seer).tril()
    visible = earlier & ((seen == PROMPT) | (seen == seer))
    decoder = model.get_decoder()  # type: ignore[no-untyped-call]  # not annotated
    with arithmetic(model):
        states: Tensor = decoder(
            input_ids=padded(tokens),
            position_ids=padded(positions),
            attention_mask=visible.unsqueeze(1),
            use_cache=False,
        ).last_hidden_state
    return states
