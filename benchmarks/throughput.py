"""Compare the environment's speed with that of reasoning-gym alone; prints one JSON object.

    python benchmarks/throughput.py [--plots FOLDER] [--groups 420] [--rounds 3] [--workers 4]

Both sides get the same items and answers, raw and tagged:

- `direct` is reasoning-gym called in one process: make the data set, take its item, score eight
  answers, and nothing else.
- `workers_N` is the whole environment with N scoring workers and a policy that answers at once;
  speed/served.py says what the measured time includes.

Items come from the environment's own stream over all tasks. Neither side includes imports, start-up
or tokenizing the policy's completions, and the evaluation set is on disk. `start` is the time from
the end of imports to the first item, when the evaluation set has to be made (cold) or is on disk
(warm). `growth` changes one setting at a time; replicas are processes with one worker each that
share one stream.

Stalls are delays of a task that wakes every millisecond on the event loop. Ratios are medians over
rounds, and in each round all sides take turns.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tqdm import tqdm

from benchmarks.harness import Json, parser, print_json, run_python
from benchmarks.speed.plots import draw
from demo.tokenizer import build_tokenizer

PARTS = Path(__file__).parent / "speed"
GROUP_SIZE = 8
GROUP_SIZES = [4, 8, 16, 32, 64]
CONCURRENCY = [8, 32, 128, 512]
PROMPT_WORDS = [10, 100, 1000, 4000]
COMPLETION_TOKENS = [256, 1024, 4096, 8192]
REPLICAS = [1, 2, 4]

DIRECT_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
"""The same variables that the environment's workers get."""

IMPORT_ONLY = (
    "import reasoning_gym, os, json; "
    "lines = open('/proc/self/smaps_rollup').read().splitlines(); "
    "print(json.dumps({'rss': int(lines[1].split()[1]) / 1024}))"
)


def measure(groups: int, rounds: int, most_workers: int) -> Json:
    """Run all measurements and return their results."""
    workers = sorted({1, 2, most_workers})
    total = 2 + rounds * (1 + len(workers)) + 2 * rounds
    total += len(GROUP_SIZES) + len(CONCURRENCY) + 2 * len(PROMPT_WORDS)
    total += len(COMPLETION_TOKENS) + 2 * sum(REPLICAS)
    began = time.time()
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(Path(folder), total)
        plan = runner.plan("all_tasks", groups, num_eval_tasks=0)
        result = {
            "cores": os.cpu_count(),
            "groups": groups,
            "answers_a_group": GROUP_SIZE,
            **side_by_side(runner, plan, rounds, workers),
            "start_seconds": start_seconds(runner, rounds),
            "growth": growth(runner, plan, groups // 2),
        }
    return {**result, "minutes": round((time.time() - began) / 60, 1)}


@dataclass(frozen=True)
class Plan:
    """A file of items and answers, and the settings under which they were drawn.

    Attributes:
        settings: for `speed/served.py`, the path and the number of groups included.
        question_tokens: mean length of the questions.
    """

    settings: Json
    question_tokens: float

    @property
    def path(self) -> str:
        """The file."""
        return str(self.settings["plan"])


class Runner:
    """Runs one measurement after another, each in a fresh process.

    Args:
        folder: where tokenizer, plans and evaluation sets are written.
        total: how many measurements will be run, for the progress bar.
    """

    def __init__(self, folder: Path, total: int) -> None:
        self.folder = folder
        self._common = {
            "tokenizer": str(build_tokenizer(folder / "tokenizer")),
            "cache": str(folder / "cache"),
        }
        self._bar = tqdm(total=total, disable=None)

    def plan(self, name: str, groups: int, **settings: Any) -> Plan:
        """Write down the first `groups` items that the environment draws under `settings`."""
        settings = {"plan": str(self.folder / f"{name}.jsonl"), "groups": groups, **settings}
        return Plan(settings, self.served("plan", settings)["question_tokens"])

    def served(self, command: str, settings: Json) -> Json:
        """Run a command of speed/served.py."""
        words = [str(PARTS / "served.py"), command, json.dumps({**self._common, **settings})]
        return self._run(words)

    def direct(self, plan: Plan) -> Json:
        """Run the same items through the library alone."""
        return self._run([str(PARTS / "direct.py"), plan.path], DIRECT_ENVIRONMENT)

    def library_mb(self) -> float:
        """Return the resident set of a process that only imports reasoning-gym, in MiB."""
        return float(self._run(["-c", IMPORT_ONLY])["rss"])

    def _run(self, words: list[str], environment: dict[str, str] | None = None) -> Json:
        result = run_python(words, environment or {})
        self._bar.update()
        return result


def side_by_side(runner: Runner, plan: Plan, rounds: int, workers: list[int]) -> Json:
    """Measure the library alone and the environment in turns: throughput, stalls, memory."""
    direct: list[Json] = []
    served: dict[str, list[Json]] = {f"workers_{number}": [] for number in workers}
    for _ in range(rounds):
        direct.append(runner.direct(plan))
        for number, runs in zip(workers, served.values(), strict=True):
            runs.append(runner.served("run", {**plan.settings, "workers": number}))
    sides = {"direct": direct, **served}
    speeds = {name: [run["groups_per_second"] for run in runs] for name, runs in sides.items()}
    ratios = {
        name: [ours / base for ours, base in zip(speeds[name], speeds["direct"], strict=True)]
        for name in served
    }
    return {
        "groups_per_second": {name: median(values, 1) for name, values in speeds.items()},
        "to_direct": {name: median(values) for name, values in ratios.items()},
        "cpu_ms_a_group": {name: cpu(runs) for name, runs in sides.items()},
        "stalls": {name: stalls(runs) for name, runs in served.items()},
        "memory_mb": memory(direct[-1], served[f"workers_{workers[1]}"][-1], runner.library_mb()),
        "accuracy": served[f"workers_{workers[0]}"][0]["accuracy"],
        "worker_restarts": sum(run["worker_restarts"] for runs in served.values() for run in runs),
    }


def median(values: Iterable[float], digits: int = 2) -> float:
    return round(statistics.median(values), digits)


def cpu(runs: list[Json]) -> dict[str, float]:
    """Return the processor time of each process, which other programs hardly change."""
    return {
        process: median(run["cpu_ms_a_group"][process] for run in runs)
        for process in runs[0]["cpu_ms_a_group"]
    }


def stalls(runs: list[Json]) -> dict[str, float]:
    """Return medians over the runs of the event loop's delays, idle and busy.

    ``p999_above_idle_ms`` is the median of the differences between busy and idle 99.9th percentile.
    """
    added = [run["busy"]["p999_ms"] - run["idle"]["p999_ms"] for run in runs]
    return {
        **{
            f"{when}_{what}": median(run[when][what] for run in runs)
            for when in ("idle", "busy")
            for what in ("p999_ms", "longest_ms")
        },
        "p999_above_idle_ms": median(added),
    }


def memory(direct: Json, served: Json, library_mb: float) -> Json:
    """Return the resident sets of the environment, its largest worker and the library, in MiB."""
    used = served["memory"]
    worker = max(sizes["rss"] for sizes in used["workers_mb"])
    library = direct["worked_mb"]
    return {
        "reasoning_gym_imported": round(library_mb, 1),
        "reasoning_gym_after_the_same_work": library,
        "largest_worker": worker,
        "worker_to_reasoning_gym": round(worker / library, 2),
        "workers": used["workers_mb"],
        "env_imported": used["imported_mb"]["rss"],
        "env_after_work": used["env_mb"]["rss"],
    }


def start_seconds(runner: Runner, rounds: int) -> Json:
    """Return the seconds from the end of imports to the first item, cold and warm."""
    times: dict[str, list[Json]] = {"cold": [], "warm": []}
    for number in range(rounds):
        cache = str(runner.folder / f"start{number}")  # empty in the cold start only
        for runs in times.values():
            runs.append(runner.served("start", {"cache": cache}))
    return {
        name: {key: median((run[key] for run in runs), 3) for key in runs[0]}
        for name, runs in times.items()
    }


def growth(runner: Runner, plan: Plan, groups: int) -> dict[str, list[Json]]:
    """Return throughput and stalls while one setting grows and the others keep their defaults."""

    def run(value: int, settings: Json) -> Json:
        result = runner.served("run", settings)
        size = settings.get("group_size", GROUP_SIZE)
        return row(value, result["groups_per_second"], size, [result])

    few = {**plan.settings, "groups": groups}
    prompts = [plan_long_prompts(runner, words, groups) for words in PROMPT_WORDS]
    large = {**prompts[0].settings, "groups": min(64, groups), "group_size": 64}
    return {
        "group_size": [run(size, {**few, "group_size": size}) for size in GROUP_SIZES],
        "concurrent_groups": [
            run(number, {**few, "concurrency": number}) for number in CONCURRENCY
        ],
        "prompt_tokens": [run(round(p.question_tokens), p.settings) for p in prompts],
        "completion_tokens_in_groups_of_64": [
            run(tokens, {**large, "think_tokens": tokens}) for tokens in COMPLETION_TOKENS
        ],
        "replicas": [run_replicas(runner, number, groups) for number in REPLICAS],
    }


def row(value: int, groups_per_second: float, group_size: int, runs: list[Json]) -> Json:
    """Return the results at one value of a setting, from one process or several."""
    return {
        "value": value,
        "groups_per_second": round(groups_per_second, 1),
        "completions_per_second": round(groups_per_second * group_size, 1),
        "stalls": stalls(runs),
        "env_mb": max(run["memory"]["env_mb"]["rss"] for run in runs),
    }


def plan_long_prompts(runner: Runner, words: int, groups: int) -> Plan:
    """Plan items of letter_counting whose questions have `words` words."""
    config = {"letter_counting": {"min_words": words, "max_words": words}}
    return runner.plan(
        f"letter_counting_{words}", groups, task_names=["letter_counting"], task_configs=config
    )


def run_replicas(runner: Runner, number: int, groups: int) -> Json:
    """Share `groups` groups among replicas that start together."""
    plans = [
        runner.plan(
            f"replica_{replica}_of_{number}",
            groups // number,
            workers=1,
            replica_id=replica,
            num_replicas=number,
        )
        for replica in range(number)
    ]
    barrier = runner.folder / f"barrier_{number}"
    barrier.mkdir()

    def run(plan: Plan) -> Json:
        return runner.served("run", {**plan.settings, "barrier": str(barrier)})

    with ThreadPoolExecutor(number) as threads:
        runs = list(threads.map(run, plans))
    seconds = max(run["ended_at"] for run in runs) - min(run["began_at"] for run in runs)
    return row(number, number * (groups // number) / seconds, GROUP_SIZE, runs)


def main() -> None:
    command_line = parser(__doc__)
    command_line.add_argument("--groups", type=int, default=420, help="groups of a stream")
    command_line.add_argument("--rounds", type=int, default=3, help="repetitions, side by side")
    command_line.add_argument("--workers", type=int, default=4, help="the most workers to try")
    command_line.add_argument("--plots", type=Path, help="where to draw plots; default: nowhere")
    options = command_line.parse_args()
    result = measure(options.groups, options.rounds, options.workers)
    if options.plots is not None:
        draw(result, options.plots)
    print_json(result)


if __name__ == "__main__":
    main()
