"""Damaged files, where no test of a room has them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from rgenv.cli import config_file
from rgenv.errors import BadUsage, StartupError
from rgenv.evaluation import sample_log
from rgenv.evaluation.compare import chosen_run, earlier_run
from rgenv.evaluation.sample_log import SampleLog
from rgenv.inference.chat_templates import chat_template
from rgenv.pages.folder import Folder
from rgenv.rollouts.dump import FILES, RolloutDump, group_row
from rgenv.rollouts.groups_file import GroupsFile
from rgenv.runtime.json_lines import cut_torn_lines
from rgenv.types import Problem
from tests.support.samples import sample

pytestmark = pytest.mark.slow

EXPECTED = (OSError, StartupError, BadUsage)
"""What damage may raise: each is one sentence for the user, and a code other than 0."""


def write(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "folder": lambda path: path.mkdir(),
    "deep": write(b"[" * 10**5 + b"\n"),
    "bytes": write(bytes(range(256)) * 40 + b"\n"),
    "wrong types": write(b'{"schema": 1, "run": 3, "settings": 1, "items": 3}\n["step"]\n[3]\n'),
    "no end": write(b'{"schema": 1'),
    "nothing": write(b""),
}


# What a run does where it reads and writes files

PROBLEM = Problem("gcd", 1, None, {"max_numbers": 3}, "q", "a")
ROW = group_row("gcd", [[{"role": "user", "content": "x"}]], [1.0], metadata={})


def dump(folder: Path) -> None:
    cut_torn_lines(folder, FILES)
    saved = RolloutDump(folder, run_id="r", batch_size=2)
    written = saved.add(ROW)
    saved.close()
    assert written and not saved.lost


def evaluation(folder: Path) -> None:
    log = SampleLog.open(folder, {"model": "m"})
    try:
        log.add(sample())
    finally:
        log.close()
    earlier_run(folder, {sample()["id"]}, {"model": "m"})


def groups(folder: Path) -> None:
    file = GroupsFile(folder / "groups.jsonl")
    file.write({"scores": [1.0]})
    file.close()


PLACES: dict[str, Callable[[Path], object]] = {
    "reasoning_gym_environment_rollouts_r_0000.jsonl": dump,
    **dict.fromkeys((sample_log.SAMPLES, sample_log.ABOUT, sample_log.LOCK), evaluation),
    "../beside/metrics.json": evaluation,
    "report.html": lambda folder: Folder([folder]).write(folder / "report.html"),
    "named/samples.jsonl": lambda folder: chosen_run(folder / "named", [PROBLEM]),
    "groups.jsonl": groups,
    "run.yaml": lambda folder: config_file.read(str(folder / "run.yaml"), ["env.seed", "config"]),
    "x.jinja": lambda folder: chat_template(str(folder / "x.jinja")),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("place", PLACES)
def test_damage_is_a_sentence(
    tmp_path: Path, place: str, damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told in a sentence, or the run does without the file, as before it was damaged."""
    folder = tmp_path / "run"
    path = folder / place
    path.parent.mkdir(parents=True)
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    if PLACES[place] in (dump, evaluation):
        (tmp_path / "other").mkdir()
        PLACES[place](tmp_path / "other")  # so what follows sees the damage
    DAMAGES[damage](path)
    try:
        PLACES[place](folder)
    except EXPECTED as error:
        assert "\n" not in str(error) and len(str(error)) < 600
