"""Run: what an environment has before `setup`, and how one of its commands runs and ends.

::

    run = Run(config, metrics, servers=1, env_id=lambda: 3)
    await run.command(env, loop)    # checks, Atropos' loop, an orderly end, the last line
    session = await run.start(env, pool)
    evaluation = await run.evaluate(env, session)

`env` is the environment, of which the class in reasoning_gym_environment.py has the hooks.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from rgenv.atropos import serving, wandb_logging
from rgenv.atropos.api_client import Sizes
from rgenv.atropos.checkpoints import Checkpoints
from rgenv.atropos.config import FROM_TRAINER, ReasoningGymEnvConfig
from rgenv.atropos.ending import finished, is_for_users, log_end, served
from rgenv.atropos.evaluation import evaluation_definition, evaluation_folder
from rgenv.atropos.progress import Progress
from rgenv.atropos.reporting import Reporter, snapshot
from rgenv.atropos.rollout_api import batch_problems
from rgenv.atropos.servers import speaks_chat_only, watching_health
from rgenv.atropos.session import Session, current_metrics, resume, start_session
from rgenv.atropos.startup import (
    check_options,
    check_servers,
    new_checkpoints,
    new_rollout_api,
)
from rgenv.evaluation.evaluate import Evaluation, evaluate
from rgenv.inference.tokenizers import require_tokenizers
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.admission import Admission
from rgenv.rollouts.concurrency import Concurrency
from rgenv.rollouts.group import group_id
from rgenv.rollouts.ledger import Fate, Ledger
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.runtime.shutdown import Shutdown
from rgenv.types import Group, Problem

log = logging.getLogger("ReasoningGymEnv")

Deliver = Callable[[Problem, Group], Awaitable[None]]


class Run:
    """The objects of one process that exist before the tasks are known.

    Args:
        metrics: collects groups and counts.
        servers: the number of inference servers.
        env_id: returns this environment's id at the rollout API; None before it has one.

    Attributes:
        session: the objects that `setup` created; None before it.
        doing: a context for a part of the start, which says so.
        until_ready: waits for the servers of the command; None: nothing runs that needs any.
        results: the folder of an evaluation or a profile; None before it.
        total_steps: the option, which Atropos replaces by the trainer's number of steps.
    """

    def __init__(
        self,
        config: ReasoningGymEnvConfig,
        metrics: TrainMetrics,
        *,
        servers: int,
        env_id: Callable[[], int | None],
    ) -> None:
        self.shutdown = Shutdown()
        self.concurrency = Concurrency(serving.GROUPS_PER_SERVER * servers)
        self.ledger = Ledger(answered=self.concurrency.answered)
        self.progress = Progress(self.ledger.state)
        self.admission = Admission(config.replica_id, config.num_replicas)
        self.reporter = Reporter(metrics, self.ledger)
        self.doing = self.reporter.status.doing
        self.checkpoints = new_checkpoints(config)
        self.api = new_rollout_api(
            config,
            env_id=env_id,
            doing=self.doing,
            settled=self.settled,
            abort=self.shutdown.abort,
        )
        self.session: Session | None = None
        self.total_steps = config.total_steps
        self.until_ready: Callable[[], Awaitable[None]] | None = None
        self.results: Path | None = None
        self._sizes: Sizes | None = None

    async def command(self, env: Any, loop: Callable[[], Awaitable[None]]) -> None:
        """Check the options, run Atropos' main loop, and close in any case."""
        config, clients = env.config, env.server.servers

        async def work() -> None:
            check_options(env.mode, clients, env.tokenizer, config, env.dumps_dir)
            if not (env.mode in ("evaluate", "profile") and speaks_chat_only(clients)):
                require_tokenizers([env, *clients])
            self.until_ready = lambda: check_servers(
                env.mode, clients, self.api, timeout=config.startup_timeout
            )
            with wandb_logging.starting_safely():
                await loop()

        watching = watching_health(
            clients, config.outage_patience, self.shutdown.abort, self._unanswered_for
        )
        async with watching, self.reporter.status.shown():
            await self.shutdown.guard(
                work(), lambda: self._close(env), lambda error: self._log_end(env, error)
            )

    def _unanswered_for(self) -> float:
        return self.session.policy.unanswered_for if self.session is not None else 0.0

    async def _close(self, env: Any) -> None:
        await env.close()
        if self.reporter.finish(env.eval_metrics, env.curr_step):
            await env.wandb_log()
        await asyncio.to_thread(wandb_logging.finish)  # the loop still handles a signal

    def _log_end(self, env: Any, error: BaseException | None) -> None:
        """Log why the run ended, and what was saved.

        Nothing is logged if it ended with a sentence for users before anything was asked: the
        command prints that sentence.
        """
        if self.session is None and is_for_users(error):
            return
        writer, is_saved = env.jsonl_writer, self.session and self.session.recorder.dumps.each
        dumps = env.dumps_dir if is_saved else None
        saved = {
            "serve": served(self.api.delivery, self.progress.path, dumps),
            "process": [writer.summary() if writer is not None else "none"],
        }
        answers = [f"answers in {self.results}" if self.results else "no answers"]
        is_set = self.total_steps != FROM_TRAINER
        otherwise = finished(env.mode, env.config.total_steps, set_by_user=is_set)
        log_end(error, otherwise=otherwise, saved=saved.get(env.mode, answers))

    async def start(self, env: Any, pool: WorkerPool) -> Session:
        """Create the session, and report its metrics from now on.

        Raises: see `start_session`.
        """
        self.session = session = await start_session(
            env.config,
            pool,
            mode=env.mode,
            servers=env.server,
            tokenizer=env.tokenizer,
            metrics=env.metrics,
            ledger=self.ledger,
            dumps_dir=env.dumps_dir,
            abort=self.shutdown.abort,
            until_ready=self.until_ready,
            doing=self.doing,
        )
        coverage = pool.coverage
        self.checkpoints.sources = {task: coverage.source(task) for task in session.task_names}
        self.reporter.begin(
            env.mode,
            folder=lambda: _metrics_folder(env, self.checkpoints),
            run_id=lambda: session.recorder.dumps.run_id,
            current=lambda: current_metrics(session, env.config),
            delivery=self.api.delivery,
            look=lambda: snapshot(env, self.api, self.ledger),
        )
        return session

    async def take_sizes(self, env: Any) -> None:
        """Take over the trainer's batch size and length limit; warn if groups don't fit them.

        The trainer may come back with others.

        Raises:
            StartupError: a group is larger than a batch, or the rollout API is away.
        """
        before, self._sizes = self._sizes, serving.take_sizes(env, await self.api.sizes())
        if before == self._sizes:
            return
        if before is not None:
            log.warning("The trainer takes batches of %d and lengths below %d now.", *self._sizes)
        sizes, config = self._sizes, env.config
        for problem in batch_problems(
            sizes.batch_size, config.group_size, sizes.max_token_len, config.max_token_length
        ):
            log.warning(problem)

    async def ask(self, env: Any) -> None:
        """Ask for as many groups as there is room for."""
        await serving.ask(env, self.admission, self.concurrency, self.api.delivery.delivered)

    def settled(self, group: Mapping[str, Any], fate: Fate) -> None:
        """Note what became of a group: the rollout API has settled it, or it is not sent.

        `process` writes groups instead of sending them.
        """
        self.ledger.settle(group_id(group), fate)
        self.progress.settled(group_id(group))

    async def begin_progress(self, session: Session, *, step: int) -> None:
        """Record from now on what happens to each problem.

        Args:
            step: the trainer's step.

        Raises:
            StartupError: the rollout API, which knows what arrived from a killed run, is away.
        """
        if self.progress.unsettled:
            self.progress.arrived(await self.api.latest_group(), session.source)
        about = {**self.checkpoints.about, "run": session.recorder.dumps.run_id}
        self.progress.begin(self.checkpoints.progress, session.source, about, step=step)

    def save_checkpoint(
        self, session: Session, step: int, waiting: list[Problem], others: dict[str, Any] | None
    ) -> None:
        """Write a checkpoint; if the disk refuses, log an error and go on.

        Args:
            waiting: problems that Atropos holds.
            others: further data of a subclass.
        """
        self.checkpoints.save(
            step,
            run_id=session.recorder.dumps.run_id,
            source_state=session.source.state_dict([*session.collector.collecting, *waiting]),
            others=others,
        )

    def load_checkpoint(self, env: Any, session: Session) -> None:
        """Go on where the last run of this replica stopped, if there is one.

        Raises:
            StartupError: a checkpoint is damaged or of another program; the message names it.
        """
        self.checkpoints.root = env.checkpoint_dir
        found = self.checkpoints.find(step=env.curr_step, start_over=env.config.force)
        if found is not None:
            resume(session, env.config, env.dumps_dir, found)
            self.progress.went_on_from(found)
            self.ledger.go_on_from(self.progress.tokens_before)

    async def close(self, deadline: float, deliver: Deliver) -> None:
        """Finish scoring and sending, leave the rollout API, and end the session; idempotent.

        Args:
            deadline: on the monotonic clock; what is not done then is dropped.
            deliver: sends or writes a group that was scored meanwhile.
        """
        if self.session is not None:
            await self.session.collector.finish(deadline, deliver)
        await self.api.delivery.drain(max(0.0, deadline - time.monotonic()))
        await self.api.disconnect()
        self.ledger.end()
        self.progress.close()
        self.checkpoints.release()
        if self.session is not None:
            await self.session.close()

    async def evaluate(self, env: Any, session: Session) -> Evaluation:
        """Ask the model for the evaluation set once, and write the results.

        Raises: see `ReasoningGymEnv.evaluate`.
        """
        config, is_command = env.config, env.mode == "evaluate"
        about = evaluation_definition(
            config,
            policy=session.policy,
            problems=session.eval_problems,
            categories=session.categories,
            task_names=session.task_names,
            version=session.pool.version,
            step=env.curr_step if env.mode == "serve" else None,
        )
        folder = evaluation_folder(config.data_dir_to_save_evals, about, always=is_command)
        self.results = folder
        return await evaluate(
            env.eval_items,
            session.runner,
            about=about,
            folder=folder,
            start_over=config.force or about["step"] is not None,
            baseline=Path(config.eval_compare) if is_command and config.eval_compare else None,
            count_tokens=session.policy.expected_tokens if is_command else None,
        )


def _metrics_folder(env: Any, checkpoints: Checkpoints) -> Path:
    if env.mode == "process":
        return Path(env.config.data_path_to_save_groups).parent
    return checkpoints.own_folder
