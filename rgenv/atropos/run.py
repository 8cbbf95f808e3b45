"""Run: what one process of an environment owns, from its constructor to its end.

::

    run = Run(hooks, config, servers, metrics=metrics, dumps_dir=folder, ...)
    await run.command("serve", run.loop.serve)    # checks, the loop, an orderly end, the last line
    await run.start(start_pool)                   # `run.session` is None before
    evaluation = await run.evaluate(run.started.eval_problems)
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from rgenv.atropos import wandb_logging
from rgenv.atropos.config import FROM_TRAINER, ReasoningGymEnvConfig
from rgenv.atropos.ending import check_steps, finished, is_for_users, log_end, served
from rgenv.atropos.evaluation import evaluation_definition, evaluation_folder
from rgenv.atropos.groups_file import GroupsFile
from rgenv.atropos.loop import GROUPS_PER_SERVER, Hooks, Limits, Loop
from rgenv.atropos.reporting import Reporter
from rgenv.atropos.servers import speaks_chat_only
from rgenv.atropos.session import Builder, Session, current_metrics, resume, share_evidence
from rgenv.atropos.startup import STREAM_OPTIONS, Mode, check_options, check_servers
from rgenv.errors import RolloutsLost
from rgenv.evaluation.evaluate import Evaluation, evaluate
from rgenv.inference.health import stop_health_checks, watching_health
from rgenv.inference.tokenizers import require_tokenizers
from rgenv.pool.pool import WorkerPool
from rgenv.resume.checkpoints import Checkpoints
from rgenv.resume.progress import Progress
from rgenv.rollout_api.api import RolloutApi, batch_problems
from rgenv.rollout_api.client import Sizes
from rgenv.rollouts.admission import Admission
from rgenv.rollouts.collector import ProblemDropped, RetryLater
from rgenv.rollouts.concurrency import Concurrency
from rgenv.rollouts.group import group_id, scored_data
from rgenv.rollouts.ledger import Fate, Ledger
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.rollouts.status import Snapshot
from rgenv.runtime.shutdown import Shutdown
from rgenv.text import describe
from rgenv.types import Group, Problem

log = logging.getLogger("ReasoningGymEnv")


class Run:
    """Owns the objects of one process, and joins them.

    Args:
        hooks: the methods of the environment, which subclasses override.
        config: the options; their values are handed on.
        servers: Atropos' server manager.
        metrics: collects groups and counts.
        dumps_dir: the folder for saved rollouts.
        groups_file: the file into which `process` writes; None: groups are written nowhere.

    Attributes:
        mode: the command that runs.
        session: the objects that `start` created; None before it.
        loop: the groups under way.
        api: the rollout API.
        reporter: writes metrics and lines.
        results: the folder of an evaluation or a profile; None before it.
        total_steps: the option, which Atropos replaces by the trainer's number of steps.
    """

    def __init__(
        self,
        hooks: Hooks,
        config: ReasoningGymEnvConfig,
        servers: Any,
        *,
        metrics: TrainMetrics,
        dumps_dir: Path,
        groups_file: GroupsFile | None,
    ) -> None:
        self.mode: Mode = "embedded"
        self.session: Session | None = None
        self.results: Path | None = None
        self.total_steps = config.total_steps
        self._sent: set[str] = set()
        self._known_sizes: Sizes | None = None
        self._hooks, self._config, self._metrics = hooks, config, metrics
        self._servers = servers
        self._dumps_dir, self._groups_file = dumps_dir, groups_file
        self._until_ready: Callable[[], Awaitable[None]] | None = None
        self._shutdown = Shutdown()
        concurrency = Concurrency(GROUPS_PER_SERVER * len(servers.servers))
        self.ledger = Ledger(answered=concurrency.answered)
        self.progress = Progress(self.ledger.state)
        self.reporter = Reporter(metrics, self.ledger)
        self._doing = self.reporter.status.doing
        self._checkpoints = Checkpoints(
            replica_id=config.replica_id,
            num_replicas=config.num_replicas,
            name=config.wandb_name,
            settings=config.model_dump(mode="json", include=STREAM_OPTIONS),
        )
        self.api = RolloutApi(
            config.rollout_server_url,
            patience=config.outage_patience,
            num_replicas=config.num_replicas,
            doing=self._doing,
            settled=self._settled,
            abort=self._shutdown.abort,
        )
        self.loop = Loop(
            hooks,
            Limits.of(config, servers.servers, getattr(servers, "max_n_completions", None)),
            Admission(config.replica_id, config.num_replicas),
            concurrency,
            sizes=Sizes(config.batch_size, -1),
            delivered=lambda: self.api.delivery.delivered,
        )

    @property
    def started(self) -> Session:
        """The session; raises RuntimeError before `start`."""
        if self.session is None:
            raise RuntimeError("The environment is not set up: `await env.setup()` first.")
        return self.session

    # A command, from its checks to its last line

    async def command(self, mode: Mode, work: Callable[[], Awaitable[None]]) -> None:
        """Check the options, do the work of a command, and close in any case."""
        self.mode = mode
        clients, config = self._servers.servers, self._config

        async def checked() -> None:
            check_options(mode, clients, self._hooks.tokenizer, config, self._dumps_dir)
            if not (mode in ("evaluate", "profile") and speaks_chat_only(clients)):
                require_tokenizers(self._tokenizers)
            self._until_ready = lambda: check_servers(
                mode, clients, self.api, timeout=config.startup_timeout
            )
            await work()

        watching = watching_health(
            clients, config.outage_patience, self._shutdown.abort, self._unanswered_for
        )
        async with watching, self.reporter.status.shown():
            await self._shutdown.guard(checked(), self._end, self._log_end)

    def _unanswered_for(self) -> float:
        return self.session.policy.unanswered_for if self.session is not None else 0.0

    @property
    def _tokenizers(self) -> list[Any]:
        clients = self._servers.servers
        return [self._hooks.tokenizer, *(getattr(client, "tokenizer", None) for client in clients)]

    async def process(self) -> None:
        """Set up, start a run of wandb, and make as many groups as the options say."""
        await self._hooks.setup()
        if self._config.use_wandb:
            wandb_logging.start(self._hooks.name, self._config.model_dump())
        await self.loop.process(self._config.total_steps)
        if self._groups_file is not None:
            path = self._groups_file.path
            log.info("To read the groups: python -m json.tool --json-lines %s", path)

    async def start(self, start_pool: Callable[[], Awaitable[WorkerPool]]) -> Session:
        """Start the workers, create the session, and report its metrics from now on.

        Raises: see `Builder.start`.
        """
        with self._doing(f"Starting {self._config.scoring_workers} worker processes"):
            pool = await start_pool()
        builder = Builder(
            self._config,
            self.mode,
            self._servers,
            self._hooks.tokenizer,
            self._metrics,
            self.ledger,
            self._dumps_dir,
            self._shutdown.abort,
            self._doing,
        )
        self.session = session = await builder.start(pool, self._until_ready)
        coverage = pool.coverage
        self._checkpoints.sources = {task: coverage.source(task) for task in session.task_names}
        self.reporter.begin(
            self.mode,
            folder=self._metrics_folder,
            run_id=lambda: session.recorder.dumps.run_id,
            current=self._current_metrics,
            look=self._look,
        )
        return session

    async def _end(self) -> None:
        await self._hooks.close()
        dumps = self.session.recorder.dumps.each if self.session is not None else []
        if lost := sum(dump.lost for dump in dumps):
            self._shutdown.fail(
                RolloutsLost(
                    f"{lost} groups could not be saved to {self._dumps_dir}: free disk space, or "
                    "name another folder with --env.data_dumps_dir."
                )
            )
        if self.reporter.finish(self._hooks.eval_metrics, self._hooks.curr_step):
            await self._hooks.wandb_log()
        await asyncio.to_thread(wandb_logging.finish)  # the loop still handles a signal

    def _log_end(self, error: BaseException | None) -> None:
        """Log why the run ended, and what was saved.

        Nothing is logged if it ended with a sentence for users before anything was asked: the
        command prints that sentence.
        """
        if self.session is None and is_for_users(error):
            return
        is_saved = self.session is not None and self.session.recorder.dumps.each
        if self.mode == "serve":
            dumps = self._dumps_dir if is_saved else None
            saved = served(self.api.delivery, self.progress.path, dumps)
        elif self.mode == "process":
            saved = [self._groups_file.summary() if self._groups_file is not None else "none"]
        else:
            saved = [f"answers in {self.results}" if self.results else "no answers"]
        is_set = self.total_steps != FROM_TRAINER
        otherwise = finished(self.mode, self._config.total_steps, set_by_user=is_set)
        log_end(error, otherwise=otherwise, saved=saved)

    async def close(self) -> None:
        """Finish scoring and sending within `shutdown_grace` seconds, drop the rest; idempotent."""
        self.ledger.interrupted = "at_end"
        await self.loop.stop()
        deadline = time.monotonic() + self._config.shutdown_grace
        if self.session is not None:
            await self.session.collector.finish(deadline, self._deliver)
        await self.api.delivery.drain(max(0.0, deadline - time.monotonic()))
        await self.api.leave()
        self.ledger.end()
        self.progress.close()
        self._checkpoints.release()
        if self.session is not None:
            await self.session.close()
        stop_health_checks(self._servers.servers)
        if self._groups_file is not None:
            self._groups_file.close()

    # Groups

    async def collect(self, item: Problem) -> tuple[dict[str, Any] | None, list[Problem]]:
        """Return a group as the trainer gets it, or None, and the problems to ask again.

        Raises: see `ReasoningGymEnv.collect_trajectories`.
        """
        session = self.started
        if self.mode == "embedded" and not session.policy.chat_only:
            await asyncio.to_thread(require_tokenizers, self._tokenizers)
        try:
            group = await session.collector.collect(item, self._config.group_size)
        except asyncio.CancelledError:
            self.loop.give_back(item)
            raise
        except ProblemDropped:
            session.source.done(item.key)
            return None, []
        except RetryLater:
            if self.mode != "process":
                return None, [item]
            session.source.requeue(item)  # `process` has no backlog
            return None, []
        return self._scored_data(group), []

    def _scored_data(self, group: Group) -> dict[str, Any]:
        if self.mode == "process" and self._groups_file is not None:
            self._groups_file.expect(group)
        self.progress.scored(group)
        return scored_data(
            group,
            mask_truncated=self._config.mask_too_long_completions,
            temperature=self._config.temperature,
        )

    def as_sent(self, group: Mapping[str, Any]) -> dict[str, Any]:
        """Return a group with the trainer's rewards, and without messages unless they are wanted.

        `process` keeps the rewards as they are.
        """
        sent = dict(group)
        if self.mode != "process":
            overrides = sent.get("overrides") or [{}] * len(sent["scores"])
            masked = [bool(each.get("set_advantage_to_zero")) for each in overrides]
            sent["scores"] = self.started.recorder.trainer_rewards(sent["scores"], masked)
        if not self._config.include_messages:
            sent.pop("messages", None)
        return sent

    async def send(self, groups: list[dict[str, Any]]) -> None:
        """Send groups to the rollout API; cancelling this stops no delivery."""
        for group in groups:
            self._sent.add(group_id(group))
            await self.api.delivery.send(group)

    def note_unsent(self, groups: list[dict[str, Any]]) -> None:
        """Note what became of those groups that Atropos did not send; `process` writes them."""
        for group in groups:
            if group_id(group) in self._sent:
                self._sent.discard(group_id(group))
                continue
            is_equal = self._config.ensure_scores_are_not_same and len(set(group["scores"])) == 1
            if self.mode != "process":
                self._metrics.count("groups_skipped")
            written: Fate = "trained" if self.mode == "process" else "too_long"
            self._settled(group, "equal_rewards" if is_equal else written)

    def _settled(self, group: Mapping[str, Any], fate: Fate) -> None:
        """Note what became of a group: the rollout API has settled it, or it is not sent."""
        self.ledger.settle(group_id(group), fate)
        self.progress.settled(group_id(group))

    async def _deliver(self, item: Problem, group: Group) -> None:
        """Send or write a group that was scored while the run was closing."""
        data = await self._hooks.postprocess_histories(self._scored_data(group))
        if self.api.registered:
            await self._hooks.handle_send_to_api(data, item)
        elif self.mode == "process":
            await self._hooks.handle_send_to_api(
                data, item, do_send_to_api=False, abort_on_any_max_length_exceeded=False
            )

    # The rollout API

    async def register(self) -> dict[str, Any]:
        """Wait for the trainer, register, and return the reply of the rollout API."""
        config = self._config
        reply = await self.api.register(
            {
                "max_token_length": config.max_token_length,
                "desired_name": config.wandb_name,
                "weight": config.inference_weight,
                "min_batch_allocation": config.min_batch_allocation,
                "group_size": config.group_size,
            }
        )
        check_steps(reply, self.total_steps)
        if not self.api.registered:
            await self._checkpoints.claim(reply["checkpoint_dir"], config.startup_timeout)
        return reply

    async def registered(self, checkpoint_dir: str) -> None:
        """Record from now on what happens to each problem; share evidence with other replicas.

        Raises:
            StartupError: the rollout API, which knows what arrived from a killed run, is away.
        """
        session, progress = self.started, self.progress
        if not self.api.registered:
            if progress.unsettled:
                progress.arrived(await self.api.latest_group(), session.source)
            about = {**self._checkpoints.about, "run": session.recorder.dumps.run_id}
            path, step = self._checkpoints.progress, self._hooks.curr_step
            progress.begin(path, session.source, about, step=step)
        share_evidence(session, self._config, checkpoint_dir)
        self.loop.total_steps = self._config.total_steps
        self.api.registered = True

    async def new_status(self) -> dict[str, Any] | None:
        """Return the status of the rollout API; None if it is not yet time to ask again."""
        if not self.api.status_is_due:
            return None
        step = self._hooks.curr_step
        status = await self.api.refresh(step=step, register=self._register_again)
        self.loop.take_status(status)
        if self.api.sizes_are_due:
            await self._hooks.get_server_info()
        return status

    async def _register_again(self) -> None:
        self._metrics.count("registered_again")
        await self._hooks.register_env()
        await self._hooks.get_server_info()

    async def new_sizes(self) -> Sizes:
        """Return what the trainer takes; the log says if groups don't fit, or if it has changed.

        Raises:
            StartupError: a group is larger than a batch, or the rollout API is away.
        """
        before, config = self._known_sizes, self._config
        self.loop.take_sizes(await self.api.sizes())
        self._known_sizes = sizes = self.loop.sizes
        if before == sizes:
            return sizes
        if before is not None:
            log.warning("The trainer takes batches of %d and lengths below %d now.", *sizes)
        for problem in batch_problems(
            sizes.batch_size, config.group_size, sizes.max_token_len, config.max_token_length
        ):
            log.warning(problem)
        return sizes

    # Checkpoints

    def save_checkpoint(self, root: str, step: int, others: dict[str, Any] | None) -> None:
        """Write a checkpoint; if the disk refuses, log an error and go on.

        Args:
            root: the trainer's checkpoint folder.
            others: further data of a subclass.
        """
        session = self.started
        self._checkpoints.root = root
        waiting = [*session.collector.collecting, *self.loop.unfinished]
        self._checkpoints.save(
            step,
            run_id=session.recorder.dumps.run_id,
            source_state=session.source.state_dict(waiting),
            others=others,
        )

    def load_checkpoint(self, root: str) -> None:
        """Go on where the last run of this replica stopped; with `force`, start over.

        Raises:
            StartupError: a checkpoint is damaged or of another program; the message names it.
        """
        if self.api.registered:  # only the API was restarted
            return
        self._checkpoints.root = root
        step, force = self._hooks.curr_step, self._config.force
        found = self._checkpoints.find(step=step, start_over=force)
        if found is not None:
            resume(self.started, self._config, self._dumps_dir, found)
            self.progress.went_on_from(found)
            self.ledger.go_on_from(self.progress.tokens_before)

    # Evaluation and profile

    async def profile(self) -> None:
        """Run `profile`, and print its table."""
        printed: list[str] = []

        async def work() -> None:
            from rgenv.atropos.profiling import Profiling  # imports what makes a page

            await self._hooks.setup()
            profiling = Profiling(self._config, self.started, self._servers.servers)
            self.results = profiling.folder
            printed.append(await profiling.run())

        await self.command("profile", work)
        for text in printed:
            print(text, flush=True)

    async def evaluate(self, problems: list[Problem]) -> Evaluation:
        """Ask the model for each problem of an evaluation set, and write the results.

        Raises: see `ReasoningGymEnv.evaluate`.
        """
        session, config, is_command = self.started, self._config, self.mode == "evaluate"
        about = evaluation_definition(
            config,
            policy=session.policy,
            problems=session.eval_problems,
            categories=session.categories,
            task_names=session.task_names,
            version=session.pool.version,
            step=self._hooks.curr_step if self.mode == "serve" else None,
        )
        folder = evaluation_folder(config.data_dir_to_save_evals, about, always=is_command)
        self.results = folder
        return await evaluate(
            problems,
            session.runner,
            about=about,
            folder=folder,
            start_over=config.force or about["step"] is not None,
            baseline=Path(config.eval_compare) if is_command and config.eval_compare else None,
            count_tokens=session.policy.expected_tokens if is_command else None,
        )

    async def evaluate_beside_training(self) -> None:
        """Evaluate; an evaluation that fails is logged, and the training goes on."""
        try:
            await self._hooks.evaluate()
        except Exception as error:  # of anything that an evaluation does
            step = self._hooks.curr_step
            log.error("The evaluation at step %d failed: %s", step, describe(error))

    # Reports

    def _metrics_folder(self) -> Path:
        if self.mode == "process" and self._groups_file is not None:
            return self._groups_file.path.parent
        return self._checkpoints.own_folder

    def _current_metrics(self) -> dict[str, Any]:
        return {
            **current_metrics(self.started, self._config),
            "train/groups_refused": self.api.delivery.refused,
            "train/groups_not_delivered": self.api.delivery.lost,
        }

    def _look(self) -> Snapshot:
        """Return what the loop of `serve` or `process` is doing now."""
        collector, config, step = self.started.collector, self._config, self._hooks.curr_step
        making: dict[str, Any] = {
            "groups": self._metrics.groups,
            "tokens": self._metrics.tokens,
            "rates": self._metrics.rates(),
            "trained": self.ledger.trained_share,
            "under_way": max(0, len(collector.collecting) - collector.scoring),
            "scoring": collector.scoring,
            "inference_away": not any(
                getattr(client, "server_healthy", True) for client in self._servers.servers
            ),
        }
        if self.mode == "process":
            total = config.total_steps
            return Snapshot(unit="Group", step=step, total=total, sent=step, **making)
        batch_size, group_size = self.loop.sizes.batch_size, config.group_size
        fits = batch_size % group_size == 0
        return Snapshot(
            step=step,
            total=self.loop.total_steps if self.loop.total_steps > 0 else None,
            sent=self.api.delivery.delivered,
            most_under_way=self.loop.most,
            queue=self.loop.status.get("queue_size"),
            queue_limit=self.loop.queue_limit,
            api_silent=self.api.silent_for,
            sending=self.api.delivery.sending_for,
            paused_for="the evaluation" if self.loop.is_paused else "",
            never_fills=""
            if fits
            else f"its batch_size {batch_size} is not a multiple of group_size {group_size}, so a "
            "batch may never fill",
            **making,
        )
