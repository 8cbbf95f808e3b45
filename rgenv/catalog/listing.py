"""The list of tasks, and what is known about one of them, as text.

A terminal has a width. A file or a pipe has none: one line for each task, which grep can search.
"""

import itertools
import shutil
import textwrap
from collections.abc import Sequence
from typing import TextIO

from rgenv.catalog.entries import KINDS, Entry
from rgenv.measured import blind_share
from rgenv.text import level_name, table

LEGEND = (
    "tokens: of the typical and of the longest prompt, system prompt included; estimated, as the "
    "tokenizer of Qwen 2.5 would count them."
)
BLIND = "blind: the share of problems that the best constant answer or guess solves."
REMARKS = (
    "Tasks without a remark are healthy and have levels: right answers earn 1.0, wrong ones and "
    "guesses do not, and problems take more work from level to level. `tasks NAME` shows one task, "
    "`tasks NAME --show 3` problems of it."
)

REWARDS = {
    "binary": "0 or 1",
    "floor": "0 or 1, and a little for any attempt",
    "partial": "from 0 to 1, by degrees",
}
NARROWEST = 60
"""Lines are not made shorter than this."""


def width_of(stream: TextIO) -> int | None:
    """Return the characters of a line of a terminal; None: a line may have any number."""
    return shutil.get_terminal_size((80, 24)).columns if stream.isatty() else None


def _hanging(width: int | None, head: str, text: str) -> str:
    """Return `head` and `text`, whose further lines are below its first."""
    if width is None:
        return f"{head}{text}".rstrip()
    room = max(width, NARROWEST) - len(head)
    lines = textwrap.wrap(text, max(room, 20), break_on_hyphens=False) or [""]
    return f"\n{' ' * len(head)}".join([f"{head}{lines[0]}".rstrip(), *lines[1:]])


def list_text(found: Sequence[Entry], width: int | None) -> str:
    widths = (
        max(len("task"), *(len(one.task) for one in found)),
        max(len("answer"), *(len(one.kind) for one in found)),
        max(len("tokens"), *(len(_tokens(one)) for one in found)),
    )
    lines = [_row(width, widths, "task", "answer", "tokens", "what it asks for")]
    in_order = sorted(found, key=lambda one: (one.category, one.task))
    for category, members in itertools.groupby(in_order, key=lambda one: one.category):
        lines += ["", category]
        for one in members:
            lines.append(_row(width, widths, one.task, one.kind, _tokens(one), _text(one)))
    return "\n".join([*lines, "", _hanging(width, "", LEGEND), _hanging(width, "", REMARKS)])


def _row(width: int | None, widths: tuple[int, int, int], *cells: str) -> str:
    task, kind, tokens, text = cells
    head = f"{task:<{widths[0]}}  {kind:<{widths[1]}}  {tokens:>{widths[2]}}  "
    return _hanging(width, head, text)


def _tokens(entry: Entry) -> str:
    return str(entry.measured.prompt_tokens) if entry.measured else ""


def _text(entry: Entry) -> str:
    notes = []
    if entry.measured and not entry.levels:
        notes.append("no levels")
    if entry.health != "healthy":
        notes.append(entry.health)
    return " ".join([entry.about, *(f"[{note}]" for note in notes)]).strip()


def card(entry: Entry, width: int | None) -> str:
    facts = [("category", entry.category)]
    if entry.kind:
        facts.append(("answer", f"{entry.kind}: {KINDS[entry.kind]}"))
    if entry.measured is not None:
        facts.append(("reward", f"{entry.measured.reward}: {REWARDS[entry.measured.reward]}"))
    facts.append(("health", entry.health))
    if entry.file:
        facts.append(("file", entry.file))
    known = entry.measured.faults if entry.measured else {}
    facts += [(f"  {rule}", reason or "not explained") for rule, reason in known.items()]
    longest = max(len(name) for name, _ in facts) + 2
    lines = [entry.task]
    lines += [_hanging(width, "", entry.about)] if entry.about else []
    lines += ["", *(_hanging(width, f"{name:<{longest}}", text) for name, text in facts)]
    if entry.measured is not None:
        lines += ["", _levels(entry), "", _hanging(width, "", LEGEND), _hanging(width, "", BLIND)]
        if not entry.levels:
            lines.append("Nothing can make it harder, so it has its default parameters only.")
    return "\n".join(lines)


def _levels(entry: Entry) -> str:
    assert entry.measured is not None
    rows = [
        (
            "default" if level is None else level_name(level),
            str(tokens.typical),
            str(tokens.longest),
            f"{blind_share(entry.task, level):.2f}",
        )
        for level, tokens in entry.measured.levels.items()
    ]
    return table(("level", "tokens", "longest", "blind"), rows)
