"""A control, and no rule: only the tasks that training can teach, each at the curriculum's level.

Nobody knows them before a run. So this arm shows how much a perfect choice of tasks could win here,
and whether the benchmark can tell a good choice from an equal one.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.learning.arms.base import Setting
from benchmarks.learning.arms.uniform import Curriculum
from benchmarks.learning.tasks import TASKS

TAUGHT = ("soon", "late")


class TaughtAlone(Curriculum):
    """Uniform over the tasks that are learned soon or late; the others are never asked."""

    def __init__(self, setting: Setting) -> None:
        taught = [task for task in setting.tasks if TASKS[task].kind in TAUGHT]
        super().__init__(replace(setting, tasks=taught))
