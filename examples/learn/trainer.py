"""The trainer: registers, pulls batches, takes GRPO steps, sends weights, writes checkpoints.

    learner = Learner.begin(model, 5e-4)         # learner.resume(folder): go on from a checkpoint
    await train(api, server, learner, options, goal=100, on_step=print)

A broken group ends the run. After each step the weights are written to a folder and the inference
server loads them. Each step gives a row of numbers about its batch (reward, format rate, share of
informative groups, levels) and about the step itself.
"""

import argparse
import asyncio
import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import aiohttp
import torch
from transformers import PreTrainedModel

from demo.trainer import Group, TrainerError, TrainerReport, next_batch, register
from rgenv.rollouts.metrics import format_of

from .grpo import accumulate, samples_of
from .model import best_device
from .settings import MAX_TOKENS

REQUEST_TIMEOUT = aiohttp.ClientTimeout(total=600)
"""Loading weights takes long where many programs share a core."""

MAX_GRADIENT_NORM = 1.0
KEPT_CHECKPOINTS = 2
Row = dict[str, Any]


@dataclass
class Learner:
    """A model with its optimizer and the number of steps taken."""

    model: PreTrainedModel
    optimizer: torch.optim.Optimizer
    step: int = 0

    @classmethod
    def begin(cls, model: PreTrainedModel, learning_rate: float) -> "Learner":
        """Begin with a model that can already answer."""
        optimizer = torch.optim.AdamW(
            model.parameters(), lr=learning_rate, betas=(0.9, 0.95), weight_decay=0.0
        )
        return cls(model.train(), optimizer)

    def resume(self, folder: Path) -> None:
        """Continue from a checkpoint, which has the model's weights."""
        state = torch.load(folder / "trainer.pt", map_location=best_device(), weights_only=True)
        self.optimizer.load_state_dict(state["optimizer"])
        self.step = state["step"]

    def save(self, folder: Path) -> None:
        """Write a checkpoint, which appears only when it is complete, and delete old ones."""
        target = folder / f"step-{self.step:06d}"
        incomplete = folder / "writing"
        shutil.rmtree(incomplete, ignore_errors=True)
        self.model.save_pretrained(incomplete)
        state = {"optimizer": self.optimizer.state_dict(), "step": self.step}
        torch.save(state, incomplete / "trainer.pt")
        shutil.rmtree(target, ignore_errors=True)
        incomplete.replace(target)
        for old in checkpoints(folder)[:-KEPT_CHECKPOINTS]:
            shutil.rmtree(old)

    def update(self, batch: Sequence[Group], shuffle_seed: str | None = None) -> Row:
        """Take one step and return its row."""
        seed = None if shuffle_seed is None else f"{shuffle_seed} {self.step}"
        stats = accumulate(self.model, samples_of(batch, seed))
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), MAX_GRADIENT_NORM)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        return {"step": self.step, **_batch_row(batch), **vars(stats), "norm": norm.item()}


def checkpoints(folder: Path) -> list[Path]:
    """Return the checkpoints in a folder, oldest first."""
    return sorted(folder.glob("step-[0-9]*"))


def _batch_row(batch: Sequence[Group]) -> Row:
    rewards = [reward for group in batch for reward in group["scores"]]
    formats = [
        format_of(kind, truncated=reason == "length")
        for about in (group["group_overrides"] for group in batch)
        for kind, reason in zip(about["kinds"], about["finish_reasons"], strict=True)
    ]
    tasks: dict[str, list[Group]] = {}
    for group in batch:
        tasks.setdefault(group["group_overrides"]["task"], []).append(group)
    return {
        "reward": fmean(rewards),
        "format_rate": fmean(kept == "kept" for kept in formats),
        "informative": fmean(len(set(group["scores"])) > 1 for group in batch),
        "levels": {
            task: fmean(group["group_overrides"]["level"] for group in groups)
            for task, groups in sorted(tasks.items())
        },
        "rewards": {
            task: fmean(reward for group in groups for reward in group["scores"])
            for task, groups in sorted(tasks.items())
        },
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
    begin, report, output = time.monotonic(), TrainerReport(), options.output
    try:
        async with aiohttp.ClientSession(timeout=REQUEST_TIMEOUT) as session:
            await register(
                session,
                api,
                batch_size=options.batch_size,
                max_token_len=MAX_TOKENS + 1,
                checkpoint_dir=str(output / "checkpoints"),
                save_checkpoint_interval=options.checkpoint_every,
                num_steps=goal,
                starting_step=learner.step,
            )
            while learner.step < goal:
                batch = await next_batch(session, api, report)
                report.add(batch, options.batch_size, MAX_TOKENS + 1)
                if report.problems:
                    raise TrainerError(report.problems[0])
                shuffle_seed = f"{options.seed}" if options.shuffle_rewards else None
                row = await asyncio.to_thread(learner.update, batch, shuffle_seed)
                await _send_weights(session, server, learner, output / "weights")
                on_step(row | {"seconds": time.monotonic() - begin})
                if learner.step % options.checkpoint_every == 0:
                    learner.save(output / "checkpoints" / "trainer")
    except (aiohttp.ClientError, TimeoutError) as error:
        raise TrainerError(f"{api} or {server} does not answer: {error!r}") from error


async def _send_weights(
    session: aiohttp.ClientSession, server: str, learner: Learner, folder: Path
) -> None:
    """Write the weights to a folder and have the server load them."""
    learner.model.save_pretrained(folder)
    async with session.post(f"{server}/weights", json={"path": str(folder)}) as reply:
        if reply.status != 200:
            raise TrainerError(f"{server}/weights answered {reply.status}: {await reply.text()}")


def read_rows(path: Path) -> list[Row]:
    """Read rows of steps; none if the file does not exist."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]
