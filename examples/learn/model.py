"""A small Llama with random weights, and the log probabilities that it gives to a batch.

    model = new_model("small", vocabulary=288, seed=1)
    logprobs(model, padded([[5, 6, 7], [5, 6]]))    # one for each token but the first: shape (2, 2)

The classes are those of transformers; only the numbers are ours. Whoever has an accelerator gets
the same model on it.
"""

from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

# name: width, layers, width of the feed-forward part
SIZES = {
    "tiny": (64, 2, 192),  # 0.1 million parameters: tests
    "small": (160, 4, 448),  # 1.3 million
    "medium": (256, 6, 704),  # 5 million
    "large": (512, 12, 1408),  # 40 million: with an accelerator
}
HEAD_WIDTH = 32
MAX_TOKENS = 1024
PAD = 0  # any token will do: what is padding is never looked at


def best_device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def take_half_the_threads() -> None:
    """Trainer and server share this machine."""
    torch.set_num_threads(max(1, torch.get_num_threads() // 2))


def new_model(size: str, *, vocabulary: int, seed: int) -> LlamaForCausalLM:
    width, layers, inner = SIZES[size]
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        num_hidden_layers=layers,
        intermediate_size=inner,
        num_attention_heads=width // HEAD_WIDTH,
        num_key_value_heads=width // HEAD_WIDTH,
        max_position_embeddings=MAX_TOKENS,
        tie_word_embeddings=True,
    )
    return LlamaForCausalLM(config).to(best_device())


def load_model(folder: Path) -> LlamaForCausalLM:
    return LlamaForCausalLM.from_pretrained(folder).to(best_device())


def padded(rows: Sequence[Sequence[int]], fill: int = PAD) -> Tensor:
    """Rows of unequal length as one tensor, filled up on the right."""
    longest = max(map(len, rows))
    table = [[*row, *[fill] * (longest - len(row))] for row in rows]
    return torch.tensor(table, device=best_device())


def logprobs(model: PreTrainedModel, tokens: Tensor, temperature: float = 1.0) -> Tensor:
    """The log probability of every token but the first, given those before it.

    Padding on the right needs no mask: no token looks ahead.
    """
    logits = model(input_ids=tokens, use_cache=False).logits[:, :-1] / temperature
    chosen = tokens[:, 1:].unsqueeze(-1)
    return torch.log_softmax(logits.float(), dim=-1).gather(-1, chosen).squeeze(-1)
