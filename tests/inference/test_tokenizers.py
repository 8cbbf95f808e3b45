"""rgenv/inference/tokenizers.py: tokenizers are loaded when they are needed."""

import time
from pathlib import Path

import pytest

from rgenv.errors import StartupError
from rgenv.inference.tokenizers import LazyTokenizer, require_tokenizers


def test_a_command_loads_what_it_needs(tokenizer_dir: Path) -> None:
    lazy = LazyTokenizer(str(tokenizer_dir), 60)
    require_tokenizers([lazy, None, object()])
    assert "loaded" in vars(lazy) and lazy.is_fast
    began = time.monotonic()
    with pytest.raises(StartupError, match="no/such"):
        require_tokenizers([LazyTokenizer("no/such", 60)])
    assert time.monotonic() - began < 20  # with or without a network
