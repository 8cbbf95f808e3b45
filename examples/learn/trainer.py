"""The trainer: imitates rollouts; pulls batches, takes GRPO steps, sends weights, and is saved.

    await imitate(model, rollouts, folder, steps=600, seed=1)
    learner = Learner(model, 5e-4)               # learner.resume(path): go on where it was saved
    await train(api, server, learner, options, goal=100, on_step=print)

A broken group ends the run. After each step the weights are written to a folder and the inference
server loads them. Each step gives a row of numbers about its batch and about the step itself.
"""

import argparse
import asyncio
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import aiohttp
import torch
from transformers import PreTrainedModel

from demo.trainer import Group, TrainerError, TrainerReport, next_batch, register
from rgenv.rollouts.metrics import format_of
from rgenv.runtime.progress import Progress

from .grpo import Sample, Stats, accumulate, samples_of
from .model import best_device
from .settings import MAX_TOKENS

REQUEST_TIMEOUT = aiohttp.ClientTimeout(total=600)
"""Loading weights takes long where many programs share a core."""

MAX_GRADIENT_NORM = 1.0
IMITATED_PER_STEP, RAMP_STEPS = 32, 40
Row = dict[str, Any]


class Learner:
    """A model with its optimizer and the number of steps taken."""

    def __init__(
        self, model: PreTrainedModel, learning_rate: float, weight_decay: float = 0.0
    ) -> None:
        self.model, self.step = model.train(), 0
        self.optimizer = torch.optim.AdamW(
            model.parameters(), learning_rate, betas=(0.9, 0.95), weight_decay=weight_decay
        )

    def update(self, samples: Sequence[Sample]) -> Stats:
        """Take one step."""
        stats = accumulate(self.model, samples)
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), MAX_GRADIENT_NORM)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        return stats | {"norm": norm.item()}

    def save(self, path: Path) -> None:
        """Write a checkpoint, which replaces the last one only when it is complete."""
        parts = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        incomplete = path.with_suffix(".writing")
        torch.save(parts | {"step": self.step}, incomplete)
        incomplete.replace(path)

    def resume(self, path: Path) -> None:
        """Continue from a checkpoint."""
        parts = torch.load(path, map_location=best_device(), weights_only=True)
        self.model.load_state_dict(parts["model"])
        self.optimizer.load_state_dict(parts["optimizer"])
        self.step = parts["step"]


async def imitate(
    model: PreTrainedModel,
    rollouts: Sequence[Sample],
    folder: Path,
    *,
    steps: int,
    seed: int,
    learning_rate: float = 2e-3,
) -> None:
    """Teach the model all rollouts, right and wrong ones, and save it when that is done."""
    learner = Learner(model, learning_rate, weight_decay=0.01)
    ramp = torch.optim.lr_scheduler.LinearLR(learner.optimizer, 1 / RAMP_STEPS, 1.0, RAMP_STEPS)
    batches = _shuffled(rollouts, random.Random(seed))
    with Progress("Imitation", total=steps, unit="steps") as progress:
        for _ in range(steps):
            batch = [next(batches) for _ in range(IMITATED_PER_STEP)]
            stats = await asyncio.to_thread(learner.update, batch)
            ramp.step()
            progress.advance(note=f"loss {stats['surprise']:.3f}")
    incomplete = folder.with_name("writing")
    model.save_pretrained(incomplete)
    incomplete.replace(folder)


def _shuffled(rollouts: Sequence[Sample], rng: random.Random) -> Iterator[Sample]:
    """Yield all in random order, then again in another."""
    while True:
        yield from rng.sample(list(rollouts), len(rollouts))


def _facts(batch: Sequence[Group]) -> Row:
    about = [group["group_overrides"] for group in batch]
    kinds = [
        pair for one in about for pair in zip(one["kinds"], one["finish_reasons"], strict=True)
    ]
    formats = [format_of(kind, truncated=reason == "length") for kind, reason in kinds]
    return {
        "reward": fmean(reward for group in batch for reward in group["scores"]),
        "format_rate": fmean(kept == "kept" for kept in formats),
        "informative": fmean(len(set(group["scores"])) > 1 for group in batch),
        "level": fmean(one["level"] for one in about),
    }


async def train(
    api: str,
    server: str,
    learner: Learner,
    options: argparse.Namespace,
    goal: int,
    on_step: Callable[[Row], None],
) -> None:
    """Take steps until the goal, with rollouts from `api` and weights for `server`.

    Raises:
        TrainerError: a group is broken, or one of the servers fails.
    """
    begin, report = time.monotonic(), TrainerReport()
    checkpoints, weights = options.output / "checkpoints", options.output / "weights"
    try:
        async with aiohttp.ClientSession(timeout=REQUEST_TIMEOUT) as session:
            await register(
                session,
                api,
                batch_size=options.batch_size,
                max_token_len=MAX_TOKENS + 1,
                checkpoint_dir=str(checkpoints),
                save_checkpoint_interval=options.checkpoint_every,
                num_steps=goal,
                starting_step=learner.step,
            )
            while learner.step < goal:
                batch = await next_batch(session, api, report)
                report.add(batch, options.batch_size, MAX_TOKENS + 1)
                if report.problems:
                    raise TrainerError(report.problems[0])
                seed = f"{options.seed} {learner.step}" if options.shuffle_rewards else None
                stats = await asyncio.to_thread(learner.update, samples_of(batch, seed))
                learner.model.save_pretrained(weights)
                async with session.post(f"{server}/weights", json={"path": str(weights)}) as reply:
                    reply.raise_for_status()
                seconds = time.monotonic() - begin
                on_step({"step": learner.step, **_facts(batch), **stats, "seconds": seconds})
                if learner.step % options.checkpoint_every == 0:
                    learner.save(checkpoints / "trainer.pt")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise TrainerError(f"{api} or {server} does not answer: {error!r}") from error


def read_rows(path: Path) -> list[Row]:
    """Read rows of steps; none if the file does not exist."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]
