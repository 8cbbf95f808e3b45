"""What the hooks of the environment work with, and the commands around them.

`serve` and `process` make groups, `evaluate` and `profile` ask a fixed set. Each checks its options
first, and closes in any case.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import wandb
from atroposlib.envs.base import APIServerConfig, BaseEnv
from atroposlib.envs.server_handling.server_manager import ServerBaseline

from rgenv.atropos import command, servers, startup, wandb_logging
from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.delivery import Delivery
from rgenv.atropos.evaluation import profile
from rgenv.atropos.groups import Groups
from rgenv.atropos.options import FROM_TRAINER, GROUP_OPTIONS
from rgenv.atropos.patches import loaded_at_need
from rgenv.atropos.rollout_api import RolloutApi, Sizes, never_fills
from rgenv.errors import BadUsage, RolloutsLost, StartupError, joined
from rgenv.evaluation import terminal
from rgenv.evaluation.evaluate import Evaluation
from rgenv.evaluation.sample_log import SAMPLES
from rgenv.inference.first_request import require_servers
from rgenv.inference.policy import completions_at_once
from rgenv.inference.tokenizers import require_tokenizers
from rgenv.rollouts.group import group_id
from rgenv.rollouts.groups_file import GroupsFile, state_folder
from rgenv.rollouts.metrics import Fate, Fates, MetricsFile, TrainMetrics
from rgenv.rollouts.snapshot import Snapshot
from rgenv.rollouts.status import Moment, Status
from rgenv.runtime.background_loop import BackgroundLoop
from rgenv.runtime.machine import dumps_folder
from rgenv.runtime.shutdown import Shutdown, Signalled
from rgenv.runtime.signals import end_on_signals
from rgenv.secrets import hide
from rgenv.text import counted, describe, failed_call
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

ROOT = Path(__file__).resolve().parents[2]

Made = tuple[Problem, Any]
"""A problem and its group; None: it was given up."""

PROCESS_GROUPS = 250
"""The number of groups that `process` makes without total_steps."""

AHEAD = 4
"""So many times the groups under way may wait, made, for a group before them."""

PROCESS_SECONDS = 10.0
"""Seconds between two reports of `process`."""

MOST_FAILED = 0.1
"""The share of an evaluation's samples beyond which failed ones make it a failure."""

LOOP_SECONDS, STATUS_RATE = 0.1, 100
"""The least seconds between two looks at the queue, and the most looks of all replicas in a second:
the rollout API is one process and searches its queue for each."""

LOOK_SECONDS = 1.0
"""The longest look at servers when the start has failed already."""


class Commands(BaseEnv):
    """Makes what the hooks of its subclass work with, and runs the commands over them."""

    server_cls: Any  # these are of Atropos
    wandb_prepend: str | None
    wandb_project: str | None
    items_sent_this_step: int

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
            StartupError: the folder for groups can't be written.
        """
        startup.set_up_logging(config)
        server_configs = servers.with_defaults(server_configs, config.tokenizer_name)
        startup.log_configuration(config, server_configs)
        self.server_cls = servers.engine_class(self.server_cls, server_configs)
        without_file = config.model_copy(update={"data_path_to_save_groups": None})
        with loaded_at_need(config.startup_timeout):
            super().__init__(without_file, server_configs, slurm=slurm, testing=testing, **more)
        self.config = config
        self.jsonl_writer = startup.open_groups_file(config)  # Atropos would follow links
        if testing:
            self.server.servers = [servers.ScriptedServer.of(server_configs)]
        clients = self.server.servers
        self.mode: startup.Mode = "embedded"
        self.task_names: list[str] = []
        self.eval_items: list[Problem] = []
        self.eval_metrics: list[tuple[str, float]] = []
        self.evaluation: Evaluation | None = None
        self.results: Path | None = None  # the folder of an evaluation or a profile
        self.background_loop = BackgroundLoop() if testing else None
        self.dumps_dir = dumps_folder(config.data_dumps_dir, ROOT)
        self.metrics, self.fates, self.status = TrainMetrics(), Fates(), Status()
        self._metrics_file, self._tokens_reported = MetricsFile(self._metrics_folder), 0
        self._total_steps = config.total_steps  # Atropos replaces it by the trainer's
        self._sizes: Sizes | None = None
        self._sent: set[str] = set()
        self._saving = asyncio.Lock()
        self._making: deque[asyncio.Task[Made]] = deque()
        self._until_ready: Callable[[], Awaitable[None]] | None = None
        self._shutdown = Shutdown()
        patience = config.outage_patience
        self.api = RolloutApi(config.rollout_server_url, patience=patience, doing=self.status.doing)
        self.delivery = Delivery(self.api, settled=self._settled, abort=self._shutdown.abort)
        self.snapshot = Snapshot(
            replica_id=config.replica_id,
            num_replicas=config.num_replicas,
            name=config.wandb_name,
            settings={
                **config.model_dump(mode="json", include=GROUP_OPTIONS),
                "model": ", ".join(dict.fromkeys(one.config.model_name for one in clients)),
            },
        )
        most = getattr(self.server, "max_n_completions", None)
        self._at_once = completions_at_once(most, config.max_token_length)
        self.groups = Groups(
            *(config, clients),
            at_once=self._at_once,
            delivered=lambda: self.delivery.delivered,
            finishing=lambda: self.collector.finishing if self._is_set_up else (),
        )
        # Atropos' `handle_env` reads and changes these.
        self.backlog, self.running_items = self.groups.waiting, self.groups.running
        self.workers = self.groups.workers

    def _settled(self, group: Mapping[str, Any], fate: Fate) -> None:
        """Note what became of a group: the rollout API has settled it, or it is not sent."""
        key = self.fates.settle(group_id(group), fate)
        if key is not None and self._is_set_up:
            self.source.done(key)

    # Making groups

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
        pause = max(LOOP_SECONDS, self.config.num_replicas / STATUS_RATE)
        while True:
            began = time.monotonic()
            await self.get_status()
            await self.env_step_checks()
            if self.groups.step_ahead > self.groups.total_steps:
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
        await wandb_logging.prefer_offline(self.config.use_wandb)
        await self.run_command("process", self._process)

    async def _process(self) -> None:
        """Make groups, several at a time, and write them in the order of the stream.

        A problem that gives no group is followed by another one.
        """
        await self.setup()
        if self.config.use_wandb:
            wandb_logging.start(self.name, self.config.model_dump())
        self.curr_step = 0
        if self.jsonl_writer is not None:
            await self._go_on_in(self.jsonl_writer)
        while (left := self.config.total_steps - self.curr_step) > 0:
            most = self.groups.look()
            while len(self.workers) < most and len(self._making) < min(left, AHEAD * most):
                if (item := await self._next_item()) is None:
                    break
                worker = asyncio.create_task(self._made(item))
                worker.add_done_callback(self.workers.discard)
                self.workers.add(worker)
                self._making.append(worker)
            if not self._making:
                break
            if self._making[0].done():
                await self._write_first()
                continue
            done, _ = await asyncio.wait(self.workers, return_when=asyncio.FIRST_COMPLETED)
            for worker in done:
                worker.result()  # raises what ended it
        if self.jsonl_writer is not None:
            await self.snapshot.clear()
            path = self.jsonl_writer.path
            log.info("To read the groups: python -m json.tool --json-lines %s", path)

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

    async def _next_item(self) -> Problem | None:
        """Return the next item; None: a subclass has no more of them."""
        while True:
            item: Problem | None
            item = self.backlog.pop(0) if self.backlog else await self.get_next_item()
            file = self.jsonl_writer if self.mode == "process" else None
            if item is None or file is None or not file.before or not file.has(item):
                return item
            self.source.done(item.key)

    async def _made(self, item: Problem) -> Made:
        """Ask an item until it gives a group, or is given up."""
        group, again = await self.collect_trajectories(item)
        while group is None and again:
            group, again = await self.collect_trajectories(item)
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

    async def write_rest(self) -> None:
        """Write the groups of `process` that are made when it ends."""
        self._making = deque(
            worker
            for worker in self._making
            if worker.done() and not worker.cancelled() and worker.exception() is None
        )
        while self._making:
            await self._write_first()
        if self.mode == "process" and self.jsonl_writer is not None and self.jsonl_writer.is_empty:
            await self.snapshot.clear()

    # Asking a fixed set

    async def _run_evaluate(self) -> None:
        """Run `evaluate`: ask for the evaluation set once, and print a table of scores."""
        await self.run_command("evaluate", super()._run_evaluate)
        if self.evaluation is not None:
            print(terminal.report(self.evaluation), flush=True)
        asked = len(self.eval_samples)
        failed = asked - sum("score" in sample for sample in self.eval_samples)
        if failed == asked:
            raise StartupError("No sample could be scored; the log and samples.jsonl say why.")
        if failed > MOST_FAILED * asked:
            raise StartupError(
                f"{failed} of {asked} samples failed, so the results are those of the others. The "
                "same command asks for the failed ones again."
            )

    async def _run_profile(self) -> None:
        """Run `profile`: find out which tasks a model can learn from."""
        printed: list[str] = []

        def opened(folder: Path) -> None:
            self.results = folder

        async def work() -> None:
            await self.setup()
            clients = self.server.servers
            text = await profile(self.config, self.gym, self.policy, clients, opened=opened)
            printed.append(text)

        await self.run_command("profile", work)
        print(*printed, flush=True)

    @property
    def eval_samples(self) -> list[dict[str, Any]]:
        """The samples of the last evaluation."""
        return self.evaluation.samples if self.evaluation is not None else []

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
        try:
            await self.evaluate()
        except Exception as error:  # of anything that an evaluation does; the training goes on
            log.error("The evaluation at step %d failed: %s", self.curr_step, describe(error))

    # Checks at the start, and an orderly end

    async def run_command(self, mode: startup.Mode, work: Callable[[], Awaitable[None]]) -> None:
        """Check the options, do the work of a command, and close in any case."""
        self.mode = mode
        self._until_ready = functools.partial(self.require_servers, self.config.startup_timeout)

        async def checked() -> None:
            startup.check_options(mode, self.config, self.dumps_dir)
            chats = servers.speaks_chat_only(self.server.servers)
            try:
                if mode in ("serve", "process") or not chats:
                    require_tokenizers(self._tokenizers)
                await work()
            except (BadUsage, StartupError) as error:
                if not self._is_set_up:
                    await self._add_missing_servers(error)
                raise

        async with self.status.shown():
            await self._shutdown.guard(checked(), self._end, self._log_end)

    async def _add_missing_servers(self, error: Exception) -> None:
        """Raise an error of the start, and what a short look at the servers finds, as one."""
        try:
            await self.require_servers(LOOK_SECONDS)
        except StartupError as another:
            if str(another).partition(" (Last")[0] not in str(error):  # or it is the same look
                raise joined(error, another) from None

    async def require_servers(self, timeout: float) -> None:
        """Wait until all servers of the command answer; StartupError names each that does not."""
        waits = [*require_servers(self.server.servers, timeout)]
        if self.mode == "serve":
            waits.append(self.api.require(timeout))
        found = await asyncio.gather(*waits, return_exceptions=True)
        if errors := [error for error in found if isinstance(error, Exception)]:
            raise joined(*errors)

    @property
    def _tokenizers(self) -> list[Any]:
        clients = self.server.servers
        return [self.tokenizer, *(getattr(client, "tokenizer", None) for client in clients)]

    @property
    def _is_set_up(self) -> bool:
        return bool(self.task_names)

    async def _end(self) -> None:
        await self.close()
        if self._is_set_up:
            if lost := sum(dump.lost for dump in self.recorder.dumps.each):
                self._shutdown.fail(
                    RolloutsLost(
                        f"{counted(lost, 'group')} could not be saved to {self.dumps_dir}: free "
                        "disk space, or name another folder with --env.data_dumps_dir."
                    )
                )
            await self._report_rest()
        await asyncio.to_thread(wandb.finish)  # the loop still handles a signal

    def _log_end(self, error: BaseException | None) -> None:
        """Log why the run ended, and what was saved.

        Nothing is logged if it ended with a sentence for users before anything was asked: the
        command prints that sentence.
        """
        level = logging.INFO if error is None or isinstance(error, Signalled) else logging.ERROR
        if isinstance(error, command.FOR_USERS):
            if not self._is_set_up:
                return
            why = str(error)
        elif error is None:
            why = self._done()
        elif isinstance(error, Signalled):
            why = str(error)
        else:
            why = failed_call(error) if isinstance(error, OSError) else describe(error)
        saved = "; ".join(self._saved(is_done=error is None))
        log.log(level, "Ended: %s. Result: %s.", hide(why).rstrip("."), saved)
        if error is not None:
            error.add_note(command.LOGGED)

    def _done(self) -> str:
        """Return why a run ended that did all that it was to do."""
        if self.mode in ("evaluate", "profile"):
            return "the evaluation is done" if self.mode == "evaluate" else "the profile is done"
        steps = self.config.total_steps
        if self.mode == "process":
            return f"all groups are done (--env.total_steps {steps})"
        is_set = self._total_steps != FROM_TRAINER
        who = "--env.total_steps" if is_set else "the trainer's num_steps"
        return f"there are groups for all steps ({who}: {steps})"

    def _saved(self, *, is_done: bool) -> list[str]:
        """Return what a command saved where, in words."""
        if self.mode == "process":
            return [self.jsonl_writer.summary() if self.jsonl_writer is not None else "none"]
        if self.mode != "serve":
            samples = self.results and self.results / SAMPLES
            has_answers = samples and samples.exists() and samples.stat().st_size > 0
            return [f"samples in {self.results}" if has_answers else "no answers"]
        if not self.api.registered:
            return ["no problem was asked"]
        delivery, state = self.delivery, self.snapshot.path
        counts = f"{counted(delivery.delivered, 'group')} delivered, {delivery.refused} refused"
        if delivery.lost:
            counts += f", {delivery.lost} not delivered (their problems are asked again)"
        rollouts = [f"rollouts in {self.dumps_dir}"] if self.recorder.dumps.each else []
        more = f"its state in {state}" if is_done else f"the same command goes on from {state}"
        return [counts, *rollouts, more]

    # Snapshots

    def _state(self) -> dict[str, Any]:
        waiting = [*self.collector.collecting, *self.groups.unfinished]
        return {
            "run": self.recorder.dumps.run_id,
            "step": self.curr_step,
            "tokens": dict(self.fates.tokens),
            "stream": self.source.state(waiting),
        }

    def _resume(self) -> None:
        """Take over the state of the snapshot, if there is one; raises as `load_checkpoint`."""
        found = self.snapshot.find(step=self.curr_step, start_over=self.config.force)
        if found is None:
            return
        with self.snapshot.reading():
            self.source.load(found.stream)
        self.fates.tokens.update(found.tokens)
        version = self.pool.version
        self.recorder.dumps = startup.new_dumps(
            self.config, self.dumps_dir, version, run_id=found.run
        )
        log.info(
            "Resumed from %s: serving %s again, then problem %d and later ones.",
            *(self.snapshot.path, counted(self.source.requeued, "problem"), self.source.position),
        )

    # What is reported

    def _take_metrics(self) -> dict[str, Any]:
        """Write a line, and return all metrics since the last call."""
        speed = self.status.report()  # before the rates of its line are taken
        self._tokens_reported = self.fates.tokens.total()
        taken, self.eval_metrics = dict(self.eval_metrics), []
        return {
            **taken,
            **self.metrics.take(),
            **self._current_metrics(),
            **self.fates.metrics(),
            **speed,
        }

    def _save_metrics(self, metrics: dict[str, Any]) -> None:
        if self.mode in ("serve", "process"):
            about = {"run": self.recorder.dumps.run_id, "step": self.curr_step, "time": time.time()}
            self._metrics_file.append({**about, **metrics})

    def _metrics_folder(self) -> Path:
        file = self.jsonl_writer if self.mode == "process" else None
        return self.snapshot.folder if file is None else file.path.parent

    async def _report_rest(self) -> None:
        """Report groups and tokens since the last report: of `serve`, whose step wandb may have,
        into the file alone, without its speed, which means nothing while the run ends."""
        self.status.between = 0.0
        if not self.metrics.rates() and self.fates.tokens.total() == self._tokens_reported:
            return
        if self.mode == "serve":
            rest = self._take_metrics().items()
            self._save_metrics({n: x for n, x in rest if not n.endswith("_per_second")})
        elif self.mode == "process":
            await self.wandb_log()

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
            under_way=max(0, len(collector.collecting) - collector.scoring),
            most_under_way=groups.most,
            scoring=collector.scoring,
            inference_outage=self.policy.generation.outage,
        )
        if self.mode == "process":
            return now(unit="Group", total=self.config.total_steps, sent=step)
        return now(
            total=groups.total_steps if groups.total_steps > 0 else None,
            trained=self.fates.trained_share,
            sent=self.delivery.delivered,
            queue=groups.status.get("queue_size"),
            queue_limit=groups.queue_limit,
            api_silent=self.api.silent_for,
            sending=self.delivery.sending_for,
            paused_for="the evaluation" if self.evaluates and groups.stops_for_evaluation else "",
            never_fills=never_fills(groups.sizes.batch_size, self.config.group_size),
        )
