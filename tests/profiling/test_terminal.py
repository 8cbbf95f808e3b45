"""rgenv/profiling/terminal.py: a profile as text."""

from pathlib import Path

from rgenv.profiling.terminal import report
from tests.profiling.test_config_text import MIXED
from tests.profiling.test_profile import cell, profile


def test_the_table_has_a_line_for_each_task(tmp_path: Path) -> None:
    """The best come first; what was not asked is in brackets."""
    found = profile(**MIXED, rotate={0.0: cell("dead"), 1.0: cell(None, trials=0)})
    text = report(found, tmp_path, config=tmp_path / "profile.yaml", seconds=12.4)
    lines = text.splitlines()
    assert lines[0].split() == ["task", "defaults", "0", "1", "verdict", "start"]
    assert [line.split()[0] for line in lines[2:7]] == ["acre", "gcd", "maze", "rotate", "lcm"]
    assert lines[3].split() == ["gcd", "learn", "75%", "dead", "0%", "learnable", "0.05"]
    assert lines[5].split() == ["rotate", "dead", "0%", "(dead)", "dead"]
    assert "2 learnable, 2 dead, 1 undecided. 0 tokens of completions were used" in text
    assert "0 completions in 12 s." in text and text.endswith("profile.yaml")


def test_what_is_undecided_has_its_price(tmp_path: Path) -> None:
    """The line names the option and its value."""
    found = profile(gcd={0.0: cell("undecided", 0, 24)})
    text = report(found, tmp_path, config=None, seconds=1)
    assert "about 16 more completions (160 tokens) decide 1 of them" in text
    assert "--env.profile_completions 40" in text
    assert text.endswith("No task is worth training as it is, so there is no configuration file.")
