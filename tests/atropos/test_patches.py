"""rgenv/atropos/patches.py."""

from pathlib import Path
from typing import Any

import pytest
from atroposlib.envs import base as atropos_base
from atroposlib.envs.server_handling import sglang_server, vllm_server
from transformers import AutoTokenizer

from rgenv.atropos.patches import loaded_at_need, without_page

MODULES = (atropos_base, vllm_server, sglang_server)


def test_a_tokenizer_of_this_machine_is_loaded_at_once(tokenizer_dir: Path) -> None:
    """Atropos' constructors get the tokenizer itself."""
    for module in MODULES:
        with loaded_at_need(60):
            assert module.AutoTokenizer.from_pretrained(str(tokenizer_dir)).is_fast


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
    """Only within the context do Atropos' modules load at need, also after an error."""
    with pytest.raises(ZeroDivisionError), loaded_at_need(60):
        raise ZeroDivisionError
    assert all(module.AutoTokenizer is AutoTokenizer for module in MODULES)


def test_no_page_has_the_text_of_a_model(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Within the context Atropos writes none, and the log says how to read the groups."""
    caplog.set_level("INFO", "ReasoningGymEnv")
    groups = tmp_path / "groups.jsonl"
    groups.write_text('{"messages": [[]], "scores": [1.0]}\n')
    before = atropos_base.generate_html
    with without_page():
        atropos_base.generate_html(str(groups))
    assert list(tmp_path.iterdir()) == [groups] and f"--json-lines {groups}" in caplog.text
    assert atropos_base.generate_html is before
