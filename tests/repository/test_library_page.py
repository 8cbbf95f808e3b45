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


def test_the_readme_shows_the_library_in_ten_lines() -> None:
    """The block is short, and complete."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    [block] = [b for b in re.findall(r"```python\n(.*?)```", text, re.S) if "ReasoningGym(" in b]
    assert len(block.splitlines()) <= 11 and "from rgenv import ReasoningGym" in block


def test_the_page_links_to_no_file() -> None:
    """The index of packages shows it, where relative links lead nowhere."""
    text = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
    assert all(link.startswith("https://") for link in re.findall(r"\]\(([^)]+)\)", text))
