"""rgenv/measured.py: what was measured of each task."""

import pytest

from rgenv import measured
from rgenv.measured import TASKS, Measured, blind_share
from rgenv.task_names import COMPOSITE
from rgenv.worker.levels import is_fixed

LEVELS = [None, 0.0, 0.25, 0.5, 0.75, 1.0]


def test_everything_was_measured_of_every_task() -> None:
    """Each task has all measures, at each of its levels; composite has none of its own."""
    assert TASKS[COMPOSITE].blind is TASKS[COMPOSITE].health is None
    for task in TASKS.keys() - {COMPOSITE}:
        found, levels = TASKS[task], [None] if is_fixed(task) else LEVELS
        assert found.health, task
        assert list(found.health.levels) == levels, task
        assert found.blind == {} or list(found.blind or ()) == levels, task
        tokens = found.health.prompt_tokens
        assert 100 < tokens.typical <= tokens.longest < 16384, task


def test_shares_between_measured_levels_are_interpolated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two levels the share changes linearly; a fixed task has one share at any level."""
    shares = {"gcd": {None: 0.3, 0.0: 0.4, 0.5: 0.2, 1.0: 0.1}, "acre": {None: 0.5}}
    tasks = {task: Measured("", "", blind=each) for task, each in shares.items()}
    monkeypatch.setattr(measured, "TASKS", tasks)
    levels = [None, 0.0, 0.25, 0.5, 0.9, 1.0]
    expected = [0.3, 0.4, 0.3, 0.2, 0.12, 0.1]
    assert [blind_share("gcd", level) for level in levels] == pytest.approx(expected)
    assert blind_share("acre", 0.7) == blind_share("acre", None) == 0.5
