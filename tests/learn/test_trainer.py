"""Checkpoints of the learner, and the rows of its steps."""

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="learning needs requirements-learn.txt")

from examples.learn.trainer import Learner, append_row, checkpoints, read_rows
from tests.learn.models import group_of


def test_resuming_does_not_change_the_weights(model: Any, tmp_path: Path) -> None:
    """Two steps give the same weights with and without a checkpoint between them."""
    groups = [group_of(model, [1.0, 0.0]), group_of(model, [0.0, 1.0, 1.0])]
    learner = Learner.begin(model, 1e-3)
    learner.update(groups[:1])
    learner.save(tmp_path)
    learner.update(groups[1:])
    resumed = Learner.resume(checkpoints(tmp_path)[-1], 1e-3)
    assert resumed.step == 1
    resumed.update(groups[1:])
    for one, other in zip(resumed.model.parameters(), model.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-6)


def test_the_newest_two_checkpoints_are_kept(model: Any, tmp_path: Path) -> None:
    """Older checkpoints are deleted, and no incomplete one remains."""
    learner = Learner.begin(model, 1e-3)
    for learner.step in (2, 4, 10):
        learner.save(tmp_path)
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["step-000004", "step-000010"]


def test_rows_after_a_checkpoint_are_left_out(tmp_path: Path) -> None:
    """Rows are read up to the step of the checkpoint; a missing file has none."""
    path = tmp_path / "steps.jsonl"
    assert read_rows(path) == []
    for step in (1, 2, 3):
        append_row(path, {"step": step})
    assert [row["step"] for row in read_rows(path, up_to=2)] == [1, 2]
    assert [row["step"] for row in read_rows(path)] == [1, 2, 3]
