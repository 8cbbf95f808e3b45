"""Compare the speed of reasoning-gym, of the reference's way and of ours; prints one JSON object.

    python benchmarks/speed.py [--tasks gcd maze] [--seconds 0.5] [--groups 400] > speed.json
    python benchmarks/speed.py --table speed.json    # the tables of docs/scale.md

Each task is made at its defaults and at levels 0, 0.5 and 1, by one processor and in five ways:

- `library`: the items of one data set, which is made before the clock starts;
- `reference`: a data set of one item for each problem, as the reference environment does;
- `plain`: ours, with corrected answers, faster generators and data sets that are used again;
- `drawn`: ours as it is served: drawn until label, work, side and shortcuts fit;
- `hardened`: the same, with hardened problems.

A second is one of processor time. `p99` is the 99th percentile of a problem's milliseconds, and
the longest time where fewer than 100 were made. Scores are those of a group of one right
answer and seven others: by the library's verifier once each, by ours in both forms and guarded.

`groups` is the wall time of groups of 8, made and scored over all tasks: ours by a gym with as many
workers as processors, its start included (first) or afterwards (next); and the same problems and
answers in a loop of the reference's way, without its imports. It scores each answer in both forms.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rgenv import AsyncReasoningGym
from rgenv.pool.process import worker_environment
from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.types import Problem

Json = dict[str, Any]

LEVELS = (None, 0.0, 0.5, 1.0)
SIDES = ("library", "reference", "plain", "drawn", "hardened")
MOST = 100
"""Problems of a task at a level, if the seconds suffice."""

FIRST_SEED = 1_000
GROUP_SIZE = 8
UNDER_WAY = 32
"""Groups that are scored at the same time."""


# In a process of its own: one side, so that nothing of ours is in the library's


def measure_side(side: str, tasks: list[str], seconds: float) -> Json:
    """Return the figures of a side: task -> level -> figures."""
    new = {"library": of_library, "reference": of_reference}.get(side) or ours(side)
    with contextlib.redirect_stdout(io.StringIO()):  # bf prints dots
        return {
            task: {str(level): figures(*new(task, level), seconds) for level in LEVELS}
            for task in tasks
        }


Score = Callable[[Any, list[str]], None]


def of_library(task: str, level: float | None) -> tuple[Callable[[int], Any], Score]:
    import reasoning_gym

    dataset = reasoning_gym.create_dataset(
        task, size=MOST + 1, seed=FIRST_SEED, **parameters(task, level)
    )
    return dataset.__getitem__, partial(library_scores, dataset)


def of_reference(task: str, level: float | None) -> tuple[Callable[[int], Any], Score]:
    import reasoning_gym

    config = parameters(task, level)
    last: list[Any] = []

    def make(number: int) -> Any:
        last[:] = [reasoning_gym.create_dataset(task, size=1, seed=FIRST_SEED + number, **config)]
        return last[0][0]

    return make, lambda entry, answers: library_scores(last[0], entry, answers)


def library_scores(dataset: Any, entry: Any, answers: list[str]) -> None:
    for answer in answers:
        with contextlib.suppress(Exception):  # verifiers raise whatever an answer provokes
            dataset.score_answer(answer, entry)


def ours(side: str) -> Callable[..., tuple[Callable[[int], Any], Score]]:
    """Return what makes the parts of a side of ours, as a worker runs them."""
    from rgenv.worker import operations
    from rgenv.worker.guard import guard
    from rgenv.worker.problem_maker import ProblemMaker, faster_functions

    guard.install()
    for owner, name, faster in faster_functions():
        setattr(owner, name, faster)
    maker = ProblemMaker(hardened=side == "hardened")

    def new(task: str, level: float | None) -> tuple[Callable[[int], Any], Score]:
        request: Json = {"task": task, "level": level, "config": {}, "select": side != "plain"}
        fixed = parameters(task, level)

        def make(number: int) -> Any:
            seed = FIRST_SEED + number
            if side == "plain":
                return maker.make(task, seed, fixed).entry
            [problem] = operations.make(maker, {**request, "seed": seed})
            return maker.make(task, problem.seed, problem.config).entry

        def score(entry: Any, answers: list[str]) -> None:
            recipe = {"task": task, "seed": entry["seed"], "config": entry["config"]}
            for _ in operations.score(maker, {**recipe, "answers": answers}):
                pass

        return make, score

    return new


def parameters(task: str, level: float | None) -> Json:
    from rgenv.worker.levels import level_config

    return {} if level is None else level_config(task, level)


def figures(make: Callable[[int], Any], score: Score, seconds: float) -> Json:
    """Make and score problems for so many seconds; the first one is not timed."""
    making: list[float] = []
    scoring: list[float] = []
    first = make(0)
    score(first, answers_of(first["answer"]))
    while len(making) < MOST and sum(making) + sum(scoring) < seconds:
        began = time.process_time()
        entry = make(len(making) + 1)
        made = time.process_time()
        score(entry, answers_of(entry["answer"]))
        making.append(made - began)
        scoring.append(time.process_time() - made)
    count = len(making)
    return {
        "problems_per_second": significant(count / max(sum(making), 1e-9)),
        "p99_ms": significant(1000 * sorted(making)[math.ceil(0.99 * count) - 1]),
        "scores_per_second": significant(GROUP_SIZE * count / max(sum(scoring), 1e-9)),
    }


def reference_groups(path: str) -> Json:
    """Make and score the groups of a file as the reference does."""
    import reasoning_gym

    groups = [json.loads(line) for line in Path(path).read_text().splitlines()]
    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        for group in groups:
            dataset = reasoning_gym.create_dataset(
                group["task"], size=1, seed=group["seed"], **group["config"]
            )
            entry = dataset[0]
            for answer in group["answers"]:
                for form in (answer, f"<answer>{answer}</answer>"):
                    with contextlib.suppress(Exception):
                        dataset.score_answer(form, entry)
    return {"groups_per_second": significant(len(groups) / (time.perf_counter() - began))}


# In this process


async def our_groups(count: int, workers: int, path: Path) -> Json:
    """Make and score groups from a cold start, then as many again; write them to a file."""
    began = time.perf_counter()
    rates = {}
    async with AsyncReasoningGym(exclude_tasks=COMPOSITE, seed=FIRST_SEED, workers=workers) as gym:
        rates["start_seconds"] = significant(time.perf_counter() - began)
        for name in ("first", "next"):
            served = await serve(gym, count)
            now = time.perf_counter()
            rates[f"{name}_groups_per_second"] = significant(count / (now - began))
            began = now
            if name == "first":
                path.write_text("".join(map(plan_line, served)))
    return rates


async def serve(gym: AsyncReasoningGym, count: int) -> list[Problem]:
    served: list[Problem] = []
    free = asyncio.Semaphore(UNDER_WAY)

    async def score(problem: Problem) -> None:
        await gym.score(
            problem, [f"<answer>{text}</answer>" for text in answers_of(problem.answer)]
        )
        free.release()

    async with asyncio.TaskGroup() as scoring:
        async for problem in gym.problems(count):
            await free.acquire()
            served.append(problem)
            scoring.create_task(score(problem))
    return served


def answers_of(reference: str | None) -> list[str]:
    """Return the right answer, if one is known, and seven others."""
    right = reference or "0"
    others = ["7", "no", right[::-1], right + " 1", "[1, 2]", "a b c", right[: len(right) // 2]]
    return [right, *(text or "0" for text in others)]


def plan_line(problem: Problem) -> str:
    plan = {"task": problem.task, "seed": problem.drawn_seed, "config": dict(problem.config)}
    return json.dumps({**plan, "answers": answers_of(problem.answer)}) + "\n"


def measure(tasks: list[str], seconds: float, groups: int, workers: int, folder: Path) -> Json:
    """Run all sides one after the other, each in its own process."""

    def run(words: list[str]) -> Json:
        command, variables = [sys.executable, __file__, *words], os.environ | worker_environment()
        done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, text=True, check=True)
        result: Json = json.loads(done.stdout.splitlines()[-1])
        return result

    plan = folder / "groups.jsonl"
    found: Json = {}
    if groups:
        rates = asyncio.run(our_groups(groups, workers, plan))
        reference = run(["--plan", str(plan)])["groups_per_second"]
        for name in ("first", "next"):
            rates[f"{name}_to_reference"] = significant(
                rates[f"{name}_groups_per_second"] / reference
            )
        found["groups"] = {**rates, "reference_groups_per_second": reference, "workers": workers}
    options = ["--seconds", str(seconds), "--tasks", *tasks]
    sides = {side: run(["--side", side, *options]) for side in SIDES}
    found["tasks"] = {
        task: {
            str(level): {side: sides[side][task][str(level)] for side in SIDES} for level in LEVELS
        }
        for task in tasks
    }
    found["sweeps"] = {str(level): sweep(found["tasks"], str(level)) for level in LEVELS}
    return found


def sweep(tasks: Json, level: str) -> Json:
    took = {
        side: {task: 1000 / by[level][side]["problems_per_second"] for task, by in tasks.items()}
        for side in SIDES
    }
    sums = {side: significant(sum(times.values())) for side, times in took.items()}
    return {
        "milliseconds": sums,
        "drawn_to_library": significant(sums["drawn"] / sums["library"]),
        "slowest_drawn": max(took["drawn"], key=took["drawn"].__getitem__),
    }


def significant(value: float) -> float:
    return float(f"{value:.3g}")


# Tables


def tables(result: Json) -> Iterator[str]:
    """Yield the lines of the tables of docs/scale.md."""
    yield f"| one problem of each task, ms | {' | '.join(SIDES)} | slowest drawn |"
    yield f"| --- {'| --: ' * len(SIDES)}| --- |"
    for level, row in result["sweeps"].items():
        sums = " | ".join(f"{row['milliseconds'][side]:,.0f}" for side in SIDES)
        at = "defaults" if level == "None" else f"level {float(level):g}"
        yield f"| {at} | {sums} | {row['slowest_drawn']} |"
    yield ""
    yield "| task at its defaults | library, 1/s | drawn, 1/s | ratio | p99, ms | scores, ratio |"
    yield "| --- | --: | --: | --: | --: | --: |"
    slowest = sorted(
        result["tasks"].items(), key=lambda one: one[1]["None"]["drawn"]["problems_per_second"]
    )
    for task, levels in slowest[:12]:
        library, drawn = (levels["None"][side] for side in ("library", "drawn"))
        rates = library["problems_per_second"], drawn["problems_per_second"]
        scores = drawn["scores_per_second"] / library["scores_per_second"]
        yield (
            f"| {task} | {rates[0]:,.0f} | {rates[1]:,.0f} | {rates[1] / rates[0]:.2f} "
            f"| {drawn['p99_ms']:g} | {scores:.2f} |"
        )


def main() -> None:
    command_line = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    command_line.add_argument("--tasks", nargs="+", default=sorted({*KNOWN_TASKS} - {COMPOSITE}))
    command_line.add_argument("--seconds", type=float, default=0.5, help="of a task at a level")
    command_line.add_argument("--groups", type=int, default=400, help="groups; 0: leave them out")
    command_line.add_argument("--workers", type=int, default=os.cpu_count())
    command_line.add_argument("--table", type=Path, help="print the tables of a result")
    command_line.add_argument("--side", choices=SIDES, help="measure this side only")
    command_line.add_argument("--plan", help="run the groups of this file as the reference does")
    options = command_line.parse_args()
    if options.table:
        print("\n".join(tables(json.loads(options.table.read_text()))))
    elif options.side:
        print(json.dumps(measure_side(options.side, options.tasks, options.seconds)))
    elif options.plan:
        print(json.dumps(reference_groups(options.plan)))
    else:
        sizes = options.tasks, options.seconds, options.groups, options.workers
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measure(*sizes, Path(folder)), indent=2))


if __name__ == "__main__":
    main()
