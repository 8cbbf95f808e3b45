"""The trainer: imitates rollouts; pulls batches, takes GRPO steps, sends weights, and is saved.

    learner = Learner(model, 5e-4)               # learner.resume(path): go on where it was saved
    await imitate(learner, rollouts, folder, steps=600, seed=1)
    await train(api, server, learner, options, goal=100, progress=progress)

A broken group ends the run. After each step the weights are written to a folder and the inference
server loads them. Each step gives a row of numbers about its batch and about the step itself.
"""

import asyncio
import json
import random
import time
from argparse import Namespace
from collections.abc import Sequence
from itertools import chain, count, islice
from pathlib import Path
from statistics import fmean
from typing import Any

import aiohttp
import torch
from transformers import PreTrainedModel

from demo.trainer import Group, TrainerError, TrainerReport, next_batch, register
from rgenv.rollouts.metrics import format_of
from rgenv.runtime.progress import Progress

from .grpo import Stats, accumulate, rollouts_of
from .model import best_device
from .sampler import Rollout
from .settings import MAX_TOKENS

MAX_GRADIENT_NORM = 1.0
IMITATED_PER_STEP, RAMP_STEPS = 32, 40
NOTE = (
    "reward {reward:.2f}, format {format_rate:.2f}, informative {informative:.2f}, "
    "level {level:.2f}"
)
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

    def update(self, rollouts: Sequence[Rollout]) -> Stats:
        """Take one step."""
        stats = accumulate(self.model, rollouts)
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), MAX_GRADIENT_NORM)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        return stats | {"norm": norm.item()}

    def save(self, path: Path) -> None:
        """Write a checkpoint, which replaces the last one only when it is complete."""
        parts = {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict()}
        path.parent.mkdir(exist_ok=True)
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
    learner: Learner, rollouts: Sequence[Rollout], folder: Path, *, steps: int, seed: int
) -> None:
    """Teach all rollouts, right and wrong ones, and save the model when that is done."""
    ramp = torch.optim.lr_scheduler.LinearLR(learner.optimizer, 1 / RAMP_STEPS, 1.0, RAMP_STEPS)
    rng = random.Random(seed)
    endless = chain.from_iterable(rng.sample(rollouts, len(rollouts)) for _ in count())
    with Progress("Imitation", total=steps, unit="steps") as progress:
        for _ in range(steps):
            batch = list(islice(endless, IMITATED_PER_STEP))
            stats = await asyncio.to_thread(learner.update, batch)
            ramp.step()
            progress.advance(note=f"loss {stats['surprise']:.3f}")
    incomplete = folder.with_name("writing")
    learner.model.save_pretrained(incomplete)
    incomplete.replace(folder)


def _facts(batch: Sequence[Group]) -> Row:
    about = [group["group_overrides"] for group in batch]
    ends = [end for one in about for end in zip(one["kinds"], one["finish_reasons"], strict=True)]
    formats = [format_of(kind, truncated=reason == "length") for kind, reason in ends]
    return {
        "reward": fmean(reward for group in batch for reward in group["scores"]),
        "format_rate": fmean(kept == "kept" for kept in formats),
        "informative": fmean(len(set(group["scores"])) > 1 for group in batch),
        "level": fmean(one["level"] for one in about),
    }


async def train(
    api: str, server: str, learner: Learner, options: Namespace, goal: int, progress: Progress
) -> None:
    """Take steps until the goal, with rollouts from `api` and weights for `server`.

    Raises:
        TrainerError: a group is broken, or one of the servers fails.
    """
    begin, report = time.monotonic(), TrainerReport()
    timeout = aiohttp.ClientTimeout(total=600)  # to load weights takes long where cores are shared
    checkpoints, weights = options.output / "checkpoints", options.output / "weights"
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session:
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
                stats = await asyncio.to_thread(learner.update, rollouts_of(batch, seed))
                learner.model.save_pretrained(weights)
                async with session.post(f"{server}/weights", json={"path": str(weights)}) as reply:
                    reply.raise_for_status()
                row = {"step": learner.step, **_facts(batch), **stats}
                with (options.output / "steps.jsonl").open("a", encoding="utf-8") as file:
                    print(json.dumps(row | {"seconds": time.monotonic() - begin}), file=file)
                progress.advance(note=NOTE.format(**row))
                if learner.step % options.checkpoint_every == 0:
                    learner.save(checkpoints / "trainer.pt")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise TrainerError(f"{api} or {server} does not answer: {error!r}") from error


def read_rows(path: Path) -> list[Row]:
    """Read rows of steps; none if the file does not exist."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]
