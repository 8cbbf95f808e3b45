"""One field of all records, by task, of those tasks whose record has it."""

from typing import Any

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
SALTS = field("salt")
PREPARED = field("prepared")
KINDS = {task: record.answer for task, record in records().items() if task != "composite"}
