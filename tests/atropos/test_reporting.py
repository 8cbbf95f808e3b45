"""rgenv/atropos/reporting.py: the configuration and the metrics of a run."""

import json
import logging
from pathlib import Path

import pytest

from rgenv.atropos.reporting import Reporter, is_logged, log_end
from rgenv.atropos.startup import Mode
from rgenv.errors import BadUsage, PoolBroken, StartupError
from rgenv.rollouts.fates import Fates
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.rollouts.status import Moment
from rgenv.runtime.shutdown import Signalled
from tests.support.rollouts import group, problem


def begun(mode: Mode, folder: Path) -> tuple[Reporter, TrainMetrics]:
    """Return a reporter of a run that has begun, and the metrics that it takes."""
    metrics = TrainMetrics()
    reporter = Reporter(metrics, Fates())
    reporter.begin(
        mode,
        folder=lambda: folder,
        run_id=lambda: "5f1c",
        current=lambda: {"pool/worker_restarts": 2},
        look=Moment,
    )
    return reporter, metrics


def test_the_last_groups_of_serve_are_in_the_file_alone(tmp_path: Path) -> None:
    """wandb may have the metrics of this step already, and would replace them."""
    reporter, metrics = begun("serve", tmp_path)
    metrics.group(group(problem(), [1.0]))
    assert not reporter.finish([], 5)
    [row] = map(json.loads, (tmp_path / "metrics.jsonl").read_text().splitlines())
    assert (row["step"], row["train/accuracy"]) == (5, 1)
    assert not reporter.finish([], 5)


@pytest.mark.parametrize(
    ("error", "level", "why"),
    [
        (None, "INFO", "all done"),
        (Signalled(15), "INFO", "signal SIGTERM"),
        (StartupError("Look at the server."), "ERROR", "Look at the server"),
        (PoolBroken("no workers"), "ERROR", "no workers"),
        (BadUsage("no such task"), "ERROR", "no such task"),
        (KeyError("odd"), "ERROR", "KeyError: 'odd'"),
    ],
)
def test_the_last_line_says_why_and_what_was_saved(
    caplog: pytest.LogCaptureFixture, error: BaseException | None, level: str, why: str
) -> None:
    """Only a failure is an error; a message for users has no exception's name."""
    caplog.set_level(logging.INFO, logger="ReasoningGymEnv")
    log_end(error, otherwise="all done", saved=["5 groups", "rollouts in dumps"])
    [record] = caplog.records
    assert record.levelname == level
    assert record.message == f"Ended: {why}. Result: 5 groups; rollouts in dumps."
    assert error is None or is_logged(error)
