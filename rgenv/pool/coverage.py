"""Coverage: to which tasks our corrections apply, as a worker reports it.

rgenv/tasks/coverage.py decides it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rgenv.errors import BadUsage
from rgenv.measured import RELEASE
from rgenv.task_names import COMPOSITE
from rgenv.worker.protocol import Greeting

State = Literal["covered", "changed", "new", "gone"]
"""covered: our corrections apply; changed: the task has another source; new: it is of a later
release; gone: the library has it no more."""

NOT_COVERED: tuple[State, ...] = ("changed", "new", "gone")


@dataclass(frozen=True)
class Coverage:
    """To which tasks of the library our corrections apply.

    Attributes:
        sources: task -> the hash of its source; for composite, which draws from any task, of all.
            That of a user's own task is ``own:`` and a hash of its file.
        states: the tasks that are not covered.
    """

    sources: Mapping[str, str] = field(default_factory=dict)
    states: Mapping[str, State] = field(default_factory=dict)

    @classmethod
    def of(cls, greeting: Greeting) -> Coverage:
        """Return what a worker reports."""
        states: dict[str, State] = {}
        for state in NOT_COVERED:
            states |= dict.fromkeys(greeting.differences.get(state, ()), state)
        sources = greeting.sources
        return cls({**sources, COMPOSITE: _digest(sources)} if sources else {}, states)

    def state(self, task: str) -> State:
        """Return whether our corrections apply to a task, and if not, why."""
        return self.states.get(task, "covered")

    def source(self, task: str) -> str:
        """Return the hash of the source of a task; empty if there is no such task."""
        return self.sources.get(task, "")

    def require(self, task: str, source: str | None) -> None:
        """Check that a problem whose recipe names the source of its task can be made again.

        Args:
            source: None if the recipe names none.

        Raises:
            BadUsage: the task has another source now.
        """
        if source and self.source(task) != source:
            raise BadUsage(
                f"The recipe is of another version of {task} ({source}; now "
                f"{self.source(task) or 'unknown'}): go back to that file, or remove the source "
                "from the recipe to take what this version makes."
            )

    def tasks(self, state: State) -> list[str]:
        """Return the tasks in a state other than covered."""
        return [task for task, found in self.states.items() if found == state]

    @property
    def warning(self) -> str | None:
        """What is lost with this source of the library, for which tasks, and what to do."""
        facts = {
            f"another source than in release {RELEASE}": self.tasks("changed"),
            "new": self.tasks("new"),
        }
        parts = [f"{fact}: {', '.join(tasks)}" for fact, tasks in facts.items() if tasks]
        sentences = []
        if parts:
            sentences.append(
                "Our corrections do not apply to these tasks of reasoning-gym "
                f"({'; '.join(parts)}). They are served at their default level, with the library's "
                "own reference answers and verifiers, some of which are wrong."
            )
        if gone := self.tasks("gone"):
            sentences.append(f"These tasks are gone: {', '.join(gone)}.")
        if not sentences:
            return None
        remedy = f"`pip install reasoning-gym=={RELEASE}` has the release that they apply to."
        return " ".join([*sentences, remedy])


def _digest(sources: Mapping[str, str]) -> str:
    return hashlib.blake2b(str(sorted(sources.items())).encode(), digest_size=8).hexdigest()
