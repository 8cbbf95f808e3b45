"""rgenv/atropos/reporting.py: the last line of a run."""

import logging

import pytest

from rgenv.atropos.reporting import is_logged, log_end
from rgenv.errors import StartupError
from rgenv.runtime.shutdown import Signalled


@pytest.mark.parametrize(
    ("error", "level", "why"),
    [
        (None, "INFO", "all done"),
        (Signalled(15), "INFO", "signal SIGTERM"),
        (StartupError("Look at the server."), "ERROR", "Look at the server"),
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
