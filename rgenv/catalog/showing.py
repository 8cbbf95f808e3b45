"""Problems and verdicts as text for a terminal.

::

    print(problem_text(problem, Layout()))
    print(verdict_text(scored, Layout()))

What the library or a model wrote is printed without the characters that a terminal would obey.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

from rgenv.catalog.problems import Scored
from rgenv.catalog.terminal import Layout
from rgenv.catalog.token_estimate import prompt_tokens
from rgenv.text import level_name, one_line, printable
from rgenv.types import Problem


def problem_text(problem: Problem, layout: Layout, task_modules: Sequence[str] = ()) -> str:
    """Return the prompt of a problem, its reference answer, its parameters and its recipe."""
    level = "default level" if problem.level is None else f"level {level_name(problem.level)}"
    about = f"{problem.task}, {level}, seed {problem.seed}"
    size = f"about {prompt_tokens(problem.messages)} tokens with the system prompt"
    answer = problem.answer
    parts = [
        f"{layout.bold(about)} ({size})",
        printable(problem.prompt.strip("\n")),
        f"{layout.bold('Reference answer:')}\n"
        + ("(none: the verifier checks any answer)" if answer is None else printable(answer)),
    ]
    if not problem.winnable:
        parts.append("No answer is known to be right, so this problem is never served.")
    pairs = ", ".join(f"{name}={json.dumps(value)}" for name, value in problem.config.items())
    if not pairs:
        pairs = "the defaults of the library"
        pairs += "; the task has no levels" if problem.level is not None else ""
    parts.append(f"{layout.bold('Parameters:')} {printable(pairs)}")
    again = ["tasks", *_option(task_modules), "--recipe", json.dumps(problem.recipe)]
    parts.append(f"{layout.bold('Again:')} {shlex.join(again)}")
    return "\n\n".join(parts)


def _option(task_modules: Sequence[str]) -> list[str]:
    return ["--task-modules", ",".join(task_modules)] if task_modules else []


def verdict_text(scored: Scored, layout: Layout) -> str:
    """Return how an answer was read, and its score with the reason."""
    given, verdict = scored.given, scored.verdict
    how = "a completion" if given.is_whole else "an answer alone; a completion needs answer tags"
    read = "(none)" if given.extracted is None else printable(given.extracted)
    facts = [
        ("read as", how),
        ("answer", read if "\n" not in read else f"\n{read}"),
        ("score", f"{verdict.score:g}"),
        ("verdict", f"{verdict.kind}: {scored.meaning}"),
    ]
    if verdict.detail:
        facts.append(("reason", one_line(verdict.detail)))
    lines = [layout.bold("Your answer:")]
    return "\n".join([*lines, *(f"{name:<9}{text}" for name, text in facts)])
