"""The configuration file that `serve` takes, from a profile.

::

    config_text(profile, {"group_size": 8}, {"model_name": "m"}, limit=8192, date="2026-11-22")

The file is YAML. It has the settings under which the profile holds, and says from which model it
is, what was left out, and why.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from rgenv.profiling.profile import Profile
from rgenv.profiling.verdicts import VERDICTS, Verdict
from rgenv.text import one_line

LEFT_OUT: Mapping[Verdict, str] = {
    "dead": "hardly ever right, even at their lowest level",
    "guessable": "no better than a blind guess",
    "mastered": "right in nearly all groups, even at the highest level",
    "broken format": "most completions have no answer in the required format: look at the prompt's "
    "template, or train the format first",
    "too long": "most completions are cut: raise max_token_length and profile them again",
    "undecided": "not one right so far: ask more completions of them",
    "failed": "problems, requests or verifiers failed: look at the log",
}
"""Verdict -> why a task is left out."""


def config_text(
    profile: Profile,
    settings: Mapping[str, Any],
    servers: list[Mapping[str, Any]],
    *,
    limit: int,
    date: str,
) -> str | None:
    """Return the content of the file; None if no task is worth training.

    Args:
        settings: further options of the environment.
        servers: the settings of the inference servers; none: the file leaves them out.
        limit: max_token_length of the profile.
        date: when it was made.
    """
    if not profile.trained:
        return None
    starts = {
        name: profile.tasks[name].start_level
        for name in profile.trained
        if profile.tasks[name].start_level is not None
    }
    weights = {name: profile.tasks[name].weight for name in profile.trained}
    length = min(limit, profile.needed_length or limit)
    options = {
        **settings,
        "task_names": profile.trained,
        "task_weights": weights,
        **({"complexity_mode": "curriculum", "start_levels": starts} if starts else {}),
        "max_token_length": length,
    }
    lines = [*_head(profile, date), "", "env:", *_entries(options, indent="  ")]
    if servers:
        lines.append("openai:")
        for server in servers:
            first, *others = _entries(server, indent="    ")
            lines += [f"  - {first.strip()}", *others]
    return "\n".join(lines) + "\n"


def _head(profile: Profile, date: str) -> list[str]:
    lines = [
        f"# Written by `profile` on {date}, for the model {one_line(profile.about['model'], 200)}.",
        "# Another model, or the same one after some training, needs another profile.",
        f"# Train on {len(profile.trained)} of {len(profile.tasks)} tasks; those of weight 0.5 are "
        "undecided. Left out:",
    ]
    for verdict in VERDICTS:
        names = [name for name in profile.with_verdict(verdict) if name not in profile.trained]
        if names:
            lines.append(f"# - {LEFT_OUT[verdict]}: {', '.join(names)}")
    if len(lines) == 3:
        lines[2] = f"# Train on all of the {len(profile.tasks)} tasks that were profiled."
    return lines


def _entries(values: Mapping[str, Any], *, indent: str) -> Iterable[str]:
    """Yield a line for each value, a mapping over several; JSON is YAML."""
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield f"{indent}{name}:"
            yield from (f"{indent}  {_json(key)}: {_json(one)}" for key, one in value.items())
        else:
            yield f"{indent}{name}: {_json(value)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
