r"""Measure what texts earn in each answer format (docs/answer_formats.md).

For problems of every task, texts are written as models write them, read in one format, and scored.
Prints one JSON object with, for each format:

    right       the share of right answers, in forms that models write, that earn 1.0
    by_kind     the same for answers that are numbers, words, lists, or of several lines
    tasks       the tasks where a plain right answer does not earn 1.0
    near        wrong answers in the same forms, as far as the format holds them
    hedge       "A or B" with the right one first, and last
    several     two answers, the right one first, and last
    thinking    the right answer in the thinking only, closed or not
    flood       10,000 answers with the right one among them, each in the format or all in one
    other       a right answer in another format
    ms          milliseconds for reading 100,000 characters: a completion, and the worst text

Each from `near` to `other` is the share of texts that earn 1.0.

Examples::

    python benchmarks/answer_formats.py
    python benchmarks/answer_formats.py --tasks gcd maze --problems 2
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rgenv.dialogue.reading import Reading  # noqa: E402
from rgenv.errors import MakeFailed  # noqa: E402
from rgenv.gym.settings import Settings, start_pool  # noqa: E402
from rgenv.pool.pool import WorkerPool  # noqa: E402
from rgenv.task_names import COMPOSITE  # noqa: E402
from rgenv.types import SOLVED, Problem  # noqa: E402

TEXTS = {
    "tags": [
        "<answer>{}</answer>",
        "So it is:\n<answer>\n{}\n</answer>\nI hope it is right.",
        "<ANSWER>{}</ANSWER>",
        "**<answer>{}</answer>**",
        "<answer>$\\boxed{{{}}}$</answer>",
    ],
    "boxed": [
        "\\boxed{{{}}}",
        "The final answer is: $\\boxed{{{}}}$. I hope it is correct.",
        "\\[\n\\boxed{{{}}}\n\\]",
        "$$\\boxed{{\\text{{{}}}}}$$",
        "It is \\boxed{{{0}}}.\n\n**Final Answer**\n\\boxed{{{0}}}",
    ],
    "final_line": [
        "Answer: {}",
        "So that is it.\n\nAnswer: {}\n",
        "**Answer:** {}",
        "**Answer: {}**",
        "Answer: $\\boxed{{{}}}$",
    ],
    r"####\s*(.+)": ["#### {}", "So that is it.\n#### {}\n", "#### **{}**", "#### ${}$"],
}
"""Format -> texts around an answer."""

THOUGHT = "<think>\nLet me see. Is it 17? No.\n</think>\n"
NUMBER = re.compile(r"[-+]?[\d.,/]+%?")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", nargs="+", default=[], metavar="TASK", help="default: all")
    parser.add_argument("--problems", type=int, default=3, help="of each task; %(default)s")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    print(json.dumps(asyncio.run(measure(options)), indent=1))
    return 0


async def measure(options: argparse.Namespace) -> dict[str, Any]:
    pool = await start_pool(Settings(workers=options.workers))
    try:
        tasks = options.tasks or sorted(set(pool.task_categories or ()) - {COMPOSITE})
        found = [await _of_task(pool, task, options.problems) for task in tasks]
    finally:
        await pool.close()
    earned: dict[str, list[tuple[str, str, str, float]]] = defaultdict(list)
    for part in found:
        for name, rows in part.items():
            earned[name] += rows
    return {
        "problems": sum(len({row[0] for row in part["tags"]}) for part in found),
        "formats": {name: _summary(rows) | {"ms": _times(name)} for name, rows in earned.items()},
    }


Row = tuple[str, str, str, float]
"""The problem, what is measured, a group within it, and the score."""


async def _of_task(pool: WorkerPool, task: str, count: int) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = defaultdict(list)
    problems: list[Problem] = []
    for seed in range(20 * count):
        try:
            problem = await pool.make(task, seed)
        except MakeFailed:
            continue
        if problem.winnable and problem.answer and len(problems) < count:
            problems.append(problem)
    for number, problem in enumerate(problems):
        answer = problem.answer or ""
        forms = [answer, *(await pool.write(problem, answer)).values()]
        forms = await _right_ones(pool, problem, forms)
        near = list((await pool.write(problem, answer, wrong_by="formats")).values())
        others = [one.answer for one in problems if one.answer and one.answer != answer]
        other = (others or ["17"])[0]
        for name in TEXTS:
            reading = Reading.of(name, ["<think>", "</think>"])
            texts = list(_texts(name, reading, forms, near, other))
            read = [reading.answer(text) for _, _, text in texts]
            distinct = list(dict.fromkeys(one for one in read if one is not None))
            verdicts = await pool.score(problem, distinct)
            scores = {a: v.score for a, v in zip(distinct, verdicts, strict=True)}
            rows[name] += [
                (f"{task}/{number}", what, group, scores.get(one, 0.0) if one is not None else 0.0)
                for (what, group, _), one in zip(texts, read, strict=True)
            ]
    return rows


async def _right_ones(pool: WorkerPool, problem: Problem, forms: Sequence[str]) -> list[str]:
    """Return the forms that earn 1.0 as an answer alone: formats are measured, not verifiers."""
    distinct = list(dict.fromkeys(forms))
    verdicts = await pool.score(problem, distinct)
    return [form for form, v in zip(distinct, verdicts, strict=True) if v.score >= SOLVED]


def _texts(
    name: str, reading: Reading, forms: Sequence[str], near: Sequence[str], other: str
) -> Iterator[tuple[str, str, str]]:
    """Yield texts, each with what it measures and its group."""
    if not forms:
        return
    answer, write = forms[0], reading.format.write
    for form in forms:
        for template in TEXTS[name]:
            yield "right", _kind(form), template.format(form)
        yield "thought", "", THOUGHT + write(form)
    yield "plain", "", write(answer)
    for form in near:
        if reading.answer(write(form)) == form.strip():
            yield "near", "", THOUGHT + write(form)
    for first, last in ((answer, other), (other, answer)):
        yield "hedge", "", write(f"{first} or {last}")
        yield "hedge", "", write(f"{first}, {last}")
        yield "several", "", f"{write(first)}\n{write(last)}"
        yield "several", "", f"{write(first)} No, wait. {write(last)}"
    yield "thinking", "", f"<think>{write(answer)}</think>"
    yield "thinking", "", f"<think>\n{write(answer)}\n</think>\nSo it is."
    yield "thinking", "", f"<think>\n{write(answer)}"
    yield "thinking", "", f"{write(answer)}\n</think>\nSo it is."
    many = [*map(str, range(5000)), answer, *map(str, range(5000, 10_000))]
    yield "flood", "", "\n".join(map(write, many))
    yield "flood", "", write(", ".join(many))
    if reading.answer(write("\n".join(many[:2]))) == "\n".join(many[:2]):
        yield "flood", "", write("\n".join(many))
    for foreign in TEXTS.keys() - {name}:
        yield "other", "", Reading.of(foreign, []).write(answer)
    yield "other", "", answer


def _kind(answer: str) -> str:
    if "\n" in answer.strip():
        return "several lines"
    if NUMBER.fullmatch(answer.strip()):
        return "number"
    return "list" if re.search(r"[\[\](){},;]", answer) else "words"


def _summary(rows: Sequence[Row]) -> dict[str, Any]:
    by: dict[str, list[float]] = defaultdict(list)
    kinds: dict[str, list[float]] = defaultdict(list)
    plain: dict[str, list[float]] = defaultdict(list)
    for problem, what, kind, score in rows:
        by[what].append(score)
        if what == "right":
            kinds[kind].append(score)
        if what == "plain":
            plain[problem.partition("/")[0]].append(score)

    def solved(scores: Sequence[float]) -> float:
        return round(fmean(score >= SOLVED for score in scores), 4)

    found: dict[str, Any] = {
        "texts": len(rows),
        "right": solved(by["right"]),
        "after_thinking": solved(by["thought"]),
        "by_kind": {kind: solved(scores) for kind, scores in sorted(kinds.items())},
        "tasks": sorted(task for task, scores in plain.items() if solved(scores) < 1),
    }
    wrong = ("near", "hedge", "several", "thinking", "flood", "other")
    return found | {what: solved(by[what]) for what in wrong}


def _times(name: str) -> dict[str, float]:
    """Return the milliseconds for reading a long completion and the worst text, best of five."""
    reading = Reading.of(name, ["<think>", "</think>"])
    written = reading.format.write("4")
    prose = "Let me think about it, once more. " * 2800
    completion = f"<think>{prose}</think>\n{written}"
    units = [
        "<answer>",
        "<answer a=b ",
        "<think>",
        "\\boxed{",
        "{}",
        "\\",
        "Answer: 4\n",
        "\n",
        "#",
    ]
    worst = [unit * (100_000 // len(unit)) for unit in [*units, written + "\n"]]

    def milliseconds(text: str) -> float:
        times = []
        for _ in range(5):
            began = time.perf_counter()
            reading.answer_or_violation(text)
            times.append(time.perf_counter() - began)
        return round(1000 * min(times), 2)

    return {"completion": milliseconds(completion), "worst": max(map(milliseconds, worst))}


if __name__ == "__main__":
    sys.exit(main())
