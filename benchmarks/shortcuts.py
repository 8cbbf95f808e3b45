"""Measure what share of the problems each shortcut solves, by task and level.

A shortcut is a rule of a few lines that answers without solving (rgenv/tasks/). Problems
are those that training asks, chosen as a worker chooses them. Prints one JSON object with, for each
task and level (null for the default parameters):

    problems    problems measured; those that can't be answered are left out
    rules       the share that each rule solves, where it solves any: rules for the task, and
                "guess: ..." for those of tools/guesses.py
    best        the rule that solves most, but guesses
    solved      the share that `best` solves
    guessed     the share that the best guess solves
    label       the share of the most frequent reference answer; null if there are none
    excess      `solved` less `label`
    any         the share that any rule but the guesses solves

Examples::

    python benchmarks/shortcuts.py --tasks lcm gcd --problems 200
    python benchmarks/shortcuts.py --levels 0 1 --undrawn    the library's problems, without choice
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.harness import Json, parser, print_json  # noqa: E402
from rgenv.task_names import COMPOSITE, KNOWN_TASKS  # noqa: E402
from rgenv.tasks import shortcuts  # noqa: E402
from rgenv.worker import selection  # noqa: E402
from rgenv.worker.levels import level_config  # noqa: E402
from rgenv.worker.problem_maker import ProblemMaker  # noqa: E402
from tools import guesses  # noqa: E402

LEVELS = (None, 0.0, 0.25, 0.5, 0.75, 1.0)

GUESS = "guess: "
"""How the names of rules begin that are no part of the wheel."""


def main() -> None:
    options = parse_options()
    maker = ProblemMaker(strict=True)
    report: Json = {"problems": options.problems, "tasks": {}}
    for task in options.tasks or sorted(set(KNOWN_TASKS) - {COMPOSITE}):
        report["tasks"][task] = {
            str(level): measure(maker, task, level, options) for level in options.levels
        }
    print_json(report)


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    command = options_of(__doc__, problems=100, first_seed=900_000)
    command.add_argument("--undrawn", action="store_true", help="do not choose among problems")
    return command.parse_args(arguments)


def options_of(doc: str | None, *, problems: int, first_seed: int) -> argparse.ArgumentParser:
    command = parser(doc)
    command.add_argument("--tasks", nargs="+", metavar="TASK", help="default: all")
    command.add_argument(
        "--levels", nargs="+", type=_level, default=LEVELS, help="null: default parameters"
    )
    command.add_argument("--problems", type=int, default=problems, help="problems of each level")
    command.add_argument("--seed", type=int, default=first_seed, help="seed of the first problem")
    command.add_argument("--seconds", type=float, default=60.0, help="time limit of each level")
    return command


def _level(text: str) -> float | None:
    return None if text in ("null", "None") else float(text)


def measure(
    maker: ProblemMaker, task: str, level: float | None, options: argparse.Namespace
) -> Json:
    solved: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    problems = by_any = 0
    for seed, config in _problems(maker, task, level, options):
        entry = maker.make(task, seed, config)
        right = _right_rules(maker, task, seed, config)
        problems += 1
        solved.update(right)
        by_any += any(map(_is_shortcut, right))
        if entry["answer"] is not None:
            labels[str(entry["answer"])] += 1
    if not problems:
        return {"problems": 0}
    shares = {name: round(count / problems, 3) for name, count in solved.most_common()}
    best = next((name for name in shares if _is_shortcut(name)), None)
    label = max(labels.values()) / problems if labels else None
    return {
        "problems": problems,
        "best": best,
        "solved": shares.get(best or "", 0.0),
        "label": None if label is None else round(label, 3),
        "guessed": max((shares[name] for name in shares if not _is_shortcut(name)), default=0.0),
        "excess": round(shares.get(best or "", 0.0) - (label or 0.0), 3),
        "any": round(by_any / problems, 3),
        "rules": shares,
    }


def _is_shortcut(name: str) -> bool:
    return not name.startswith(GUESS)


def _problems(
    maker: ProblemMaker, task: str, level: float | None, options: argparse.Namespace
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield seed and parameters of each problem that can be answered."""
    config = {} if level is None else level_config(task, level)
    deadline = time.monotonic() + options.seconds
    for seed in range(options.seed, options.seed + options.problems):
        if time.monotonic() > deadline:
            return
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # codeio's programs print
                drawn = (
                    seed if options.undrawn else selection.draw(maker, task, seed, config, level)
                )
                winnable = maker.winnable(task, drawn, config)
        except Exception:  # the library's generators raise exceptions of any type
            continue
        if winnable:
            yield drawn, config


def _right_rules(maker: ProblemMaker, task: str, seed: int, config: dict[str, Any]) -> list[str]:
    """Return the names of the rules that solve a problem."""
    entry = maker.make(task, seed, config)
    dataset = maker.dataset(task, seed, config)

    def score(answer: str) -> float:
        return maker.score(task, dataset, entry, answer)

    answers = shortcuts.answers(task, entry)
    answers |= {GUESS + name: text for name, text in guesses.answers(task, entry).items()}
    return [name for name, text in answers.items() if shortcuts.is_right(text, entry, score)]


if __name__ == "__main__":
    main()
