"""Mix other tasks; they have to be configured."""

from __future__ import annotations

from rgenv.tasks import Task

TASK = Task()
