"""Programs that documents show run: their assertions hold."""

import asyncio
import re
from pathlib import Path

import pytest

from reasoning_gym_environment import ReasoningGymEnv
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow

LAST = {"README.md": "system", "docs/library.md": "system"}
LAST |= {"docs/own_tasks.md": "[1.0]\n", "docs/upstream.md": "puzzle24 1.0\n"}
"""A page whose blocks are one program -> what that prints."""


def program(text: str, without: str = "\0") -> str:
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return "\n".join(block for block in blocks if without not in block)


SECTIONS = (ROOT / "docs" / "running.md").read_text(encoding="utf-8").split("\n## ")[1:]
PROGRAMS = {text.partition("\n")[0]: program(text) for text in SECTIONS if program(text)}


@pytest.mark.parametrize("page", LAST)
def test_the_blocks_of_a_page_are_one_program(
    page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for those of the environment."""
    monkeypatch.chdir(ROOT)
    text = (ROOT / page).read_text(encoding="utf-8")
    text = text.replace("size=50", "size=5").replace("/ 50", "/ 5")  # 50 take 10 s
    exec(program(text, without="ReasoningGymEnv"), {"__name__": "__main__"})
    assert LAST[page] in capsys.readouterr().out


@pytest.mark.usefixtures("ready_workers")
@pytest.mark.parametrize("title", PROGRAMS)
async def test_programs_of_the_environment_run_without_a_network(
    title: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """docs/running.md shows the scores that its code prints."""
    config, servers = ReasoningGymEnv.config_init()
    config.num_eval_tasks = 1  # 20 tasks take 15 s to make
    monkeypatch.setattr(ReasoningGymEnv, "config_init", lambda: (config, servers))
    monkeypatch.chdir(tmp_path)
    await asyncio.to_thread(exec, PROGRAMS[title], {"__name__": "__main__"})
    assert capsys.readouterr().out == ("[1.0, 0.0]\n" if title == "In code" else "")
