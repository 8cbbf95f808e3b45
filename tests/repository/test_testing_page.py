"""docs/testing.md: its programs run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
SECTIONS = [section.partition("\n") for section in PAGE.split("\n## ")[1:]]
PROGRAMS = {title: re.findall(r"```python\n(.*?)```", text, re.S) for title, _, text in SECTIONS}


@pytest.mark.slow
@pytest.mark.parametrize("title", PROGRAMS)
def test_programs_of_the_page_run(title: str, tmp_path: Path) -> None:
    """Without a network, each program of the page ends well: its assertions hold."""
    program = tmp_path / "program.py"
    program.write_text("\n".join(PROGRAMS[title]), encoding="utf-8")
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
