"""Score answers of real models by our verifiers and by the library's, and show where they differ.

    python -m tools.real_answers ANSWERS RESULTS --every 10
    python -m tools.real_answers ANSWERS RESULTS --every 10 --show 3
    python -m tools.real_answers ANSWERS RESULTS --judged JUDGED --counts COUNTS
    python -m tools.real_answers docs/data/real_answers.json docs/real_answers.png

ANSWERS is a file of JSON lines, gzipped or not. Each is a problem, with `task`, `difficulty`,
`config`, `seed`, `index`, `question`, and `answers` with `text` and `models` (how often each gave
it). RESULTS gets a line for each problem, without texts; the same command goes on from there.
Problems whose question is another one today are left out.

JUDGED has what was decided by an independent check: JSON of "TASK LINE PLACE", as `--show` names
an answer, and whether it is right. Elsewhere our score counts as the truth. COUNTS
gets what the library paid by model and by task; the last command draws it, with matplotlib.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from rgenv.errors import BadUsage, MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.runtime.progress import Progress
from rgenv.text import describe, table
from rgenv.types import SOLVED
from rgenv.worker.protocol import WorkerSettings

COLUMNS = (
    "",
    "answers",
    "library: wrong paid",
    "right refused",
    "ours: wrong paid",
    "right refused",
)
KEYS = {"task", "difficulty", "config", "seed", "index", "question", "reference", "answers"}
SHOWN = 600
"""Characters of an answer that are shown."""

Row = dict[str, Any]
Counts = list[int]


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("answers", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="score one problem in N")
    parser.add_argument("--tasks", default="", help="names, with commas; default: all")
    parser.add_argument("--judged", type=Path, help="what was decided by an independent check")
    parser.add_argument(
        "--counts", type=Path, help="write what each model and task earned, as JSON"
    )
    parser.add_argument("--show", type=int, default=0, metavar="N", help="differences of each kind")
    options = parser.parse_args(words)
    if options.results.suffix == ".png":
        draw(json.loads(options.answers.read_text()), options.results)
        return 0
    try:
        rows = dict(_rows(options.answers, max(1, options.every), options.tasks))
        judged = json.loads(options.judged.read_text()) if options.judged else {}
        done = _results(options.results)
        asyncio.run(
            _score([row for name, row in rows.items() if name not in done], options.results)
        )
    except (OSError, ValueError) as error:
        print(f"error: {describe(error)}", file=sys.stderr)
        return 2
    results = {name: one for name, one in _results(options.results).items() if name in rows}
    print(report(rows, results, judged))
    if options.counts:
        options.counts.write_text(json.dumps(counts(rows, results, judged), indent=1) + "\n")
    for line in differences(rows, results, judged, options.show):
        print(line)
    return 0


def _rows(path: Path, every: int, tasks: str) -> Iterator[tuple[str, Row]]:
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            row = json.loads(line)
            if missing := KEYS - row.keys():
                raise ValueError(f"line {number + 1} of {path} has no {', '.join(sorted(missing))}")
            if number % every == 0 and (not tasks or row["task"] in tasks.split(",")):
                name = f"{row['task']} {number}"
                yield name, row | {"name": name}


def _results(path: Path) -> dict[str, Row]:
    """Return what was scored; the last line may be cut."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    if lines and not lines[-1].endswith("\n"):
        path.write_text("".join(lines[:-1]))
        del lines[-1]
    return {one["name"]: one for one in map(json.loads, lines)}


async def _score(rows: list[Row], path: Path) -> None:
    async with AsyncExitStack() as stack:
        pools = [
            await stack.enter_async_context(
                WorkerPool(
                    workers=1, generation_timeout=60.0, settings=WorkerSettings(strict=strict)
                )
            )
            for strict in (True, False)
        ]
        file = stack.enter_context(path.open("a"))
        progress = stack.enter_context(Progress("Scoring", total=len(rows), unit="problems"))
        for row in rows:
            scores = await asyncio.gather(*(_scores(pool, row) for pool in pools))
            line = {"name": row["name"], **dict(zip(("ours", "library"), scores, strict=True))}
            print(json.dumps(line), file=file, flush=True)
            progress.advance()


async def _scores(pool: WorkerPool, row: Row) -> list[float] | str:
    """Return the score of each answer, or why there is none."""
    try:
        problem = await pool.make(row["task"], row["seed"] + row["index"], config=row["config"])
    except (BadUsage, MakeFailed) as error:
        return f"not made: {error}"
    if not problem.question.startswith(row["question"].rstrip()):
        return "another question"
    if not problem.winnable:
        return "not served"
    verdicts = await pool.score(problem, [answer["text"] for answer in row["answers"]])
    return [verdict.score for verdict in verdicts]


def _compared(
    rows: Mapping[str, Row], results: Mapping[str, Row], judged: Mapping[str, bool]
) -> Iterator[tuple[Row, Row, str, bool, bool, bool]]:
    """Yield row, answer, its id, whether it is right, whether we pay, whether the library pays."""
    for name, result in results.items():
        if isinstance(result["ours"], str) or isinstance(result["library"], str):
            continue
        scores = zip(rows[name]["answers"], result["ours"], result["library"], strict=True)
        for place, (answer, ours, library) in enumerate(scores):
            pays = ours >= SOLVED
            right = judged.get(f"{name} {place}", pays)
            yield rows[name], answer, f"{name} {place}", right, pays, library >= SOLVED


def report(rows: Mapping[str, Row], results: Mapping[str, Row], judged: Mapping[str, bool]) -> str:
    """Return tables by task and by model, and how many problems were left out and why."""
    tasks: dict[str, Counts] = defaultdict(lambda: [0] * 5)
    models: dict[str, Counts] = defaultdict(lambda: [0] * 5)
    for row, answer, _, right, ours, library in _compared(rows, results, judged):
        kinds = (True, library > right, right > library, ours > right, right > ours)
        for model, times in answer["models"].items():
            for counts in (tasks[row["task"]], models[model]):
                counts[:] = [n + times * kind for n, kind in zip(counts, kinds, strict=True)]
    left_out: dict[str, int] = defaultdict(int)
    for result in results.values():
        for who in ("library", "ours"):
            if isinstance(result[who], str):
                left_out[f"{who}: {result[who]:.40}"] += 1
                break
    parts = [_table(tasks), _table(models)]
    parts.append(
        f"{len(judged):,} answers were checked; of all others our score is taken for right."
    )
    parts += [f"{count:,} problems left out, {why}" for why, count in left_out.items()]
    return "\n\n".join(parts)


def counts(
    rows: Mapping[str, Row], results: Mapping[str, Row], judged: Mapping[str, bool]
) -> dict[str, dict[str, dict[str, float]]]:
    """Return what the library paid, by model and by task, and what of it was wrong.

    Of the score that the library gave, `wrong` went in full to wrong answers and `part` in part;
    `lost` is what right answers did not get.
    """
    found: dict[str, dict[str, dict[str, float]]] = {"model": {}, "task": {}}
    for row, answer, name, right, _, library in _compared(rows, results, judged):
        score = results[name.rpartition(" ")[0]]["library"][int(name.rpartition(" ")[2])]
        earned = {
            "answers": 1.0,
            "right": float(right),
            "score": score,
            "wrong": score * (library and not right),
            "part": score * (not library and not right),
            "lost": (1 - score) * right,
            "paid wrongly": float(library and not right),
            "refused wrongly": float(right and not library),
        }
        for model, times in answer["models"].items():
            for kind, which in (("model", model.partition("_")[2]), ("task", row["task"])):
                total = found[kind].setdefault(which, dict.fromkeys(earned, 0.0))
                for key, value in earned.items():
                    total[key] = round(total[key] + times * value, 4)
    return found


def draw(data: dict[str, dict[str, dict[str, float]]], path: Path) -> None:
    """Draw what the verifier added to the score of each model, and in the tasks with most."""
    from matplotlib import pyplot as plt  # only learning examples need it otherwise

    figure, places = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    for axes, (kind, rows) in zip(places, data.items(), strict=True):
        share = {
            name: {key: 100 * value / row["answers"] for key, value in row.items()}
            for name, row in rows.items()
        }
        size = {name: row["wrong"] + row["part"] + row["lost"] for name, row in share.items()}
        names = sorted(
            sorted(share, key=lambda name: size[name])[-18:],
            key=lambda name: share[name]["right"] if kind == "model" else size[name],
        )
        wrong, part, lost, score, right = (
            [share[name][key] for name in names]
            for key in ("wrong", "part", "lost", "score", "right")
        )
        axes.barh(names, wrong, color="tab:red", label="wrong answers, paid in full")
        axes.barh(names, part, left=wrong, color="orange", label="wrong answers, paid in part")
        axes.barh(
            names, [-points for points in lost], color="tab:blue", label="right answers, refused"
        )
        net = [given - true for given, true in zip(score, right, strict=True)]
        axes.plot(net, names, "kD", ms=4, label="score minus share of right answers")
        axes.axvline(0, color="black", lw=0.8)
        axes.set(xlabel="points of 100 that the library's verifier adds", title=f"by {kind}")
        if kind == "model":
            axes.set_yticks(
                names, [f"{name} ({share[name]['right']:.0f} % right)" for name in names]
            )
        axes.grid(alpha=0.3)
    figure.legend(*places[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
    figure.savefig(path, dpi=100)


def _table(counts: Mapping[str, Counts]) -> str:
    lines = [(name, *(f"{n:,}" for n in counts[name])) for name in sorted(counts)]
    total = ("all", *(f"{sum(column):,}" for column in zip(*counts.values(), strict=True)))
    return table(COLUMNS, lines, last=total) if lines else "Nothing is scored."


def differences(
    rows: Mapping[str, Row], results: Mapping[str, Row], judged: Mapping[str, bool], most: int
) -> Iterable[str]:
    """Yield up to so many answers of each task that only one of both pays."""
    shown: dict[tuple[str, bool], int] = defaultdict(int)
    for row, answer, name, right, ours, library in _compared(rows, results, judged):
        kind = row["task"], ours
        if ours != library and shown[kind] < most:
            shown[kind] += 1
            who = "only ours pays" if ours else "only the library pays"
            said = " (judged right)" * right if name in judged else ""
            texts = answer["text"][:SHOWN], row["reference"][:SHOWN]
            yield f"\n== {name}: {who}{said}\n{texts[0]}\n-- {texts[1]}"


if __name__ == "__main__":
    sys.exit(main())
