"""Programs that documents show run: their assertions hold."""

import re

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("page", ["README.md", "docs/library.md"])
def test_the_blocks_of_a_page_are_one_program(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """But for those of the environment, which docs/testing.md shows, too."""
    found = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)
    program = "\n".join(block for block in found if "ReasoningGymEnv" not in block)
    exec(program, {"__name__": "__main__"})
    assert "system" in capsys.readouterr().out
