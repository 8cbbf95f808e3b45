"""An Atropos environment with the tasks of reasoning-gym.

    python reasoning_gym_environment.py serve       generate rollouts for a trainer
    python reasoning_gym_environment.py process     generate rollouts into a file, without a trainer
    python reasoning_gym_environment.py evaluate    evaluate a model once
    python reasoning_gym_environment.py --help      lists all commands

Atropos calls the methods of `ReasoningGymEnv`, its hooks, in the order in which they stand here.
`Commands`, in rgenv/atropos/commands.py, runs the commands over them. The docstring of
rgenv/__init__.py lists the packages behind both.
"""

from __future__ import annotations

if __name__ == "__main__":  # first, because the imports below take seconds and help does not
    from rgenv.cli.entry import begin

    REQUEST = begin()

import asyncio
import functools
import importlib.util
import logging
import os
import sys
import time
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

if (_folder := os.path.dirname(os.path.abspath(__file__))) not in sys.path:
    # Imported as environments.reasoning_gym_environment.reasoning_gym_environment.
    sys.path.insert(0, _folder)
if "TRANSFORMERS_NO_ADVISORY_WARNINGS" not in os.environ:
    # Without torch, which tokenizers don't need, transformers would print a warning at its import.
    os.environ["TRANSFORMERS_NO_ADVISORY_WARNINGS"] = "1"

if importlib.util.find_spec("atroposlib") is None:
    from rgenv.errors import require_extra

    require_extra("atropos", ["atroposlib"], "reasoning_gym_environment")

import wandb
from atroposlib.envs.base import APIServerConfig, ScoredDataGroup

from rgenv.atropos import command, startup, wandb_logging
from rgenv.atropos.commands import Commands
from rgenv.atropos.config import ReasoningGymEnvConfig, combined_config, require_called
from rgenv.atropos.evaluation import (
    chosen_tasks,
    evaluation_definition,
    new_runner,
    results_folder,
    save_question,
)
from rgenv.atropos.options import COMMAND_LINE_SERVER, FROM_TRAINER, default_options
from rgenv.atropos.rollout_api import batch_problems, check_steps
from rgenv.errors import RolloutsLost, StartupError
from rgenv.evaluation.evaluate import evaluate
from rgenv.gym.gym import Gym
from rgenv.gym.settings import start_pool
from rgenv.inference.tokenizers import require_tokenizers
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.collector import GroupCollector, ProblemDropped, RetryLater
from rgenv.rollouts.group import group_id, score_group, scored_data
from rgenv.rollouts.metrics import Fate
from rgenv.rollouts.recorder import TABLE_COLUMNS, GroupRecorder
from rgenv.runtime.background_loop import from_any_loop
from rgenv.runtime.parts import end
from rgenv.stream.shared_evidence import SharedEvidence
from rgenv.text import counted
from rgenv.types import Problem

__all__ = ["ReasoningGymEnv", "ReasoningGymEnvConfig", "StartupError", "main"]

log = logging.getLogger("ReasoningGymEnv")

SAVING_SECONDS = 0.5
"""Seconds between two looks at a disk that refuses."""

ADDING_SECONDS = 1.0
"""Seconds that may pass while problems are awaited, before another look at the queue."""

GRACE_SECONDS = 10.0
"""Seconds at the end to finish what is being scored or sent."""

PROCESS_GIVES_UP_AFTER = 10
"""After this many attempts in a row without a group, `process` ends with an error."""

MADE_BY_SETUP = {"gym", "pool", "source", "policy", "recorder", "collector", "runner"}

RENAMED = {
    "get_curriculum_stats": "source.difficulty.levels()",
    "task_complexity_levels": "source.difficulty.levels(), and the option start_levels",
}
"""Attribute of the reference -> what has its place."""

Collected = tuple[ScoredDataGroup | None, list[Problem]]
"""A group or None, and the items to ask again."""


class ReasoningGymEnv(Commands):
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

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        require_called(cls)
        if "env_config_cls" not in cls.__dict__:
            cls.env_config_cls = combined_config(cls)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> NoReturn:
            if name in MADE_BY_SETUP:
                raise RuntimeError("The environment is not set up: `await env.setup()` first.")
            use = f": use {RENAMED[name]}" if name in RENAMED else ""
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{use}.")

        def __setattr__(self, name: str, value: Any) -> None:
            if name in RENAMED:
                self.__getattr__(name)
            super().__setattr__(name, value)

    @classmethod
    def config_init(cls) -> tuple[ReasoningGymEnvConfig, list[APIServerConfig]]:
        """Return the command line's defaults: an 8B model and one local vLLM server."""
        return default_options(cls.env_config_cls), [APIServerConfig(**COMMAND_LINE_SERVER)]

    # Setting up and closing

    @from_any_loop
    async def setup(self) -> None:
        """Start the workers, choose and try the tasks, wait for the servers, make evaluation sets.

        Raises:
            StartupError: reasoning-gym is missing, no worker can be started, or a server is away.
            BadUsage: no task is left, or what is configured does not work.
        """
        workers = counted(self.config.scoring_workers, "worker process", "worker processes")
        with self.status.doing(f"Starting {workers}"):
            self.pool = await self.start_pool()
        try:
            await self._set_up()
        except BaseException:
            await self.pool.close()
            raise
        if self.mode in ("serve", "process"):
            self.status.watch(self._look)

    async def start_pool(self) -> WorkerPool:
        """Start the worker pool; override this to use another pool."""
        return await start_pool(self.config)

    async def _set_up(self) -> None:
        config, count, mode, abort = (
            self.config,
            self.metrics.count,
            self.mode,
            self._shutdown.abort,
        )
        self.gym = gym = Gym(config, self.pool, count=count)
        self.metrics.categories = dict(gym.categories)
        self.metrics.sends_equal = not config.ensure_scores_are_not_same
        self.policy = policy = startup.new_policy(
            *(config, self.server, self.tokenizer),
            mode=mode,
            at_once=self._at_once,
            answered=self.groups.concurrency.answered,
            count=count,
        )
        self.source = gym.new_source(config.complexity_mode, too_long=self._too_long)
        run_id = str(uuid.uuid4())
        dumps = startup.new_dumps(config, self.dumps_dir, self.pool.version, run_id=run_id)
        rows = config.num_rollouts_per_group_for_logging if config.use_wandb else 0
        self.recorder = GroupRecorder(self.metrics, self.source.observe, dumps, table_rows=rows)
        self.collector = GroupCollector(
            *(policy.rollouts, self.pool.score, self.recorder.record),
            patience=config.outage_patience,
            abort=abort,
            count=count,
            no_room=lambda one: self.source.leaves_no_room(one, policy.training.limit_option),
            build=functools.partial(
                score_group,
                penalize_length=config.length_penalty,
                mask_truncated=config.mask_too_long_completions,
                min_spread=config.min_score_spread,
            ),
            give_up_after=PROCESS_GIVES_UP_AFTER if mode == "process" else None,
            raise_errors=policy.scripted,
        )
        clients, samples_each = self.server.servers, config.eval_samples_per_item
        self.runner = new_runner(config, gym, clients, policy.evaluate, samples_each=samples_each)
        evaluated = chosen_tasks(config, gym, mode)
        with self.status.doing("Trying each task, the prompts and the servers once"):
            without_room = await startup.try_once(
                *(mode, config, gym.make, policy),
                training=gym.task_names,
                evaluation=evaluated,
                until_ready=self._until_ready,
            )
        saved = self.dumps_dir if dumps.each else None
        startup.log_start(config, gym.task_names, self.pool.version, saved)
        await self._make_evaluation_set([name for name in evaluated if name not in without_room])
        self.task_names = gym.task_names

    async def _make_evaluation_set(self, names: list[str]) -> None:
        if not names:
            return
        config = self.config
        held_out = self.gym.evaluation_set(config.num_eval_samples_per_task, config.eval_levels)
        with self.status.doing(f"Making the evaluation set of {counted(len(names), 'task')}"):
            self.eval_items = await held_out.of_tasks(names, limit=config.eval_limit)
        log.info("The evaluation set holds %s.", counted(len(self.eval_items), "problem"))
        if self.mode == "evaluate" and not self.eval_items:
            raise StartupError(
                f"No problem of {', '.join(names):.200} is held out, so none can be asked: "
                "there are too few, or they can't be made (docs/tasks.md)."
            )

    async def _too_long(self, problem: Problem) -> str | None:
        """Return the option to raise where a prompt is too long, else None.

        A program that calls the methods itself needs no tokenizer for items, so there the prompt
        has to leave room only once completions are asked for.
        """
        limit = self.config.max_prompt_tokens
        if limit is not None and self.policy.count_tokens(problem.question) > limit:
            return "max_prompt_tokens"
        if self.mode in ("serve", "process") and await self.policy.leaves_no_room(problem):
            return self.policy.training.limit_option
        return None

    @from_any_loop
    async def close(self) -> None:
        """Finish scoring and sending within 10 seconds, drop the rest; idempotent."""
        deadline = time.monotonic() + GRACE_SECONDS
        if self.evaluates:
            log.warning("The run ends before its last evaluation did: that evaluation is dropped.")
        await end([self.eval_runner] if self.eval_runner is not None else [])
        await self.groups.stop(deadline)
        await self.write_rest()
        await self.delivery.drain(max(0.0, deadline - time.monotonic()))
        await self.api.leave()
        await self.snapshot.close()
        self.snapshot.release()
        if self._is_set_up:
            self.recorder.close()
            await self.source.close()
            await self.pool.close()
        if self.jsonl_writer is not None:
            self.jsonl_writer.close()

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
        return await self.gym.make(task, seed, level)

    @from_any_loop
    async def score_completions(self, item: Problem, completions: Sequence[str]) -> list[float]:
        """Score completions, without length penalty; nothing is recorded.

        Args:
            completions: whole texts of a model, as a list; one text alone is a list of one.

        Returns:
            One score in [0, 1] for each completion, in order.

        Raises:
            TypeError: `completions` is not a list of texts.
        """
        return await self.gym.score(item, completions)

    # Groups, in the order in which Atropos calls these for an item

    @from_any_loop
    async def get_next_item(self) -> Problem:
        """Return the next item of this replica's stream. Problems that can't be made are skipped.

        Raises:
            StartupError: hundreds of problems in a row can't be served.
        """
        return await self.source.next()

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
        if self.mode == "embedded" and not self.policy.chat_only:
            await asyncio.to_thread(require_tokenizers, self._tokenizers)
        try:
            group = await self.collector.collect(item, self.config.group_size)
            await self._until_saved()
        except asyncio.CancelledError:
            self.groups.give_back(item)
            raise
        except ProblemDropped:
            self.source.done(item.key)
            return None, []
        except RetryLater:
            return None, [item]
        if self.mode == "process" and self.jsonl_writer is not None:
            self.jsonl_writer.expect(group)
        if self.mode != "embedded":  # there, whoever calls this decides what becomes of it
            self.fates.scored(group)
        return scored_data(group, temperature=self.config.temperature), []

    async def _until_saved(self) -> None:
        """Wait until the dumps are on disk: the trainer gets no group before.

        The run ends if the disk refuses for longer than `outage_patience`.
        """
        dumps, patience, began = self.recorder.dumps, self.config.outage_patience, time.monotonic()
        async with self._saving:
            if dumps.catch_up():
                return
            with self.status.doing(f"Waiting for the disk of {self.dumps_dir}"):
                while not dumps.catch_up():
                    if time.monotonic() - began > patience:
                        error = RolloutsLost(
                            f"{self.dumps_dir} took no group for {patience:g} s: free disk "
                            "space, or name another folder with --env.data_dumps_dir."
                        )
                        if self.mode == "embedded":  # nothing else ends the caller's wait
                            raise error
                        self._shutdown.abort(error)
                    await asyncio.sleep(SAVING_SECONDS)

    async def postprocess_histories(self, trajectories: Any) -> Any:
        """Leave out the messages of a group unless `include_messages` is set."""
        if not isinstance(trajectories, dict) or self.config.include_messages:
            return trajectories
        return {name: value for name, value in trajectories.items() if name != "messages"}

    async def handle_send_to_api(self, scored_data: Any, *args: Any, **kwargs: Any) -> None:
        """Let Atropos send the group; count it if Atropos skips it (equal rewards, too long)."""
        await asyncio.sleep(0)  # Atropos counts each token, which takes as long as the step before
        await super().handle_send_to_api(scored_data, *args, **kwargs)
        for group in _as_list(scored_data):
            if group_id(group) in self._sent:
                self._sent.discard(group_id(group))
                continue
            is_equal = self.config.ensure_scores_are_not_same and len(set(group["scores"])) == 1
            if self.mode != "process":
                self.metrics.count("groups_skipped")
            written: Fate = "trained" if self.mode == "process" else "too_long"
            self._settled(group, "equal_rewards" if is_equal else written)

    async def add_rollouts_for_wandb(self, scored_data: Any, item: Problem | None = None) -> None:
        """Keep some rollouts of a group for the table, with the answers that were scored."""
        rows = self.recorder.table(group_id(scored_data))
        if rows and self.config.use_wandb:
            self.rollouts_for_wandb.append(rows)
            del self.rollouts_for_wandb[: -self.config.num_rollouts_to_keep]

    async def _send_scored_data_to_api(self, scored_data: Any) -> None:
        """Send the groups that Atropos does not skip; cancelling this stops no delivery."""
        for group in _as_list(scored_data):
            self._sent.add(group_id(group))
            await self.delivery.send(group)

    # The rollout API

    async def register_env(self) -> None:
        """Register with the rollout API, and wait until the trainer has registered.

        The first time, go on where the last run of this replica stopped. Registering again after a
        restart of the API does not change this environment's name.
        """
        name, is_first = self.wandb_prepend, not self.api.registered
        self.config.total_steps = self._total_steps  # Atropos takes the trainer's once only
        await super().register_env()
        if not is_first:
            self.wandb_prepend = name
        elif self.curr_step == 0:  # for later steps, Atropos has called it
            self.load_checkpoint()
        if is_first:
            self.source.follows = True
            self.snapshot.begin(self._state)
        self._share_evidence()
        self.groups.total_steps = self.config.total_steps
        self.api.registered = True

    async def _register_env(self) -> Any:
        """Wait for the trainer and register; retried while the API is unavailable."""
        config = self.config
        reply = await self.api.register(
            {
                "max_token_length": config.max_token_length,
                "desired_name": config.wandb_name,
                "weight": config.inference_weight,
                "min_batch_allocation": config.min_batch_allocation,
                "group_size": config.group_size,
            }
        )
        check_steps(int(reply.get("num_steps", FROM_TRAINER)), self._total_steps)
        if not self.api.registered:
            await self.snapshot.claim(reply["checkpoint_dir"], config.startup_timeout)
            reply["starting_step"] = await self.api.step()  # which rose while it waited
        return reply

    def _share_evidence(self) -> None:
        """Let the curriculum learn from the groups of the other replicas, if there are any."""
        config, learns = self.config, self.config.complexity_mode == "curriculum"
        if learns and config.num_replicas > 1 and self.checkpoint_dir:
            name = f"{config.wandb_name}_evidence"
            folder = Path(self.checkpoint_dir, "env_checkpoints", name)
            self.source.shared = SharedEvidence(folder, f"replica{config.replica_id}")

    async def get_status(self) -> None:
        """Ask the API for the status; register again if the API was restarted."""
        status = await self.api.refresh(step=self.curr_step, register=self._register_again)
        self.groups.take_status(status)
        if self.api.sizes_are_due:
            await self.get_server_info()
        self.status_dict = status
        await self.server.update_weight(status["env_weight"])

    async def _register_again(self) -> None:
        self.metrics.count("registered_again")
        await self.register_env()
        await self.get_server_info()

    async def get_server_info(self) -> None:
        """Get the trainer's batch size and length limit, and warn if groups don't fit them."""
        config, before = self.config, self._sizes
        self.groups.take_sizes(await self.api.sizes())
        self._sizes = sizes = self.groups.sizes
        config.batch_size, self.max_token_len = sizes.batch_size, sizes.max_token_len
        if before == sizes:
            return
        if before is not None:
            log.warning(
                "The trainer takes batches of %d and lengths below %d now.",
                *(sizes.batch_size, sizes.max_token_len),
            )
        if sizes.max_token_len > 0:
            self.policy.fit(sizes.max_token_len - 1, "the trainer")
            config.max_token_length = self.policy.training.max_tokens
        for problem in batch_problems(sizes, config.group_size, config.max_token_length):
            log.warning(problem)

    async def add_train_workers(self) -> None:
        """Ask for as many groups as the queue has room for; what is under way is not cancelled."""
        room = wanted = self.groups.room(evaluates=self.evaluates)
        until = time.monotonic() + ADDING_SECONDS
        while room > 0 and time.monotonic() < until:
            if (item := await self._next_item()) is None:
                break
            self.groups.start(item, self.handle_env)
            room -= 1
        self.workers_added_list.append(wanted)
        self.max_num_workers = self.groups.most

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
        self.snapshot.save_soon()
        if self.items_sent_this_step >= self.config.min_items_sent_before_logging:
            self.items_sent_this_step = 0
            await self.wandb_log({})

    # Evaluation

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
        config, policy, problems = self.config, self.policy, self.eval_items
        is_command, step = self.mode == "evaluate", self.curr_step if self.mode == "serve" else None
        about = evaluation_definition(config, policy, self.pool.version, problems, step)

        def opened(folder: Path) -> None:
            self.results = folder
            if is_command:
                save_question(folder, config, self.server.servers)

        self.evaluation = await evaluate(
            *(problems, self.runner),
            about=about,
            folder=results_folder(config, about, is_command=is_command, step=step),
            opened=opened,
            start_over=config.force or step is not None,
            baseline=Path(config.eval_compare) if is_command and config.eval_compare else None,
            count_tokens=policy.expected_tokens if is_command else None,
        )
        self.eval_metrics = list(self.evaluation.metrics.items())

    # wandb

    async def setup_wandb(self) -> None:
        """Log to wandb, offline if there is no account or no network."""
        await wandb_logging.prefer_offline(self.config.use_wandb)
        if self.config.use_wandb and self.wandb_project is None:
            trainer = await self.api.wait_for_trainer()
            self.wandb_group, self.wandb_project = trainer.group, trainer.project
            of_trainer = {"project": trainer.project, "group": trainer.group}
            wandb_logging.start(self.config.wandb_name, self.config.model_dump(), **of_trainer)

    async def create_rollout_table(self, wandb_metrics: dict[str, Any]) -> dict[str, Any]:
        """Add the kept rollouts as ``train/rollouts``."""
        if self.rollouts_for_wandb and self.config.use_wandb:
            rows = [list(row) for group in self.rollouts_for_wandb for row in group]
            wandb_metrics["train/rollouts"] = wandb.Table(columns=list(TABLE_COLUMNS), data=rows)
        return wandb_metrics

    async def wandb_log(self, wandb_metrics: dict[str, Any] | None = None) -> None:
        """Report all metrics since the last call: to wandb, to metrics.jsonl, and as a line.

        In `process`, where this is called for each group, groups share a report.
        """
        self.eval_metrics += (wandb_metrics or {}).items()
        if self.mode != "process" or self.status.due:
            metrics = self._take_metrics()
            await super().wandb_log(metrics)  # adds Atropos' own
            self._save_metrics(metrics)

    def perf_stats(self, metrics_dict: dict[str, Any]) -> dict[str, Any]:
        """Add Atropos' timings, and the number of groups that the API accepted."""
        metrics: dict[str, Any] = super().perf_stats(metrics_dict)
        metrics["train/items_sent_to_api"] = self.delivery.delivered_since_last_asked()
        return metrics

    # Snapshots

    def save_checkpoint(self, step: int, data: dict[str, Any] | None = None) -> None:
        """Save a snapshot with further keys; if the disk refuses, log an error and go on."""
        self.snapshot.save_soon(data)
        if not self.api.registered:  # nothing saves it otherwise
            self.snapshot.root = self.checkpoint_dir
            self.snapshot.save(self._state())

    def load_checkpoint(self) -> None:
        """Go on where the last run of this replica stopped; with `force`, start over.

        Raises:
            StartupError: the snapshot is damaged or of another program; the message names it.
        """
        if self.api.registered:  # only the API was restarted
            return
        self.snapshot.root = self.checkpoint_dir
        self._resume()


def _as_list(groups: Any) -> list[Any]:
    return [group for group in (groups if isinstance(groups, list) else [groups]) if group]


def _crosses(old: int, new: int, interval: int) -> bool:
    return interval > 0 and new // interval > old // interval


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return 0 (done), 1 (failed), 2 (bad usage), or 130 or 143 (a signal)."""
    return command.run_words(ReasoningGymEnv, sys.argv[1:] if words is None else words)


if __name__ == "__main__":
    sys.exit(command.run(ReasoningGymEnv, REQUEST))
