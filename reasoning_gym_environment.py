"""An Atropos environment with the tasks of reasoning-gym.

    python reasoning_gym_environment.py serve       generate rollouts for a trainer
    python reasoning_gym_environment.py process     generate rollouts into a file, without a trainer
    python reasoning_gym_environment.py evaluate    evaluate a model once
    python reasoning_gym_environment.py --help      lists all commands

Atropos calls the methods of `ReasoningGymEnv`, its hooks. Each hook passes its work to an object of
`rgenv`; the docstring of rgenv/__init__.py lists the packages.
"""

from __future__ import annotations

if __name__ == "__main__":  # first, because the imports below take seconds and help does not
    import sys

    if sys.version_info < (3, 11):  # noqa: UP036  # pip knows, but a clone may run without it
        sys.exit("error: Python 3.11 to 3.13 is needed; this is " + sys.version.split()[0] + ".")
    from rgenv.runtime.signals import end_on_signals

    end_on_signals()
    from rgenv.cli.entry import main as start

    start()

import asyncio
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if (_folder := os.path.dirname(os.path.abspath(__file__))) not in sys.path:
    # Imported as environments.reasoning_gym_environment.reasoning_gym_environment.
    sys.path.insert(0, _folder)
if "TRANSFORMERS_NO_ADVISORY_WARNINGS" not in os.environ:
    # Without torch, which tokenizers don't need, transformers would print a warning at its import.
    os.environ["TRANSFORMERS_NO_ADVISORY_WARNINGS"] = "1"

if importlib.util.find_spec("atroposlib") is None:
    from rgenv.errors import require_extra

    require_extra("atropos", ["atroposlib"], "reasoning_gym_environment")

from atroposlib.envs.base import APIServerConfig, BaseEnv, ScoredDataGroup
from atroposlib.envs.server_handling.server_manager import ServerBaseline

from rgenv.atropos import command, servers, wandb_logging
from rgenv.atropos.checks import require_called
from rgenv.atropos.config import (
    FROM_TRAINER,
    PROCESS_GROUPS,
    ReasoningGymEnvConfig,
    combined_config,
    default_config,
    default_server,
)
from rgenv.atropos.engines import engine_class
from rgenv.atropos.patches import loaded_at_need, without_groups_file
from rgenv.atropos.reporting import log_configuration
from rgenv.atropos.run import Run
from rgenv.atropos.session import Session
from rgenv.atropos.startup import open_groups_file, set_log_levels, settings_of
from rgenv.errors import StartupError
from rgenv.evaluation import terminal
from rgenv.evaluation.evaluate import Evaluation
from rgenv.gym.settings import start_pool
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.group import group_id
from rgenv.rollouts.groups_file import GroupsFile
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.runtime.background_loop import BackgroundLoop, from_any_loop
from rgenv.runtime.machine import dumps_folder
from rgenv.runtime.signals import end_on_signals
from rgenv.types import Problem

__all__ = ["ReasoningGymEnv", "ReasoningGymEnvConfig", "StartupError", "main"]

ROOT = Path(__file__).resolve().parent

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

    Subclasses may add options (`env_config_cls`) and override any hook; `Mine.cli()` runs them. A
    hook of Atropos or of the reference that nothing calls here is an error.
    """

    name = "reasoning_gym"
    env_config_cls = ReasoningGymEnvConfig

    # Attributes of BaseEnv that this class assigns or hands on.
    curr_step: int
    eval_runner: asyncio.Task[None] | None
    items_sent_this_step: int
    jsonl_writer: GroupsFile | None
    mainloop_timings: list[float]
    server_cls: Any
    wandb_group: str | None
    wandb_prepend: str | None
    wandb_project: str | None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        require_called(cls)
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
        set_log_levels(debug=config.debug_logging, suppress_base=config.suppress_base_env_logs)
        server_configs = servers.with_defaults(server_configs, config.tokenizer_name)
        log_configuration(config, server_configs)
        if not testing:
            servers.require_settings(server_configs)
        self.server_cls = engine_class(self.server_cls, server_configs)
        with loaded_at_need(config.startup_timeout), without_groups_file(config):
            super().__init__(config, server_configs, slurm=slurm, testing=testing, **more)
        self.jsonl_writer = open_groups_file(config)
        if testing:
            self.server.servers = [servers.ScriptedServer.of(server_configs)]
        self.task_names: list[str] = []
        self.eval_items: list[Problem] = []
        self.eval_metrics: list[tuple[str, float]] = []
        self.evaluation: Evaluation | None = None
        self.metrics = TrainMetrics()
        self.dumps_dir = dumps_folder(config.data_dumps_dir, ROOT)
        self.background_loop = BackgroundLoop() if testing else None
        self._run = Run(
            self,
            config,
            self.server,
            metrics=self.metrics,
            dumps_dir=self.dumps_dir,
            groups_file=self.jsonl_writer,
        )
        # Atropos' `handle_env` reads and changes these; the loop owns them.
        self.backlog, self.running_items = self._run.loop.waiting, self._run.loop.running
        self.workers = self._run.loop.workers

    @classmethod
    def config_init(cls) -> tuple[ReasoningGymEnvConfig, list[APIServerConfig]]:
        """Return the command line's defaults: an 8B model and one local vLLM server."""
        return default_config(cls.env_config_cls), [default_server()]

    @classmethod
    def cli(cls) -> None:
        """Run the command line of this process for this class, and exit."""
        end_on_signals()
        sys.exit(command.run(cls, sys.argv[1:]))

    # Commands: checks at the start, the loop, an orderly end

    async def env_manager(self) -> None:
        """Run `serve`: generate rollouts for a trainer."""
        await self._run.command("serve", self._run.loop.serve)

    async def process_manager(self) -> None:
        """Run `process`: generate rollouts into a file."""
        wanted = getattr(self, "n_groups_to_process", FROM_TRAINER)
        self.config.total_steps = PROCESS_GROUPS if wanted == FROM_TRAINER else wanted
        await wandb_logging.prefer_offline(self.config.use_wandb)
        await self._run.command("process", self._run.process)

    async def _run_evaluate(self) -> None:
        """Run `evaluate`: ask for the evaluation set once, and print a table of scores."""
        await self._run.command("evaluate", super()._run_evaluate)
        if self.evaluation is not None:
            print(terminal.report(self.evaluation), flush=True)
        if not any("score" in sample for sample in self.eval_samples):
            raise StartupError("No sample could be scored; the log and samples.jsonl say why.")

    async def _run_profile(self) -> None:
        """Run `profile`: find out which tasks a model can learn from."""
        await self._run.profile()

    # Setting up and closing

    @from_any_loop
    async def setup(self) -> None:
        """Start the workers, choose and try the tasks, wait for the servers, make evaluation sets.

        Raises:
            StartupError: reasoning-gym is missing, no worker can be started, or a server is away.
            BadUsage: no task is left, or what is configured does not work.
        """
        session = await self._run.start(self.start_pool)
        self.task_names, self.eval_items = session.task_names, session.eval_problems

    async def start_pool(self) -> WorkerPool:
        """Start the worker pool; override this to use another pool."""
        return await start_pool(settings_of(self.config))

    @property
    def session(self) -> Session:
        """The objects that `setup` created; raises RuntimeError before it."""
        return self._run.started

    @property
    def pool(self) -> WorkerPool:
        """The worker pool."""
        return self.session.pool

    @from_any_loop
    async def close(self) -> None:
        """Finish scoring and sending within 10 seconds, drop the rest; idempotent."""
        await self._run.close()

    # For programs that call it

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

    # Groups, in the order in which Atropos calls these for an item

    @from_any_loop
    async def get_next_item(self) -> Problem:
        """Return the next item of this replica's stream. Problems that can't be made are skipped.

        Raises:
            StartupError: hundreds of problems in a row can't be served.
        """
        return await self.session.source.next()

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
        return await self._run.collect(item)

    async def postprocess_histories(self, trajectories: Any) -> Any:
        """Leave out the messages of a group unless `include_messages` is set."""
        return self._run.as_sent(trajectories) if isinstance(trajectories, dict) else trajectories

    async def handle_send_to_api(self, scored_data: Any, *args: Any, **kwargs: Any) -> None:
        """Let Atropos send the group; count it if Atropos skips it (equal rewards, too long)."""
        await asyncio.sleep(0)  # Atropos counts each token, which takes as long as the step before
        await super().handle_send_to_api(scored_data, *args, **kwargs)
        self._run.note_unsent(_as_list(scored_data))

    async def add_rollouts_for_wandb(self, scored_data: Any, item: Problem | None = None) -> None:
        """Keep some rollouts of a group for the table, with the answers that were scored."""
        rows = self.session.recorder.table(group_id(scored_data))
        if rows and self.config.use_wandb:
            self.rollouts_for_wandb.append(rows)
            del self.rollouts_for_wandb[: -self.config.num_rollouts_to_keep]

    async def _send_scored_data_to_api(self, scored_data: Any) -> None:
        """Send the groups that Atropos does not skip; cancelling this stops no delivery."""
        await self._run.send(_as_list(scored_data))

    # The rollout API

    async def register_env(self) -> None:
        """Register with the rollout API, and wait until the trainer has registered.

        The first time, go on where the last run of this replica stopped. Registering again after a
        restart of the API does not change this environment's name.
        """
        name, is_first = self.wandb_prepend, not self._run.registration.api.registered
        self.config.total_steps = self._run.total_steps  # Atropos takes the trainer's once only
        await super().register_env()
        if not is_first:
            self.wandb_prepend = name
        elif self.curr_step == 0:  # for later steps, Atropos has called it
            self.load_checkpoint()
        await self._run.registration.registered(self.checkpoint_dir)

    async def _register_env(self) -> Any:
        """Wait for the trainer and register; retried while the API is unavailable."""
        return await self._run.registration.register()

    async def get_status(self) -> None:
        """Ask the API for the status; register again if the API was restarted."""
        if (status := await self._run.registration.new_status()) is not None:
            self.status_dict = status
            await self.server.update_weight(status["env_weight"])

    async def get_server_info(self) -> None:
        """Get the trainer's batch size and length limit, and warn if groups don't fit them."""
        self.config.batch_size, self.max_token_len = await self._run.registration.new_sizes()

    async def add_train_workers(self) -> None:
        """Ask for as many groups as the queue has room for; what is under way is not cancelled."""
        self.workers_added_list.append(await self._run.loop.ask())
        self.max_num_workers = self._run.loop.most

    async def env_step_checks(self) -> None:
        """Evaluate, save and log when the step reaches or passes a multiple of the interval."""
        old, new = self.curr_step, self.status_dict["current_step"]
        if old == new:
            return
        if _crosses(old, new, self.config.steps_per_eval):
            self.start_evaluation()
        if _crosses(old, new, self.checkpoint_interval):
            self.save_checkpoint(new - new % self.checkpoint_interval)
        self.curr_step = new
        self._run.registration.snapshot.save_soon()
        if self.items_sent_this_step >= self.config.min_items_sent_before_logging:
            self.items_sent_this_step = 0
            await self.wandb_log({})

    # Evaluation

    def start_evaluation(self) -> None:
        """Start an evaluation in the background, unless one is still running."""
        self._run.loop.start_evaluation(self._run.evaluate_beside_training)
        self.eval_runner = self._run.loop.evaluation

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
        self.evaluation = await self._run.evaluate(self.eval_items)
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
            trainer = await self._run.registration.api.wait_for_trainer()
            self.wandb_group, self.wandb_project = trainer["group"], trainer["project"]
            wandb_logging.start(self.config.wandb_name, self.config.model_dump(), **trainer)

    async def create_rollout_table(self, wandb_metrics: dict[str, Any]) -> dict[str, Any]:
        """Add the kept rollouts as ``train/rollouts``."""
        if self.rollouts_for_wandb and self.config.use_wandb:
            wandb_metrics["train/rollouts"] = wandb_logging.rollout_table(self.rollouts_for_wandb)
        return wandb_metrics

    async def wandb_log(self, wandb_metrics: dict[str, Any] | None = None) -> None:
        """Report all metrics since the last call: to wandb, to metrics.jsonl, and as a line.

        In `process`, where this is called for each group, groups share a report.
        """
        reporter = self._run.reporter
        self.eval_metrics += (wandb_metrics or {}).items()
        if reporter.is_due:
            metrics, self.eval_metrics = reporter.take(self.eval_metrics), []
            await super().wandb_log(metrics)  # adds Atropos' own
            reporter.save(metrics, self.curr_step)

    def perf_stats(self, metrics_dict: dict[str, Any]) -> dict[str, Any]:
        """Add Atropos' timings, and the number of groups that the API accepted."""
        metrics: dict[str, Any] = super().perf_stats(metrics_dict)
        metrics["train/items_sent_to_api"] = self._run.delivery.delivered_since_last_asked()
        return metrics

    # Checkpoints

    def save_checkpoint(self, step: int, data: dict[str, Any] | None = None) -> None:
        """Save a snapshot with further keys; if the disk refuses, log an error and go on."""
        self._run.registration.save_checkpoint(self.checkpoint_dir, data)

    def load_checkpoint(self) -> None:
        """Go on where the last run of this replica stopped; with `force`, start over.

        Raises:
            StartupError: the snapshot is damaged or of another program; the message names it.
        """
        self._run.registration.load_checkpoint(self.checkpoint_dir, self.dumps_dir)


def _as_list(groups: Any) -> list[Any]:
    return [group for group in (groups if isinstance(groups, list) else [groups]) if group]


def _crosses(old: int, new: int, interval: int) -> bool:
    return interval > 0 and new // interval > old // interval


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return 0 (done), 1 (failed), 2 (bad usage), or 130 or 143 (a signal)."""
    return command.run(ReasoningGymEnv, sys.argv[1:] if words is None else words)
