"""The minimal trainer as a program: it pulls batches, checks every group and counts them.

    python -m demo.train --url http://127.0.0.1:8000 --batches 200

It learns nothing. The exit code is 0 if all batches came and nothing was wrong with any of them.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from rgenv.cli.parser import positive
from rgenv.inference.http import quoted, require_answer
from rgenv.runtime.progress import Progress

from .command import RunFailed, address, output_folder, run_command
from .trainer import TrainerReport, run_trainer

API_SECONDS = 60.0
"""Seconds to wait for the rollout API at the start."""


def main(words: Sequence[str] | None = None) -> int:
    """Return the exit code: 0 done, 1 failed.

    Raises:
        SystemExit: 2 for a bad command line; 130 or 143 after a signal.
    """
    options = parse(words)
    return run_command(lambda _: train(options), logs=options.checkpoint_dir)


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Pull batches from a rollout API and count them.")
    add = parser.add_argument
    add("--url", type=address, default="http://127.0.0.1:8000", help="the rollout API")
    add("--batches", type=positive, default=200, help="number of batches")
    add("--batch-size", type=positive, default=32, help="rollouts in a batch")
    add("--max-token-len", type=positive, default=2049, help="length of a rollout that is too long")
    add(
        "--checkpoint-dir",
        type=output_folder,
        default="demo_output/checkpoints",
        help="where environments keep their checkpoints",
    )
    return parser.parse_args(words)


async def train(options: argparse.Namespace) -> None:
    """Pull all batches, and print what came.

    Raises:
        StartupError: the rollout API does not answer.
        TrainerError: the rollout API can't be used.
        RunFailed: something was wrong with a batch.
    """
    print(f"registering with {options.url}, then waiting for batches", flush=True)
    await require_answer(
        f"{options.url}/",
        API_SECONDS,
        f"no rollout API answers at {options.url}: start it with `run-api`, or set --url.",
        judge=lambda status, body: None if status == 200 else quoted(status, body),
    )
    report = await shown(
        options.url,
        batch_size=options.batch_size,
        max_token_len=options.max_token_len,
        num_batches=options.batches,
        timeout=None,
        checkpoint_dir=str(options.checkpoint_dir),
    )
    require_good(report)
    print(f"{report.batches} batches, {report.total.groups} groups, nothing wrong with any of them")


async def shown(url: str, *, num_batches: int, **settings: Any) -> TrainerReport:
    """Run the trainer of trainer.py with these settings, and show its progress."""
    with Progress("Training", total=num_batches, unit="batches") as progress:

        def on_batch(report: TrainerReport) -> None:
            total = report.total
            progress.advance(note=f"{total.groups} groups, mean score {total.mean_score:.2f}")

        return await run_trainer(url, num_batches=num_batches, on_batch=on_batch, **settings)


def require_good(report: TrainerReport) -> None:
    if report.problems:
        raise RunFailed("\n".join(["the trainer received bad batches:", *report.problems]))


if __name__ == "__main__":
    sys.exit(main())
