"""The index of a page: all numbers of its groups and runs as columns, JSON-able."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rgenv.pages.collection import Kept
from rgenv.pages.curves import Run, short
from rgenv.task_names import KNOWN_TASKS

VERDICTS = {
    "scored": "The verifier scored the answer.",
    "no_answer": "The completion has no answer in the required format.",
    "refused": "The chat server returned a refusal instead of a completion.",
    "tool_call": "The model called a tool instead of writing a completion.",
    "empty": "The server returned no text, though the completion was not cut.",
    "too_large": "The answer exceeds the length limit and was not scored.",
    "rejected": "The answer has unsafe content and was not scored.",
    "error": "The verifier raised an error.",
    "timeout": "The verifier exceeded its time limit.",
    "crashed": "The verifier's process died.",
    "failed": "No completion was scored, because the request or the scoring failed.",
}
"""Kind of a verdict -> its meaning; ``failed`` is for samples that were never scored."""


@dataclass(frozen=True)
class Source:
    """What groups come from: a run's saved rollouts, a file of groups, or an evaluation."""

    number: int
    label: str
    run: str
    evaluation: dict[str, Any] | None


def columns(
    groups: Sequence[Kept], sources: Sequence[Source], runs: Mapping[str, Run]
) -> dict[str, Any]:
    """Return groups, rollouts, sources, evaluations and curves."""
    tasks = sorted({group.saved.task for group in groups})
    numbers = {task: number for number, task in enumerate(tasks)}
    categories = {
        group.saved.task: group.saved.category for group in groups if group.saved.category
    }
    verdicts = list(VERDICTS)
    rollouts = [(i, o) for group in groups for i, o in sorted(group.outcomes.items())]
    return {
        "written": time.time(),
        "sources": [source.label for source in sources],
        "runs_of_sources": [source.run for source in sources],
        "evaluations": [source.evaluation for source in sources],
        "tasks": tasks,
        "categories": [categories.get(t) or KNOWN_TASKS.get(t, "other") for t in tasks],
        "verdicts": VERDICTS,
        "groups": {
            "id": [group.saved.group for group in groups],
            "kind": [group.saved.kind for group in groups],
            "task": [numbers[group.saved.task] for group in groups],
            "level": [short(group.saved.level) for group in groups],
            "step": [short(_step(group, sources, runs)) for group in groups],
            "side": [group.place.side for group in groups],
            "source": [group.place.source for group in groups],
            "file": [group.place.file for group in groups],
            "line": [group.place.line for group in groups],
            "size": [len(group.outcomes) for group in groups],
            "pieces": [[[first, *p] for first, p in sorted(g.pieces.items())] for g in groups],
        },
        "rollouts": {
            "index": [number for number, _ in rollouts],
            "reward": [short(o.reward) for _, o in rollouts],
            "score": [short(o.score) for _, o in rollouts],
            "verdict": [
                verdicts.index(o.verdict) if o.verdict in VERDICTS else -1 for _, o in rollouts
            ],
            "tokens": [o.tokens for _, o in rollouts],
            "characters": [o.characters for _, o in rollouts],
            "cut": [int(o.cut) for _, o in rollouts],
            "misplaced": [int(o.misplaced) for _, o in rollouts],
        },
        "runs": [
            {"run": name, **run.columns()}
            for name, run in sorted(runs.items(), key=lambda row: row[1].last)
        ],
    }


def _step(group: Kept, sources: Sequence[Source], runs: Mapping[str, Run]) -> float | None:
    """Return the step of a group: as its report says, or its line in a file of groups."""
    if group.saved.kind == "groups":
        return group.place.line
    run = runs.get(sources[group.place.source].run)
    return None if run is None or group.saved.time is None else run.step_of(group.saved.time)
