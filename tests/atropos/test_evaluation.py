"""rgenv/atropos/evaluation.py: where the results of an evaluation go."""

from pathlib import Path

import pytest

from rgenv.atropos.evaluation import evaluation_folder


@pytest.mark.parametrize(
    ("configured_folder", "step", "folder"),
    [(None, 3, None), ("a", None, "a"), ("a", 30, "a/step-000030")],
)
def test_each_step_has_its_folder_for_results(
    configured_folder: str | None, step: int | None, folder: str | None
) -> None:
    """`serve` has one folder for each step, other commands have one; None if not configured."""
    assert evaluation_folder(configured_folder, step) == (folder and Path(folder))
