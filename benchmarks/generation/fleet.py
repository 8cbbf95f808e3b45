"""Environments over one engine and one rollout API, and a trainer that takes their batches.

::

    fleet = Fleet(api_url, folder, tokenizer, Setup(4, 0, seconds_per_batch=1.0, ...))
    async with fleet:
        await asyncio.sleep(60)
    fleet.result()

The environments are whole ones in this process, but for problems and verdicts, which are made up.
`AtroposLoop` is the same environment with the loop of Atropos' BaseEnv in place of ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from atroposlib.envs.base import APIServerConfig, BaseEnv

from benchmarks.generation.engine import Engine
from benchmarks.harness import Json
from benchmarks.token_server import TokenServer
from demo.trainer import TrainerReport, completion_tokens, next_batch, register
from reasoning_gym_environment import ReasoningGymEnv, ReasoningGymEnvConfig
from rgenv.pool.coverage import Coverage
from rgenv.types import Problem, Verdict

GROUP_SIZE, BATCH_SIZE, MAX_BATCHES, MAX_TOKENS = 8, 64, 3, 2048
engine_of: ContextVar[Engine] = ContextVar("engine")
loop_of: ContextVar[str] = ContextVar("loop", default="")
"""The loop of the environment that asks: "ours" or "theirs"; each `run` sets its own context."""


class EngineServer(TokenServer):
    """A client of the engine."""

    async def _tokens_and_logprobs_completion_wrapper(self, **kwargs: Any) -> Any:
        count = kwargs.get("n", 1)
        if kwargs["max_tokens"] == 1:  # the trial at the start
            lengths = [1] * count
        else:
            lengths = await engine_of.get().generate(count, by=loop_of.get())
        tokens = [[65 + index % 20] * length for index, length in enumerate(lengths)]
        logprobs = [[-0.5] * length for length in lengths]
        return kwargs["input_ids"], tokens, logprobs, ["stop"] * count


class MadeUpPool:
    """Makes problems and verdicts at once; one group in five has equal scores."""

    task_categories: Mapping[str, str] = {"gcd": "arithmetic"}
    fixed_tasks: frozenset[str] = frozenset()
    live_workers: frozenset[Any] = frozenset()
    coverage = Coverage()
    version = "0"
    restarts = 0

    async def make(self, task: str, seed: int, **more: Any) -> Problem:
        return Problem(task, seed, more.get("level"), {}, f"What is {seed}?", str(seed))

    async def score(self, problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        rng = random.Random(problem.seed)
        share = rng.random()
        return [Verdict(float(rng.random() < share), "scored") for _ in answers]

    async def close(self) -> None:
        pass


class Ours(ReasoningGymEnv):
    """The environment with our loop."""

    server_cls = EngineServer

    async def start_pool(self) -> Any:
        return MadeUpPool()

    async def run(self) -> None:
        loop_of.set("ours")
        await self._run.loop.serve()


class AtroposLoop(Ours):
    """The environment with Atropos' own loop."""

    add_train_workers = BaseEnv.add_train_workers

    async def run(self) -> None:
        loop_of.set("theirs")
        await BaseEnv.env_manager(self)


@dataclass(frozen=True)
class Setup:
    """What is measured.

    Attributes:
        ours, theirs: environments with our loop and with Atropos'.
        seconds_per_batch: what the trainer takes for a batch.
        median: seconds of a completion of median length.
        slots: completions that the engine generates at a time, for each environment.
    """

    ours: int
    theirs: int
    seconds_per_batch: float
    median: float
    slots: int


class Fleet:
    """Environments, their engine and their trainer; an async context manager."""

    def __init__(self, api: str, folder: Path, tokenizer: Path, setup: Setup) -> None:
        self.setup = setup
        self._api, self._folder, self._tokenizer = api, folder, tokenizer
        self.engine = Engine((setup.ours + setup.theirs) * setup.slots, setup.median)
        self._session = aiohttp.ClientSession()
        self.environments: list[Ours] = []
        self._running: list[asyncio.Task[None]] = []
        self._queue: list[int] = []
        self._waited = self._tokens = 0.0
        self._batches = 0
        self._started = time.monotonic()

    async def __aenter__(self) -> Fleet:
        setup = self.setup
        await register(
            self._session,
            self._api,
            batch_size=BATCH_SIZE,
            max_token_len=MAX_TOKENS + 1,
            checkpoint_dir=str(self._folder / "checkpoints"),
            save_checkpoint_interval=10**6,
            num_steps=10**6,
        )
        async with self._session.get(f"{self._api}/batch") as reply:
            reply.raise_for_status()
        engine_of.set(self.engine)
        classes = [Ours] * setup.ours + [AtroposLoop] * setup.theirs
        self.environments = [self._environment(cls, index) for index, cls in enumerate(classes)]
        self._running = [asyncio.create_task(env.run()) for env in self.environments]
        self._running.append(asyncio.create_task(self._watch()))
        while sum(hasattr(env, "status_dict") for env in self.environments) < len(classes):
            await asyncio.sleep(0.05)
        self._running.append(asyncio.create_task(self._train()))
        self.begin()
        return self

    def begin(self) -> None:
        """Count from now on."""
        self._started, self._slot_seconds = time.monotonic(), self.engine.slot_seconds()
        self._complete, self._cancelled = self.engine.complete, dict(self.engine.cancelled)
        self._requests = self.engine.requests, self.engine.cancelled_requests
        self._waited = self._tokens = 0.0
        self._batches = 0
        self._queue.clear()

    async def __aexit__(self, *_: object) -> None:
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        for env in self.environments:
            with contextlib.suppress(Exception):
                await env.close()
        await self._session.close()

    def kill(self, number: int) -> None:
        """Stop the first environments without a word to the API."""
        for task, env in list(zip(self._running, self.environments, strict=False))[:number]:
            task.cancel()
            for worker in env.workers:
                worker.cancel()

    def result(self) -> Json:
        """Return what was counted since `begin`."""
        seconds, engine = time.monotonic() - self._started, self.engine
        complete = engine.complete - self._complete
        cancelled = {
            by: tokens - self._cancelled.get(by, 0.0) for by, tokens in engine.cancelled.items()
        }
        generated = complete + sum(cancelled.values())
        slots = len(self.environments) * self.setup.slots
        requests = [
            after - before
            for after, before in zip(
                (engine.requests, engine.cancelled_requests), self._requests, strict=True
            )
        ]
        return {
            "generated_tokens_cancelled": _share(sum(cancelled.values()), generated),
            "of_them_by_our_loop": _share(cancelled.get("ours", 0.0), generated),
            "groups_cancelled": requests[1],
            "groups_asked": requests[0],
            "trained_tokens_per_second": round(self._tokens / seconds, 1),
            "batches": self._batches,
            "trainer_waits": _share(self._waited, seconds),
            "engine_busy": _share(engine.slot_seconds() - self._slot_seconds, seconds * slots),
            "longest_queue_groups": max(self._queue, default=0),
            "groups_under_way_at_most": [env.max_num_workers for env in self.environments],
        }

    def _environment(self, cls: type[Ours], index: int) -> Ours:
        config = ReasoningGymEnvConfig(
            tokenizer_name=str(self._tokenizer),
            use_wandb=False,
            group_size=GROUP_SIZE,
            batch_size=BATCH_SIZE,
            max_token_length=MAX_TOKENS,
            max_batches_offpolicy=MAX_BATCHES,
            task_names=["gcd"],
            rollout_server_url=self._api,
            wandb_name=cls.__name__,
            replica_id=index,
            num_replicas=self.setup.ours + self.setup.theirs,
            steps_per_eval=0,
            num_eval_samples_per_task=1,
            length_penalty=False,
        )
        server = APIServerConfig(
            api_key="x",
            base_url=None,
            model_name="engine",
            health_check=False,
            server_type="vllm",
            num_max_requests_at_once=4096,
        )
        env = cls(config, [server])
        env._run.mode = "serve"
        return env

    async def _train(self) -> None:
        """Take batches as fast as the trainer can, and count what it waits."""
        report = TrainerReport()
        while True:
            began = time.monotonic()
            batch = await next_batch(self._session, self._api, report)
            self._waited += time.monotonic() - max(began, self._started)
            self._tokens += sum(
                completion_tokens(mask) for group in batch for mask in group["masks"]
            )
            self._batches += 1
            await asyncio.sleep(self.setup.seconds_per_batch)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(0.5)
            async with self._session.get(f"{self._api}/status") as reply:
                self._queue.append((await reply.json())["queue_size"])


def _share(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0
