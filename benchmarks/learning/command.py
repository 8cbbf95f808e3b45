"""Run arms over seeds, one run after another, and append each to the results.

All arms of a seed come before the next seed, so that a part of the runs is matched, too.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import torch

from benchmarks.learning import results
from benchmarks.learning.arms import stamp_of
from benchmarks.learning.tasks import CONFIGS, TASKS
from benchmarks.learning.tokens import Tokens
from benchmarks.learning.training import Size, train
from benchmarks.learning.warmup import STEPS, warm_model, warmup_problems
from rgenv import ReasoningGym
from rgenv.measured import RELEASE

BANK = 1500


def run_all(
    arms: Sequence[str],
    seeds: Sequence[int],
    *,
    output: Path,
    cache: Path,
    size: Size,
    tasks: Sequence[str] = (),
    bank: int = BANK,
    warmup_steps: int = STEPS,
) -> int:
    """Do the runs that the results lack; return their number."""
    torch.set_num_threads(1)
    cache.mkdir(parents=True, exist_ok=True)
    names = list(tasks or TASKS)
    tokens, count = Tokens(names), 0
    with ReasoningGym(tasks=names, task_configs=CONFIGS, workers=1) as gym:
        problems = warmup_problems(gym, names, bank, cache)
        for seed in seeds:
            for arm in arms:
                stamp = stamp_of(arm)
                if results.is_done(results.read(output), arm, seed, stamp, asdict(size)):
                    continue
                model = warm_model(tokens, problems, seed=seed, folder=cache, steps=warmup_steps)
                began = time.time()
                run = train(arm, seed, gym=gym, tokens=tokens, model=model, tasks=names, size=size)
                results.append(
                    output,
                    {
                        "arm": arm,
                        "seed": seed,
                        "fingerprint": stamp,
                        "began": round(began),
                        "versions": _versions(),
                        "size": asdict(size),
                        **run,
                    },
                )
                count += 1
                mean = results.primary(run["after"])
                print(f"{arm}, seed {seed}: {mean:.3f}, {run['seconds']} s", file=sys.stderr)
    return count


def _versions() -> dict[str, str]:
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "reasoning_gym": RELEASE,
    }
