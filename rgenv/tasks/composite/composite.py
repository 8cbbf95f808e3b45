"""Mix other tasks; they have to be configured."""

from rgenv.tasks import Task

TASK = Task()
