"""rgenv/atropos/registration.py: when `serve` ends; tests/environment has the rest."""

import pytest

from rgenv.atropos.registration import check_steps
from rgenv.errors import StartupError


@pytest.mark.parametrize("steps", [-1, 0])
def test_a_run_without_an_end_is_refused(steps: int) -> None:
    with pytest.raises(StartupError, match=r"--env\.total_steps, or num_steps"):
        check_steps(steps, total_steps=-1)
    check_steps(steps, total_steps=10)


def test_a_run_that_ends_before_the_trainer_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    """The trainer would wait for batches for ever."""
    for total_steps in (-1, 1000, 2000):
        check_steps(1000, total_steps=total_steps)
    assert caplog.text == ""
    check_steps(1000, total_steps=250)
    assert "ends at step 250" in caplog.text and "1000 steps of the trainer" in caplog.text
