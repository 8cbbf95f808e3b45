"""What the command `tasks` prints: the list of tasks, one of them, a problem, a verdict.

Each task has one line, so that grep finds it.
"""

import json
import shlex
from collections.abc import Sequence

from rgenv.cli.task_entries import KINDS, Entry
from rgenv.dialogue.reading import Reading
from rgenv.measured import blind_share
from rgenv.text import level_name, one_line, table
from rgenv.types import Problem, Verdict

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
