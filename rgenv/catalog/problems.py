"""Problems, answers that a user typed, and their verdicts: as they are read and shown.

What the library or a model wrote is printed without the characters that a terminal would obey.
"""

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from rgenv.catalog.token_estimate import prompt_tokens
from rgenv.dialogue.reading import Reading
from rgenv.errors import BadUsage
from rgenv.pages.verdicts import VERDICTS
from rgenv.text import level_name, one_line, printable
from rgenv.types import Problem, Verdict

MAX_INPUT = 16 * 2**20
"""Bytes that are read from the standard input."""


@dataclass(frozen=True)
class Given:
    """A completion to score; `is_whole` says that the user gave it, not an answer alone."""

    completion: str
    is_whole: bool
    reading: Reading

    @property
    def extracted(self) -> str | None:
        """The answer in the completion; None if its format is broken."""
        return self.reading.answer(self.completion)


def read_answer(text: str, reading: Reading) -> Given:
    """Return what is scored: a completion, or an answer alone; ``-`` is the standard input."""
    if text == "-":
        text = _standard_input()
    thinks = reading.without_thinking(text) != text
    is_whole = thinks or reading.violation(text) != reading.format.missing
    return Given(text if is_whole else reading.write(text), is_whole, reading)


def _standard_input() -> str:
    if sys.stdin.isatty():
        print("Type the answer; Ctrl-D ends it.", file=sys.stderr, flush=True)
    content = sys.stdin.buffer.read(MAX_INPUT + 1)
    if len(content) > MAX_INPUT:
        raise BadUsage(f"--answer: the standard input has more than {MAX_INPUT >> 20} MiB.")
    return content.decode("utf-8", "replace")


def problem_text(problem: Problem, task_modules: Sequence[str] = ()) -> str:
    level = "default level" if problem.level is None else f"level {level_name(problem.level)}"
    drawn = problem.recipe["seed"]
    seed = f"seed {problem.seed}" + (f" (draws {drawn})" if drawn != problem.seed else "")
    about = f"{problem.task}, {level}, {seed}{', hardened' if problem.hardened else ''}"
    size = f"about {prompt_tokens(problem.messages)} tokens with the system prompt"
    answer = problem.answer
    parts = [
        f"{about} ({size})",
        printable(problem.question.strip("\n")),
        "Reference answer:\n"
        + ("(none: the verifier checks any answer)" if answer is None else printable(answer)),
    ]
    if not problem.winnable:
        parts.append("No answer is known to be right, so this problem is never served.")
    pairs = ", ".join(f"{name}={json.dumps(value)}" for name, value in problem.config.items())
    if not pairs:
        pairs = "the defaults of the library"
        pairs += "; the task has no levels" if problem.level is not None else ""
    parts.append(f"Parameters: {printable(pairs)}")
    own = ["--task-modules", ",".join(task_modules)] if task_modules else []
    again = shlex.join(["tasks", *own, "--recipe", json.dumps(problem.recipe)])
    parts.append(f"Again: {again}")
    return "\n\n".join(parts)


def verdict_text(given: Given, verdict: Verdict) -> str:
    alone = f"an answer alone; a completion needs {one_line(given.reading.write('...'))}"
    how = "a completion" if given.is_whole else alone
    read = "(none)" if given.extracted is None else printable(given.extracted)
    facts = [
        ("read as", how),
        ("answer", read if "\n" not in read else f"\n{read}"),
        ("score", f"{verdict.score:g}"),
        ("verdict", f"{verdict.kind}: {VERDICTS[verdict.kind]}"),
    ]
    if verdict.detail:
        facts.append(("reason", one_line(verdict.detail)))
    return "\n".join(["Your answer:", *(f"{name:<9}{text}" for name, text in facts)])
