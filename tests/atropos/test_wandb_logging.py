"""rgenv/atropos/wandb_logging.py: offline mode, tables and metrics of wandb."""

import logging
import os
from pathlib import Path

import pytest

from rgenv.atropos import wandb_logging
from rgenv.atropos.wandb_logging import curriculum_metrics, finish, prefer_offline, rollout_table
from rgenv.rollouts.recorder import TABLE_COLUMNS
from tests.support.metric_names import pattern_of


@pytest.fixture
def no_account(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("WANDB_API_KEY", "WANDB_MODE", "WANDB_DISABLED"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NETRC", str(tmp_path / "no-netrc"))
    monkeypatch.setenv("WANDB_MODE", "")  # restored after the test, which sets it


@pytest.mark.usefixtures("no_account")
def test_without_an_account_wandb_logs_offline(caplog: pytest.LogCaptureFixture) -> None:
    """The warning says how to upload the run and how to turn wandb off."""
    prefer_offline(True)
    assert os.environ["WANDB_MODE"] == "offline"
    assert "wandb sync" in caplog.text and "--env.use_wandb false" in caplog.text


@pytest.mark.usefixtures("no_account")
def test_without_wandb_nothing_is_changed(caplog: pytest.LogCaptureFixture) -> None:
    """Without wandb the environment variables stay unchanged, and nothing is logged."""
    caplog.set_level(logging.INFO, logger="rgenv")
    prefer_offline(False)
    assert os.environ["WANDB_MODE"] == "" and caplog.text == ""


@pytest.mark.usefixtures("no_account")
def test_with_an_account_nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an API key nothing is changed."""
    monkeypatch.setenv("WANDB_API_KEY", "k" * 40)
    prefer_offline(True)
    assert os.environ["WANDB_MODE"] == ""


def test_the_table_has_one_row_for_each_rollout() -> None:
    """Rows come in the order of the groups."""
    rows = [(f"text {i}", float(i), "a", "b", "gcd", "none") for i in range(3)]
    table = rollout_table([rows[:2], [], rows[2:]])
    assert table.columns == list(TABLE_COLUMNS)
    assert [tuple(row) for row in table.data] == rows


def test_the_curriculum_is_summarized() -> None:
    """Number of tasks, target, and mean, lowest and highest level; each is documented."""
    metrics = curriculum_metrics({"gcd": 0.2, "lcm": 0.6}, 0.7)
    assert metrics == {
        "curriculum/total_tasks_tracked": 2,
        "curriculum/target_accuracy": 0.7,
        "curriculum/avg_complexity": pytest.approx(0.4),
        "curriculum/min_complexity": 0.2,
        "curriculum/max_complexity": 0.6,
    }
    assert all(map(pattern_of, metrics))


def test_without_observed_tasks_there_is_no_summary() -> None:
    """There are no metrics of the curriculum before it observed a task."""
    assert curriculum_metrics({}, 0.7) == {}


@pytest.mark.parametrize("has_run", [True, False])
def test_only_a_run_that_was_started_is_finished(
    monkeypatch: pytest.MonkeyPatch, has_run: bool
) -> None:
    """wandb.finish() is called only if a run was started."""
    finished: list[bool] = []
    monkeypatch.setattr(wandb_logging.wandb, "run", object() if has_run else None)
    monkeypatch.setattr(wandb_logging.wandb, "finish", lambda: finished.append(True))
    finish()
    assert finished == [True] * has_run
