"""rgenv/profiling/report.py: the files of a profile, and its text."""

from pathlib import Path
from typing import Any

import yaml

from rgenv.atropos.command_line import read
from rgenv.profiling.report import config_text
from tests.profiling.test_profile import cell, profile

SERVERS = [{"model_name": 'my "model": #1 é', "base_url": "http://h:1/v1", "server_type": "vllm"}]
MIXED: dict[str, Any] = {
    "gcd": {0.0: cell("learnable", 30), 1.0: cell("dead")},
    "lcm": {0.0: cell("undecided", 3), 1.0: cell("dead")},
    "maze": {0.0: cell("dead"), 1.0: cell("dead")},
    "acre": {None: cell("learnable", 20)},
}


def test_serve_takes_the_file_as_it_is(tmp_path: Path) -> None:
    """It has tasks, weights, starting levels, and the settings of the profile."""
    text = config_text(profile(**MIXED), {"group_size": 16}, SERVERS, date="2026-11-22 21:50")
    assert text is not None
    path = tmp_path / "profile.yaml"
    path.write_text(text)
    request: Any = read("serve", ["--config", str(path)])
    config = request.config
    assert config.task_names == ["gcd", "lcm", "acre"] and config.complexity_mode == "curriculum"
    assert config.task_weights == {"gcd": 1.0, "lcm": 0.5, "acre": 1.0}
    assert config.start_levels == {"gcd": 0.05, "lcm": 0.0}
    assert config.group_size == 16
    assert [{name: one[name] for name in SERVERS[0]} for one in request.servers] == SERVERS


def test_a_model_cannot_write_options_with_its_name() -> None:
    """A line break in it stays in its comment."""
    found = profile(model="m\nenv: {force: true}", **MIXED)
    text = config_text(found, {}, [], date="now") or ""
    assert "force" not in yaml.safe_load(text)["env"]
