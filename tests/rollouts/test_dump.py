"""rgenv/rollouts/dump.py: groups on disk."""

import errno
import json
import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.rollouts.dump import FILES, RolloutDump, group_row
from rgenv.storage.journal import Journal, finish_torn
from tests.support.paths import ROOT

text = st.text(st.characters(codec=None))
conversations = st.lists(st.tuples(text, st.floats(0, 1)), min_size=1, max_size=6)


def dump_in(folder: Path, batch_size: int = 2) -> RolloutDump:
    return RolloutDump(folder, Journal, run_id="run", batch_size=batch_size)


def rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def row(number: int = 0) -> dict:
    return group_row("gcd", [[{"role": "user", "content": "q"}]], [1.0], metadata={"n": number})


@given(pairs=conversations)
def test_each_conversation_stands_beside_its_own_score(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, float]]
) -> None:
    """Whatever the texts, what is read back is what was added, in order, one line a group."""
    dump = dump_in(tmp_path_factory.mktemp("dump"))
    talks = [[{"role": "assistant", "content": content}] for content, _ in pairs]
    dump.add(group_row("gcd", talks, [score for _, score in pairs], metadata={}))
    dump.close()
    [read] = rows(dump.paths[0])
    assert [
        (rollout["conversation"][0]["content"], rollout["score"]) for rollout in read["rollouts"]
    ] == pairs


def test_a_row_is_on_disk_when_add_returns(tmp_path: Path) -> None:
    """No close is needed for a row to be readable."""
    dump = dump_in(tmp_path)
    dump.add(row(7))
    [partial] = tmp_path.iterdir()
    assert rows(partial)[0]["metadata"] == {"schema": 1, "n": 7}
    dump.close()


def test_a_full_batch_gets_its_final_name(tmp_path: Path) -> None:
    """Five rows in batches of two are three numbered files, none of them unfinished."""
    dump = dump_in(tmp_path)
    for number in range(5):
        dump.add(row(number))
    dump.close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [f"reasoning_gym_environment_rollouts_run_{n:04d}.jsonl" for n in range(3)]
    numbers = [r["metadata"]["n"] for path in dump.paths for r in rows(path)]
    assert numbers == [0, 1, 2, 3, 4]


def test_closing_twice_or_empty_makes_no_file(tmp_path: Path) -> None:
    """Close is idempotent, and a run without groups leaves nothing behind."""
    dump = dump_in(tmp_path)
    dump.close()
    assert list(tmp_path.iterdir()) == []
    dump.add(row())
    dump.close()
    dump.close()
    assert len(list(tmp_path.iterdir())) == 1


class Disk:
    """The disk under the journals: `full` makes every write fail."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.full = False
        self._pwrite = os.pwrite
        patch.setattr("rgenv.storage.journal.os.pwrite", self.pwrite)
        patch.setattr("rgenv.rollouts.dump.RETRY_SECONDS", 0.0)

    def pwrite(self, file: int, content: memoryview, offset: int) -> int:
        if self.full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self._pwrite(file, content, offset)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def saved(dump: RolloutDump) -> list[int]:
    return [r["metadata"]["n"] for path in dump.paths for r in rows(path)]


def test_a_full_disk_costs_nothing_when_it_heals(
    tmp_path: Path, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    """Groups wait in memory, in order, with one error in the log however many they are."""
    dump = dump_in(tmp_path, batch_size=5)
    assert dump.add(row(0)) is True
    disk.full = True
    assert [dump.add(row(n)) for n in (1, 2, 3)] == [False] * 3
    assert (dump.held, dump.lost, dump.written) == (3, 0, 1)
    errors = [r for r in caplog.records if r.levelname == "ERROR"]
    assert len(errors) == 1 and "No space left" in errors[0].message
    disk.full = False
    assert dump.add(row(4)) is True
    assert (dump.held, dump.lost, dump.written) == (0, 0, 5)
    dump.close()
    assert saved(dump) == [0, 1, 2, 3, 4]


def test_what_waits_for_the_disk_is_bounded(tmp_path: Path, disk: Disk) -> None:
    """A batch of groups waits, what comes after is lost and counted; the first ones are kept."""
    dump = dump_in(tmp_path, batch_size=3)
    disk.full = True
    for number in range(8):
        dump.add(row(number))
    assert (dump.held, dump.lost) == (3, 5)
    disk.full = False
    dump.close()
    assert saved(dump) == [0, 1, 2]


def test_what_the_disk_never_took_is_counted_at_the_end(
    tmp_path: Path, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    """Closing over a full disk raises nothing and says how many groups were not saved."""
    dump = dump_in(tmp_path, batch_size=5)
    disk.full = True
    dump.add(row(0))
    dump.add(row(1))
    dump.close()
    assert (dump.held, dump.lost) == (0, 2)
    assert "2 rollouts groups could not be saved" in caplog.text


def test_a_disk_that_refuses_is_not_asked_all_the_time(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two attempts passes a second at least."""
    monkeypatch.setattr("rgenv.rollouts.dump.RETRY_SECONDS", 3600.0)
    dump = dump_in(tmp_path, batch_size=5)
    disk.full = True
    dump.add(row(0))
    disk.full = False
    assert dump.add(row(1)) is False and dump.held == 2
    dump.close()
    assert saved(dump) == [0, 1]


def test_a_folder_that_cannot_be_made_holds_the_groups(
    tmp_path: Path, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    """A file where the folder should be is named in the log; once it is gone, all is written."""
    blocked = tmp_path / "dumps"
    blocked.write_text("a file where the folder should be")
    dump = dump_in(blocked, batch_size=3)
    assert dump.add(row(0)) is False
    assert str(blocked) in caplog.text
    blocked.unlink()
    assert dump.add(row(1)) is True
    dump.close()
    assert saved(dump) == [0, 1]


def test_a_deleted_folder_comes_back_with_its_batch(tmp_path: Path) -> None:
    """The groups of the batch in progress are written again, whether by an add or by the end."""
    folder = tmp_path / "dumps"
    dump = dump_in(folder, batch_size=5)
    dump.add(row(0))
    shutil.rmtree(folder)
    assert dump.add(row(1)) is True
    shutil.rmtree(folder)
    dump.close()
    assert saved(dump) == [0, 1]


def test_a_batch_that_cannot_be_finished_is_finished_later(
    tmp_path: Path, disk: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the last step of a full batch fails, its groups are safe and others come after."""
    dump = dump_in(tmp_path)

    def refuse(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr("rgenv.storage.journal.os.fsync", refuse)
        assert [dump.add(row(0)), dump.add(row(1))] == [True, True]
        assert dump.add(row(2)) is False
    dump.add(row(3))
    dump.close()
    assert saved(dump) == [0, 1, 2, 3] and len(dump.paths) == 2


def test_fsync_of_every_group_is_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it a full batch is synced once, with it each group as well."""
    calls: list[int] = []
    monkeypatch.setattr("rgenv.storage.journal.os.fsync", calls.append)
    monkeypatch.setattr("rgenv.storage.journal._sync_folder", lambda folder: None)
    for sync_each, expected in ((False, 1), (True, 4)):
        calls.clear()
        dump = RolloutDump(
            tmp_path, Journal, run_id=str(sync_each), batch_size=3, sync_each=sync_each
        )
        for number in range(3):
            dump.add(row(number))
        assert len(calls) == expected


def test_numbering_goes_on_in_the_same_folder(tmp_path: Path) -> None:
    """A second dump of the same run begins after the files of the first, torn ones included."""
    first = dump_in(tmp_path)
    for number in range(3):
        first.add(row(number))
    first.close()
    (tmp_path / "reasoning_gym_environment_rollouts_run_0006.jsonl.torn").touch()
    second = dump_in(tmp_path)
    second.add(row(3))
    second.close()
    assert second.paths[0].name.endswith("_0007.jsonl")
    assert saved(first) == [0, 1, 2]


def test_two_dumps_never_touch_each_others_files(tmp_path: Path) -> None:
    """Two processes of the same run and folder have files of their own, each whole."""
    dumps = [dump_in(tmp_path, batch_size=3) for _ in range(2)]
    for number in range(10):
        dumps[number % 2].add(row(number))
        finish_torn(tmp_path, FILES)
    for dump in dumps:
        dump.close()
    assert [saved(dump) for dump in dumps] == [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]
    assert not set(dumps[0].paths) & set(dumps[1].paths)


def test_torn_batches_are_named_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever starts next reads which file was finished, and where the torn line is."""
    caplog.set_level("INFO")
    name = "reasoning_gym_environment_FAILED_rollouts_other_0003.jsonl"
    (tmp_path / (name + ".partial")).write_text(json.dumps(row(0)) + '\n{"item_id": "gc')
    finish_torn(tmp_path, FILES)
    assert f"{tmp_path / name} of a killed run: 1 lines" in caplog.text
    assert f"{name}.torn" in caplog.text
    assert [r["metadata"]["n"] for r in rows(tmp_path / name)] == [0]


def test_a_folder_that_is_not_there_has_no_torn_batches(tmp_path: Path) -> None:
    """The first run in a folder finds nothing and makes nothing."""
    finish_torn(tmp_path / "missing", FILES)
    assert list(tmp_path.iterdir()) == []


def killed_writer(folder: Path, first: int, seconds: float) -> list[int]:
    """What the writer said to be safe before kill -9."""
    program = [sys.executable, str(ROOT / "tests" / "support" / "dump_writer.py")]
    with subprocess.Popen(
        [*program, str(folder), str(first)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    ) as child:
        assert child.stdout is not None
        said = child.stdout.readline()
        time.sleep(seconds)
        child.kill()
        said += child.stdout.read()
    return [int(number) for number in said.split(b"\n")[:-1]]


def kill_again_and_again(folder: Path, times: int) -> None:
    """Nothing that was acknowledged is missing, nothing is there twice, nothing is torn."""
    luck = random.Random(times)
    acknowledged: list[int] = []
    for round_ in range(times):
        acknowledged += killed_writer(folder, round_ * 10**6, luck.uniform(0.0, 0.03))
    finish_torn(folder, FILES)
    assert not list(folder.glob("*.partial*"))
    found = [r["metadata"]["n"] for path in folder.glob("*.jsonl") for r in rows(path)]
    assert len(found) == len(set(found))
    assert set(acknowledged) <= set(found)
    unknown = set(found) - set(acknowledged)  # written whole, killed before it could be said
    assert len(acknowledged) > times and len(unknown) <= times


def test_kill_9_loses_nothing(tmp_path: Path) -> None:
    """Thirty writers killed at random moments in one folder leave every group once."""
    kill_again_and_again(tmp_path, 30)


@pytest.mark.soak
def test_kill_9_loses_nothing_however_often(tmp_path: Path) -> None:
    """So do two hundred."""
    kill_again_and_again(tmp_path, 200)


def test_a_score_that_is_no_number_is_refused(tmp_path: Path) -> None:
    """NaN would make a line that no JSON reader takes."""
    nan = group_row("gcd", [[]], [float("nan")], metadata={})
    with pytest.raises(ValueError, match="JSON"):
        dump_in(tmp_path).add(nan)
    with pytest.raises(ValueError, match="zip"):
        group_row("gcd", [[], []], [1.0], metadata={})
