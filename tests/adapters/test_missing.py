"""rgenv/adapters: what happens where a framework is not installed."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from rgenv.errors import MissingExtra
from tests.support.paths import ROOT


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


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python would do")
def test_a_command_that_runs_no_python_is_passed_over(tmp_path: Path) -> None:
    """pyenv leaves such commands on the path: the script that installs trainers says what lacks."""
    for name in ("python3.12", "python3.13"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 127\n")
        (tmp_path / name).chmod(0o755)
    words = [sys.executable, ROOT / "scripts" / "install_trainer.py", "nemo_gym", tmp_path / "env"]
    done = subprocess.run(words, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == "nemo_gym needs python3.12 or python3.13, and neither runs here.\n"
