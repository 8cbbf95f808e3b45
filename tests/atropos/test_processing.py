"""rgenv/atropos/processing.py: what is left out of Atropos' `process`."""

from pathlib import Path

import pytest
from atroposlib.envs import base as atropos_base

from rgenv.atropos.processing import without_page


def test_no_page_has_the_text_of_a_model(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Within the context Atropos writes none, and the log says how to read the groups."""
    caplog.set_level("INFO", "ReasoningGymEnv")
    groups = tmp_path / "groups.jsonl"
    groups.write_text('{"messages": [[]], "scores": [1.0]}\n')
    before = atropos_base.generate_html
    with without_page():
        atropos_base.generate_html(str(groups))
    assert list(tmp_path.iterdir()) == [groups] and f"--json-lines {groups}" in caplog.text
    assert atropos_base.generate_html is before
