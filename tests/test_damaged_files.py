"""Files of a user that are a folder, or no text. Each room tests what else may be wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rgenv.cli import config_file
from rgenv.errors import BadUsage, StartupError
from rgenv.evaluation.compare import chosen_run
from rgenv.inference.chat_templates import chat_template
from rgenv.pages.folder import Folder
from rgenv.rollouts.groups_file import GroupsFile
from rgenv.types import Problem

PROBLEM = Problem("gcd", 1, None, {"max_numbers": 3}, "q", "a")
PLACES: dict[str, Callable[[Path], object]] = {
    "groups.jsonl": lambda path: GroupsFile(path).close(),
    "report.html": lambda path: Folder([path.parent]).write(path),
    "run.yaml": lambda path: config_file.read(str(path), ["env.seed", "config"]),
    "samples.jsonl": lambda path: chosen_run(path.parent, [PROBLEM]),
    "x.jinja": lambda path: chat_template(str(path)),
}


@pytest.mark.parametrize("content", [None, bytes(range(256)) * 40])
@pytest.mark.parametrize("place", PLACES)
def test_damage_is_a_sentence(tmp_path: Path, place: str, content: bytes | None) -> None:
    path = tmp_path / place
    path.write_bytes(content) if content else path.mkdir()
    try:
        PLACES[place](path)
    except (OSError, StartupError, BadUsage) as error:
        assert "\n" not in str(error) and len(str(error)) < 600
