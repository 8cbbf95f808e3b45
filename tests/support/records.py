"""One field of all records, by task, of those tasks whose record has it."""

from typing import Any

from rgenv.task_names import KNOWN_TASKS
from rgenv.tasks.record import Task, by_library
from rgenv.tasks.registry import records


def field(name: str) -> dict[str, Any]:
    """Return the tasks whose record has another value than the default, with the value."""
    default = getattr(Task(), name)
    values = {task: getattr(record, name) for task, record in records().items()}
    return {task: value for task, value in values.items() if value != default}


CORRECTIONS = field("correct")
VERIFIERS = {t for t, record in records().items() if record.verify is not by_library}
LIMITS = field("limits")
LABELS = field("labels")
RULES = field("shortcuts")
INVARIANTS = field("family")
SALTS = field("salt")
PREPARED = field("prepared")
REPLACEMENTS = field("faster")
KINDS = {task: record.answer for task, record in records().items() if task != "composite"}
GUARDED = {f"{KNOWN_TASKS[task]}.{task}": names for task, names in field("guarded").items()}
