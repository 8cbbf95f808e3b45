"""The speed of the environment itself, side by side in one run; prints one JSON object.

    python benchmarks/throughput.py [--plots FOLDER] [--groups 420] [--rounds 3] [--workers 4]

The same items, answers and forms twice: `direct` is reasoning-gym called in one process (make the
data set, take its item, score eight answers raw and tagged; nothing else), `workers_N` the whole
environment (speed/served.py says what is in it) with a policy that answers at once. Items are those
of the environment's own stream over all tasks, the evaluation set kept on disk; imports, start-up
and tokenizing the policy's completions are in neither. `start` is the time from the end of imports
to the first item, with the evaluation set still to be made (cold) or on disk (warm). `growth` turns
one knob at a time; replicas are processes with one worker each, which share one stream.

Stalls are gaps in a heartbeat of 1 ms on the event loop. Ratios are medians over rounds, in which
all sides take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tqdm import tqdm  # noqa: E402

from benchmarks.speed.plots import draw  # noqa: E402
from demo.tokenizer import build_tokenizer  # noqa: E402

PARTS = Path(__file__).parent / "speed"
GROUP_SIZES = [4, 8, 16, 32, 64]
CONCURRENCY = [8, 32, 128, 512]
PROMPT_WORDS = [10, 100, 1000, 4000]
COMPLETION_TOKENS = [256, 1024, 4096, 8192]
REPLICAS = [1, 2, 4]

IMPORT_ONLY = (
    "import reasoning_gym, os, json; "
    "lines = open('/proc/self/smaps_rollup').read().splitlines(); "
    "print(json.dumps({'rss': int(lines[1].split()[1]) / 1024}))"
)


class Children:
    """Runs one measurement after another, each in a fresh process."""

    def __init__(self, folder: Path, total: int) -> None:
        self.folder = folder
        self.base = {
            "tokenizer": str(build_tokenizer(folder / "tokenizer")),
            "cache": str(folder / "cache"),
        }
        self._bar = tqdm(total=total, disable=None)

    def served(self, command: str, **settings: Any) -> dict:
        """The environment, as `settings` say."""
        words = [str(PARTS / "served.py"), command, json.dumps({**self.base, **settings})]
        return self._run(words, os.environ)

    def direct(self, plan: str) -> dict:
        """The library alone, with the hash seed of the workers."""
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        return self._run(
            [str(PARTS / "direct.py"), plan], {**os.environ, **threads, "PYTHONHASHSEED": "0"}
        )

    def plan(self, name: str, groups: int, **settings: Any) -> dict:
        """Settings of runs over the first `groups` items that `settings` give."""
        plan = {"plan": str(self.folder / f"{name}.jsonl"), "groups": groups, **settings}
        return {**plan, "planned": self.served("plan", **plan)}

    def import_only(self) -> float:
        """The resident set of a process that imports reasoning-gym and nothing else."""
        return self._run(["-c", IMPORT_ONLY], os.environ)["rss"]

    def _run(self, words: list[str], environment: Any) -> dict:
        ended = subprocess.run(
            [sys.executable, *words], env=environment, capture_output=True, text=True, check=False
        )
        if ended.returncode:
            raise RuntimeError(f"{words[:2]} failed:\n{ended.stderr[-3000:]}")
        self._bar.update()
        return json.loads(ended.stdout.splitlines()[-1])


def median(values: list[float], digits: int = 2) -> float:
    return round(statistics.median(values), digits)


def side_by_side(children: Children, plan: dict, rounds: int, workers: list[int]) -> dict:
    """Throughput, stalls and memory of the library alone and of the environment, in turns."""
    sides: dict[str, list[dict]] = {}
    for _ in range(rounds):
        sides.setdefault("direct", []).append(children.direct(plan["plan"]))
        for number in workers:
            run = children.served("run", **_settings(plan), workers=number)
            sides.setdefault(f"workers_{number}", []).append(run)
    speeds = {name: [run["groups_per_second"] for run in runs] for name, runs in sides.items()}
    pairs = {
        name: [ours / floor for ours, floor in zip(values, speeds["direct"], strict=True)]
        for name, values in speeds.items()
        if name != "direct"
    }
    served = {name: runs for name, runs in sides.items() if name != "direct"}
    return {
        "groups_per_second": {name: median(values, 1) for name, values in speeds.items()},
        "to_direct": {name: median(values) for name, values in pairs.items()},
        "cpu_ms_a_group": {name: cpu(runs) for name, runs in sides.items()},
        "stalls": {name: stalls(runs) for name, runs in served.items()},
        "memory_mb": memory(sides["direct"], served[f"workers_{workers[1]}"], children),
        "accuracy": served[f"workers_{workers[0]}"][0]["accuracy"],
        "worker_restarts": sum(run["worker_restarts"] for runs in served.values() for run in runs),
    }


def cpu(runs: list[dict]) -> dict:
    """Processor time by process, which other programs on the machine hardly change."""
    return {
        who: median([run["cpu_ms_a_group"][who] for run in runs])
        for who in runs[0]["cpu_ms_a_group"]
    }


def stalls(runs: list[dict]) -> dict:
    """The event loop's gaps, idle and at work, and what work adds to the 99.9th percentile."""
    added = [run["busy"]["p999_ms"] - run["idle"]["p999_ms"] for run in runs]
    return {
        **{
            f"{when}_{what}": median([run[when][what] for run in runs])
            for when in ("idle", "busy")
            for what in ("p999_ms", "longest_ms")
        },
        "p999_above_idle_ms": median(added),
    }


def memory(direct: list[dict], served: list[dict], children: Children) -> dict:
    """Resident sets: the environment and its largest worker, the library imported and at work."""
    last = served[-1]["memory"]
    worker = max(used["rss"] for used in last["workers_mb"])
    library = direct[-1]["worked_mb"]
    return {
        "reasoning_gym_imported": round(children.import_only(), 1),
        "reasoning_gym_after_the_same_work": library,
        "largest_worker": worker,
        "worker_to_reasoning_gym": round(worker / library, 2),
        "workers": last["workers_mb"],
        "env_imported": last["imported_mb"]["rss"],
        "env_after_work": last["env_mb"]["rss"],
    }


def start(children: Children, rounds: int) -> dict:
    """Seconds from the end of imports to the first item."""
    times: dict[str, list[dict]] = {"cold": [], "warm": []}
    for number in range(rounds):
        cache = str(children.folder / f"start{number}")
        for runs in times.values():
            runs.append(children.served("start", cache=cache))
    return {
        name: {key: median([run[key] for run in runs], 3) for key in runs[0]}
        for name, runs in times.items()
    }


def growth(children: Children, plan: dict, groups: int) -> dict:
    """What each knob does to throughput and stalls, the others at their defaults."""
    few = {**_settings(plan), "groups": groups}
    runs: dict[str, list[dict]] = {
        "group_size": [
            _grown(children, group_size, **few, group_size=group_size) for group_size in GROUP_SIZES
        ],
        "concurrent_groups": [
            _grown(children, number, **few, concurrency=number) for number in CONCURRENCY
        ],
    }
    prompts = [_long_prompts(children, words, groups) for words in PROMPT_WORDS]
    runs["prompt_tokens"] = [
        _grown(children, round(p["planned"]["question_tokens"]), **_settings(p)) for p in prompts
    ]
    runs["completion_tokens_in_groups_of_64"] = [
        _grown(
            children,
            tokens,
            **{**_settings(prompts[0]), "groups": min(64, groups)},
            think_tokens=tokens,
            group_size=64,
        )
        for tokens in COMPLETION_TOKENS
    ]
    runs["replicas"] = [_replicas(children, number, groups) for number in REPLICAS]
    return runs


def _settings(plan: dict) -> dict:
    return {name: value for name, value in plan.items() if name != "planned"}


def _long_prompts(children: Children, words: int, groups: int) -> dict:
    config = {"letter_counting": {"min_words": words, "max_words": words}}
    return children.plan(
        f"letter_counting_{words}", groups, task_names=["letter_counting"], task_configs=config
    )


def _grown(children: Children, value: int, **settings: Any) -> dict:
    run = children.served("run", **settings)
    size = settings.get("group_size", 8)
    return {
        "value": value,
        "groups_per_second": round(run["groups_per_second"], 1),
        "completions_per_second": round(run["groups_per_second"] * size, 1),
        "stalls": stalls([run]),
        "env_mb": run["memory"]["env_mb"]["rss"],
    }


def _replicas(children: Children, number: int, groups: int) -> dict:
    """The same number of groups, shared among processes that start together."""
    plans = [
        children.plan(
            f"replica_{replica}_of_{number}",
            groups // number,
            workers=1,
            replica_id=replica,
            num_replicas=number,
        )
        for replica in range(number)
    ]
    barrier = children.folder / f"barrier_{number}"
    barrier.mkdir()
    with ThreadPoolExecutor(number) as threads:
        runs = list(
            threads.map(
                lambda plan: children.served("run", **_settings(plan), barrier=str(barrier)), plans
            )
        )
    seconds = max(run["ended_at"] for run in runs) - min(run["began_at"] for run in runs)
    done = sum(plan["groups"] for plan in plans)
    return {
        "value": number,
        "groups_per_second": round(done / seconds, 1),
        "completions_per_second": round(8 * done / seconds, 1),
        "stalls": stalls(runs),
        "env_mb": max(run["memory"]["env_mb"]["rss"] for run in runs),
    }


def measure(groups: int, rounds: int, most: int) -> dict:
    workers = sorted({1, 2, most})
    total = 2 + rounds * (1 + len(workers)) + 2 * rounds
    total += len(GROUP_SIZES) + len(CONCURRENCY) + 2 * len(PROMPT_WORDS)
    total += len(COMPLETION_TOKENS) + 2 * sum(REPLICAS)
    began = time.time()
    with tempfile.TemporaryDirectory() as folder:
        children = Children(Path(folder), total)
        plan = children.plan("all_tasks", groups, num_eval_tasks=0)
        result = {
            "cores": os.cpu_count(),
            "groups": groups,
            "answers_a_group": 8,
            **side_by_side(children, plan, rounds, workers),
            "start_seconds": start(children, rounds),
            "growth": growth(children, plan, groups // 2),
        }
    return {**result, "minutes": round((time.time() - began) / 60, 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--groups", type=int, default=420, help="groups of a stream")
    parser.add_argument("--rounds", type=int, default=3, help="repetitions, side by side")
    parser.add_argument("--workers", type=int, default=4, help="the most workers to try")
    parser.add_argument("--plots", type=Path, help="where to draw plots; default: nowhere")
    options = parser.parse_args()
    result = measure(options.groups, options.rounds, options.workers)
    if options.plots is not None:
        draw(result, options.plots)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
