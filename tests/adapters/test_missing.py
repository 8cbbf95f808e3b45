"""rgenv/adapters: what happens where a framework is not installed."""

import importlib
import sys

import pytest

from rgenv.errors import MissingExtra


@pytest.mark.parametrize(
    ("module", "framework", "extra"),
    [
        ("trl", "trl", "trl"),
        ("verifiers",) * 3,
        ("inspect_ai", "inspect_ai", "inspect"),
        ("openenv",) * 3,
    ],
)
def test_a_missing_framework_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, module: str, framework: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, framework, None)  # as if it were not installed
    with pytest.raises(MissingExtra) as missing:
        importlib.import_module(f"rgenv.adapters.{module}")
    assert str(missing.value).startswith(f"rgenv.adapters.{module} needs ")
    assert f'pip install ".[{extra}]"' in str(missing.value)
