"""tools/measure.py: measured.json is what it writes."""

import json

from rgenv import measured
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


def test_the_reasons_of_known_faults_are_those_of_today() -> None:
    for task, one in measured.TASKS.items():
        faults = one.health.faults if one.health else {}
        assert faults == {rule: record_of(task).accepted[rule] for rule in faults}, REMEDY
