"""A profile as one HTML file: a heat map of tasks and levels, and what was left out.

::

    write(folder, profile, date="2026-11-22 21:50")     # folder/profile.html

The page needs no script and no network, and its content security policy forbids both.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from jinja2 import Environment
from markupsafe import Markup

from rgenv.evaluation.html_report import new_environment
from rgenv.evaluation.html_text import flattened
from rgenv.profiling.profile import CellResult, Profile, count_by_verdict
from rgenv.profiling.terminal import SHORT, tokens, undecided
from rgenv.profiling.verdicts import VERDICTS, Verdict
from rgenv.storage.atomic import write_atomic
from rgenv.text import level_name
from rgenv.viewing.page import base_style

PAGE = "profile.html"

MEANINGS: Mapping[Verdict, str] = {
    "learnable": "neither all right nor all wrong, and better than a blind guess: groups differ",
    "mastered": "most groups would be all right",
    "dead": "most groups would be all wrong, or less is right than by a blind guess",
    "guessable": "hardly better than a blind guess",
    "broken format": "most completions end without an answer in the required format",
    "too long": "most completions are cut at the token limit",
    "undecided": "the completions did not suffice to show any of these",
    "failed": "problems could not be made, or requests or verifiers failed",
}
"""Verdict -> what it means."""


def write(folder: Path, profile: Profile, *, date: str, config: str | None) -> Path:
    """Write `profile.html` into an existing folder, and return its path.

    Args:
        date: when the profile was made.
        config: the content of the configuration file, if there is one.
    """
    text = (
        _environment()
        .get_template("html_report.html.j2")
        .render(
            base_style=Markup(base_style()),
            profile=profile,
            about=flattened(profile.about),
            date=date,
            config=config,
            counts=count_by_verdict(profile),
            cells_by_verdict={
                verdict: sum(cell.verdict == verdict for cell in profile.cells)
                for verdict in VERDICTS
            },
            meanings=MEANINGS,
            tasks=sorted(
                profile.tasks.items(), key=lambda row: (VERDICTS.index(row[1].verdict), row[0])
            ),
            tokens=tokens(profile),
            undecided=undecided(profile),
            name=folder.resolve().name,
        )
    )
    path = folder / PAGE
    write_atomic(path, text.encode())
    return path


@cache
def _environment() -> Environment:
    environment = new_environment(Path(__file__).parent)
    environment.filters |= {
        "percent": lambda share: f"{100 * share:.0f}\u00a0%",
        "level": lambda level: "defaults" if level is None else level_name(level),
        "short": lambda verdict: SHORT.get(verdict, verdict),
        "kind": lambda verdict: verdict.replace(" ", "-"),
        "details": details,
    }
    return environment


def details(cell: CellResult) -> str:
    """Return what a cell shows when the pointer rests on it."""
    counts = cell.counts
    parts = [f"{cell.task}, {_at(cell.level)}: {cell.verdict}"]
    if cell.from_level is not None:
        parts.append(f"as follows from level {level_name(cell.from_level)}")
    if cell.was_asked:
        parts.append(f"{counts.right} of {counts.trials} completions right")
        parts.append(f"interval {100 * cell.low:.0f} to {100 * cell.high:.0f} %")
        parts += [
            f"{number} {what}"
            for number, what in (
                (counts.broken, "without an answer"),
                (counts.cut, "cut"),
                (counts.failed, "failed"),
            )
            if number
        ]
        parts.append(f"{counts.length or 0:.0f} tokens each")
    elif counts.failed:
        parts.append(f"{counts.failed} failed")
    if cell.blind:
        parts.append(f"a blind guess earns {100 * cell.blind:.0f} %")
    if cell.further is not None:
        parts.append(f"about {cell.further} more completions may decide it")
    return "; ".join(parts)


def _at(level: float | None) -> str:
    return "default parameters" if level is None else f"level {level_name(level)}"
