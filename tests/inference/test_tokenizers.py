"""rgenv/inference/tokenizers.py: tokenizers are loaded when they are needed."""

import json
import math
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from transformers import AutoTokenizer

from rgenv.errors import StartupError
from rgenv.inference.tokenizers import LazyTokenizer, require_tokenizers, vocabulary_size


def test_a_command_loads_what_it_needs(tokenizer_dir: Path) -> None:
    """Tokenizers that are there, and clients without one, are passed over."""
    lazy = LazyTokenizer(str(tokenizer_dir), 60)
    require_tokenizers([lazy, None, object()])
    assert "loaded" in vars(lazy) and lazy.is_fast
    with pytest.raises(StartupError, match="no/such"):
        require_tokenizers([LazyTokenizer("no/such", 60)])


@pytest.mark.parametrize(
    ("config", "size"),
    [
        (None, 0),
        ({"vocab_size": 100_000}, 100_000),
        ({"text_config": {"vocab_size": 200_000}}, 200_000),
        ({"vocab_size": 5}, 0),
        ({"vocab_size": "many"}, 0),
        ([], 0),
    ],
)
def test_a_model_has_at_least_the_ids_of_its_tokenizer(
    tokenizer_dir: Path, tmp_path: Path, config: Any, size: int
) -> None:
    """Many models have some more, as config.json says; 0: only those of the tokenizer."""
    folder = tmp_path / "model"
    shutil.copytree(tokenizer_dir, folder)
    (folder / "config.json").unlink(missing_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    if config is not None:
        (folder / "config.json").write_text(json.dumps(config))
    assert vocabulary_size(tokenizer) == (size or len(tokenizer))


def test_an_object_without_a_length_limits_no_ids() -> None:
    """Programs that bring a tokenizer of their own may have such."""
    assert vocabulary_size(SimpleNamespace()) == math.inf
