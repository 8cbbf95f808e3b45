"""Programs that documents show run: their assertions hold."""

import re

import pytest

from tests.support.paths import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("page", "printed"),
    [
        ("README.md", "system"),
        ("docs/library.md", "system"),
        ("docs/own_tasks.md", "[1.0]\n"),
        ("docs/upstream.md", "puzzle24 1.0\n"),
    ],
)
def test_the_blocks_of_a_page_are_one_program(
    page: str, printed: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for those of the environment, which tests/environment/test_configuration.py runs."""
    monkeypatch.chdir(ROOT)
    found = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.S)
    program = "\n".join(block for block in found if "ReasoningGymEnv" not in block)
    exec(program, {"__name__": "__main__"})
    assert printed in capsys.readouterr().out
