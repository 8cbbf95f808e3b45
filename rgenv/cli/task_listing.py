"""What the command `tasks` knows and prints: the list of tasks, one of them, a problem, a verdict.

Each task has one line, so that grep finds it.
"""

import asyncio
import json
import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rgenv.dialogue.reading import Reading
from rgenv.errors import MissingReasoningGym
from rgenv.measured import RELEASE, TASKS, Health, blind_share
from rgenv.pool.library import is_measured
from rgenv.task_names import KNOWN_TASKS
from rgenv.text import level_name, one_line, table
from rgenv.types import Problem, Verdict
from rgenv.worker.protocol import OWN

UNCHECKED = {
    "": "not checked",
    "changed": "not checked: another source",
    "new": "not checked: a new task",
    "own": "not checked: `validate --task-modules` checks it",
}
"""The health of tasks that were not measured, by what they are instead of the measured ones."""

KINDS = {
    "number": "one number, also as a fraction, in another base, or with a unit",
    "expression": "a formula",
    "yes/no": "yes or no, true or false",
    "choice": "one of a few words or characters",
    "word": "one word or string",
    "text": "words",
    "sentence": "statements",
    "list": "a sequence or a set of values",
    "mapping": "a value for each name",
    "grid": "rows of cells",
    "moves": "a move, or a sequence of moves",
    "any": "depends on the problem",
}
"""The kinds of answers."""

LEGEND = (
    "tokens: of the typical and of the longest prompt, system prompt included; estimated, as the\n"
    "tokenizer of Qwen 2.5 would count them."
)
BLIND = "blind: the share of problems that the best constant answer or guess solves."
REMARKS = (
    "Tasks without a remark are healthy and have levels: right answers earn 1.0, wrong ones and\n"
    "guesses do not, and problems take more work from level to level.\n"
    "`tasks NAME` shows one task, `tasks NAME --show 3` problems of it."
)
REWARDS = {
    "binary": "0 or 1",
    "floor": "0 or 1, and a little for any attempt",
    "partial": "from 0 to 1, by degrees",
}


@dataclass(frozen=True)
class Entry:
    """What is known about a task.

    Attributes:
        measured: None: it was not measured, or not with this source.
        state: ``changed`` or ``new`` if it has another source than the measured one, ``own`` if it
            is the user's, else empty.
    """

    task: str
    category: str
    about: str = ""
    kind: str = ""
    measured: Health | None = None
    state: str = ""

    @classmethod
    def of(cls, task: str, category: str, state: str = "", asks: str = "") -> "Entry":
        """Return what is known; `asks` is what a user's own task asks for."""
        if (known := TASKS.get(task)) is None:
            return cls(task, category, asks, state=state)
        health = None if state else known.health  # measures hold for the measured source only
        return cls(task, category, known.asks, known.answer, health, state)

    @property
    def health(self) -> str:
        """``healthy``, ``known: RULES``, ``UNHEALTHY: RULES``, or that it was not checked."""
        return UNCHECKED[self.state] if self.measured is None else str(self.measured)

    @property
    def file(self) -> str:
        """The path of the file with all that is known about it; empty for a user's own task."""
        if self.state == "own" or self.task not in KNOWN_TASKS:
            return ""
        file = Path(__file__).parents[1] / "tasks" / KNOWN_TASKS[self.task] / f"{self.task}.py"
        return os.path.relpath(file) if file.is_relative_to(Path.cwd()) else str(file)

    @property
    def has_levels(self) -> bool:
        """Whether levels make it harder, as far as is known."""
        return self.measured is None or any(at is not None for at in self.measured.levels)


def installed(task_modules: Sequence[str] = ()) -> tuple[str, list[Entry]]:
    """Return the release of the library, empty if there is none, and its tasks and a user's own.

    Of another release than the measured one, a worker tells them, which takes seconds.
    """
    if not task_modules and is_measured():
        return RELEASE, [Entry.of(*task) for task in KNOWN_TASKS.items()]
    try:
        return asyncio.run(_asked(task_modules))
    except MissingReasoningGym:
        if task_modules:
            raise
        return "", [Entry.of(*task) for task in KNOWN_TASKS.items()]


async def _asked(task_modules: Sequence[str]) -> tuple[str, list[Entry]]:
    from rgenv.gym.settings import read_settings, start_pool  # it takes a while to import

    pool = await start_pool(read_settings(workers=1, task_modules=task_modules))
    try:
        states = {**pool.coverage.states, **dict.fromkeys(pool.own_tasks, OWN)}
        tasks = (pool.task_categories or KNOWN_TASKS).items()
        return pool.version, [
            Entry.of(task, category, states.get(task, ""), pool.own_tasks.get(task, ""))
            for task, category in tasks
        ]
    finally:
        await pool.close()


def list_text(found: Sequence[Entry]) -> str:
    """Return a line for each task, by category."""
    in_order = sorted(found, key=lambda one: (one.category, one.task))
    rows = [("task", "answer", "tokens", "what it asks for")]
    rows += [(one.task, one.kind, _tokens(one), _about(one)) for one in in_order]
    task, kind, tokens = (max(map(len, column)) for column in list(zip(*rows, strict=True))[:3])
    lines = [f"{a:<{task}}  {b:<{kind}}  {c:>{tokens}}  {d}" for a, b, c, d in rows]
    listed, category = lines[:1], ""
    for one, line in zip(in_order, lines[1:], strict=True):
        if one.category != category:
            category = one.category
            listed += ["", category]
        listed.append(line)
    return "\n".join([*listed, "", LEGEND, REMARKS])


def _tokens(entry: Entry) -> str:
    return str(entry.measured.prompt_tokens) if entry.measured else ""


def _about(entry: Entry) -> str:
    notes = [] if entry.has_levels else ["no levels"]
    if entry.health != "healthy":
        notes.append(entry.health)
    return " ".join([entry.about, *(f"[{note}]" for note in notes)]).strip()


def card(entry: Entry) -> str:
    """Return all that is known about one task."""
    measured = entry.measured
    facts = {
        "category": entry.category,
        "answer": f"{entry.kind}: {KINDS[entry.kind]}" if entry.kind else "",
        "reward": f"{measured.reward}: {REWARDS[measured.reward]}" if measured else "",
        "health": entry.health,
        "file": entry.file,
    }
    faults = measured.faults if measured else {}
    facts |= {f"  {rule}": reason or "not explained" for rule, reason in faults.items()}
    lines = [entry.task, entry.about, "", *_facts(facts)]
    if measured is not None:
        rows = [
            (
                "default" if level is None else level_name(level),
                *(str(tokens.typical), str(tokens.longest)),
                f"{blind_share(entry.task, level):.2f}",
            )
            for level, tokens in measured.levels.items()
        ]
        lines += ["", table(("level", "tokens", "longest", "blind"), rows), "", LEGEND, BLIND]
    if not entry.has_levels:
        lines.append("Nothing can make it harder, so it has its default parameters only.")
    return "\n".join(lines)


def _facts(facts: dict[str, str]) -> list[str]:
    known = {name: text for name, text in facts.items() if text}
    width = max(map(len, known)) + 2
    return [f"{name:<{width}}{text}" for name, text in known.items()]


def problem_text(problem: Problem, task_modules: Sequence[str] = ()) -> str:
    """Return a problem with its reference answer, its parameters, and the command that shows it."""
    level = "default level" if problem.level is None else f"level {level_name(problem.level)}"
    drawn = problem.recipe["seed"]
    seed = f"seed {problem.seed}" + (f" (draws {drawn})" if drawn != problem.seed else "")
    about = f"{problem.task}, {level}, {seed}{', hardened' if problem.hardened else ''}"
    answer = "(none: the verifier checks any answer)" if problem.answer is None else problem.answer
    pairs = ", ".join(f"{name}={json.dumps(value)}" for name, value in problem.config.items())
    own = ["--task-modules", ",".join(task_modules)] if task_modules else []
    parts = [
        about,
        problem.question.strip("\n"),
        f"Reference answer:\n{answer}",
        "" if problem.winnable else "No answer is provably right: this problem is never served.",
        f"Parameters: {pairs or 'the defaults of the library'}",
        f"Again: {shlex.join(['tasks', *own, '--recipe', json.dumps(problem.recipe)])}",
    ]
    return "\n\n".join(filter(None, parts))


def is_completion(text: str, reading: Reading) -> bool:
    """Return whether a text is a whole completion: it has thinking, or is in the answer format."""
    thinks = reading.without_thinking(text) != text
    return thinks or reading.violation(text) != reading.format.missing


def verdict_text(text: str, reading: Reading, verdict: Verdict) -> str:
    """Return how the text that a user gave was read and scored."""
    is_whole = is_completion(text, reading)
    answer = reading.answer(text) if is_whole else text.strip()
    alone = f"an answer alone; a completion needs {one_line(reading.write('...'))}"
    facts = {
        "read as": "a completion" if is_whole else alone,
        "answer": "(none)" if answer is None else answer,
        "score": f"{verdict.score:g}",
        "verdict": verdict.kind,
        "reason": verdict.detail,
    }
    return "\n".join(["Your answer:", *_facts(facts)])
