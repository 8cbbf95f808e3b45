"""An Atropos environment with the tasks of reasoning-gym.

    python reasoning_gym_environment.py serve       generate rollouts for a trainer
    python reasoning_gym_environment.py process     generate rollouts into a file, without a trainer
    python reasoning_gym_environment.py evaluate    evaluate a model once
    python reasoning_gym_environment.py validate    check tasks and verifiers, without a model

Atropos calls the methods of `ReasoningGymEnv`, its hooks. Each hook passes its work to an object of
`rgenv`; the docstring of rgenv/__init__.py lists the packages.
"""

from __future__ import annotations

import os
import sys

if (_folder := os.path.dirname(os.path.abspath(__file__))) not in sys.path:
    # Imported as environments.reasoning_gym_environment.reasoning_gym_environment.
    sys.path.insert(0, _folder)

if __name__ == "__main__":
    # The imports below take seconds. Before them: signals, help, and mistakes in words.
    from rgenv.runtime.signals import end_on_signals

    end_on_signals()
    from rgenv.cli import entry

    entry.main()

import asyncio
import functools
import logging
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if "TRANSFORMERS_NO_ADVISORY_WARNINGS" not in os.environ:
    # Without torch, which tokenizers don't need, transformers would print a warning at its import.
    os.environ["TRANSFORMERS_NO_ADVISORY_WARNINGS"] = "1"

from atroposlib.envs.base import APIServerConfig, BaseEnv, EvalHandlingEnum, ScoredDataGroup
from atroposlib.envs.server_handling.server_manager import ServerBaseline

from rgenv.atropos import cli, servers, serving, wandb_logging
from rgenv.atropos.config import (
    FROM_TRAINER,
    PROCESS_GROUPS,
    ReasoningGymEnvConfig,
    combined_config,
    default_config,
    default_server,
)
from rgenv.atropos.embedded import from_any_loop
from rgenv.atropos.ending import check_steps
from rgenv.atropos.engines import engine_class
from rgenv.atropos.groups_file import GroupsFile
from rgenv.atropos.patches import loaded_at_need, without_page
from rgenv.atropos.reporting import log_configuration
from rgenv.atropos.run import Run
from rgenv.atropos.session import Session, share_evidence
from rgenv.atropos.startup import Mode, set_log_levels, settings_of
from rgenv.errors import StartupError
from rgenv.evaluation import terminal
from rgenv.evaluation.evaluate import Evaluation
from rgenv.gym.settings import start_pool
from rgenv.inference.tokenizers import require_tokenizers
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.collector import ProblemDropped, RetryLater
from rgenv.rollouts.group import group_id
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.runtime.background_loop import BackgroundLoop
from rgenv.runtime.host import dumps_folder
from rgenv.runtime.preflight import require_writable
from rgenv.runtime.signals import end_on_signals
from rgenv.text import describe
from rgenv.types import Group, Problem

__all__ = ["ReasoningGymEnv", "ReasoningGymEnvConfig", "StartupError", "main"]

ROOT = Path(__file__).resolve().parent

log = logging.getLogger("ReasoningGymEnv")

Collected = tuple[ScoredDataGroup | None, list[Problem]]
"""A group or None, and the items to ask again."""


class ReasoningGymEnv(BaseEnv):
    """Serves reasoning-gym's tasks to Atropos.

    ::

        env = ReasoningGymEnv(*ReasoningGymEnv.config_init())
        await env.setup()
        item = await env.make_item("chain_sum", seed=7, level=0.5)
        right = f"<answer>{item.answer}</answer>"
        scores = await env.score_completions(item, [right, item.answer])    # [1.0, 0.0]
        await env.close()

    Subclasses may add options (`env_config_cls`) and override any hook; `Mine.cli()` runs them.
    """

    name = "reasoning_gym"
    env_config_cls = ReasoningGymEnvConfig

    # Attributes of BaseEnv that this class assigns.
    curr_step: int
    eval_runner: asyncio.Task[None] | None
    items_sent_this_step: int
    jsonl_writer: Any
    server_cls: Any
    wandb_group: str | None
    wandb_prepend: str | None
    wandb_project: str | None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "env_config_cls" not in cls.__dict__:
            cls.env_config_cls = combined_config(cls)

    def __init__(
        self,
        config: ReasoningGymEnvConfig,
        server_configs: ServerBaseline | list[APIServerConfig],
        slurm: bool = False,
        testing: bool = False,
        **more: Any,
    ) -> None:
        """Check the settings; `setup` starts everything.

        A tokenizer that is not on this machine is loaded when it is first needed: making items and
        scoring completions need none.

        Args:
            testing: use Atropos' stand-in server, raise its exceptions, run in any event loop.
            more: arguments of further base classes.

        Raises:
            BadUsage: the settings of the servers make no sense.
            StartupError: the folder for groups can't be written.
        """
        set_log_levels(debug=config.debug_logging)
        server_configs = servers.with_defaults(server_configs, config.tokenizer_name)
        log_configuration(config, server_configs)
        if not testing:
            servers.require_settings(server_configs)
        if (wanted := config.data_path_to_save_groups) is not None:
            require_writable(Path(wanted).parent, "data_path_to_save_groups")
            config.data_path_to_save_groups = None  # Atropos would follow a link there
        self.server_cls = engine_class(self.server_cls, server_configs)
        with loaded_at_need(config.startup_timeout):
            super().__init__(config, server_configs, slurm=slurm, testing=testing, **more)
        if wanted is not None:
            self.jsonl_writer = GroupsFile(Path(wanted))
            config.data_path_to_save_groups = str(self.jsonl_writer.path)
        if testing:
            self.server.servers = [servers.ScriptedServer.of(server_configs)]
        self.task_names: list[str] = []
        self.eval_items: list[Problem] = []
        self.eval_metrics: list[tuple[str, float]] = []
        self.evaluation: Evaluation | None = None
        self.metrics = TrainMetrics()
        self.dumps_dir = dumps_folder(config.data_dumps_dir, ROOT)
        self.mode: Mode = "embedded"
        self.background_loop = BackgroundLoop() if testing else None
        self._sent_ids: set[str] = set()
        env_id = functools.partial(getattr, self, "env_id", None)
        self._run = Run(config, self.metrics, servers=len(self.server.servers), env_id=env_id)

    @classmethod
    def config_init(cls) -> tuple[ReasoningGymEnvConfig, list[APIServerConfig]]:
        """Return the command line's defaults: an 8B model and one local vLLM server."""
        return default_config(cls.env_config_cls), [default_server()]

    @classmethod
    def cli(cls) -> None:
        """Run the command line of this process for this class, and exit."""
        end_on_signals()
        sys.exit(cli.run(cls, sys.argv[1:]))

    # Commands: checks at the start, Atropos' main loop, an orderly end

    async def env_manager(self) -> None:
        """Run `serve`: generate rollouts for a trainer."""
        self.mode = "serve"
        await self._run.command(self, lambda: serving.serve(self))

    async def process_manager(self) -> None:
        """Run `process`: generate rollouts into a file."""
        self.mode = "process"
        if getattr(self, "n_groups_to_process", FROM_TRAINER) == FROM_TRAINER:
            self.n_groups_to_process = PROCESS_GROUPS
        self.config.total_steps = self.n_groups_to_process
        await wandb_logging.prefer_offline(self.config.use_wandb)
        with without_page():
            await self._run.command(self, super().process_manager)

    async def _run_evaluate(self) -> None:
        """Run `evaluate`: ask for the evaluation set once, and print a table of scores."""
        self.mode = "evaluate"
        await self._run.command(self, super()._run_evaluate)
        if self.evaluation is not None:
            print(terminal.report(self.evaluation), flush=True)
        if not any("score" in sample for sample in self.eval_samples):
            raise StartupError("No sample could be scored; the log and samples.jsonl say why.")

    # Setting up and closing

    @from_any_loop
    async def setup(self) -> None:
        """Start the workers, choose and try the tasks, wait for the servers, make evaluation sets.

        Raises:
            StartupError: reasoning-gym is missing, no worker can be started, or a server is away.
            BadUsage: no task is left, or what is configured does not work.
        """
        with self._run.doing(f"Starting {self.config.scoring_workers} worker processes"):
            pool = await self.start_pool()
        session = await self._run.start(self, pool)
        self.task_names, self.eval_items = session.task_names, session.eval_problems

    async def start_pool(self) -> WorkerPool:
        """Start the worker pool; override this to use another pool."""
        return await start_pool(settings_of(self.config))

    @property
    def session(self) -> Session:
        """The objects that `setup` created; raises RuntimeError before it."""
        if self._run.session is None:
            raise RuntimeError("The environment is not set up: `await env.setup()` first.")
        return self._run.session

    @property
    def pool(self) -> WorkerPool:
        """The worker pool."""
        return self.session.pool

    @from_any_loop
    async def close(self) -> None:
        """Finish scoring and sending within `shutdown_grace` seconds, drop the rest; idempotent."""
        self._run.ledger.interrupted = "at_end"
        running = [task for task in (*self.workers, self.eval_runner) if task is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._run.close(time.monotonic() + self.config.shutdown_grace, self._deliver)
        self.env_id = None
        servers.stop_health_checks(self.server.servers)
        if self.jsonl_writer is not None:
            self.jsonl_writer.close()

    async def _deliver(self, item: Problem, group: Group) -> None:
        """Send or write a group that was scored while the run was closing."""
        data = await self.postprocess_histories(self._to_scored_data(group))
        if self._run.api.registered:
            await self.handle_send_to_api(data, item)
        elif self.mode == "process":
            await self.handle_send_to_api(data, item, False, False)

    # Items and groups

    @from_any_loop
    async def get_next_item(self) -> Problem:
        """Return the next item of this replica's stream. Problems that can't be made are skipped.

        Raises:
            StartupError: hundreds of problems in a row can't be served.
        """
        return await self.session.source.next()

    @from_any_loop
    async def make_item(self, task: str, seed: int, level: float | None = None) -> Problem:
        """Make one item.

        Args:
            task: the name under which reasoning-gym registers the task.
            seed: reasoning-gym's seed.
            level: the difficulty in [0, 1]; None for the task's default parameters.

        Raises:
            UnknownTask: there is no such task; the message suggests similar names.
            MakeFailed: the generator failed or took too long.
        """
        return await self.session.gym.make(task, seed, level)

    @from_any_loop
    async def score_completions(self, item: Problem, completions: Sequence[str]) -> list[float]:
        """Score completions, without length penalty; nothing is recorded.

        Args:
            completions: whole texts of a model, as a list; one text alone is a list of one.

        Returns:
            One score in [0, 1] for each completion, in order.

        Raises:
            TypeError: `completions` is no list of texts.
        """
        return await self.session.gym.score(item, completions)

    @from_any_loop
    async def collect_trajectories(self, item: Problem) -> Collected:
        """Ask the model for a group of completions and score them.

        Returns:
            The group (exactly group_size rollouts) or None, and the items to ask again.

        Raises:
            StartupError: the tokenizer can't be loaded; or, in `process`, there were too many
                attempts in a row without a group.
            Exception: with `testing`, the exception of the server.
        """
        if self.mode == "embedded" and not servers.speaks_chat_only(self.server.servers):
            await asyncio.to_thread(require_tokenizers, [self, *self.server.servers])
        try:
            group = await self.session.collector.collect(item, self.config.group_size)
        except asyncio.CancelledError:
            # Atropos returns an item that it cancels to the backlog, unless the item took too long.
            if not any(item is waiting for waiting in self.backlog):
                self.backlog.append(item)
            raise
        except ProblemDropped:
            self.session.source.done(item.key)
            return None, []
        except RetryLater:
            if self.mode != "process":
                return None, [item]
            self.session.source.requeue(item)  # `process` has no backlog
            return None, []
        return self._to_scored_data(group), []

    def _to_scored_data(self, group: Group) -> ScoredDataGroup:
        if self.mode == "process" and self.jsonl_writer is not None:
            self.jsonl_writer.expect(group)
        self._run.progress.scored(group)
        return self.session.scored_data(group)

    async def postprocess_histories(self, trajectories: Any) -> Any:
        """Remove noise from a group's rewards, and its messages unless `include_messages` is set.

        `process` keeps the rewards as they are.
        """
        if not isinstance(trajectories, dict):
            return trajectories
        group = dict(trajectories)
        if self.mode != "process":
            group["scores"] = self.session.recorder.trainer_rewards(group["scores"])
        if not self.config.include_messages:
            group.pop("messages", None)
        return group

    async def handle_send_to_api(self, scored_data: Any, *args: Any, **kwargs: Any) -> None:
        """Let Atropos send the group; count it if Atropos skips it (equal rewards, too long)."""
        await asyncio.sleep(0)  # Atropos counts each token, which takes as long as the step before
        await super().handle_send_to_api(scored_data, *args, **kwargs)
        groups = [group for group in _as_list(scored_data) if group]
        for group in groups:
            if group_id(group) not in self._sent_ids:
                self._run.settled(group, serving.fate_unsent(self, group))
        self._sent_ids -= set(map(group_id, groups))

    async def _send_scored_data_to_api(self, scored_data: Any) -> None:
        """Send the groups that Atropos does not skip; cancelling this stops no delivery."""
        for group in _as_list(scored_data):
            self._sent_ids.add(group_id(group))
            group["env_id"] = getattr(self, "env_id", None)
            await self._run.api.delivery.send(group)

    # The rollout API

    async def register_env(self) -> None:
        """Register with the rollout API, and wait until the trainer has registered.

        The first time, go on where the last run of this replica stopped. Registering again after a
        restart of the API does not change this environment's name.
        """
        name = self.wandb_prepend
        self.config.total_steps = self._run.total_steps  # Atropos takes the trainer's once only
        await super().register_env()
        if self._run.api.registered:
            self.wandb_prepend = name
        else:
            if self.curr_step == 0:  # for later steps, Atropos has called it
                self.load_checkpoint()
            await self._run.begin_progress(self.session, step=self.curr_step)
        share_evidence(self.session, self.config, self.checkpoint_dir)
        self._run.api.registered = True

    async def _register_env(self) -> Any:
        """Wait for the trainer and register; retried while the API is unavailable."""
        reply = await self._run.api.register(serving.environment(self.config))
        check_steps(reply, self._run.total_steps)
        if not self._run.api.registered:
            self.env_id = reply["env_id"]  # so that `close` disconnects
            await self._run.checkpoints.claim(reply["checkpoint_dir"], self.config.startup_timeout)
        return reply

    async def get_status(self) -> None:
        """Ask the API for the status; register again if the API was restarted."""
        api = self._run.api
        if api.status_is_due:
            await api.refresh_status(
                functools.partial(serving.take_status, self),
                self._register_again,
                # A restarted API may have given our env_id to another environment.
                was_restarted=lambda: self.status_dict["current_step"] < self.curr_step,
            )
            if api.sizes_are_due:
                await self.get_server_info()

    async def _register_again(self) -> None:
        self.metrics.count("registered_again")
        await self.register_env()
        await serving.take_status(self, await self._run.api.status())
        await self.get_server_info()

    async def get_server_info(self) -> None:
        """Get the trainer's batch size and length limit, and warn if groups don't fit them."""
        await self._run.take_sizes(self)

    async def add_train_workers(self) -> None:
        """Ask for as many groups as the queue has room for; what is under way is not cancelled."""
        await self._run.ask(self)

    async def env_step_checks(self) -> None:
        """Evaluate, save and log when the step reaches or passes a multiple of the interval."""
        old, new = self.curr_step, self.status_dict["current_step"]
        self._run.progress.tidy(step=new)
        if old == new:
            return
        if _crosses(old, new, self.config.steps_per_eval):
            self.start_evaluation()
        if _crosses(old, new, self.checkpoint_interval):
            self.save_checkpoint(new - new % self.checkpoint_interval)
        self.curr_step = new
        if self.items_sent_this_step >= self.config.min_items_sent_before_logging:
            self.items_sent_this_step = 0
            await self.wandb_log({})

    # Evaluation

    def start_evaluation(self) -> None:
        """Start an evaluation in the background, unless one is still running."""
        if self.eval_runner is not None and not self.eval_runner.done():
            log.warning("The last evaluation is still running; this one is skipped.")
            return
        self.eval_runner = asyncio.create_task(self._evaluate_beside_training())
        if self.config.eval_handling == EvalHandlingEnum.STOP_TRAIN:
            serving.cancel_all(self)

    async def _evaluate_beside_training(self) -> None:
        try:
            await self.evaluate()
        except Exception as error:  # a failed evaluation must not end the training
            log.error("The evaluation at step %d failed: %s", self.curr_step, describe(error))

    @from_any_loop
    async def evaluate(self, *_args: Any, **_kwargs: Any) -> None:
        """Ask the model for the evaluation set once, and write the results.

        The sample of a failed request holds its error.

        Raises:
            InferenceUnavailable: the inference server is down, or refuses all requests; the samples
                so far are saved.
            BadUsage: the results folder holds samples of another evaluation, or the folder to
                compare with holds none of these problems.
            OSError: results can't be written.
        """
        self.evaluation = await self._run.evaluate(self, self.session)
        self.eval_metrics = list(self.evaluation.metrics.items())

    @property
    def eval_samples(self) -> list[dict[str, Any]]:
        """The samples of the last evaluation."""
        return self.evaluation.samples if self.evaluation is not None else []

    # wandb

    async def setup_wandb(self) -> None:
        """Log to wandb, offline if there is no account or no network."""
        await wandb_logging.prefer_offline(self.config.use_wandb)
        if self.config.use_wandb and self.wandb_project is None:
            trainer = await self._run.api.wait_for_trainer()
            self.wandb_group, self.wandb_project = trainer["group"], trainer["project"]
            wandb_logging.start_beside(trainer, self.config)

    async def add_rollouts_for_wandb(self, scored_data: Any, item: Problem | None = None) -> None:
        """Keep some rollouts of a group for the table, with the answers that were scored."""
        rows = self.session.recorder.table(group_id(scored_data))
        if rows and self.config.use_wandb:
            self.rollouts_for_wandb.append(rows)
            del self.rollouts_for_wandb[: -self.config.num_rollouts_to_keep]

    async def create_rollout_table(self, wandb_metrics: dict[str, Any]) -> dict[str, Any]:
        """Add the kept rollouts as ``train/rollouts``."""
        if self.rollouts_for_wandb and self.config.use_wandb:
            wandb_metrics["train/rollouts"] = wandb_logging.rollout_table(self.rollouts_for_wandb)
        return wandb_metrics

    async def wandb_log(self, wandb_metrics: dict[str, Any] | None = None) -> None:
        """Report all metrics since the last call: to wandb, to metrics.jsonl, and as a line.

        In `process`, where Atropos calls this for each group, groups share a report.
        """
        self.eval_metrics += (wandb_metrics or {}).items()
        if self._run.reporter.is_due:
            metrics = self._run.reporter.take(self.eval_metrics)
            self.eval_metrics = []
            await super().wandb_log(metrics)  # adds Atropos' own
            self._run.reporter.save(metrics, self.curr_step)

    def perf_stats(self, metrics_dict: dict[str, Any]) -> dict[str, Any]:
        """Add Atropos' timings, and the number of groups that the API accepted."""
        metrics: dict[str, Any] = super().perf_stats(metrics_dict)
        metrics["train/items_sent_to_api"] = self._run.api.delivery.delivered_since_last_asked()
        return metrics

    # Checkpoints

    def save_checkpoint(self, step: int, data: dict[str, Any] | None = None) -> None:
        """Write a checkpoint; if the disk refuses, log an error and go on."""
        running = [running["item"] for running in self.running_items.values()]
        self._run.checkpoints.root = self.checkpoint_dir
        self._run.save_checkpoint(self.session, step, [*running, *self.backlog], data)

    def load_checkpoint(self) -> None:
        """Go on where the last run of this replica stopped; with `force`, start over.

        Raises:
            StartupError: a checkpoint is damaged or of another program; the message names it.
        """
        if not self._run.api.registered:  # else only the API was restarted
            self._run.load_checkpoint(self, self.session)


def _as_list(groups: Any) -> list[Any]:
    return groups if isinstance(groups, list) else [groups]


def _crosses(old: int, new: int, interval: int) -> bool:
    return interval > 0 and new // interval > old // interval


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return 0 (done), 1 (failed), 2 (bad usage), or 130 or 143 (a signal)."""
    return cli.run(ReasoningGymEnv, sys.argv[1:] if words is None else words)
