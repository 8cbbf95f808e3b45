"""Write the results of benchmarks/learning into docs/sampling.md.

    python scripts/fill_sampling_table.py

The part between the two comments is replaced by a table of what `python -m benchmarks.learning
report` prints. With fewer than `ENOUGH` matched seeds, it says that no recommendation follows.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.learning.report import report
from benchmarks.learning.results import RESULTS
from scripts.generate_docs import table

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "sampling.md"
BEGIN, END = "<!-- results of benchmarks/learning -->", "<!-- end of the results -->"

ENOUGH = 12
"""Matched seeds without which nothing is recommended."""

BASELINE = "uniform_curriculum"
NEEDED = ("uniform", BASELINE, "refill", "mopps", "pac", "ours")
"""Arms that a recommendation needs."""


SHOWN = {
    "mean": "all tasks",
    "learnable tasks": "taught tasks",
    "worst learnable task": "worst task",
    "harder level": "harder level",
}
"""Measure of the report -> heading of its column of differences."""


def results(found: Mapping[str, Any]) -> str:
    """Return the results as Markdown.

    Args:
        found: what `benchmarks.learning.report.report` returns.
    """
    arms = found["arms"]
    seeds = min((arms[arm]["seeds"] if arm in arms else 0 for arm in NEEDED), default=0)
    if not arms:
        return "There are no results yet."
    enough = "" if seeds >= ENOUGH else f" With fewer than {ENOUGH}, no recommendation follows."
    rows = sorted(arms, key=lambda a: (arms[a]["seeds"] < ENOUGH, -arms[a]["mean"]["mean"]))
    head = ("arm", "seeds", "accuracy", *SHOWN.values(), "groups")
    return "\n\n".join(
        [
            f"Each of {', '.join(f'`{arm}`' for arm in NEEDED)} has at least {seeds} "
            f"{'seed' if seeds == 1 else 'seeds'}.{enough}",
            table(head, [_row(arm, found) for arm in rows]),
            f"Accuracy: {found['primary']}. The next four columns are differences from "
            f"`{BASELINE}`: in that accuracy, in the tasks that are learned soon or late, in the "
            "worst of those and the mastered one, and at the level above all levels of training. "
            f"Groups: the share that is informative. Brackets: {found['intervals']}.",
        ]
    )


def _row(arm: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    own = found["arms"][arm]
    differences = (
        found["differences"].get(f"{measure} less {BASELINE}", {}).get(arm) for measure in SHOWN
    )
    return (
        f"`{arm}`",
        str(own["seeds"]),
        f"{own['mean']['mean']:.3f}",
        *map(_shown, differences),
        f"{own['informative groups']:.2f}",
    )


def _shown(value: Mapping[str, Any] | None) -> str:
    """Return a difference with its interval, if there is one."""
    if not value or not value["seeds"]:
        return "–"
    if value["interval"] is None:
        return _signed(value["mean"])
    low, high = map(_signed, value["interval"])
    return f"{_signed(value['mean'])} [{low}, {high}]"


def _signed(number: float) -> str:
    return f"{round(number, 3) + 0.0:+.3f}"  # + 0.0: no -0.000


def filled(text: str, part: str) -> str:
    """Return a document with the part between the comments replaced.

    Raises:
        ValueError: a comment is missing.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document lacks {BEGIN if not begin else END}")
    return f"{before}{BEGIN}\n\n{part}\n\n{END}{after}"


def main() -> None:
    """Fill the document."""
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(filled(text, results(report(RESULTS))), encoding="utf-8")


if __name__ == "__main__":
    main()
