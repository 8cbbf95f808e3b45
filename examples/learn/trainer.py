"""The trainer: registers, pulls batches, takes GRPO steps, exchanges weights, keeps checkpoints.

    learner = Learner.begin(warm_model, 5e-4)    # or Learner.resume(folder, 5e-4)
    await train(api, server, learner, settings, on_step=print)

Every group of a batch is checked before it is learned from: a broken one ends the run. After each
step the weights are written to a folder and the server is told to load them. The row of a step says
what the batch was like (reward, format, informative share, levels) and what the step did.
"""

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

from demo.trainer import (
    REQUEST_TIMEOUT,
    Group,
    TrainerError,
    TrainerReport,
    next_batch,
    register,
)
from rgenv.rollouts.rewards import SOLVED

from .grpo import accumulate, rows_of
from .model import best_device, load_model

CLIP_NORM = 1.0
KEPT_CHECKPOINTS = 2
Row = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    output: Path
    steps: int
    batch_size: int
    max_token_len: int
    learning_rate: float
    checkpoint_every: int
    shuffle_seed: str | None = None  # the control: rewards dealt by chance


@dataclass
class Learner:
    model: PreTrainedModel
    optimizer: torch.optim.Optimizer
    step: int = 0

    @classmethod
    def begin(cls, model: PreTrainedModel, learning_rate: float) -> "Learner":
        optimizer = torch.optim.AdamW(
            model.parameters(), lr=learning_rate, betas=(0.9, 0.95), weight_decay=0.0
        )
        return cls(model.train(), optimizer)

    @classmethod
    def resume(cls, folder: Path, learning_rate: float) -> "Learner":
        """Go on from a checkpoint."""
        learner = cls.begin(load_model(folder), learning_rate)
        state = torch.load(folder / "trainer.pt", map_location=best_device(), weights_only=True)
        learner.optimizer.load_state_dict(state["optimizer"])
        learner.step = state["step"]
        return learner

    def save(self, folder: Path) -> None:
        """A checkpoint that is there whole or not at all; old ones go."""
        target = folder / f"step-{self.step:06d}"
        working = folder / "writing"
        shutil.rmtree(working, ignore_errors=True)
        self.model.save_pretrained(working)
        state = {"optimizer": self.optimizer.state_dict(), "step": self.step}
        torch.save(state, working / "trainer.pt")
        shutil.rmtree(target, ignore_errors=True)
        working.replace(target)
        for old in saved(folder)[:-KEPT_CHECKPOINTS]:
            shutil.rmtree(old)

    def update(self, batch: Sequence[Group], shuffle_seed: str | None = None) -> Row:
        """One step; what it was like."""
        seed = None if shuffle_seed is None else f"{shuffle_seed} {self.step}"
        stats = accumulate(self.model, rows_of(batch, seed))
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), CLIP_NORM)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        return {"step": self.step, **about(batch), **vars(stats), "norm": norm.item()}


def saved(folder: Path) -> list[Path]:
    """Checkpoints, oldest first."""
    return sorted(folder.glob("step-[0-9]*"))


def about(batch: Sequence[Group]) -> Row:
    """What a batch says of the policy and of the curriculum."""
    scores = [score for group in batch for score in group["scores"]]
    kinds = [kind for group in batch for kind in group["group_overrides"]["kinds"]]
    tasks: dict[str, list[Group]] = {}
    for group in batch:
        tasks.setdefault(group["group_overrides"]["task"], []).append(group)
    return {
        "reward": fmean(scores),
        "accuracy": fmean(score >= SOLVED for score in scores),
        "format_rate": fmean(kind != "no_answer" for kind in kinds),
        "informative": fmean(len(set(group["scores"])) > 1 for group in batch),
        "levels": {
            task: fmean(group["group_overrides"]["level"] for group in groups)
            for task, groups in sorted(tasks.items())
        },
        "rewards": {
            task: fmean(score for group in groups for score in group["scores"])
            for task, groups in sorted(tasks.items())
        },
    }


async def train(
    api: str, server: str, learner: Learner, settings: Settings, on_step: Callable[[Row], None]
) -> None:
    """Learn until the wanted step.

    Raises:
        TrainerError: a broken group, or a server that does not take part.
    """
    begin, report = time.monotonic(), TrainerReport()
    try:
        async with aiohttp.ClientSession(timeout=REQUEST_TIMEOUT) as session:
            await register(
                session,
                api,
                batch_size=settings.batch_size,
                max_token_len=settings.max_token_len,
                checkpoint_dir=str(settings.output / "checkpoints"),
                save_checkpoint_interval=settings.checkpoint_every,
                num_steps=settings.steps,
                starting_step=learner.step,
            )
            while learner.step < settings.steps:
                batch = await next_batch(session, api, report)
                report.add(batch, settings.batch_size, settings.max_token_len)
                if report.problems:
                    raise TrainerError(report.problems[0])
                row = await asyncio.to_thread(learner.update, batch, settings.shuffle_seed)
                await exchange(session, server, learner, settings.output / "weights")
                on_step(row | {"seconds": time.monotonic() - begin})
                if learner.step % settings.checkpoint_every == 0:
                    learner.save(settings.output / "checkpoints" / "trainer")
    except aiohttp.ClientError as error:
        raise TrainerError(f"{api} or {server} does not answer: {error}") from error


async def exchange(
    session: aiohttp.ClientSession, server: str, learner: Learner, folder: Path
) -> None:
    """The server samples from the new weights from its next batch on."""
    learner.model.save_pretrained(folder)
    async with session.post(f"{server}/weights", json={"path": str(folder)}) as reply:
        if reply.status != 200:
            raise TrainerError(f"{server}/weights answered {reply.status}: {await reply.text()}")


def append(path: Path, row: Row) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


def read_rows(path: Path, up_to: int) -> list[Row]:
    """The rows of steps up to one; those that came after a checkpoint will come again."""
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["step"] <= up_to]
