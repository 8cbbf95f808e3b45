"""A profile as text for the terminal.

::

    print(report(profile, folder, seconds=812.0))
    # a line for each task, the numbers of verdicts, tokens, and the files
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rgenv.profiling.profile import CellResult, Profile, count_by_verdict
from rgenv.profiling.verdicts import VERDICTS, Verdict
from rgenv.text import level_name, table

SHORT: Mapping[Verdict, str] = {
    "learnable": "learn",
    "guessable": "guess",
    "broken format": "format",
    "too long": "long",
    "undecided": "?",
}
"""Verdict -> its name in a narrow column, if that differs."""

EXPLAINED = (
    "Each cell has its verdict and the share of right completions; a verdict in brackets follows "
    "from another level."
)


def report(profile: Profile, folder: Path, *, config: Path | None, seconds: float) -> str:
    """Return the table of cells, and what follows from it.

    Args:
        folder: where the page is.
        config: the configuration file; None: there is none, because nothing is worth training.
        seconds: how long the profile took.
    """
    names = ["defaults" if level is None else level_name(level) for level in profile.levels]
    tasks = sorted(profile.tasks.items(), key=lambda row: (VERDICTS.index(row[1].verdict), row[0]))
    rows = []
    for name, task in tasks:
        by_level = {cell.level: cell for cell in task.cells}
        cells = [_cell(by_level.get(level)) for level in profile.levels]
        start = "" if task.start_level is None else f"{task.start_level:g}"
        rows.append((name, *cells, task.verdict, start))
    found = count_by_verdict(profile)
    parts = [
        f"{table(('task', *names, 'verdict', 'start'), rows)}\n{EXPLAINED}",
        f"{', '.join(f'{count} {verdict}' for verdict, count in found.items())}. {tokens(profile)}",
    ]
    if (open_cells := undecided(profile)) is not None:
        parts.append(open_cells)
    took = f"{profile.asked:,} completions in {seconds:.0f} s. Page: {folder / 'profile.html'}"
    parts.append(f"{took}\n{_what_to_do(config)}")
    return "\n\n".join(parts)


def _cell(cell: CellResult | None) -> str:
    if cell is None:
        return ""
    short = SHORT.get(cell.verdict, cell.verdict)
    if cell.from_level is not None:
        return f"({short})"
    return f"{short} {100 * cell.counts.share:.0f}%" if cell.was_asked else short


def tokens(profile: Profile) -> str:
    """Return a sentence with the tokens that were used and saved."""
    share = profile.saved / profile.whole if profile.whole else 0.0
    return (
        f"{profile.used:,} tokens of completions were used; {profile.completions} completions in "
        f"each of the {len(profile.cells)} cells would take about {profile.whole:,}, so "
        f"{profile.saved:,} ({100 * share:.0f} %) were saved."
    )


def undecided(profile: Profile) -> str | None:
    """Return a sentence with what undecided cells would cost; None if there are none."""
    cells = [cell for cell in profile.cells if cell.verdict == "undecided"]
    if not cells:
        return None
    known = [cell for cell in cells if cell.further is not None]
    most = max((cell.counts.trials + (cell.further or 0) for cell in known), default=0)
    more = sum(cell.further or 0 for cell in known)
    about = sum(cell.further_tokens or 0 for cell in known)
    cost = (
        f" At the same shares, about {more:,} more completions ({about:,} tokens) decide "
        f"{len(known)} of them: run the same command with --env.profile_completions {most}."
        if known
        else ""
    )
    return f"{len(cells)} cells are undecided.{cost}"


def _what_to_do(config: Path | None) -> str:
    if config is None:
        return "No task is worth training as it is, so there is no configuration file."
    return f"Train with: serve --config {config}"
