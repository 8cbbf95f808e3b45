"""rgenv/atropos/ending.py: when `serve` ends, and the last line of the log."""

import logging

import pytest

from rgenv.atropos.ending import check_steps, is_logged, log_end
from rgenv.errors import BadUsage, PoolBroken, StartupError
from rgenv.runtime.shutdown import Signalled


@pytest.mark.parametrize("steps", [-1, 0])
def test_a_run_without_an_end_is_refused(steps: int) -> None:
    """The message names the option and the trainer's setting."""
    with pytest.raises(StartupError, match=r"--env\.total_steps, or num_steps"):
        check_steps({"num_steps": steps}, total_steps=-1)
    check_steps({"num_steps": steps}, total_steps=10)


def test_a_run_that_ends_before_the_trainer_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    """The trainer would wait for batches for ever."""
    for total_steps in (-1, 1000, 2000):
        check_steps({"num_steps": 1000}, total_steps=total_steps)
    assert caplog.text == ""
    check_steps({"num_steps": 1000}, total_steps=250)
    assert "ends at step 250" in caplog.text and "1000 steps of the trainer" in caplog.text


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
