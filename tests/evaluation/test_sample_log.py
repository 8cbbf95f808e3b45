"""rgenv/evaluation/sample_log.py: answers on disk as they come."""

import json
from pathlib import Path

import pytest

from rgenv.errors import AnotherEvaluation
from rgenv.evaluation.sample_log import SampleLog, about, read

ABOUT = {"set": "abc", "model": "m", "levels": [None, 0.5]}


def sample(number: int, **more: object) -> dict:
    return {"id": f"gcd/{number}", "score": 1.0, **more}


def test_a_sample_is_on_disk_when_add_returns(tmp_path: Path) -> None:
    """No close is needed."""
    log = SampleLog.open(tmp_path / "out", ABOUT)
    log.add(sample(1))
    assert read(tmp_path / "out" / "samples.jsonl") == [sample(1)]
    assert about(tmp_path / "out") == ABOUT
    log.close()
    log.close()


def test_the_next_run_goes_on(tmp_path: Path) -> None:
    """What was answered is there; what failed, and a torn last line, are asked again."""
    first = SampleLog.open(tmp_path, ABOUT)
    for number in (1, 2):
        first.add(sample(number))
    first.add({"id": "gcd/3", "error": "timeout"})
    with (tmp_path / "samples.jsonl").open("ab") as file:  # killed while it wrote
        file.write(b'{"id": "gcd/4", "sco')
    second = SampleLog.open(tmp_path, ABOUT)
    assert sorted(second.done) == ["gcd/1", "gcd/2"]
    second.add(sample(4))
    second.close()
    assert [s["id"] for s in read(tmp_path / "samples.jsonl")] == ["gcd/1", "gcd/2", "gcd/4"]


def test_answers_to_something_else_are_not_mixed(tmp_path: Path) -> None:
    """The error says what differs and names both remedies; nothing is touched."""
    log = SampleLog.open(tmp_path, ABOUT)
    log.add(sample(1))
    log.close()
    before = (tmp_path / "samples.jsonl").read_bytes()
    with pytest.raises(AnotherEvaluation, match=r"model was 'm', is 'n'.*--force"):
        SampleLog.open(tmp_path, {**ABOUT, "model": "n"})
    assert (tmp_path / "samples.jsonl").read_bytes() == before
    afresh = SampleLog.open(tmp_path, {**ABOUT, "model": "n"}, afresh=True)
    assert afresh.done == {} and about(tmp_path)["model"] == "n"
    afresh.close()


def test_samples_of_nobody_are_not_taken_over(tmp_path: Path) -> None:
    """A samples file without a word on what it is about says nothing about this run."""
    (tmp_path / "samples.jsonl").write_text(json.dumps(sample(1)) + "\n")
    log = SampleLog.open(tmp_path, ABOUT)
    assert log.done == {}
    log.close()


def test_a_disk_that_is_full_is_said(tmp_path: Path) -> None:
    """A sample that does not fit is an error, and not counted as done."""
    log = SampleLog.open(tmp_path, ABOUT)

    class Full:
        name, closed = "samples.jsonl", False

        def write(self, line: bytes) -> int:
            return len(line) // 2

    log._file, real = Full(), log._file
    with pytest.raises(OSError, match="No space"):
        log.add(sample(1))
    assert log.done == {}
    real.close()


def test_a_folder_without_an_evaluation_is_about_nothing(tmp_path: Path) -> None:
    """And so is one with a damaged file."""
    assert about(tmp_path) == {} and read(tmp_path / "samples.jsonl") == []
    (tmp_path / "evaluation.json").write_text("[")
    assert about(tmp_path) == {}
