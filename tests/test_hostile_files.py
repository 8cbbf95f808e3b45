"""Files that lie, at every place where a run reads or writes one."""

import asyncio
import contextlib
import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rgenv.cli import config_file
from rgenv.cli.arguments import Option
from rgenv.dataset.shared_evidence import Evidence, SharedEvidence
from rgenv.errors import BadUsage, StartupError
from rgenv.evaluation import html_report, sample_log
from rgenv.evaluation.compare import chosen_run, earlier_run
from rgenv.evaluation.item_cache import ItemCache
from rgenv.evaluation.metrics import metrics
from rgenv.evaluation.sample_log import SampleLog
from rgenv.inference.chat_templates import chat_template
from rgenv.resume.checkpoints import Checkpoints
from rgenv.rollouts.dump import FILES, RolloutDump, group_row
from rgenv.rollouts.groups_file import GroupsFile
from rgenv.rollouts.metrics import MetricsFile
from rgenv.runtime.parts import Here
from rgenv.storage.json_lines import cut_torn_lines
from rgenv.types import Problem
from rgenv.validation.rescore import dump_files, rescore
from tests.support.samples import sample

pytestmark = pytest.mark.slow

SECONDS = 20
SECRET = b'{"secret": "do-not-copy"}\n'
NOBODY = 65534
EXPECTED = (OSError, StartupError, BadUsage)
"""What a lie may raise: each is one sentence for the user, and a code other than 0."""

# What may stand where a file is expected. Each gets the path and a folder outside the run.


def write(content: bytes) -> Callable[[Path, Path], object]:
    return lambda path, outside: path.write_bytes(content)


def bind(path: Path, _outside: Path) -> None:
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as server:
        server.bind(path.name)  # the path of a socket has at most 107 bytes


def give_away(path: Path, _outside: Path) -> None:
    path.write_bytes(SECRET)
    os.chown(path, NOBODY, NOBODY)


def sparse(path: Path, _outside: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


LIES: dict[str, Callable[[Path, Path], object]] = {
    "link to a file": lambda path, outside: path.symlink_to(outside / "secret"),
    "link to nothing": lambda path, outside: path.symlink_to(outside / "new"),
    "link to a folder": lambda path, outside: path.symlink_to(outside),
    "link to a device": lambda path, outside: path.symlink_to("/dev/zero"),
    "link to itself": lambda path, outside: path.symlink_to(path),
    "second name": lambda path, outside: path.hardlink_to(outside / "secret"),
    "pipe": lambda path, outside: os.mkfifo(path),
    "socket": bind,
    "folder": lambda path, outside: path.mkdir(),
    "terabyte": sparse,
    "deep": write(b"[" * 10**5 + b"\n"),
    "deep, with names": write(b'{"a":' * 10**5 + b"\n"),
    "bytes": write(bytes(range(256)) * 40 + b"\n"),
    "wrong types": write(b'{"schema": 1, "run": 3, "settings": 1, "items": 3}\n["step"]\n[3]\n'),
    "no end": write(b'{"schema": 1'),
    "nothing": write(b""),
}
if os.geteuid() == 0:
    LIES["file of another user"] = give_away


# Where files are read and written. Each function does what a run does there.

PROBLEM = Problem("gcd", 1, None, {"max_numbers": 3}, "q", "a")
ROW = group_row("gcd", [[{"role": "user", "content": "x"}]], [1.0], metadata={})


def dump(folder: Path) -> None:
    """Start in a folder of rollouts, save one, and end."""
    cut_torn_lines(folder, FILES)
    saved = RolloutDump(folder, run_id="r", batch_size=2)
    written = saved.add(ROW)
    saved.close()
    assert written and not saved.lost


def checkpoints(folder: Path) -> None:
    """Go on from the last state, and save one."""
    found = Checkpoints(replica_id=0, num_replicas=1, name="run", settings={"seed": 1})

    async def claim() -> None:
        await found.claim(str(folder), 0)

    asyncio.run(claim())
    try:
        state = found.find(step=3)
        if state is not None:
            _ = state.run, state.step
        found.save(3, run_id="r", source_state={})
    except ValueError as error:  # `resume` says it in a sentence
        raise StartupError(str(error)) from None
    finally:
        found.release()


def cache(folder: Path) -> None:
    """Read evaluation problems, and save them if there are none."""
    problems = ItemCache(folder)
    if problems.load("gcd-1") is None:
        problems.store("gcd-1", [PROBLEM])


def evaluation(folder: Path) -> None:
    """Go on with an evaluation, and write its results."""
    log = SampleLog.open(folder, {"model": "m"})
    try:
        log.add(sample())
    finally:
        log.close()
    earlier_run(folder, {sample()["id"]}, {"model": "m"})


def page(folder: Path) -> None:
    html_report.write(folder, [], metrics([]), {"model": "m"})


def compare(folder: Path) -> None:
    chosen_run(folder, [PROBLEM])


def exchange(folder: Path) -> None:
    """Exchange evidence with other replicas."""
    shared = SharedEvidence(folder, "replica0")
    for _ in range(2):
        shared.exchange([Evidence("gcd", None, 1, 0, 2, True)])


def groups(folder: Path) -> None:
    file = GroupsFile(folder / "groups.jsonl")
    file.write({"scores": [1.0]})
    file.close()


def validate(folder: Path) -> None:
    """Score saved rollouts again."""
    found = asyncio.run(rescore(dump_files([str(folder)]), Here(None, calls=1)))
    if found.errors:
        raise StartupError(found.errors[0])


def configuration(folder: Path) -> None:
    """Read the file of options."""
    config_file.read(str(folder / "run.yaml"), [Option("env.seed"), Option("config")])


def template(folder: Path) -> None:
    chat_template(str(folder / "x.jinja"))


STEM = "reasoning_gym_environment_rollouts_r_0000.jsonl"
RUN = "env_checkpoints/run_replica0of1"
PLACES: dict[str, Callable[[Path], None]] = {
    STEM: dump,
    **dict.fromkeys((f"{RUN}.lock", f"{RUN}/progress.jsonl", f"{RUN}/step-3.json"), checkpoints),
    **dict.fromkeys(("env_checkpoints", RUN), checkpoints),
    "gcd-1.json": cache,
    **dict.fromkeys((sample_log.SAMPLES, sample_log.ABOUT, sample_log.LOCK), evaluation),
    "../beside/metrics.json": evaluation,
    "report.html": page,
    "named/samples.jsonl": lambda folder: compare(folder / "named"),
    "metrics.jsonl": lambda folder: MetricsFile(lambda: folder).append({"step": 1}),
    **dict.fromkeys(("replica0.jsonl", "replica1.jsonl"), exchange),
    "groups.jsonl": groups,
    "saved.jsonl": validate,
    "run.yaml": configuration,
    "x.jinja": template,
}


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that is no part of the run, and must stay as it is."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "secret").write_bytes(SECRET)
    return folder


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    """A test that waits for a file ends with an error."""

    def interrupt(*_: object) -> None:
        raise AssertionError("it waits for a file")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("lie", LIES)
@pytest.mark.parametrize("place", PLACES)
def test_a_lie_leads_nowhere(
    tmp_path: Path, outside: Path, place: str, lie: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused in a sentence, or the run does without it; nothing outside is used."""
    folder = tmp_path / "run"
    path = folder / place
    path.parent.mkdir(parents=True)
    folder.mkdir(exist_ok=True)
    monkeypatch.chdir(folder)
    LIES[lie](path, outside)
    try:
        PLACES[place](folder)
    except EXPECTED as error:
        assert "\n" not in str(error) and len(str(error)) < 600
    assert {p.name: p.read_bytes() for p in outside.iterdir()} == {"secret": SECRET}
    for written in folder.rglob("*"):
        is_small = written.lstat().st_size < 1 << 20  # a file of a terabyte may get another name
        if written.is_file() and not written.is_symlink() and written != path and is_small:
            copied = b"do-not-copy" in written.read_bytes()
            assert not copied or lie in ("second name", "file of another user"), written


def test_the_places_work_without_a_lie(tmp_path: Path) -> None:
    """So what the test above sees is the lie, not a broken test."""
    for number, use in enumerate((dump, checkpoints, cache, evaluation, page, exchange)):
        folder = tmp_path / str(number)
        folder.mkdir()
        for _ in range(2):
            use(folder)
        assert any(folder.iterdir())


@pytest.mark.parametrize("run", ["../../x", "a/b", "", "." * 3, "x" * 99, "a\nb", None, 3.5, ["r"]])
def test_the_id_of_a_run_is_no_path(tmp_path: Path, run: Any) -> None:
    """It becomes a part of the names of files."""
    file = tmp_path / RUN / "progress.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"schema": 1, "seed": 1, "replica": "x", "run": run}) + "\n")
    with pytest.raises(StartupError, match="no id"):
        checkpoints(tmp_path)
