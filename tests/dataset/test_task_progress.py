"""rgenv/dataset/task_progress.py: how fast the skill of each task rises."""

import json

import numpy as np
import pytest

from rgenv.dataset.task_progress import FADES, TaskProgress

TASKS = ["gcd", "lcm", "maze"]


def progress(**skills: list[float]) -> TaskProgress:
    """Return the progress after groups that show these skills, of each task in turn."""
    found = TaskProgress(TASKS)
    for task, values in skills.items():
        for skill in values:
            found.observe(task, skill)
    return found


def test_a_task_that_rises_has_the_highest_slope() -> None:
    """One that stays, falls or has no groups has none, whatever its skill is."""
    rising = [n / 100 for n in range(80)]
    assert progress(gcd=rising, lcm=[0.9] * 80).normalized().tolist() == [1, 0, 0]
    assert not progress(gcd=rising[::-1], lcm=[0.9]).normalized().any()
    half = [n / 200 for n in range(80)]
    assert progress(gcd=rising, maze=half).normalized() == pytest.approx([1, 0, 0.5], abs=0.02)


def test_noise_does_not_single_out_a_task() -> None:
    """Where no task rises, the mean slope is small."""
    rng = np.random.default_rng(5)
    slopes = [
        progress(**{task: list(rng.normal(0.5, 0.3, 200)) for task in TASKS}).normalized()
        for _ in range(50)
    ]
    assert np.mean(slopes) < 0.25 and np.max(slopes) <= 1


def test_a_task_that_stopped_rising_loses_its_slope() -> None:
    """It does after some groups of its own, and with time without groups."""
    rising = [n / 100 for n in range(80)]
    assert progress(gcd=[*rising, *[0.8] * 300]).normalized()[0] < 0.3
    assert progress(gcd=rising, lcm=[0.5] * (3 * FADES)).normalized()[0] < 0.3


def test_a_restored_progress_goes_on_exactly() -> None:
    """The state is JSON; tasks that are not served any more are left out."""
    saved = progress(gcd=[0.1, 0.5, 0.7], maze=[0.2])
    restored = progress(lcm=[1.0])
    restored.load_state_dict(json.loads(json.dumps(saved.state_dict())))
    for each in (saved, restored):
        each.observe("gcd", 0.9)
    assert restored.state_dict() == saved.state_dict()
    fewer = TaskProgress(["maze"])
    fewer.load_state_dict(saved.state_dict())
    assert [row[0] for row in fewer.state_dict()["tasks"]] == ["maze"]
