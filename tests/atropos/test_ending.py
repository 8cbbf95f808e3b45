"""rgenv/atropos/ending.py: when `serve` ends, and the last line of the log."""

import logging
from pathlib import Path

import pytest

from rgenv.atropos.ending import check_steps, finished, is_logged, log_end, served
from rgenv.errors import BadUsage, PoolBroken, StartupError
from rgenv.rollout_api.delivery import Delivery
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


def test_what_was_served_says_what_is_saved_and_where() -> None:
    """Groups that were not delivered are named if there are any."""
    delivery = Delivery("http://127.0.0.1:9", patience=1)
    assert served(delivery, None, None) == ["no problem was asked"]
    state, dumps = Path("run/progress.jsonl"), Path("dumps")
    assert served(delivery, state, dumps) == [
        "0 groups delivered, 0 refused",
        "rollouts in dumps",
        "the same command goes on from run/progress.jsonl",
    ]
    delivery.lost = 2
    assert "2 not delivered" in served(delivery, state, None)[0]


def test_a_finished_run_says_whose_number_of_steps_ended_it() -> None:
    """It is the option's or the trainer's."""
    assert "250 steps (--env.total_steps)" in finished("serve", 250, set_by_user=True)
    assert "9 steps (the trainer's num_steps)" in finished("serve", 9, set_by_user=False)
    assert "all 5 groups" in finished("process", 5, set_by_user=False)
    assert "evaluation" in finished("evaluate", -1, set_by_user=False)


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
