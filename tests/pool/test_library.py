"""rgenv/pool/library.py: where the workers import reasoning-gym from."""

import importlib.util
from pathlib import Path

import pytest

from rgenv.errors import MissingReasoningGym
from rgenv.pool.library import checkout_path


def test_a_checkout_has_priority_over_the_installed_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty folder of the submodule means the installed one; else both remedies are named."""
    (tmp_path / "reasoning_gym").mkdir()
    assert checkout_path(tmp_path) is None
    with monkeypatch.context() as missing:
        missing.setattr(importlib.util, "find_spec", lambda _name: None)
        with pytest.raises(MissingReasoningGym, match=r"pip install .*git submodule update"):
            checkout_path(tmp_path)
    (tmp_path / "reasoning_gym" / "__init__.py").touch()
    assert checkout_path(tmp_path) == str(tmp_path)
