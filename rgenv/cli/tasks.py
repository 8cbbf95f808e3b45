"""The command `tasks`: list tasks, show problems of them, score an answer.

Each task has one line in the list, so that grep finds it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rgenv.cli.parser import CommandParser, add_setting, natural, positive
from rgenv.errors import DONE, FAILED, BadUsage, MakeFailed, MissingReasoningGym
from rgenv.gym import recipes
from rgenv.gym.settings import Settings, read_settings, start_pool
from rgenv.measured import RELEASE, TASKS, Health, blind_share
from rgenv.pool.library import is_measured
from rgenv.runtime.files import parse_json
from rgenv.task_names import COMPOSITE, KNOWN_TASKS, choose_tasks, parse_levels, parse_names
from rgenv.text import level_name, one_line, table
from rgenv.types import Problem
from rgenv.worker.protocol import OWN

EXAMPLES = """\
examples:
  tasks                                  all tasks
  tasks games '*_sorting'                a category, and tasks that match a pattern
  tasks | grep prime                     tasks with this word in name or description
  tasks gcd                              all that is known about one task
  tasks gcd --level 0.5 --show 3         three problems of level 0.5
  tasks gcd --level 0.5 --answer 4       scores an answer to the first of them
  tasks own --task-modules my_tasks.py   tasks of your own
"""
ANSWER, RECIPE = "--answer", "--recipe"

UNCHECKED = {
    "": "",
    "changed": ": another source",
    "new": ": a new task",
    "own": ": `validate --task-modules` checks it",
}
"""Why tasks were not measured, by what they are instead of the measured ones."""

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

REWARDS = {
    "binary": "0 or 1",
    "floor": "0 or 1, and a little for any attempt",
    "partial": "from 0 to 1, by degrees",
}

LEGEND = (
    "tokens: of the typical and of the longest prompt, system prompt included; estimated, as the\n"
    "tokenizer of Qwen 2.5 would count them."
)
REMARKS = (
    "Tasks without a remark are healthy and have levels: right answers earn 1.0, wrong ones and\n"
    "guesses do not, and problems take more work from level to level.\n"
    "`tasks NAME` shows one task, `tasks NAME --show 3` problems of it."
)


def main(words: Sequence[str]) -> int:
    """Run the command; return 0, or 1 if a problem can't be made."""
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(errors="backslashreplace")  # questions have signs that ASCII lacks
    options = _parse(words)
    if options.recipe is not None or options.show is not None:
        return _show(options)
    found = _chosen(options)
    print(_card(found[0]) if len(found) == 1 else _list_text(found))
    return DONE


def _parse(words: Sequence[str]) -> argparse.Namespace:
    joined: list[str] = []
    for word in words:
        if joined and joined[-1] in (ANSWER, RECIPE):  # the text may begin with a minus sign
            joined[-1] += f"={word}"
        else:
            joined.append(word)
    options = _new_parser().read(joined)
    options.names = [one for name in options.names for one in parse_names(name) or [name]]
    problems = [options.level, options.seed, options.answer]
    if options.recipe is not None:
        if options.names or options.show or problems[:2] != [None, None]:
            raise BadUsage(
                f"{RECIPE} is one problem: leave out names and all options but {ANSWER}."
            )
    elif options.show is None and problems != [None, None, None]:
        options.show = 1
    return options


def _new_parser() -> CommandParser:
    parser = CommandParser(
        "tasks",
        "List the tasks, show problems of them, and score answers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="names, categories or patterns; default: all")
    add_setting(parser, Settings, "task_modules")
    add("--show", type=positive, metavar="N", help="show N problems of each task")
    add("--level", type=_level, metavar="L", help="their level, in [0, 1]; default: none")
    add("--seed", type=natural, metavar="N", help="seed of the first one; default: 0")
    add(
        ANSWER,
        metavar="TEXT",
        help="score this answer to the first problem: a completion if it has thinking or is in the "
        "answer format, else an answer alone; - reads the standard input",
    )
    add_setting(parser, Settings, "answer_format")
    add_setting(parser, Settings, "system_prompt")
    add_setting(parser, Settings, "problems")
    add(RECIPE, metavar="JSON", help="show this problem")
    return parser


def _level(text: str) -> str:
    """Check one level, and return it as it is: none must differ from no option."""
    with contextlib.suppress(BadUsage):
        if len(parse_levels(text)) == 1:
            return text
    raise BadUsage(f"{text!r} is not a level: write none or a number in [0, 1]")


def _chosen(options: argparse.Namespace) -> list[Entry]:
    version, tasks = _installed(options.task_modules)
    if version not in ("", RELEASE):
        print(f"reasoning-gym {version} is installed; {RELEASE} was measured.", file=sys.stderr)
    entries = {one.task: one for one in tasks}
    categories = {one.task: one.category for one in tasks}
    names = choose_tasks(categories, options.names, configured=[COMPOSITE])
    return [entries[name] for name in names]


def _installed(task_modules: Sequence[str]) -> tuple[str, list[Entry]]:
    """Return the release of the library, empty if there is none, and its tasks and a user's own.

    Of another release than the measured one, a worker tells them, which takes seconds.
    """
    measured = [Entry.of(*task) for task in KNOWN_TASKS.items()]
    if not task_modules and is_measured():
        return RELEASE, measured
    try:
        return asyncio.run(_asked(task_modules))
    except MissingReasoningGym:
        if task_modules:
            raise
        return "", measured


async def _asked(task_modules: Sequence[str]) -> tuple[str, list[Entry]]:
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


def _show(options: argparse.Namespace) -> int:
    from rgenv.gym.clients import ReasoningGym  # half a second

    if options.recipe is not None:
        recipes.read(options.recipe)  # for its errors
        wanted = [parse_json(options.recipe)]
    else:
        level, first = parse_levels(options.level or "none")[0], options.seed or 0
        tasks, seeds = _servable(options), range(first, first + options.show)
        wanted = [{"task": task, "seed": n, "level": level} for task in tasks for n in seeds]
    names = ("task_modules", "answer_format", "system_prompt", "problems")
    answer, code = options.answer, DONE
    with ReasoningGym(workers=1, **{name: getattr(options, name) for name in names}) as gym:
        for one in wanted:
            try:
                problem = gym.make(**one)
            except MakeFailed as error:
                reason = f"{one['task']}, seed {one['seed']}: no problem ({one_line(error)})"
                print(f"error: tasks: {reason}.", file=sys.stderr)
                code = FAILED
                continue
            print(_problem_text(problem, options.task_modules), end="\n\n", flush=True)
            if answer is not None:
                print(_verdict_text(gym, problem, _read(answer)), end="\n\n", flush=True)
                answer = None  # it is to the first problem
    return code


def _verdict_text(gym: Any, problem: Problem, text: str) -> str:
    """Score the text that a user gave: a whole completion, with thinking or in the answer format,
    or an answer alone. Return how it was read and scored."""
    reading = problem.dialogue.reading
    thinks = any(kind == "thinking" for kind, _ in reading.parts(text))
    is_whole = thinks or reading.violation(text) != reading.format.missing
    [verdict] = gym.verdicts(problem, [text if is_whole else reading.write(text)])
    alone = f"an answer alone; a completion needs {one_line(reading.write('...'))}"
    answer = reading.answer(text) if is_whole else text.strip()
    facts = {
        "read as": "a completion" if is_whole else alone,
        "answer": "(none)" if answer is None else answer,
        "score": f"{verdict.score:g}",
        "verdict": verdict.kind,
        "reason": verdict.detail,
    }
    return "\n".join(["Your answer:", *_facts(facts)])


def _read(text: str) -> str:
    """Return the text of the user; ``-`` is the standard input."""
    if text != "-":
        return text
    if sys.stdin.isatty():
        print("Type the answer; Ctrl-D ends it.", file=sys.stderr, flush=True)
    return sys.stdin.read()


def _servable(options: argparse.Namespace) -> list[str]:
    """Return the chosen tasks that have problems of their own; an answer is to one of them."""
    names = [one.task for one in _chosen(options)]
    if names == [COMPOSITE]:
        raise BadUsage(f"{COMPOSITE} mixes other tasks, which must be configured: show those.")
    if COMPOSITE in names:
        names.remove(COMPOSITE)
    if options.answer is not None and len(names) > 1:
        raise BadUsage(f"{ANSWER} is to one problem, and there are {len(names)} tasks: name one.")
    return names


# What is known and printed


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
    def of(cls, task: str, category: str, state: str = "", asks: str = "") -> Entry:
        """Return what is known; `asks` is what a user's own task asks for."""
        if (known := TASKS.get(task)) is None:
            return cls(task, category, asks, state=state)
        health = None if state else known.health  # measures hold for the measured source only
        return cls(task, category, known.asks, known.answer, health, state)

    @property
    def health(self) -> str:
        """``healthy``, ``known: RULES``, ``UNHEALTHY: RULES``, or that it was not checked."""
        return str(self.measured or f"not checked{UNCHECKED[self.state]}")

    @property
    def tokens(self) -> str:
        """The lengths of its prompts."""
        return str(self.measured.prompt_tokens) if self.measured else ""

    @property
    def remarks(self) -> str:
        """What it asks for, and in which way it differs from most tasks."""
        notes = [] if self.has_levels else ["[no levels]"]
        notes += [] if self.health == "healthy" else [f"[{self.health}]"]
        return " ".join([self.about, *notes]).strip()

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


def _list_text(found: Sequence[Entry]) -> str:
    """Return a line for each task, by category."""
    rows = sorted((one.category, one.task, one.kind, one.tokens, one.remarks) for one in found)
    head = ("task", "answer", "tokens", "what it asks for")
    columns = zip(head, *(row for _, *row in rows), strict=True)
    a, b, c, _ = (max(map(len, column)) for column in columns)
    line = f"{{:<{a}}}  {{:<{b}}}  {{:>{c}}}  {{}}".format
    lines = [line(*head)]
    for category, tasks in itertools.groupby(rows, key=lambda row: row[0]):
        lines += ["", category, *(line(*row) for _, *row in tasks)]
    return "\n".join([*lines, "", LEGEND, REMARKS])


def _card(entry: Entry) -> str:
    """Return all that is known about one task."""
    measured = entry.measured
    faults = measured.faults.items() if measured else ()
    facts = {
        "category": entry.category,
        "answer": f"{entry.kind}: {KINDS[entry.kind]}" if entry.kind else "",
        "reward": f"{measured.reward}: {REWARDS[measured.reward]}" if measured else "",
        "health": entry.health,
        "file": entry.file,
        **{f"  {rule}": reason or "not explained" for rule, reason in faults},
    }
    lines = [entry.task, entry.about, "", *_facts(facts)]
    if measured is not None:
        rows = [
            (at(level), str(n.typical), str(n.longest), f"{blind_share(entry.task, level):.2f}")
            for level, n in measured.levels.items()
        ]
        lines += ["", table(("level", "tokens", "longest", "blind"), rows), "", LEGEND]
        lines.append("blind: the share that the best constant answer or cheap guess solves.")
    if not entry.has_levels:
        lines.append("Nothing can make it harder, so it has its default parameters only.")
    return "\n".join(lines)


def at(level: float | None) -> str:
    """Return a level as tables have it."""
    return "default" if level is None else level_name(level)


def _facts(facts: dict[str, str]) -> list[str]:
    known = {name: text for name, text in facts.items() if text}
    width = max(map(len, known)) + 2
    return [f"{name:<{width}}{text}" for name, text in known.items()]


def _problem_text(problem: Problem, task_modules: Sequence[str]) -> str:
    """Return a problem with its reference answer, its parameters, and the command that shows it."""
    level = "default level" if problem.level is None else f"level {level_name(problem.level)}"
    seed, drawn = problem.seed, problem.recipe["seed"]
    draws = f" (draws {drawn})" if drawn != seed else ""
    answer = "(none: the verifier checks any answer)" if problem.answer is None else problem.answer
    pairs = ", ".join(f"{name}={json.dumps(value)}" for name, value in problem.config.items())
    own = ["--task-modules", ",".join(task_modules)] if task_modules else []
    parts = [
        f"{problem.task}, {level}, seed {seed}{draws}{', hardened' * problem.hardened}",
        problem.question.strip("\n"),
        f"Reference answer:\n{answer}",
        "" if problem.winnable else "No answer is provably right: this problem is never served.",
        f"Parameters: {pairs or 'the defaults of the task'}",
        f"Again: {shlex.join(['tasks', *own, '--recipe', json.dumps(problem.recipe)])}",
    ]
    return "\n\n".join(filter(None, parts))
