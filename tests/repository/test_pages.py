"""Programs that documents show run: their assertions hold."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

TESTING = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
SECTIONS = [section.partition("\n") for section in TESTING.split("\n## ")[1:]]


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.S)


@pytest.mark.parametrize("page", ["README.md", "docs/library.md"])
def test_the_blocks_of_a_page_are_one_program(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """But for those of the environment, which docs/testing.md shows, too."""
    found = blocks((ROOT / page).read_text(encoding="utf-8"))
    program = "\n".join(block for block in found if "ReasoningGymEnv" not in block)
    exec(program, {"__name__": "__main__"})
    assert "system" in capsys.readouterr().out


@pytest.mark.parametrize(("title", "_", "text"), SECTIONS, ids=[title for title, *_ in SECTIONS])
def test_the_environment_runs_without_a_network(
    title: str, _: str, text: str, tmp_path: Path
) -> None:
    """Each section of docs/testing.md has one program."""
    program = tmp_path / "program.py"
    program.write_text("\n".join(blocks(text)), encoding="utf-8")
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, program],
        cwd=tmp_path,
        env=os.environ | offline | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr
