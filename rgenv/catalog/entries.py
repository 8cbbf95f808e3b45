"""What is known about each task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rgenv.catalog.installed import Library
from rgenv.measured import Health, Measured

UNCHECKED = {
    "": "not checked",
    "changed": "not checked: another source",
    "new": "not checked: a new task",
    "own": "not checked: `validate --task-modules` checks it",
}
"""The health of tasks that were not measured, by what they are instead of the measured ones."""

KINDS = {
    "number": "one number, also as a fraction, in another base, or with a unit",
    "expression": "a formula",
    "yes/no": "yes or no, true or false",
    "choice": "one of a few words or characters",
    "word": "one word or string",
    "text": "words",
    "sentence": "statements",
    "list": "a sequence or a set of values",
    "mapping": "a value for each name",
    "grid": "rows of cells",
    "moves": "a move, or a sequence of moves",
    "any": "depends on the problem",
}
"""The kinds of answers."""


@dataclass(frozen=True)
class Entry:
    """One task.

    Attributes:
        measured: None: it was not measured, or not with this source.
        state: ``changed`` or ``new`` if it has another source than the measured one, ``own`` if it
            is the user's, else empty.
    """

    task: str
    category: str
    about: str = ""
    kind: str = ""
    measured: Health | None = None
    state: str = ""

    @property
    def health(self) -> str:
        """``healthy``, ``known: RULES``, ``UNHEALTHY: RULES``, or that it was not checked."""
        return UNCHECKED[self.state] if self.measured is None else str(self.measured)

    @property
    def levels(self) -> list[float]:
        """The measured levels, without the defaults; none if nothing can make the task harder."""
        return [at for at in self.measured.levels if at is not None] if self.measured else []


def entries(library: Library, tasks: Mapping[str, Measured], names: Iterable[str]) -> list[Entry]:
    """Return what is known about tasks of a library.

    Args:
        tasks: what was measured; it does not hold for tasks with another source.
    """
    found = []
    for task in names:
        known = tasks.get(task)
        state = library.states.get(task, "")
        found.append(
            Entry(
                task,
                library.categories[task],
                known.asks if known else library.asks.get(task, ""),
                known.answer if known else "",
                known.health if known and not state else None,
                state,
            )
        )
    return found
