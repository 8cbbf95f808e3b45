"""rgenv/rollouts/status.py: the lines of a run, and what it waits for."""

import re
from dataclasses import replace
from typing import Any

import pytest

from rgenv.rollouts import status as status_module
from rgenv.rollouts.status import Moment, Status, waiting_for
from tests.support.polling import until

RATES = {"accuracy": 0.5123, "format_rate": 0.98, "informative_rate": 0.4, "score": 0.6}
RATES["truncation_rate"] = 0.02


class Run:
    """A run whose time a test sets, and the lines about it."""

    def __init__(self, **start: Any) -> None:
        self.now, self.seconds = Moment(**start), 0.0
        self.lines: list[str] = []
        self.status = Status(write=self.lines.append, clock=lambda: self.seconds)
        self.status.watch(lambda: self.now)

    def wait(self, seconds: int) -> None:
        for _ in range(seconds):
            self.seconds += 1
            self.status.tick()


def test_a_step_has_one_line_with_all_numbers() -> None:
    run = Run(total=250, queue=0, queue_limit=24)
    run.wait(10)
    done = {"step": 3, "groups": 40, "tokens": 20000, "sent": 40, "rates": RATES}
    run.now = replace(run.now, **done, queue=12, under_way=16)
    numbers = run.status.report()
    assert run.lines == [
        "Step 3 of 250: accuracy 0.512, format 0.98, informative 0.4, truncated 0.02; "
        "4.0 groups/s, 2000 tokens/s; queue 12 of 24 groups, 16 groups under way."
    ]
    assert numbers == {
        "status/groups_per_second": 4.0,
        "status/tokens_per_second": 2000.0,
        "status/groups_under_way": 16,
        "status/queue": 12,
    }


def test_each_part_of_the_start_has_a_line_which_is_repeated_if_it_takes_long() -> None:
    """The line comes at once, after 10 s with the time, and then each 30 s, before numbers."""
    run = Run()
    with run.status.doing("Starting 2 workers"):
        run.wait(3)
    with run.status.doing("Waiting for a trainer"):
        run.wait(45)
    assert run.lines == [
        "Starting 2 workers.",
        "Waiting for a trainer.",
        "Waiting for a trainer: 10 s so far.",
        "Waiting for a trainer: 40 s so far.",
    ]
    run.wait(40)
    assert run.lines[-1].startswith("Step 0: no group scored; ")


TRAINER = "the trainer, which has taken no batch for 95 s"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"api_silent": 65.0, "under_way": 3}, "the rollout API, which has not answered for 65 s"),
        ({"inference_outage": "h fails", "under_way": 3}, "an inference server (h fails)"),
        ({"sending": 20.0}, "the rollout API, which has not taken a group for 20 s"),
        ({"queue": 24, "queue_limit": 24}, f"{TRAINER} (the queue is full)"),
        ({"queue": 8, "queue_limit": 7, "never_fills": "why"}, f"{TRAINER} (why)"),
        ({"paused_for": "the evaluation"}, "the evaluation"),
        ({"under_way": 3}, "the inference server, which has completed no group for 95 s"),
        ({"scoring": 3}, "the worker processes, which have scored no group for 95 s"),
        ({}, "the next problem; no group was scored for 95 s"),
    ],
)
def test_a_run_that_stands_still_says_for_whom_it_waits(
    changes: dict[str, Any], reason: str
) -> None:
    assert waiting_for(Moment(**changes), dict.fromkeys(("groups", "sent", "step"), 95.0)) == reason


async def test_lines_come_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status_module, "FIRST_SECONDS", 0.5)
    lines: list[str] = []
    status = Status(write=lines.append)
    async with status.shown():
        with status.doing("Loading"):
            await until(lambda: len(lines) == 2)
    assert lines[0] == "Loading." and re.fullmatch(r"Loading: \d+ s so far\.", lines[1])
