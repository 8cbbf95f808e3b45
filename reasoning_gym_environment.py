"""An Atropos environment with the tasks of reasoning-gym.

    python reasoning_gym_environment.py serve       generate rollouts for a trainer
    python reasoning_gym_environment.py process     generate rollouts into a file, without a trainer
    python reasoning_gym_environment.py evaluate    evaluate a model once
    python reasoning_gym_environment.py --help      lists all commands

`ReasoningGymEnv` makes groups: its methods stand in the order in which an item passes them. What
surrounds groups is in its base, `Commands`, in rgenv/atropos/commands.py: the parts that it works
with, the commands, evaluation, snapshots, metrics. The docstring of rgenv/__init__.py lists the
packages behind both.
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
from collections import deque
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

from atroposlib.envs.base import APIServerConfig, ScoredDataGroup

from rgenv.atropos import command, rollout_api, startup, wandb_logging
from rgenv.atropos.commands import Commands
from rgenv.atropos.config import (
    ReasoningGymEnvConfig,
    check_group,
    combined_config,
    require_called,
    wrong_values,
)
from rgenv.atropos.evaluation import chosen_tasks, new_runner
from rgenv.atropos.options import COMMAND_LINE_SERVER, FROM_TRAINER, default_options
from rgenv.errors import BadUsage, RolloutsLost, StartupError
from rgenv.gym.gym import Gym
from rgenv.gym.settings import start_pool
from rgenv.inference.tokenizers import require_tokenizers
from rgenv.pool.pool import WorkerPool
from rgenv.rollouts.group import (
    GroupCollector,
    ProblemDropped,
    RetryLater,
    group_id,
    score_group,
    scored_data,
)
from rgenv.rollouts.groups_file import GroupsFile, state_folder
from rgenv.rollouts.metrics import Fate
from rgenv.rollouts.recorder import GroupRecorder
from rgenv.runtime.background_loop import from_any_loop
from rgenv.runtime.parts import end
from rgenv.stream.shared_evidence import SharedEvidence
from rgenv.text import counted
from rgenv.types import Problem

__all__ = ["ReasoningGymEnv", "ReasoningGymEnvConfig", "StartupError", "main"]

log = logging.getLogger("ReasoningGymEnv")

LOOP_SECONDS, STATUS_RATE = 0.1, 100
"""The least seconds between two looks at the queue, and the most looks of all replicas in a second:
the rollout API is one process and searches its queue for each."""

ADDING_SECONDS = 1.0
"""Seconds that may pass while problems are awaited, before another look at the queue."""

SAVING_SECONDS = 0.5
"""Seconds between two looks at a disk that refuses."""

GRACE_SECONDS = 10.0
"""Seconds at the end to finish what is being scored or sent."""

PROCESS_GROUPS = 250
"""The number of groups that `process` makes without total_steps."""

AHEAD = 4
"""So many times the groups under way may wait, made, for a group before them."""

PROCESS_SECONDS = 10.0
"""Seconds between two reports of `process`."""

PROCESS_GIVES_UP_AFTER = 10
"""After this many attempts in a row without a group, `process` ends with an error."""

MADE_BY_SETUP = {"gym", "pool", "source", "policy", "recorder", "collector", "runner"}

RENAMED = {
    "get_curriculum_stats": "source.difficulty.levels()",
    "task_complexity_levels": "source.difficulty.levels(), and the option start_levels",
}
"""Attribute of the reference -> what has its place."""


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
            StartupError: reasoning-gym is missing, no worker can be started, the folder for groups
                can't be written, or a server is away.
            BadUsage: no task is left, or what is configured is wrong or does not work.
        """
        if wrong := wrong_values(self.config):
            raise BadUsage(" ".join(wrong))
        self.jsonl_writer = startup.open_groups_file(self.config)  # Atropos would follow links
        self.is_closed = False
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
        config, count, mode = self.config, self.metrics.count, self.mode
        self.gym = gym = Gym(config, self.pool, count=count)
        self.metrics.categories = dict(gym.categories)
        self.metrics.sends_equal = not config.ensure_scores_are_not_same
        self.policy = policy = startup.new_policy(
            *(config, self.server, self.tokenizer, mode),
            at_once=self._at_once,
            answered=self.groups.concurrency.answered,
            count=count,
        )
        # A program that calls the methods itself needs no tokenizer for items, so there a prompt
        # has to leave room only once completions are asked for.
        most, whole = config.max_prompt_tokens, mode in ("serve", "process")
        too_long = functools.partial(policy.too_long, most=most, whole=whole)
        self.source = gym.new_source(config.complexity_mode, too_long=too_long)
        run_id, version = str(uuid.uuid4()), self.pool.version
        dumps = startup.new_dumps(config, self.dumps_dir, version, run_id)
        rows = config.num_rollouts_per_group_for_logging if config.use_wandb else 0
        self.recorder = GroupRecorder(self.metrics, self.source.observe, dumps, table_rows=rows)
        self.collector = GroupCollector(
            *(policy.rollouts, self.pool.score, self.recorder.record),
            patience=config.outage_patience,
            abort=self._shutdown.abort,
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
        each = config.eval_samples_per_item
        self.runner = new_runner(config, gym, policy, policy.evaluate, samples_each=each)
        evaluated = chosen_tasks(config, gym, mode)
        with self.status.doing("Trying each task, the prompts and the servers once"):
            without_room = await startup.try_once(
                *(mode, config, gym.make, policy),
                training=gym.task_names,
                evaluation=evaluated,
                until_ready=self._until_ready,
            )
        served, folder = gym.task_names, self.dumps_dir if dumps.each else None
        startup.log_start(mode, config, served, version, folder)
        await self._make_evaluation_set([name for name in evaluated if name not in without_room])
        self.task_names = gym.task_names

    @from_any_loop
    async def close(self) -> None:
        """Finish scoring and sending within 10 seconds, drop the rest; idempotent."""
        self.is_closed = True
        deadline = time.monotonic() + GRACE_SECONDS
        if self.evaluates:
            log.warning("The run ends before its last evaluation did: that evaluation is dropped.")
        await end([self.eval_runner] if self.eval_runner is not None else [])
        await self.groups.stop(deadline)
        made = (one for one in self._making if one.done() and not one.cancelled())
        self._making = deque(one for one in made if one.exception() is None)
        while self._making:
            await self._write_first()
        if self.api.lost:
            groups = counted(self.api.lost, "scored group")
            log.error("%s did not reach the rollout API (%s).", groups, self.api.why_lost)
        await self.api.leave()
        if self.mode == "process" and self.jsonl_writer is not None and self.jsonl_writer.is_empty:
            await self.snapshot.clear()
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

    # The commands that make groups

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
        config = self.config
        pause = max(LOOP_SECONDS, config.num_replicas / STATUS_RATE)
        while True:
            began = time.monotonic()
            await self.get_status()
            await self.env_step_checks()
            batches = self.status_dict["queue_size"] * config.group_size // config.batch_size
            if self.curr_step + batches > config.total_steps:
                return  # `close` cancels what is under way
            await self.add_train_workers()
            self.groups.stop_overdue()
            await asyncio.sleep(pause)
            self.mainloop_timings.append(time.monotonic() - began)

    async def process_manager(self) -> None:
        """Run `process`: generate rollouts into a file."""
        wanted = getattr(self, "n_groups_to_process", self.config.total_steps)
        self.config.total_steps = PROCESS_GROUPS if wanted == FROM_TRAINER else wanted
        self.status.between = PROCESS_SECONDS
        await self.run_command("process", self._process)

    async def _process(self) -> None:
        """Make groups, several at a time, and write them in the order of the stream.

        A problem that gives no group is followed by another one.
        """
        await self.setup()
        file = self.jsonl_writer
        if self.config.use_wandb:
            await wandb_logging.start(self.name, self.config.model_dump())
        self.curr_step = 0
        if file is not None:
            await self._go_on_in(file)
        while (left := self.config.total_steps - self.curr_step) > 0:
            most = self.groups.look()
            while len(self.workers) < most and len(self._making) < min(left, AHEAD * most):
                if (item := await self._next_item()) is None:
                    break
                if file is not None and (tokens := file.tokens_of(item)) is not None:
                    self.fates.tokens["trained"] += tokens  # since the snapshot of that run
                    self.source.done(item.key)
                else:
                    self._making.append(self.groups.start(item, self._made))
            if not self._making:
                break
            if self._making[0].done():
                await self._write_first()
                continue
            done, _ = await asyncio.wait(self.workers, return_when=asyncio.FIRST_COMPLETED)
            for worker in done:
                worker.result()  # raises what ended it
        if file is not None:
            await self.snapshot.clear()
            log.info("To read the groups: python -m json.tool --json-lines %s", file.path)

    async def _go_on_in(self, file: GroupsFile) -> None:
        """Go on where the run that wrote a file stopped, and save a snapshot from now on."""
        self.snapshot.place = Path(state_folder(file.path).name)
        await self.snapshot.claim(str(file.path.parent), self.config.startup_timeout)
        if not file.is_new:
            self.curr_step, wanted = len(file.before), self.config.total_steps
            if self.curr_step > wanted:
                raise BadUsage(
                    f"{file.path} has {counted(self.curr_step, 'group')} of a run that was ended "
                    f"early, and --env.total_steps is {wanted}: raise it to go on, name another "
                    "file, or start over with --force."
                )
            self._resume()
        self.source.follows = True
        self.snapshot.begin(self._state)

    async def _made(self, name: str) -> tuple[Problem, Any]:
        """Ask an item until it gives a group, or is given up; return it and the group, if any."""
        item = self.running_items[name]["item"]
        group, again = None, [item]
        while group is None and again:
            group, again = await self.collect_trajectories(item)
        del self.running_items[name]
        for one in _as_list(group):
            check_group(one)
        return item, group

    async def _write_first(self) -> None:
        """Write the group before all others; if cancelled before, it stays there."""
        item, group = self._making[0].result()
        if group is not None:
            data = await self.postprocess_histories(group)
            await self.handle_send_to_api(
                data, item, do_send_to_api=False, abort_on_any_max_length_exceeded=False
            )
            self.curr_step += 1
        self._making.popleft()
        if group is not None:
            await self.wandb_log()

    # A group, from the stream to the trainer

    async def add_train_workers(self) -> None:
        """Ask for as many groups as the queue has room for; what is under way is not cancelled."""
        room = wanted = self.groups.room(delivered=self.api.delivered, evaluates=self.evaluates)
        until = time.monotonic() + ADDING_SECONDS
        while room > 0 and time.monotonic() < until:
            item = self.backlog.pop(0) if self.backlog else await self._next_item()
            if item is None:  # a subclass has no more of them
                break
            self.groups.start(item, self.handle_env)  # which calls the following methods
            room -= 1
        self.workers_added_list.append(wanted)
        self.max_num_workers = self.groups.most

    async def _next_item(self) -> Problem | None:
        item: Any = await self.get_next_item()
        if item is None or isinstance(item, Problem):
            return item
        raise BadUsage(
            f"{type(self).__name__}.get_next_item returned a {type(item).__name__}, not an item, "
            "as `await super().get_next_item()` and `await self.make_item(...)` do."
        )

    @from_any_loop
    async def get_next_item(self) -> Problem:
        """Return the next item of this replica's stream. Problems that can't be made are skipped.

        Raises:
            StartupError: hundreds of problems in a row can't be served.
        """
        return await self.source.next()

    @from_any_loop
    async def collect_trajectories(
        self, item: Problem
    ) -> tuple[ScoredDataGroup | None, list[Problem]]:
        """Ask the model for a group of completions and score them.

        Returns:
            The group (exactly group_size rollouts) or None, and the items to ask again.

        Raises:
            BadUsage: `item` is not an item.
            StartupError: the tokenizer can't be loaded; or, in `process`, there were too many
                attempts in a row without a group.
            Exception: with `testing`, the exception of the server.
        """
        if not isinstance(item, Problem):
            raise BadUsage(
                "collect_trajectories takes an item, as get_next_item() or make_item() returns it, "
                f"not {type(item).__name__}."
            )
        if self.mode == "embedded" and not self.policy.chat_only:
            await asyncio.to_thread(require_tokenizers, self._tokenizers)
        try:
            group = await self.collector.collect(item, self.config.group_size)
            await self._until_saved()
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
        try:
            for group in _as_list(scored_data):
                check_group(group)
        except BadUsage as error:
            if self.mode == "serve":  # where Atropos would only log it
                self._shutdown.abort(error)
            raise
        await asyncio.sleep(0)  # Atropos counts each token, which takes as long as the step before
        await super().handle_send_to_api(scored_data, *args, **kwargs)
        for group in _as_list(scored_data):
            if (name := group_id(group)) in self._sent:
                self._sent.discard(name)
                continue
            is_equal = self.config.ensure_scores_are_not_same and len(set(group["scores"])) == 1
            if self.mode != "process":
                self.metrics.count("groups_skipped")
            written: Fate = "trained" if self.mode == "process" else "too_long"
            self.fates.settle(name, "equal_rewards" if is_equal else written)

    async def add_rollouts_for_wandb(self, scored_data: Any, item: Problem | None = None) -> None:
        """Keep some rollouts of a group for the table, with the answers that were scored."""
        rows = self.recorder.table(group_id(scored_data))
        if rows and self.config.use_wandb:
            self.rollouts_for_wandb.append(rows)
            del self.rollouts_for_wandb[: -self.config.num_rollouts_to_keep]

    async def _send_scored_data_to_api(self, scored_data: Any) -> None:
        """Send the groups that Atropos does not skip, and wait for what becomes of them."""
        for group in _as_list(scored_data):
            self._sent.add(name := group_id(group))
            if (fate := await self.api.send(group)) is not None:
                self.fates.settle(name, fate)

    # The rollout API

    async def register_env(self) -> None:
        """Register with the rollout API, and wait until the trainer has registered.

        The first time, go on where the last run of this replica stopped. Registering again after a
        restart of the API does not change this environment's name.
        """
        config, name, is_first = self.config, self.wandb_prepend, not self.api.registered
        config.total_steps = self._total_steps  # Atropos takes the trainer's once only
        await super().register_env()
        if not is_first:
            self.wandb_prepend = name
        elif self.curr_step == 0:  # for later steps, Atropos has called it
            self.load_checkpoint()
        self._share_evidence()  # in the folder that this trainer names
        if is_first:
            self.source.follows = True
            self.snapshot.begin(self._state)
        self.api.registered = True

    async def _register_env(self) -> Any:
        """Wait for the trainer and register; retried while the API is unavailable."""
        config, status = self.config, None
        environment = {
            "max_token_length": config.max_token_length,
            "desired_name": config.wandb_name,
            "weight": config.inference_weight,
            "min_batch_allocation": config.min_batch_allocation,
            "group_size": config.group_size,
        }
        reply = await self.api.register(environment)
        rollout_api.check_steps(int(reply.get("num_steps", FROM_TRAINER)), self._total_steps)
        if not self.api.registered:
            await self.snapshot.claim(reply["checkpoint_dir"], config.startup_timeout)
            while (status := await self.api.status()) is None:  # it was restarted meanwhile
                reply = await self.api.register(environment)
            reply["starting_step"] = status["current_step"]  # which rose while it waited
        return reply

    def _share_evidence(self) -> None:
        """Let the curriculum learn from the groups of the other replicas, if there are any."""
        config, learns = self.config, self.config.complexity_mode == "curriculum"
        if learns and config.num_replicas > 1 and self.checkpoint_dir:
            name = f"{config.wandb_name}_evidence"
            folder = Path(self.checkpoint_dir, "env_checkpoints", name)
            self.source.shared = SharedEvidence(folder, f"replica{config.replica_id}")

    async def get_status(self) -> None:
        """Ask the API for the status; register again if the API was restarted.

        One that is behind our step was, and may have given our id to another environment.
        """
        while (status := await self.api.status()) is None or (
            status["current_step"] < self.curr_step
        ):
            log.warning("The rollout API was restarted: registering again.")
            await asyncio.sleep(rollout_api.TRAINER_SECONDS)
            self.metrics.count("registered_again")
            await self.register_env()
            await self.get_server_info()
        self.status_dict = self.groups.status = status
        ours, others = self.config.group_size, status["max_group_size"]
        if others % ours and others != 1 and not self._has_told_size:
            self._has_told_size = True
            log.warning(
                "Another environment sends groups of %d completions. With ours of %d, the rollout "
                "API may never fill a batch: set --env.group_size to the same number in both.",
                *(others, ours),
            )
        if self.api.sizes_are_due:
            await self.get_server_info()
        await self.server.update_weight(status["env_weight"])

    async def get_server_info(self) -> None:
        """Get the trainer's batch size and length limit, and warn if groups don't fit them.

        StartupError: a group is larger than a batch.
        """
        config, found = self.config, await self.api.sizes()
        batch = config.batch_size if found.batch_size == -1 else found.batch_size
        length = self.max_token_len if found.max_token_len == -1 else found.max_token_len
        if config.group_size > batch:
            raise StartupError(
                f"group_size {config.group_size} does not fit the trainer's batch_size {batch}: "
                "lower --env.group_size or raise the trainer's."
            )
        config.batch_size, self.max_token_len = batch, length
        before, self._sizes = self._sizes, (batch, length)
        if before == self._sizes:
            return
        if before is not None:
            log.warning("The trainer takes batches of %d and lengths below %d now.", batch, length)
        if length > 0:
            self.policy.fit(length - 1, "the trainer")
            config.max_token_length = self.policy.training.max_tokens
        if 0 < length <= config.max_token_length:
            log.warning(
                "The trainer accepts sequences shorter than %d tokens, and ours have up to %d: "
                "groups with a truncated completion will be dropped. Raise the trainer's "
                "max_token_len.",
                *(length, config.max_token_length),
            )
        if why := rollout_api.never_fills(batch, config.group_size):
            log.warning("The trainer's %s.", why)

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


def _as_list(groups: Any) -> list[Any]:
    return [group for group in (groups if isinstance(groups, list) else [groups]) if group]


def _crosses(old: int, new: int, interval: int) -> bool:
    return interval > 0 and new // interval > old // interval


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; return 0 (done), 1 (failed), 2 (bad usage), or 130 or 143 (a signal)."""
    return command.run_words(ReasoningGymEnv, sys.argv[1:] if words is None else words)


if __name__ == "__main__":
    sys.exit(command.run(ReasoningGymEnv, REQUEST))
