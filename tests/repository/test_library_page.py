"""README.md and docs/library.md: what they show of the library runs."""

import re

import pytest

from tests.support.paths import ROOT


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/library.md"])
def test_the_programs_of_the_page_run(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """All blocks of a page, one after the other, are one program; its assertions hold."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    blocks = [block for block in blocks if "ReasoningGymEnv" not in block]
    exec("\n".join(blocks), {"__name__": "__main__"})
    assert "system" in capsys.readouterr().out
