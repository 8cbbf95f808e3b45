"""rgenv/atropos/patches.py."""

from pathlib import Path
from typing import Any

import pytest
from atroposlib.envs import base as atropos_base
from transformers import AutoTokenizer

from rgenv.atropos.patches import loaded_at_need


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
