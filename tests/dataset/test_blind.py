"""rgenv/dataset/blind.py: what is earned without solving."""

from collections.abc import Mapping

import pytest

from rgenv.dataset import blind
from rgenv.dataset.blind import blind_share
from rgenv.measured import Measured
from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.worker.levels import is_fixed
from tests.support.records import LABELS

TASKS = sorted(set(KNOWN_TASKS) - {COMPOSITE})


@pytest.mark.parametrize(("task", "labels"), LABELS.items())
def test_the_share_is_at_least_that_of_the_wanted_labels(
    task: str, labels: Mapping[str, float]
) -> None:
    """A constant earns what selection gives its label, less the noise of the measurement."""
    levels = [None] if is_fixed(task) else [None, 0.0, 0.5, 1.0]
    assert all(blind_share(task, level) >= max(labels.values()) - 0.08 for level in levels)


def test_shares_between_measured_levels_are_interpolated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two levels the share changes linearly; a fixed task has one share at any level."""
    shares = {"gcd": {None: 0.3, 0.0: 0.4, 0.5: 0.2, 1.0: 0.1}, "acre": {None: 0.5}}
    tasks = {task: Measured("", "", blind=each) for task, each in shares.items()}
    monkeypatch.setattr(blind, "TASKS", tasks)
    levels = [None, 0.0, 0.25, 0.5, 0.9, 1.0]
    expected = [0.3, 0.4, 0.3, 0.2, 0.12, 0.1]
    assert [blind_share("gcd", level) for level in levels] == pytest.approx(expected)
    assert blind_share("acre", 0.7) == blind_share("acre", None) == 0.5
