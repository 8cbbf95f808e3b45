"""tools/measure.py: measured.json and docs/TASKS.md are what it writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from rgenv import measured
from rgenv.pool.pool import WorkerPool
from rgenv.tasks.registry import record_of
from tools import measure

REMEDY = "run `python -m tools.measure`"


def test_the_sources_are_those_of_the_installed_release() -> None:
    """Another release, another hash or another sentence must be written again."""
    tasks = json.loads(measured.PATH.read_text())["tasks"]
    found = measure.source()
    assert tasks.keys() == found.keys(), REMEDY
    names = {"category", "source", "asks", "answer", "seed_bits"}
    for task, values in found.items():
        assert {name: tasks[task][name] for name in names & tasks[task].keys()} == values, REMEDY


async def test_the_page_has_what_was_measured_and_an_example_of_each_task(
    pool: WorkerPool,
) -> None:
    """docs/TASKS.md is byte for byte what the measures and the first problems give."""
    assert measure.PAGE.read_text(encoding="utf-8") == await measure.page(pool), REMEDY


def test_the_reasons_of_known_faults_are_those_of_today() -> None:
    """No task is unhealthy."""
    for task, one in measured.TASKS.items():
        faults = one.health.faults if one.health else {}
        assert faults == {rule: record_of(task).accepted[rule] for rule in faults}, REMEDY


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the table that may be written."""
    copy = tmp_path / "measured.json"
    copy.write_bytes(measured.PATH.read_bytes())
    monkeypatch.setattr(measured, "PATH", copy)
    return copy


def test_other_measures_stay(table: Path) -> None:
    """Only the named measure of the named task changes; a new task is put into its place."""
    before = json.loads(table.read_text())
    measure.update({"gcd": {"blind": {"null": 0.7}}, "aaa": {"category": "toys", "source": "a"}})
    after = json.loads(table.read_text())
    assert after["tasks"].pop("aaa")["source"] == "a"
    assert after["tasks"]["gcd"].pop("blind") == {"null": 0.7}
    del before["tasks"]["gcd"]["blind"]
    assert after == before


def test_the_sources_of_a_release_drop_what_is_gone(table: Path) -> None:
    """A task that the library has no more has no measures."""
    measure.update({"gcd": {"source": "ab"}}, release=True)
    content = json.loads(table.read_text())
    assert content["tasks"].keys() == {"gcd"} and content["tasks"]["gcd"]["source"] == "ab"


def test_one_measure_of_two_tasks(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command measures what it is told to, and nothing else."""

    def blind(tasks: list[str]) -> dict[str, Any]:
        return {task: {"blind": {"null": 0.125}} for task in tasks}

    monkeypatch.setattr(measure, "blind", blind)
    measure.main(["--only", "blind", "--tasks", "gcd", "lcm"])
    _, tasks = measured.read(table)
    assert [task for task, one in tasks.items() if one.blind == {None: 0.125}] == ["gcd", "lcm"]
    measure.main(["--only", "source", "--tasks", "gcd"])
    assert measured.read(table) == (measured.RELEASE, tasks)


@pytest.mark.parametrize("words", ["--tasks gcdd", "--only blind --tasks composite"])
def test_a_task_that_does_not_exist_is_refused(words: str, table: Path) -> None:
    """Nothing is measured or written."""
    before = table.read_bytes()
    with pytest.raises(SystemExit):
        measure.main(words.split())
    assert table.read_bytes() == before


@pytest.mark.slow
def test_costs_are_the_most_of_a_few_items() -> None:
    """Each item of each level counts."""
    [found] = measure.costs(["gcd"]).values()
    assert found["costs"]["items"] == 33 and found["costs"]["unwinnable"] == 0
