"""rgenv/stream/shared_evidence.py: evidence of other processes."""

import logging
from pathlib import Path

import pytest

from rgenv.stream.difficulty import Evidence
from rgenv.stream.shared_evidence import MOST_BYTES, NAME, SharedEvidence

ONE = Evidence("gcd", 0.35, right=5, cut=1, size=8)
TWO = Evidence("acre", None, right=0, cut=0, size=8)


def replicas(folder: Path, count: int) -> list[SharedEvidence]:
    """Return replicas that have looked into the folder once."""
    made = [SharedEvidence(folder, f"replica{n}") for n in range(count)]
    for each in made:
        each.exchange([])
    return made


def received(shared: SharedEvidence) -> list[Evidence]:
    """Exchange nothing and return what the others sent."""
    shared.exchange([])
    found, shared._received = shared._received, []
    return found


def test_each_replica_gets_the_evidence_of_all_others_once(tmp_path: Path) -> None:
    """Its own does not come back, and what was written before it started is not read."""
    first, second, third = replicas(tmp_path / "evidence", 3)
    first.exchange([ONE, TWO])
    second.exchange([TWO])
    assert received(third) == [ONE, TWO, TWO]
    assert received(third) == []
    assert received(first) == [TWO]
    late = SharedEvidence(tmp_path / "evidence", "late")
    assert received(late) == []
    late.exchange([ONE])
    assert received(first) == [ONE]


def test_damaged_lines_are_skipped(tmp_path: Path) -> None:
    """An unfinished line is read once it is whole; of many lines, the last are read."""
    [first] = replicas(tmp_path, 1)
    line = b'["other",["gcd",0.35,5,1,8]]\n'
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'{}\n\x00\n["other",["gcd",2.0,1,0,8]]\n["other",["gcd",0.5,-1,0,8]]\n')
        file.write(line[:-5])
        file.flush()
        assert received(first) == []
        file.write(line[-5:])
        file.flush()
        assert received(first) == [ONE]
        file.write(line * 10_000)
    assert len(received(first)) == MOST_BYTES // len(line)
    assert received(first) == []


async def test_a_folder_that_cannot_be_used_costs_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The run goes on without evidence of others."""
    (tmp_path / "file").write_text("")
    shared = SharedEvidence(tmp_path / "file" / "evidence", "a")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            await shared.send(ONE)
    assert caplog.text.count("No evidence is exchanged") == 1
    assert shared.poll() == []
