"""rgenv/atropos/patches.py."""

from pathlib import Path
from typing import Any

import pytest
from atroposlib.envs import base as atropos_base
from atroposlib.envs.server_handling import sglang_server, vllm_server
from transformers import AutoTokenizer

from rgenv.atropos.patches import loaded_at_need

MODULES = (atropos_base, vllm_server, sglang_server)


def test_another_tokenizer_is_loaded_at_its_first_use(
    tokenizer_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Constructors ask the hub for nothing; the first use does, once."""
    asked: list[str] = []
    tokenizer = AutoTokenizer.from_pretrained(str(tokenizer_dir))

    def from_hub(name: str, *, local_files_only: bool = False) -> Any:
        if local_files_only:
            raise OSError(f"{name} is not here")
        asked.append(name)
        return tokenizer

    monkeypatch.setattr(AutoTokenizer, "from_pretrained", from_hub)
    with loaded_at_need(60):
        lazy = atropos_base.AutoTokenizer.from_pretrained("a/model")
    assert asked == []
    assert lazy.encode("2 + 2") == tokenizer.encode("2 + 2")
    assert lazy("2 + 2")["input_ids"] == tokenizer.encode("2 + 2")
    assert len(lazy) == len(tokenizer) and asked == ["a/model"]


def test_loading_elsewhere_is_as_before() -> None:
    with pytest.raises(ZeroDivisionError), loaded_at_need(60):
        raise ZeroDivisionError
    assert all(module.AutoTokenizer is AutoTokenizer for module in MODULES)
