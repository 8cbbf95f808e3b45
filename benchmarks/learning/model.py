"""A small transformer with random weights that samples fast on one core.

    model = Transformer(vocabulary=120, seed=1)
    completions = generate(model, prompts, group=8, limit=24, end=0, rng=generator)
    model(tokens, lengths)                            # logits, for training

Pre-norm layers with tied embeddings, in 32-bit floats. Positions are rotary, and learned ones are
counted from where the answer begins, so that its n-th token finds the n-th letter from the end.
Keys and values of a batch are written to one preallocated tensor, and each prompt is processed once
for all of its completions. A library's model does the same at several times the cost for each
token, because the work of a layer this small is less than that of the calls around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, LAYERS, HEADS = 96, 3, 4
POSITIONS, ANSWER_AT = 192, 128
"""Learned positions, and the one at which the answer begins."""


class Layer(nn.Module):
    """Attention and a feed-forward layer."""

    def __init__(self) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(WIDTH)
        self.project = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.mix = nn.Linear(WIDTH, WIDTH, bias=False)
        self.before_feed = nn.LayerNorm(WIDTH)
        self.feed = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )

    def heads(self, x: Tensor, turn: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values: (rows, heads, length, size of a head)."""
        rows, length, _ = x.shape
        projected = self.project(self.before_attention(x))
        query, key, value = projected.view(rows, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        return _rotated(query, turn), _rotated(key, turn), value

    def finish(self, x: Tensor, attended: Tensor) -> Tensor:
        """Add what the heads found, and the feed-forward layer."""
        x = x + self.mix(attended.transpose(1, 2).flatten(2))
        fed: Tensor = x + self.feed(self.before_feed(x))
        return fed


class Transformer(nn.Module):
    """The model; its weights are a function of the seed."""

    def __init__(self, vocabulary: int, seed: int) -> None:
        super().__init__()
        torch.manual_seed(seed)
        self.embed = nn.Embedding(vocabulary, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.last = nn.LayerNorm(WIDTH)
        self.place = nn.Embedding(POSITIONS, WIDTH)
        nn.init.normal_(self.embed.weight, std=0.05)
        nn.init.normal_(self.place.weight, std=0.05)
        size = WIDTH // HEADS
        pace = 10_000.0 ** (-torch.arange(0, size, 2) / size)
        angles = torch.arange(POSITIONS)[:, None] * pace
        self.register_buffer("cosines", angles.cos(), persistent=False)
        self.register_buffer("sines", angles.sin(), persistent=False)

    def turn(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return cosines and sines: (1 or rows, 1, length, half the size of a head)."""
        at = positions if positions.dim() == 2 else positions[None]
        return self.cosines[at][:, None], self.sines[at][:, None]  # type: ignore[index]

    def logits(self, hidden: Tensor) -> Tensor:
        """Return the logits of the token that follows each hidden state."""
        return functional.linear(self.last(hidden), self.embed.weight)

    def blocks(self) -> list[Layer]:
        """Return the layers."""
        return cast(list[Layer], list(self.layers))

    def embedded(self, tokens: Tensor, lengths: Tensor, first: Tensor | int = 0) -> Tensor:
        """Return the embeddings of tokens from position `first` on.

        Args:
            lengths: of the prompts.
        """
        place = torch.arange(tokens.shape[1]) + ANSWER_AT - lengths[:, None]
        if not isinstance(first, int):
            place = place + first[:, None]
        embedded: Tensor = self.embed(tokens) + self.place(place.clamp(0, POSITIONS - 1))
        return embedded

    def hidden(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Return the last hidden states of rows that are padded on the right."""
        x = self.embedded(tokens, lengths)
        turn = self.turn(torch.arange(tokens.shape[1]))
        for layer in self.blocks():
            query, key, value = layer.heads(x, turn)
            attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = layer.finish(x, attended)
        return x

    def forward(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """Return the logits at every position.

        Args:
            lengths: of the prompts, which `tokens` begin with.
        """
        return self.logits(self.hidden(tokens, lengths))


def _rotated(x: Tensor, turn: tuple[Tensor, Tensor]) -> Tensor:
    cosines, sines = turn
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cosines - second * sines, second * cosines + first * sines], dim=-1)


def padded(rows: Sequence[Sequence[int]], fill: int = 0) -> Tensor:
    """Return rows of unequal length as one tensor, padded on the right."""
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[fill] * (longest - len(row))] for row in rows])


@torch.no_grad()
def generate(
    model: Transformer,
    prompts: Sequence[Sequence[int]],
    *,
    group: int,
    limit: int,
    end: int,
    rng: torch.Generator,
) -> list[list[int]]:
    """Sample `group` completions of each prompt at temperature 1, in order.

    Args:
        limit: the most tokens of a completion.
        end: the token that ends a completion; it belongs to the completion.
    """
    count, longest = len(prompts), max(map(len, prompts))
    lengths = torch.tensor([len(prompt) for prompt in prompts])
    size = WIDTH // HEADS
    cache = torch.zeros(LAYERS, 2, count * group, HEADS, longest + limit, size)
    x = model.embedded(padded(prompts), lengths)
    turn = model.turn(torch.arange(longest))
    for layer, kept in zip(model.blocks(), cache, strict=True):
        query, key, value = layer.heads(x, turn)
        kept[0, :, :, :longest] = key.repeat_interleave(group, 0)
        kept[1, :, :, :longest] = value.repeat_interleave(group, 0)
        attended = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = layer.finish(x, attended)
    logits = model.logits(x[torch.arange(count), lengths - 1]).repeat_interleave(group, 0)
    return _continue(model, cache, logits, lengths.repeat_interleave(group), limit, end, rng)


def _continue(
    model: Transformer,
    cache: Tensor,
    logits: Tensor,
    lengths: Tensor,
    limit: int,
    end: int,
    rng: torch.Generator,
) -> list[list[int]]:
    """Append tokens to each row until all have ended; rows that have ended leave the batch."""
    completions: list[list[int]] = [[] for _ in lengths]
    prompt_lengths = lengths
    rows, columns = torch.arange(len(lengths)), torch.arange(cache.shape[-2])
    # Each row has its own random numbers, so that when it leaves, others draw as before.
    uniform = torch.rand(len(lengths), limit, generator=rng)
    for step in range(limit):
        shares = torch.softmax(logits, -1).cumsum(-1)
        drawn = torch.searchsorted(shares, uniform[rows, step, None] * shares[:, -1:], right=True)
        drawn = drawn.clamp(max=shares.shape[1] - 1).squeeze(-1)
        for row, token in zip(rows.tolist(), drawn.tolist(), strict=True):
            completions[row].append(token)
        keep = drawn != end
        if step + 1 == limit or not keep.any():
            break
        if not keep.all():
            rows, drawn, lengths = rows[keep], drawn[keep], lengths[keep]
            cache = cache[:, :, keep]
        x = model.embedded(drawn[:, None], prompt_lengths[rows], lengths)
        turn = model.turn(lengths[:, None])
        seen = (columns <= lengths[:, None])[:, None, None]
        here = torch.arange(len(rows))
        for layer, kept in zip(model.blocks(), cache, strict=True):
            query, key, value = layer.heads(x, turn)
            kept[0][here, :, lengths] = key.squeeze(2)
            kept[1][here, :, lengths] = value.squeeze(2)
            attended = functional.scaled_dot_product_attention(
                query, kept[0], kept[1], attn_mask=seen
            )
            x = layer.finish(x, attended)
        logits = model.logits(x[:, 0])
        lengths = lengths + 1
    return completions
