"""A profile as files and as text for the terminal."""

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rgenv.profiling.profile import Profile
from rgenv.profiling.verdicts import VERDICTS, Verdict
from rgenv.profiling.walk import Cell, Level
from rgenv.runtime.files import write_atomic
from rgenv.text import level_name, one_line, table

CONFIG, DATA = "profile.yaml", "profile.json"

MEANINGS: Mapping[Verdict, str] = {
    "learnable": "neither all right nor all wrong, and better than a blind guess: rewards differ",
    "mastered": "right in nearly all groups, even at the highest level",
    "dead": "hardly ever right, even at the lowest level",
    "guessable": "no better than a blind guess",
    "broken format": "most completions have no answer in the required format: look at the prompt's "
    "template, or train the format first",
    "too long": "most completions are cut: raise max_token_length and profile again",
    "undecided": "the completions did not suffice: raise profile_completions",
    "failed": "problems, requests or verifiers failed: look at the log",
}
"""Verdict on a task -> what it means."""

EXPLAINED = (
    "Each cell has its verdict and the share of right completions; a verdict in brackets follows "
    "from another level."
)


def write(
    folder: Path,
    profile: Profile,
    settings: Mapping[str, Any],
    servers: list[Mapping[str, Any]],
) -> Path | None:
    """Write the files; return the path of the configuration, or None if nothing is to train."""
    date = time.strftime("%Y-%m-%d %H:%M")
    content = {"date": date, **profile.as_json()}
    write_atomic(folder / DATA, json.dumps(content, indent=1).encode())
    config = config_text(profile, settings, servers, date=date)
    path = folder / CONFIG
    if config is None:
        path.unlink(missing_ok=True)  # of another run of this command
    else:
        write_atomic(path, config.encode())
    return None if config is None else path


def config_text(
    profile: Profile, settings: Mapping[str, Any], servers: list[Mapping[str, Any]], *, date: str
) -> str | None:
    """Return the configuration for `serve`, as YAML; None if no task is worth training."""
    tasks = {name: profile.tasks[name] for name in profile.trained}
    if not tasks:
        return None
    starts = {name: x for name, task in tasks.items() if (x := task.start_level) is not None}
    options = {
        **settings,
        "task_names": list(tasks),
        "task_weights": {name: task.weight for name, task in tasks.items()},
        **({"complexity_mode": "curriculum", "start_levels": starts} if starts else {}),
    }
    import yaml  # here, because it comes with Atropos

    content = {"env": options, **({"openai": servers} if servers else {})}
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    return "\n".join([*_head(profile, date), "", text])


def _head(profile: Profile, date: str) -> list[str]:
    left_out = {
        verdict: [name for name in names if name not in profile.trained]
        for verdict, names in profile.by_verdict.items()
    }
    lines = [
        f"# Written by `profile` on {date}, for the model {one_line(profile.about['model'], 200)}.",
        "# Another model, or the same one after some training, needs another profile.",
        f"# Train on {len(profile.trained)} of {len(profile.tasks)} tasks; those of weight 0.5 are "
        "undecided.",
    ]
    lines += [f"# - {MEANINGS[v]}: {', '.join(names)}" for v, names in left_out.items() if names]
    return lines


def printed(profile: Profile, folder: Path, *, config: Path | None, seconds: float) -> str:
    rows = []
    for name, task in _sorted(profile):
        cells = [_cell(task.levels.get(level)) for level in profile.levels]
        start = "" if task.start_level is None else f"{task.start_level:g}"
        rows.append((name, *cells, task.verdict, start))
    head = ("task", *map(_heading, profile.levels), "verdict", "start")
    took = f"{seconds:.0f} s. Numbers: {folder / DATA}"
    if config is None:
        next_step = "No task is worth training as it is, so there is no configuration file."
    else:
        next_step = f"Train with: {Path(sys.argv[0]).name} serve --config {config}"
    return f"{table(head, rows)}\n{EXPLAINED}\n\n{_summary(profile)} {took}\n{next_step}"


def _sorted(profile: Profile) -> list[tuple[str, Any]]:
    return sorted(profile.tasks.items(), key=lambda row: (VERDICTS.index(row[1].verdict), row[0]))


def _heading(level: Level) -> str:
    return "defaults" if level is None else level_name(level)


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    if cell.from_level is not None:
        return f"({cell.verdict})"
    share = f" {100 * cell.counts.share:.0f}%" if cell.counts.trials else ""
    return f"{cell.verdict}{share}"


def _summary(profile: Profile) -> str:
    found = ", ".join(f"{len(names)} {verdict}" for verdict, names in profile.by_verdict.items())
    return f"{found}. {profile.asked:,} completions, {profile.tokens:,} tokens."
