"""The commands of the environment: what they do around its hooks.

`serve` and `process` make groups, `evaluate` and `profile` ask a fixed set. Each checks its options
first, and closes in any case.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from atroposlib.envs.base import BaseEnv

from rgenv.atropos import command, reporting, servers, startup, wandb_logging
from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.delivery import Delivery
from rgenv.atropos.groups import Groups
from rgenv.atropos.options import FROM_TRAINER
from rgenv.atropos.ordered import OrderedGroups
from rgenv.atropos.profiling import profile
from rgenv.atropos.rollout_api import RolloutApi, never_fills
from rgenv.errors import RolloutsLost, StartupError
from rgenv.evaluation import terminal
from rgenv.evaluation.evaluate import Evaluation
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.evaluation.sample_log import SAMPLES
from rgenv.gym.gym import Gym
from rgenv.inference.policy import Policy
from rgenv.inference.tokenizers import require_tokenizers
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.collector import GroupCollector
from rgenv.rollouts.dump import GroupsFile
from rgenv.rollouts.fates import Fates
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.rollouts.recorder import GroupRecorder
from rgenv.rollouts.snapshot import Snapshot
from rgenv.rollouts.status import Moment
from rgenv.runtime.shutdown import Shutdown
from rgenv.runtime.signals import end_on_signals
from rgenv.stream.source import ItemSource
from rgenv.text import describe
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

PROCESS_GROUPS = 250
"""The number of groups that `process` makes without total_steps."""

LOOP_SECONDS = 0.1
"""Seconds between two looks at the queue."""


class Commands(BaseEnv):
    """Runs the commands; the subclass has the hooks, and assigns the attributes."""

    # Attributes of BaseEnv that this class assigns or hands on.
    curr_step: int
    eval_runner: asyncio.Task[None] | None
    items_sent_this_step: int
    jsonl_writer: GroupsFile | None
    mainloop_timings: list[float]
    server_cls: Any
    status_dict: dict[str, Any]
    wandb_group: str | None
    wandb_prepend: str | None
    wandb_project: str | None

    # What the constructor makes
    config: ReasoningGymEnvConfig
    mode: startup.Mode
    results: Path | None
    backlog: list[Problem]
    eval_items: list[Problem]
    evaluation: Evaluation | None
    metrics: TrainMetrics
    fates: Fates
    reporter: reporting.Reporter
    api: RolloutApi
    delivery: Delivery
    snapshot: Snapshot
    groups: Groups
    _ordered: OrderedGroups
    _server_checks: startup.ServerChecks | None
    _shutdown: Shutdown

    # What `setup` makes
    gym: Gym
    pool: WorkerPool
    source: ItemSource
    policy: Policy
    recorder: GroupRecorder
    collector: GroupCollector
    runner: EvaluationRunner

    # The commands

    @classmethod
    def cli(cls) -> None:
        """Run the command line of this process for this class, and exit."""
        end_on_signals()
        sys.exit(command.run_words(cls, sys.argv[1:]))

    async def env_manager(self) -> None:
        """Run `serve`: generate rollouts for a trainer."""
        await self.run_command("serve", self.serve)

    async def serve(self) -> None:
        """Set up, register, and make groups until the trainer has enough of them.

        This takes the place of Atropos' loop, which fills the whole queue with each environment and
        cancels everything under way when the queue is full.
        """
        await self.setup()
        await self.setup_wandb()
        await self.register_env()
        await self.get_server_info()
        while True:
            began = time.monotonic()
            await self.get_status()
            await self.env_step_checks()
            if self.groups.step_ahead > self.groups.total_steps:
                return  # `close` cancels what is under way
            await self.add_train_workers()
            self.groups.stop_overdue()
            await asyncio.sleep(LOOP_SECONDS)
            self.mainloop_timings.append(time.monotonic() - began)

    async def process_manager(self) -> None:
        """Run `process`: generate rollouts into a file."""
        wanted = getattr(self, "n_groups_to_process", FROM_TRAINER)
        self.config.total_steps = PROCESS_GROUPS if wanted == FROM_TRAINER else wanted
        await wandb_logging.prefer_offline(self.config.use_wandb)
        await self.run_command("process", self._process)

    async def _process(self) -> None:
        await self.setup()
        if self.config.use_wandb:
            wandb_logging.start(self.name, self.config.model_dump())
        self.curr_step = 0
        await self._ordered.make(self.config.total_steps, self._next_item, self.groups.look)
        if self.jsonl_writer is not None:
            path = self.jsonl_writer.path
            log.info("To read the groups: python -m json.tool --json-lines %s", path)

    async def _next_item(self) -> Problem | None:
        item: Problem | None = self.backlog.pop(0) if self.backlog else await self.get_next_item()
        return item

    async def _write(self, item: Problem, group: Any) -> None:
        """Write a group of `process`, which its file then has."""
        data = await self.postprocess_histories(group)
        await self.handle_send_to_api(
            data, item, do_send_to_api=False, abort_on_any_max_length_exceeded=False
        )
        await self.wandb_log()
        self.curr_step += 1

    async def _run_evaluate(self) -> None:
        """Run `evaluate`: ask for the evaluation set once, and print a table of scores."""
        await self.run_command("evaluate", super()._run_evaluate)
        if self.evaluation is not None:
            print(terminal.report(self.evaluation), flush=True)
        if not any("score" in sample for sample in self.eval_samples):
            raise StartupError("No sample could be scored; the log and samples.jsonl say why.")

    async def _run_profile(self) -> None:
        """Run `profile`: find out which tasks a model can learn from."""
        printed: list[str] = []

        async def work() -> None:
            await self.setup()
            clients, opened = self.server.servers, self._note_results
            text = await profile(self.config, self.gym, self.policy, clients, opened=opened)
            printed.append(text)

        await self.run_command("profile", work)
        print(*printed, flush=True)

    # Checks at the start, and an orderly end

    async def run_command(self, mode: startup.Mode, work: Callable[[], Awaitable[None]]) -> None:
        """Check the options, do the work of a command, and close in any case."""
        self.mode = mode
        clients, config = self.server.servers, self.config
        checks = startup.ServerChecks(mode, clients, self.api, config.startup_timeout)

        async def checked() -> None:
            startup.check_options(mode, clients, self.tokenizer, config, self.dumps_dir)
            if not (mode in ("evaluate", "profile") and servers.speaks_chat_only(clients)):
                try:
                    require_tokenizers(self._tokenizers)
                except StartupError as error:
                    raise await checks.joined_with(error) from None
            self._server_checks = checks
            await work()

        async with self.reporter.status.shown():
            await self._shutdown.guard(checked(), self._end, self._log_end)

    @property
    def _tokenizers(self) -> list[Any]:
        clients = self.server.servers
        return [self.tokenizer, *(getattr(client, "tokenizer", None) for client in clients)]

    @property
    def _is_set_up(self) -> bool:
        return bool(self.task_names)

    async def _end(self) -> None:
        await self.close()
        dumps = self.recorder.dumps.each if self._is_set_up else []
        if lost := sum(dump.lost for dump in dumps):
            self._shutdown.fail(
                RolloutsLost(
                    f"{lost} groups could not be saved to {self.dumps_dir}: free disk space, or "
                    "name another folder with --env.data_dumps_dir."
                )
            )
        if self.reporter.finish(self.eval_metrics, self.curr_step):
            await self.wandb_log()
        await asyncio.to_thread(wandb_logging.finish)  # the loop still handles a signal

    def _log_end(self, error: BaseException | None) -> None:
        """Log why the run ended, and what was saved.

        Nothing is logged if it ended with a sentence for users before anything was asked: the
        command prints that sentence.
        """
        if not self._is_set_up and isinstance(error, reporting.FOR_USERS):
            return
        if self.mode == "serve":
            is_saved = self._is_set_up and self.recorder.dumps.each
            dumps = self.dumps_dir if is_saved else None
            state = self.snapshot.path if self.api.registered else None
            saved = reporting.served(self.delivery, state, dumps, is_done=error is None)
        elif self.mode == "process":
            saved = [self.jsonl_writer.summary() if self.jsonl_writer is not None else "none"]
        else:
            saved = [self._saved_answers()]
        is_set = self._total_steps != FROM_TRAINER
        otherwise = reporting.finished(self.mode, self.config.total_steps, set_by_user=is_set)
        reporting.log_end(error, otherwise=otherwise, saved=saved)

    def _saved_answers(self) -> str:
        samples = self.results and self.results / SAMPLES
        has_answers = samples and samples.exists() and samples.stat().st_size > 0
        return f"answers in {self.results}" if has_answers else "no answers"

    # Evaluations

    @property
    def evaluates(self) -> bool:
        """Whether an evaluation runs beside the training."""
        return self.eval_runner is not None and not self.eval_runner.done()

    def start_evaluation(self) -> None:
        """Start an evaluation in the background, unless one is still running."""
        if self.evaluates:
            log.warning("The last evaluation is still running; this one is skipped.")
            return
        self.eval_runner = asyncio.create_task(self._evaluate_beside_training())
        if self.groups.stops_for_evaluation:
            self.groups.cancel_generating()

    async def _evaluate_beside_training(self) -> None:
        """Evaluate; an evaluation that fails is logged, and the training goes on."""
        try:
            await self.evaluate()
        except Exception as error:  # of anything that an evaluation does
            log.error("The evaluation at step %d failed: %s", self.curr_step, describe(error))

    def _note_results(self, folder: Path) -> None:
        self.results = folder

    @property
    def eval_samples(self) -> list[dict[str, Any]]:
        """The samples of the last evaluation."""
        return self.evaluation.samples if self.evaluation is not None else []

    # What is reported

    def _metrics_folder(self) -> Path:
        if self.mode == "process" and self.jsonl_writer is not None:
            return self.jsonl_writer.path.parent
        return self.snapshot.folder

    def _current_metrics(self) -> dict[str, Any]:
        """Return the metrics that are current values, not counts since the last report."""
        dumps, levels = self.recorder.dumps.each, self.source.difficulty.levels()
        return {
            **wandb_logging.curriculum_metrics(levels, self.config.curriculum_target_accuracy),
            "pool/worker_restarts": self.pool.restarts,
            "pool/malformed_replies": self.pool.malformed,
            "train/dumps_waiting": sum(dump.held for dump in dumps),
            "train/dumps_not_written": sum(dump.lost for dump in dumps),
            "train/groups_refused": self.delivery.refused,
            "train/groups_not_delivered": self.delivery.lost,
        }

    def _look(self) -> Moment:
        """Return what `serve` or `process` is doing now, for the line of the log."""
        collector, step, groups = self.collector, self.curr_step, self.groups
        now = functools.partial(
            Moment,
            step=step,
            groups=self.metrics.groups,
            tokens=self.metrics.tokens,
            rates=self.metrics.rates(),
            trained=None if self.mode == "process" else self.fates.trained_share,
            under_way=max(0, len(collector.collecting) - collector.scoring),
            most_under_way=groups.most,
            scoring=collector.scoring,
            inference_away=self.policy.generation.is_away,
        )
        if self.mode == "process":
            return now(unit="Group", total=self.config.total_steps, sent=step)
        return now(
            total=groups.total_steps if groups.total_steps > 0 else None,
            sent=self.delivery.delivered,
            queue=groups.status.get("queue_size"),
            queue_limit=groups.queue_limit,
            api_silent=self.api.silent_for,
            sending=self.delivery.sending_for,
            paused_for="the evaluation" if self.evaluates and groups.stops_for_evaluation else "",
            never_fills=never_fills(groups.sizes.batch_size, self.config.group_size),
        )
