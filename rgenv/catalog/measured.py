"""What `validate` measured of each task, as the package carries it.

::

    table = read()                                      # measured.json
    table.tasks["gcd"].faults                           # {}
    table.tasks["gcd"].levels[0.5]                      # PromptTokens(typical=158, longest=162)
    PATH.write_text(written(table))

`validate --catalog` writes measured.json. The measures hold for the release of reasoning-gym that
it names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

PATH = Path(__file__).with_name("measured.json")


@dataclass(frozen=True)
class PromptTokens:
    """About how many tokens the prompts of a task have, system prompt included.

    Attributes:
        typical: the median.
        longest: the maximum of those that were measured.
    """

    typical: int
    longest: int

    @classmethod
    def of(cls, counts: Iterable[int]) -> PromptTokens:
        """Return the measures of some prompts."""
        listed = list(counts)
        return cls(round(median(listed)), max(listed))

    def __str__(self) -> str:
        return f"{self.typical}-{self.longest}"


@dataclass(frozen=True)
class Measured:
    """What was measured of one task.

    Attributes:
        reward: ``binary`` (0 or 1), ``floor`` (a little for any attempt) or ``partial``.
        prompt_tokens: over all levels.
        levels: the levels at which the task makes problems that can be won, and their prompts; None
            is the task's default parameters, the only one of a task without levels.
        faults: the rules that the task breaks, and why that is accepted; None: it is not.
    """

    reward: str
    prompt_tokens: PromptTokens
    levels: Mapping[float | None, PromptTokens]
    faults: Mapping[str, str | None]


@dataclass(frozen=True)
class Table:
    """What was measured of all tasks, of one release of reasoning-gym."""

    release: str
    tasks: Mapping[str, Measured]


def health(faults: Mapping[str, str | None]) -> str:
    """Return ``healthy``, ``known: RULES`` or ``UNHEALTHY: RULES``."""
    if not faults:
        return "healthy"
    word = "UNHEALTHY" if None in faults.values() else "known"
    return f"{word}: {', '.join(faults)}"


def read(path: Path = PATH) -> Table:
    """Return a table that `written` wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Table(content["reasoning_gym"], {t: _measured(v) for t, v in content["tasks"].items()})


def _measured(values: Mapping[str, Any]) -> Measured:
    levels = {
        None if level == "null" else float(level): PromptTokens(*tokens)
        for level, tokens in values["levels"].items()
    }
    tokens = PromptTokens(*values["prompt_tokens"])
    return Measured(values["reward"], tokens, levels, values["faults"])


def written(table: Table) -> str:
    """Return a table as JSON, with a line for each task."""
    lines = [f"  {json.dumps(name)}: {json.dumps(_plain(t))}" for name, t in table.tasks.items()]
    tasks = ",\n".join(lines)
    return f'{{\n "reasoning_gym": {json.dumps(table.release)},\n "tasks": {{\n{tasks}\n }}\n}}\n'


def _plain(task: Measured) -> dict[str, Any]:
    pairs = {json.dumps(at): [one.typical, one.longest] for at, one in task.levels.items()}
    tokens = [task.prompt_tokens.typical, task.prompt_tokens.longest]
    return {
        "reward": task.reward,
        "prompt_tokens": tokens,
        "levels": pairs,
        "faults": dict(task.faults),
    }
