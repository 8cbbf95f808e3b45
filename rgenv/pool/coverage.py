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
        found = ((state, greeting.differences.get(state, ())) for state in NOT_COVERED)
        states = {task: state for state, tasks in found for task in tasks}
        whole = str(sorted(greeting.sources.items())).encode()
        composite = {COMPOSITE: hashlib.blake2b(whole, digest_size=8).hexdigest()}
        return cls(greeting.sources | composite if greeting.sources else {}, states)

    def state(self, task: str) -> State:
        """Return whether our corrections apply to a task, and if not, why."""
        return self.states.get(task, "covered")

    def source(self, task: str) -> str:
        """Return the hash of the source of a task; empty if there is no such task."""
        return self.sources.get(task, "")

    def require(self, task: str, source: str | None) -> None:
        """Raise BadUsage if a recipe names another source of its task than the one there is."""
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
        facts: dict[State, str] = {
            "changed": f"another source than in release {RELEASE}",
            "new": "new",
        }
        tasks = {state: ", ".join(self.tasks(state)) for state in NOT_COVERED}
        sentences = []
        if parts := [f"{fact}: {tasks[state]}" for state, fact in facts.items() if tasks[state]]:
            sentences.append(
                "Our corrections do not apply to these tasks of reasoning-gym "
                f"({'; '.join(parts)}). They are served at their default level, with the library's "
                "own reference answers and verifiers, and some are wrong."
            )
        if tasks["gone"]:
            sentences.append(f"These tasks are gone: {tasks['gone']}.")
        if not sentences:
            return None
        remedy = f"`pip install reasoning-gym=={RELEASE}` has the release that they apply to."
        return " ".join([*sentences, remedy])
