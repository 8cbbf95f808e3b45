"""What a validation looks like: a table for the terminal, a page of all tasks, JSON.

    print(terminal(reports))
    Path("docs/TASKS.md").write_text(page(reports, made_by="python … validate --markdown"))

Numbers come in ready, from validation.py.
"""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from rgenv.text import table
from rgenv.validation.health import KNOWN, TaskReport, level_in_words, quoted

IN_FULL = 20
"""Up to so many tasks are all listed in the terminal; of more, those that are unhealthy."""
PROMPT_CHARS, ANSWER_CHARS = 1200, 400


def terminal(reports: Sequence[TaskReport]) -> str:
    """The table, what is wrong with the unhealthy, and all in a line."""
    shown = [r for r in reports if len(reports) <= IN_FULL or r.faults]
    parts = []
    if shown:
        columns = (
            "task",
            "levels",
            "reward",
            "blind",
            "share",
            "excess",
            "chars/4",
            "make s",
            "max",
            "score s",
            "max",
            "health",
        )
        parts.append(table(columns, [_row(report) for report in shown]))
    parts += [line for report in shown for line in _faults(report)]
    return "\n".join([*parts, summary(reports)])


def _faults(report: TaskReport) -> list[str]:
    """A line for each rule that is broken: how at the first level, and at which others."""
    lines = []
    for rule in report.broken:
        first, *others = [fault for fault in report.faults if fault.rule == rule]
        also = ", ".join(level_in_words(fault.level) for fault in others)
        reason = KNOWN.get(report.task, {}).get(rule)
        lines.append(
            f"{report.task}: {first}"
            + (f" (also at {also})" if also else "")
            + (f" [known: {reason}]" if reason else "")
        )
    return lines


def summary(reports: Sequence[TaskReport]) -> str:
    """All in a line."""
    unhealthy = sum(not report.healthy for report in reports)
    known = sum(report.healthy and bool(report.faults) for report in reports)
    kinds = Counter(report.kind for report in reports)
    rewards = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    items = sum(len(report.items) for report in reports)
    return (
        f"{len(reports)} tasks, {items} items: {len(reports) - unhealthy} healthy "
        f"({known} of them with known faults), {unhealthy} unhealthy; rewards: {rewards}"
    )


def _row(report: TaskReport) -> list[str]:
    made = [item.make_seconds for item in report.items] or [0.0]
    scored = [i.score_seconds for i in report.items if i.score_seconds is not None] or [0.0]
    constant = report.constant
    blind = (
        ("-", "-", "-")
        if constant is None
        else (f"{constant.mean:.2f}", f"{constant.share:.2f}", f"{constant.excess:+.2f}")
    )
    times = [f"{value:.3f}" for of in (made, scored) for value in (median(of), max(of))]
    return [
        report.task,
        _levels(report),
        report.kind,
        *blind,
        str(report.characters_by_4),
        *times,
        _health(report),
    ]


def _levels(report: TaskReport) -> str:
    names = {None: "default", 0.0: "0", 1.0: "1"}
    return ", ".join(names.get(level, f"{level}") for level in report.working_levels) or "none"


def _health(report: TaskReport) -> str:
    if not report.faults:
        return "healthy"
    return f"{'known' if report.healthy else 'UNHEALTHY'}: {', '.join(report.broken)}"


def as_json(reports: Sequence[TaskReport], **run: Any) -> dict[str, Any]:
    """Everything that was measured, with the verdicts on it; `run` says how."""
    return {
        **run,
        "healthy": all(report.healthy for report in reports),
        "tasks": {report.task: _json(report) for report in reports},
    }


def _json(report: TaskReport) -> dict[str, Any]:
    constant = report.constant
    blind = constant and {**dataclasses.asdict(constant), "excess": constant.excess}
    return {
        "category": report.category,
        "healthy": report.healthy,
        "faults": [
            {**dataclasses.asdict(fault), "known": KNOWN.get(report.task, {}).get(fault.rule)}
            for fault in report.faults
        ],
        "working_levels": report.working_levels,
        "reward": report.kind,
        "characters_by_4": report.characters_by_4,
        "blind": blind,
        "levels": [dataclasses.asdict(level) for level in report.levels],
    }


def page(reports: Sequence[TaskReport], *, made_by: str) -> str:
    """The Markdown page: a table of the tasks, then an example of each."""
    lines = [
        "# Tasks",
        "",
        f"Measured by `{made_by}`: do not edit. Levels: where problems come out that can be won. "
        "Reward: binary (0 or 1), floor (a little for any attempt), partial (by degrees). Blind: "
        "what the best constant answer earns on average, and how much of it beyond the share of "
        "items that it is right for.",
        "",
        summary(reports),
        "",
        "| task | category | levels | reward | characters/4 | blind | excess | health |",
        "| --- | --- | --- | --- | --: | --: | --: | --- |",
        *map(_page_row, reports),
        "",
        "## Examples",
        "",
        "The first problem of each task with its default parameters; long texts are cut.",
        "",
        *(line for report in reports for line in example(report)),
    ]
    known = [
        f"- `{report.task}`, {rule}: {KNOWN[report.task][rule]}"
        for report in reports
        for rule in report.broken
        if rule in KNOWN.get(report.task, {})
    ]
    if known:
        place = lines.index("## Examples")
        lines[place:place] = ["## Known faults", "", *known, ""]
    return "\n".join(lines).rstrip() + "\n"


def _page_row(report: TaskReport) -> str:
    constant = report.constant
    blind = (
        ["", ""]
        if constant is None
        else [f"{constant.mean:.2f} {_code(constant.answer)}", f"{constant.excess:+.2f}"]
    )
    cells = [
        f"`{report.task}`",
        report.category,
        _levels(report),
        report.kind,
        str(report.characters_by_4),
        *blind,
        _health(report),
    ]
    return f"| {' | '.join(cells)} |"


def _code(text: str) -> str:
    """A short text as code in one cell of a table."""
    return "`" + quoted(text, 24).strip("'").replace("|", "¦").replace("`", "´") + "`"


def example(report: TaskReport) -> Iterable[str]:
    """Lines that show what the task asks and what is right."""
    answer = "(no answer known)" if report.answer is None else report.answer
    return [
        f"<details><summary>{report.task}</summary>",
        "",
        *_fenced(_shortened(report.question, PROMPT_CHARS)),
        "",
        "Answer:",
        "",
        *_fenced(_shortened(answer, ANSWER_CHARS)),
        "",
        "</details>",
        "",
    ]


def _shortened(text: str, length: int) -> str:
    """The beginning and the end: rules come first, the puzzle itself is often last."""
    if len(text) <= length:
        return text
    return f"{text[: length * 2 // 3]}\n[…]\n{text[-length // 3 :]}"


def _fenced(text: str) -> list[str]:
    """`text` in a code block that nothing in it can close."""
    longest = max(map(len, re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}text", *text.splitlines(), fence]


def outcome(report: TaskReport) -> str:
    """One task in a line, for logs."""
    worst = next((str(fault) for fault in report.unexplained), "")
    return f"{report.task}: {_health(report)}" + (f" ({worst})" if worst else "")
