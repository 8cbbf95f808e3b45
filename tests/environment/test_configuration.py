"""reasoning_gym_environment.py: options, their defaults, and what they reach."""

import asyncio
import re
from pathlib import Path

import pytest

from reasoning_gym_environment import ReasoningGymEnv
from tests.support.paths import ROOT


def programs(page: str) -> dict[str, str]:
    """Return the program of each section of a page that has one."""
    sections = (ROOT / "docs" / page).read_text(encoding="utf-8").split("\n## ")[1:]
    blocks = {
        text.partition("\n")[0]: re.findall(r"```python\n(.*?)```", text, re.DOTALL)
        for text in sections
    }
    return {title: "\n".join(found) for title, found in blocks.items() if found}


PROGRAMS = programs("running.md")


@pytest.mark.usefixtures("ready_workers")
@pytest.mark.parametrize("title", PROGRAMS)
async def test_the_programs_of_the_documents_run_without_a_network(
    title: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    """Their assertions hold, and docs/running.md shows the scores that its code prints."""
    config, servers = ReasoningGymEnv.config_init()
    config.num_eval_tasks = 1  # 20 tasks take 15 s to make
    monkeypatch.setattr(ReasoningGymEnv, "config_init", lambda: (config, servers))
    monkeypatch.chdir(tmp_path)
    await asyncio.to_thread(exec, PROGRAMS[title], {"__name__": "__main__"})
    assert capsys.readouterr().out == ("[1.0, 0.0]\n" if title == "In code" else "")
