"""verl: problems as a parquet file, and their reward function.

    python examples/trainers/verl_reward.py data --tasks gcd,maze --level 0.5
    python -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \\
        data.train_files=data/train.parquet data.val_files=data/val.parquet \\
        reward.custom_reward_function.path=examples/trainers/verl_reward.py ...

Before verl 0.8 the last option is `custom_reward_function.path`.
"""

from __future__ import annotations

import argparse
import functools
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rgenv import ReasoningGym
from rgenv.errors import BadUsage
from rgenv.task_names import parse_names
from rgenv.types import SOLVED, Problem


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: Any = None,
    thinking_opened: bool = False,
    **_: Any,
) -> dict[str, float]:
    """Score a completion; verl trains on ``score`` and reports ``acc``.

    Args:
        ground_truth: the recipe of the problem, as JSON.
        thinking_opened: the chat template opens the thinking, so completions only close it.
    """
    opening = "<think>" if thinking_opened else ""
    [score] = _gym().score(ground_truth, [opening + solution_str])
    return {"score": score, "acc": float(score >= SOLVED)}


@functools.cache
def _gym() -> ReasoningGym:
    return ReasoningGym(workers=1)  # verl has several processes that score


def rows(problems: Iterable[Problem], split: str) -> list[dict[str, Any]]:
    """Return the rows of verl's parquet file."""
    return [
        {
            "data_source": f"reasoning_gym/{problem.task}",
            "prompt": problem.messages,
            "ability": "reasoning",
            "reward_model": {"style": "rule", "ground_truth": json.dumps(problem.recipe)},
            "extra_info": {"split": split, "index": index},
        }
        for index, problem in enumerate(problems)
    ]


def main() -> None:
    """Write the files that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tasks", default="", help="names or categories, separated by commas")
    parser.add_argument("--level", type=float, help="in [0, 1]; default: the tasks' own parameters")
    parser.add_argument("--problems", type=int, default=10_000, help="for training; %(default)s")
    parser.add_argument("--held-out", type=int, default=20, help="for each task; %(default)s")
    parser.add_argument("--seed", type=int, default=42)
    options = parser.parse_args()
    try:
        write(options)
    except BadUsage as error:
        parser.error(str(error))


def write(options: argparse.Namespace) -> None:
    """Write train.parquet and val.parquet.

    Raises:
        BadUsage: an option makes no sense.
    """
    from datasets import Dataset  # a requirement of verl

    with ReasoningGym(parse_names(options.tasks), seed=options.seed) as gym:
        train = gym.problems(options.problems, level=options.level)
        held_out = [
            problem
            for task in gym.task_names
            for problem in gym.held_out(task, options.held_out, options.level)
        ]
        options.folder.mkdir(parents=True, exist_ok=True)
        Dataset.from_list(rows(train, "train")).to_parquet(options.folder / "train.parquet")
        Dataset.from_list(rows(held_out, "val")).to_parquet(options.folder / "val.parquet")


if __name__ == "__main__":
    main()
