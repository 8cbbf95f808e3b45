"""Many small transformers that train at the same time, each with its own seed.

    weights = new_weights(seeds=12, vocabulary=40)
    learn(weights, optimizer, prompts, right)                           # one step of imitation
    answers = sample(weights, prompts, group=8, length=6)
    learn(weights, optimizer, prompts, answers, advantages(rewards))    # one step of GRPO

Each weight has the seeds as its first dimension, so one core trains twelve models in little more
than the time of one. Models never mix: their gradients and their norms are their own.
"""

import torch
from torch import Tensor
from torch.nn import functional

WIDTH, LAYERS, HEADS, LONGEST = 64, 2, 4, 64  # 0.1 million parameters
PAD, END = 0, 1
MAX_GRADIENT_NORM = 1.0
SMALLEST_DEVIATION = 1e-6

Weights = dict[str, Tensor]
Cache = list[tuple[Tensor, Tensor]]


def new_weights(seeds: int, vocabulary: int, first_seed: int = 0) -> Weights:
    """Return random weights; those of a seed do not depend on how many others there are."""
    shapes = {"embed": (vocabulary, WIDTH), "out": (WIDTH, vocabulary), "place": (LONGEST, WIDTH)}
    for layer in range(LAYERS):
        shapes |= {f"qkv{layer}": (WIDTH, 3 * WIDTH), f"join{layer}": (WIDTH, WIDTH)}
        shapes |= {f"up{layer}": (WIDTH, 4 * WIDTH), f"down{layer}": (4 * WIDTH, WIDTH)}
    draws = [torch.Generator().manual_seed(first_seed + seed) for seed in range(seeds)]
    return {
        name: torch.stack([torch.randn(shape, generator=rng) for rng in draws])
        .mul_(1.0 if name in ("embed", "place") else shape[0] ** -0.5)
        .requires_grad_()
        for name, shape in shapes.items()
    }


def forward(weights: Weights, tokens: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
    """Return logits, of shape (seeds, rows, length, vocabulary), and keys and values."""
    seeds, rows, length = tokens.shape
    start = cache[0][0].shape[-2] if cache else 0
    shift = torch.arange(seeds).view(-1, 1, 1) * weights["embed"].shape[1]
    x = functional.embedding(tokens + shift, weights["embed"].flatten(0, 1))
    x = (x + weights["place"][:, None, start : start + length]).view(seeds, -1, WIDTH)
    mask = torch.ones(length, start + length, dtype=torch.bool).tril(start)
    kept = []
    for layer in range(LAYERS):
        qkv = torch.bmm(_norm(x), weights[f"qkv{layer}"])
        q, k, v = qkv.view(seeds * rows, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        if cache:
            k, v = torch.cat([cache[layer][0], k], -2), torch.cat([cache[layer][1], v], -2)
        kept.append((k, v))
        seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + torch.bmm(seen.transpose(1, 2).reshape(seeds, -1, WIDTH), weights[f"join{layer}"])
        up = torch.bmm(_norm(x), weights[f"up{layer}"]).relu()
        x = x + torch.bmm(up, weights[f"down{layer}"])
    return torch.bmm(_norm(x), weights["out"]).view(seeds, rows, length, -1), kept


def _norm(x: Tensor) -> Tensor:
    return functional.rms_norm(x, (WIDTH,))


def sample(
    weights: Weights, prompts: Tensor, group: int, length: int, *, greedy: bool = False
) -> Tensor:
    """Return answers to each prompt, of shape (seeds, prompts * group, length); PAD follows END."""
    with torch.no_grad():
        seeds, rows = prompts.shape[0], prompts.shape[1] * group
        last, cache = _read(weights, prompts, group)
        drawn: list[Tensor] = []
        ended = torch.zeros(seeds, rows, 1, dtype=torch.bool)
        for place in range(length):
            noise = 0 if greedy else torch.empty_like(last).exponential_().log_()
            token = (last - noise).argmax(-1, keepdim=True)
            drawn.append(token.masked_fill(ended, PAD))
            ended = ended | (drawn[-1] == END)
            if bool(ended.all()) or place == length - 1:
                break
            logits, cache = forward(weights, drawn[-1], cache)
            last = logits[:, :, -1]
        answers = torch.cat(drawn, -1)
        return functional.pad(answers, (0, length - answers.shape[-1]), value=PAD)


def _read(weights: Weights, prompts: Tensor, group: int) -> tuple[Tensor, Cache]:
    """Read each prompt once; return logits of the first token, and the cache, for each answer."""
    logits, cache = forward(weights, prompts)
    repeated = [(k.repeat_interleave(group, 0), v.repeat_interleave(group, 0)) for k, v in cache]
    return logits[:, :, -1].repeat_interleave(group, 1), repeated


def logprobs(weights: Weights, prompts: Tensor, answers: Tensor) -> Tensor:
    """Return the log probability of each token of the answers; each prompt has as many."""
    first, cache = _read(weights, prompts, answers.shape[1] // prompts.shape[1])
    others, _ = forward(weights, answers[:, :, :-1], cache)
    every = torch.log_softmax(torch.cat([first.unsqueeze(2), others], 2), -1)
    return every.gather(-1, answers.unsqueeze(-1)).squeeze(-1)


def advantages(rewards: Tensor) -> Tensor:
    """Return GRPO's advantages of answers: rewards are of shape (seeds, prompts, group)."""
    deviation = rewards.std(-1, correction=0, keepdim=True)
    advantage = (rewards - rewards.mean(-1, keepdim=True)) / (deviation + SMALLEST_DEVIATION)
    return advantage.flatten(1).unsqueeze(-1)


def learn(
    weights: Weights,
    optimizer: torch.optim.Optimizer,
    prompts: Tensor,
    answers: Tensor,
    advantage: Tensor | float = 1.0,
) -> None:
    """Take a step towards answers, or by the advantages of answers just drawn: none is clipped."""
    mask = answers != PAD
    gain = (logprobs(weights, prompts, answers) * mask * advantage).sum((1, 2)) / mask.sum((1, 2))
    optimizer.zero_grad()
    (-gain.sum()).backward()  # type: ignore[no-untyped-call]  # torch does not annotate it
    gradients = [weight.grad for weight in weights.values() if weight.grad is not None]
    norms = torch.stack([gradient.flatten(1).norm(dim=1) for gradient in gradients]).norm(dim=0)
    scale = (MAX_GRADIENT_NORM / (norms + 1e-6)).clamp(max=1.0)
    for gradient in gradients:
        gradient.mul_(scale.view(-1, *[1] * (gradient.dim() - 1)))
    optimizer.step()
