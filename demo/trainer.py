"""A minimal trainer: it registers, pulls batches, checks every group and counts them.

    report = await run_trainer("http://127.0.0.1:8000", batch_size=16, max_token_len=2049,
                               num_batches=10, timeout=60, checkpoint_dir="checkpoints")
    report.batches, report.tasks["gcd"].mean_score, report.problems

`max_token_len` must be larger than the environment's `max_token_length`: Atropos drops every group
with a rollout as long as the trainer's limit, so every group with a truncated completion.
"""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp

POLL_SECONDS = 0.1
REQUEST_TIMEOUT = aiohttp.ClientTimeout(total=30)
IGNORED = -100
"""The mask of a token that is not trained on, such as those of the prompt."""

PER_ROLLOUT = ("masks", "scores", "inference_logprobs")
"""Fields of a group with one entry for each rollout."""

Group = dict[str, Any]


class TrainerError(RuntimeError):
    """The rollout API cannot be used. The message says which request failed and how."""


@dataclass
class TaskStats:
    """Counts over the groups of one task, or of all tasks."""

    groups: int = 0
    rollouts: int = 0
    total_score: float = 0.0
    format_failures: int = 0
    truncations: int = 0

    @property
    def mean_score(self) -> float:
        return self.total_score / self.rollouts if self.rollouts else 0.0


@dataclass
class TrainerReport:
    """Counts of the groups that a trainer received.

    Attributes:
        tasks: counts by task, without broken groups.
        problems: one sentence for each broken group, short batch or failed request.
    """

    batches: int = 0
    seconds: float = 0.0
    tasks: dict[str, TaskStats] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def total(self) -> TaskStats:
        """Counts over all tasks."""
        names = TaskStats.__dataclass_fields__
        return TaskStats(
            **{name: sum(getattr(stats, name) for stats in self.tasks.values()) for name in names}
        )

    def add(self, batch: list[Group], batch_size: int, max_token_len: int) -> None:
        """Count a batch. A broken group is added to `problems` and not counted under its task."""
        self.batches += 1
        size = sum(len(group.get("tokens") or []) for group in batch)
        if size != batch_size:
            self.problems.append(f"batch {self.batches} has {size} rollouts, not {batch_size}")
        for number, group in enumerate(batch, start=1):
            if problem := check_group(group, max_token_len):
                self.problems.append(f"batch {self.batches}, group {number}: {problem}")
            else:
                self._count(group)

    def _count(self, group: Group) -> None:
        details = group.get("group_overrides") or {}
        stats = self.tasks.setdefault(str(details.get("task", "unknown")), TaskStats())
        stats.groups += 1
        stats.rollouts += len(group["scores"])
        stats.total_score += sum(group["scores"])
        stats.format_failures += list(details.get("kinds") or []).count("no_answer")
        stats.truncations += sum(
            bool((override or {}).get("set_advantage_to_zero"))
            for override in group.get("overrides") or []
        )


def check_group(group: Group, max_token_len: int) -> str | None:
    """Return what is wrong with a group, or None if it can be trained on."""
    tokens = group.get("tokens")
    if not tokens:
        return "no tokens"
    for name in PER_ROLLOUT:
        if len(group.get(name) or []) != len(tokens):
            return f"{len(tokens)} rollouts but {len(group.get(name) or [])} {name}"
    if len(group.get("overrides") or tokens) != len(tokens):
        return f"{len(tokens)} rollouts but {len(group['overrides'])} overrides"
    for score in group["scores"]:
        if not 0.0 <= score <= 1.0:  # also for NaN
            return f"score {score} is not between 0 and 1"
    rows = zip(tokens, group["masks"], group["inference_logprobs"], strict=True)
    return next((problem for row in rows if (problem := _check_rollout(*row, max_token_len))), None)


def _check_rollout(
    tokens: list[int], masks: list[int], logprobs: list[float], max_token_len: int
) -> str | None:
    if not len(tokens) == len(masks) == len(logprobs):
        return f"{len(tokens)} tokens, {len(masks)} masks, {len(logprobs)} logprobs in a rollout"
    if len(tokens) >= max_token_len:
        return f"a rollout of {len(tokens)} tokens, the limit is {max_token_len}"
    if any(mask not in (IGNORED, token) for token, mask in zip(tokens, masks, strict=True)):
        return f"a mask that is neither its token nor {IGNORED}"
    if all(mask == IGNORED for mask in masks):
        return "a rollout with nothing to learn from: every token is masked"
    if not all(map(math.isfinite, logprobs)):
        return "a logprob that is not finite"
    return None


async def run_trainer(
    url: str,
    *,
    batch_size: int,
    max_token_len: int,
    num_batches: int,
    timeout: float | None,
    checkpoint_dir: str,
    on_batch: Callable[[TrainerReport], None] | None = None,
) -> TrainerReport:
    """Pull batches until `num_batches` have come or `timeout` seconds have passed.

    Args:
        timeout: None for no limit.
        on_batch: called with the report after each batch.

    Raises:
        TrainerError: the rollout API does not answer or refuses the registration.
    """
    begin, report = time.monotonic(), TrainerReport()
    try:
        async with (
            asyncio.timeout(timeout) as limit,
            aiohttp.ClientSession(timeout=REQUEST_TIMEOUT) as session,
        ):
            await register(
                session,
                url,
                batch_size=batch_size,
                max_token_len=max_token_len,
                checkpoint_dir=checkpoint_dir,
                save_checkpoint_interval=num_batches + 1,
                num_steps=num_batches,
            )
            while report.batches < num_batches:
                batch = await next_batch(session, url, report)
                report.add(batch, batch_size, max_token_len)
                report.seconds = time.monotonic() - begin
                if on_batch:
                    on_batch(report)
    except TimeoutError:
        if not limit.expired():  # one request took too long, so nothing says how the run ends
            raise TrainerError(
                f"the rollout API at {url} gave no answer in {REQUEST_TIMEOUT.total:g} s"
            ) from None
        # else, the report says how many batches came
    except aiohttp.ClientError as error:
        raise TrainerError(f"the rollout API at {url} does not answer: {error}") from error
    report.seconds = time.monotonic() - begin
    return report


def completion_tokens(masks: Sequence[int]) -> int:
    """Return the number of tokens that the model wrote."""
    return len(masks) - masks.count(IGNORED)


async def register(
    session: aiohttp.ClientSession,
    url: str,
    *,
    batch_size: int,
    max_token_len: int,
    checkpoint_dir: str,
    save_checkpoint_interval: int,
    num_steps: int,
    starting_step: int = 0,
) -> None:
    """Reset the rollout API and register with it.

    Raises:
        TrainerError: the API refuses the registration.
    """
    async with session.get(f"{url}/reset_data") as reply:
        reply.raise_for_status()
    registration = {
        "wandb_group": "demo",
        "wandb_project": "demo",
        "batch_size": batch_size,
        "max_token_len": max_token_len,
        "checkpoint_dir": checkpoint_dir,
        "save_checkpoint_interval": save_checkpoint_interval,
        "starting_step": starting_step,
        "num_steps": num_steps,
    }
    async with session.post(f"{url}/register", json=registration) as reply:
        if reply.status != 200:
            reason = (await reply.text())[:200]
            raise TrainerError(f"{url}/register answered {reply.status}: {reason}")


async def next_batch(
    session: aiohttp.ClientSession, url: str, report: TrainerReport
) -> list[Group]:
    """Poll until there is a batch. A failed poll is added to the report's problems.

    Raises:
        TrainerError: the API was restarted and does not know this trainer.
    """
    while True:
        async with session.get(f"{url}/batch") as reply:
            if reply.status == 200:
                answer = await reply.json()
                if answer.get("status") == "error":
                    raise TrainerError(f"the rollout API at {url} does not know this trainer")
                batch: list[Group] | None = answer["batch"]
                if batch:
                    return batch
            else:
                report.problems.append(f"{url}/batch answered {reply.status}")
        await asyncio.sleep(POLL_SECONDS)
