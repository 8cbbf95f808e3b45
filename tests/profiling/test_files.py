"""rgenv/profiling/files.py: the files of a profile."""

import json
from pathlib import Path

from rgenv.profiling import files
from tests.profiling.test_config_text import MIXED
from tests.profiling.test_profile import profile


def test_a_folder_has_cells_page_and_configuration(tmp_path: Path) -> None:
    """A configuration of an earlier run goes away if there is nothing to train on any more."""
    config = files.write(tmp_path, profile(**MIXED), {}, [], limit=512)
    assert config == tmp_path / "profile.yaml" and config.exists()
    content = json.loads((tmp_path / "profile.json").read_text())
    assert content["tasks"]["gcd"]["start_level"] == 0.05 and content["date"]
    assert (tmp_path / "profile.html").exists()
    assert files.write(tmp_path, profile(maze=MIXED["maze"]), {}, [], limit=512) is None
    assert not config.exists()
