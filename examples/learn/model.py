"""A small Llama with random weights, or one from a folder, on a GPU if there is one."""

from pathlib import Path
from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

SIZES = {"tiny": (64, 2, 192), "small": (160, 4, 448)}
"""Hidden size, layers, and size of the feed-forward layers: 0.13 and 1.3 million parameters."""

HEAD_SIZE = 32
LARGE = 512
"""Wider models multiply in bfloat16: twice as fast on new CPUs."""


def best_device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def arithmetic(model: PreTrainedModel) -> torch.autocast:
    """Return a context in which the model multiplies as fast as its size allows."""
    is_large = model.config.hidden_size > LARGE
    return torch.autocast(best_device().type, torch.bfloat16, enabled=is_large)


def use_half_the_threads() -> None:
    """Leave half of the cores to the other of the two processes: trainer and server."""
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))


def new_model(size: str, tokenizer: Any, seed: int) -> LlamaForCausalLM:
    """Return a model with random weights, of a size of `SIZES`, for the tokens of a tokenizer."""
    hidden, layers, feed_forward = SIZES[size]
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        eos_token_id=tokenizer.eos_token_id,
        hidden_size=hidden,
        num_hidden_layers=layers,
        intermediate_size=feed_forward,
        num_attention_heads=hidden // HEAD_SIZE,
        num_key_value_heads=hidden // HEAD_SIZE,
        max_position_embeddings=1024,
        tie_word_embeddings=True,
    )
    return to_best_device(LlamaForCausalLM(config))


def load_model(folder: Path) -> LlamaForCausalLM:
    """Load a model that `save_pretrained` wrote."""
    return to_best_device(LlamaForCausalLM.from_pretrained(folder))


def freeze_lower(model: LlamaForCausalLM, trained_layers: int) -> None:
    """Let only the upper layers learn: the backward pass through the others costs as much."""
    model.requires_grad_(False)
    for part in (*model.model.layers[-trained_layers:], model.model.norm):
        part.requires_grad_(True)


def to_best_device(model: LlamaForCausalLM) -> LlamaForCausalLM:
    model.to(best_device())  # type: ignore[arg-type]  # transformers' decorator hides `self`
    return model
