"""Measure how well the surface of a question predicts its answer, by task and level.

The surface is what a classifier sees that does not read: lengths, counts of characters and words,
first and last tokens (rgenv/validation/tells.py). Problems are those that training asks, chosen as
a worker and the stream choose them. Tasks whose answers are many have no label to predict. Prints
one JSON object with, for each task and level (null for the default parameters):

    problems    different problems measured
    labels      the number of labels that cover nine problems in ten
    label       the share of the most frequent label
    tell        how much more the classifier predicts; null where the labels are more than 12
    computed    why the label follows from numbers or counts by the nature of the task, if it does

Examples::

    python benchmarks/tells.py                                 every task; takes an hour
    python benchmarks/tells.py --tasks syllogism --problems 500 --levels null 0.5
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


from benchmarks.harness import Json  # noqa: E402
from benchmarks.served import options_of, print_report  # noqa: E402
from rgenv.dataset.filters import AnswerBalance  # noqa: E402
from rgenv.tasks.registry import record_of  # noqa: E402
from rgenv.validation.tells import FEW_LABELS, labels_in_use, tell  # noqa: E402
from rgenv.worker import selection  # noqa: E402
from rgenv.worker.levels import level_config  # noqa: E402
from rgenv.worker.problem_maker import ProblemMaker  # noqa: E402

MIN_PROBLEMS = 60
"""With fewer problems the result is noise."""


def main() -> None:
    """Print the report of all chosen tasks and levels."""
    print_report(parse_options(), measure)


def parse_options(arguments: list[str] | None = None) -> argparse.Namespace:
    """Return the options of the command line."""
    command = options_of(__doc__, problems=2000, first_seed=700_000)
    return command.parse_args(arguments)


def measure(
    maker: ProblemMaker, task: str, level: float | None, options: argparse.Namespace
) -> Json:
    """Return the record of one task at one level."""
    questions: dict[str, str] = {}
    with contextlib.redirect_stdout(io.StringIO()):  # some generators print
        for entry in _served(maker, task, level, options):
            questions[entry["question"]] = label_of(task, entry)
            # A few problems show that a task has no labels.
            if len(questions) == MIN_PROBLEMS and labels_in_use(questions.values()) > 30:
                break
    problems, in_use = len(questions), labels_in_use(questions.values())
    if not problems:
        return {"problems": 0}
    top = Counter(questions.values()).most_common(1)[0][1] / problems
    predictable = in_use <= FEW_LABELS and problems >= MIN_PROBLEMS
    excess = tell([*questions], [*questions.values()]) if predictable else None
    return {
        "problems": problems,
        "labels": in_use,
        "label": round(top, 3),
        "tell": None if excess is None else round(excess, 3),
        "computed": record_of(task).accepted.get("tell"),
    }


def label_of(task: str, entry: Mapping[str, Any]) -> str:
    """Return the reference answer, without names that every question has anew."""
    solution = entry["metadata"]["solution"] if task == "knights_knaves" else entry["answer"]
    return str(solution)


def _served(
    maker: ProblemMaker, task: str, level: float | None, options: argparse.Namespace
) -> Iterator[Any]:
    """Yield problems that can be answered, chosen as a worker and the stream choose them."""
    config = {} if level is None else level_config(task, level)
    balance = AnswerBalance()
    deadline = time.monotonic() + options.seconds
    seed, found = options.seed, 0
    while found < options.problems and seed < options.seed + 5 * options.problems:
        if time.monotonic() > deadline:
            return
        drawn = selection.draw(maker, task, seed, config, level)
        seed += 1
        try:
            winnable = maker.winnable(task, drawn, config)
        except Exception:  # the library's generators raise exceptions of any type
            continue
        entry = maker.make(task, drawn, config) if winnable else None
        if entry is None or entry["answer"] is None:
            continue
        if not balance.is_frequent(task, str(entry["answer"])):
            balance.add(task, str(entry["answer"]))
            found += 1
            yield entry


if __name__ == "__main__":
    main()
