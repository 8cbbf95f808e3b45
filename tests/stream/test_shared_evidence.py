"""rgenv/stream/shared_evidence.py: evidence of other processes."""

from pathlib import Path

import pytest

from rgenv.stream.difficulty import Evidence
from rgenv.stream.shared_evidence import MOST_BYTES, NAME, SharedEvidence

ONE = Evidence("gcd", 0.35, right=5, cut=1, size=8)
TWO = Evidence("acre", None, right=0, cut=0, size=8)


def test_each_replica_gets_the_evidence_of_all_others_once(tmp_path: Path) -> None:
    """Its own does not come back, and what was written before it started is not read."""
    first, second, third = (SharedEvidence(tmp_path / "evidence", name) for name in "abc")
    for each in (first, second, third):
        each.exchange()
    first.exchange([ONE, TWO])
    second.exchange([TWO])
    assert third.exchange() == [ONE, TWO, TWO]
    assert third.exchange() == []
    assert first.exchange() == [TWO]
    late = SharedEvidence(tmp_path / "evidence", "late")
    assert late.exchange([ONE]) == []
    assert first.exchange() == [ONE]


def test_damaged_lines_are_skipped(tmp_path: Path) -> None:
    """An unfinished line is read once it is whole; of many lines, the last are read."""
    first = SharedEvidence(tmp_path, "first")
    first.exchange()
    line = b'["other",["gcd",0.35,5,1,8]]\n'
    with (tmp_path / NAME).open("ab") as file:
        file.write(b'{}\n\x00\n["other",["gcd",2.0,1,0,8]]\n["other",["gcd",0.5,-1,0,8]]\n')
        file.write(line[:-5])
        file.flush()
        assert first.exchange() == []
        file.write(line[-5:])
        file.flush()
        assert first.exchange() == [ONE]
        file.write(line * 10_000)
    assert len(first.exchange()) == MOST_BYTES // len(line)
    assert first.exchange() == []


def test_a_folder_that_cannot_be_used_costs_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    shared = SharedEvidence(tmp_path / "file" / "evidence", "a")
    assert [shared.exchange([ONE]) for _ in range(3)] == [[], [], []]
    assert caplog.text.count("No evidence is exchanged") == 1
