"""A small Llama with random weights, or one from a folder, on a GPU if there is one."""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

# name -> hidden size, layers, size of the feed-forward layers
SIZES = {
    "tiny": (64, 2, 192),  # 0.13 million parameters: tests
    "small": (160, 4, 448),  # 1.3 million
    "medium": (256, 6, 704),  # 5 million
    "large": (512, 12, 1408),  # 40 million: needs a GPU
}
HEAD_SIZE = 32
MAX_TOKENS = 1024
PAD = 0  # any token: padding is never attended to


def best_device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def arithmetic(model: PreTrainedModel) -> torch.autocast:
    """Return a context in which large models multiply in bfloat16: twice as fast on new CPUs."""
    large = model.config.hidden_size > SIZES["large"][0]
    return torch.autocast(best_device().type, torch.bfloat16, enabled=large)


def use_half_the_threads() -> None:
    """Leave half of the cores to the other of the two processes: trainer and server."""
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))


def new_model(size: str, *, vocabulary: int, seed: int) -> LlamaForCausalLM:
    """Return a model with random weights, of a size of `SIZES`, for so many tokens."""
    hidden, layers, feed_forward = SIZES[size]
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=hidden,
        num_hidden_layers=layers,
        intermediate_size=feed_forward,
        num_attention_heads=hidden // HEAD_SIZE,
        num_key_value_heads=hidden // HEAD_SIZE,
        max_position_embeddings=MAX_TOKENS,
        tie_word_embeddings=True,
    )
    return _to_best_device(LlamaForCausalLM(config))


def load_model(folder: Path) -> LlamaForCausalLM:
    """Load a model that `save_pretrained` wrote."""
    return _to_best_device(LlamaForCausalLM.from_pretrained(folder))


def freeze_lower(model: LlamaForCausalLM, trained_layers: int) -> None:
    """Let only the upper layers learn: the backward pass through the others costs as much."""
    model.requires_grad_(False)
    for layer in model.model.layers[-trained_layers:]:
        layer.requires_grad_(True)
    model.model.norm.requires_grad_(True)


def _to_best_device(model: LlamaForCausalLM) -> LlamaForCausalLM:
    model.to(best_device())  # type: ignore[arg-type]  # transformers' decorator hides `self`
    return model


def padded(rows: Sequence[Sequence[float]], fill: float = PAD) -> Tensor:
    """Return rows of unequal length as one tensor, padded on the right."""
    longest = max(map(len, rows))
    table = [[*row, *[fill] * (longest - len(row))] for row in rows]
    return torch.tensor(table, device=best_device())
