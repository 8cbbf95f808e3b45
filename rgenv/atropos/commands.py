"""What surrounds the groups of an environment: its parts, its commands, and what they report.

Each command checks its options first, and closes in any case. `evaluate` and `profile` ask a fixed
set; `serve` and `process` make groups, which reasoning_gym_environment.py does.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import wandb
import yaml
from atroposlib.envs.base import APIServerConfig, BaseEnv
from atroposlib.envs.server_handling.server_manager import ServerBaseline

from rgenv.atropos import command, servers, startup, wandb_logging
from rgenv.atropos.config import ReasoningGymEnvConfig, check_arguments
from rgenv.atropos.evaluation import evaluation_definition, profile, results_folder
from rgenv.atropos.groups import Groups
from rgenv.atropos.options import FROM_TRAINER, GROUP_OPTIONS, ROOT
from rgenv.atropos.rollout_api import RolloutApi, never_fills
from rgenv.errors import BadUsage, RolloutsLost, StartupError, joined
from rgenv.evaluation import terminal
from rgenv.evaluation.evaluate import Evaluation, evaluate
from rgenv.evaluation.sample_log import SAMPLES
from rgenv.inference.first_request import require_servers
from rgenv.inference.policy import completions_at_once
from rgenv.inference.tokenizers import require_tokenizers
from rgenv.rollouts.metrics import Fates, MetricsFile, TrainMetrics
from rgenv.rollouts.recorder import TABLE_COLUMNS
from rgenv.rollouts.snapshot import Snapshot
from rgenv.rollouts.status import Moment, Status
from rgenv.runtime.background_loop import BackgroundLoop, from_any_loop
from rgenv.runtime.files import write_atomic
from rgenv.runtime.machine import dumps_folder
from rgenv.runtime.shutdown import Shutdown, Signalled
from rgenv.runtime.signals import end_on_signals
from rgenv.secrets import hide, without_secrets
from rgenv.text import counted, describe, failed_call
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

MOST_FAILED = 0.1
"""The share of an evaluation's samples beyond which failed ones make it a failure."""

SENT = "train/items_sent_to_api"

LOOK_SECONDS = 1.0
"""The longest look at servers when the start has failed already."""


class Commands(BaseEnv):
    """Makes what the hooks of its subclass work with, and runs the commands over them."""

    server_cls: Any  # these are of Atropos
    wandb_prepend: str | None
    wandb_project: str | None
    items_sent_this_step: int
    max_token_len: int

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
            BadUsage: options are unknown, or they or servers are wrong.
        """
        asks = not (slurm or testing)
        check_arguments(type(self), config, server_configs, asks=asks)
        startup.set_up_logging(config)
        server_configs = servers.with_defaults(server_configs, config.tokenizer_name)
        startup.log_configuration(config, server_configs)
        self.server_cls = servers.engine_class(self.server_cls, server_configs)
        without_file = config.model_copy(update={"data_path_to_save_groups": None})
        with servers.tokenizers_at_need(config.startup_timeout):
            super().__init__(without_file, server_configs, slurm=slurm, testing=testing, **more)
        self.config = config
        if testing:
            first = server_configs[0] if isinstance(server_configs, list) else server_configs
            self.server.servers = [servers.ScriptedServer(first)]
        clients = self.server.servers
        self.mode: startup.Mode = "embedded"
        self.task_names: list[str] = []
        self.eval_items: list[Problem] = []
        self.eval_metrics: list[tuple[str, float]] = []
        self.evaluation: Evaluation | None = None
        self.results: Path | None = None  # the folder of an evaluation or a profile
        self.is_closed = False
        self.background_loop = BackgroundLoop() if testing else None
        self.dumps_dir = dumps_folder(config.data_dumps_dir, ROOT)
        self.metrics, self.status = TrainMetrics(), Status()
        self.fates = Fates(lambda problem: self.source.done(problem))
        self._metrics_file = MetricsFile(self._metrics_folder)
        self._reported_tokens = self._reported_groups = 0
        self._total_steps = config.total_steps  # Atropos replaces it by the trainer's
        self._sizes: tuple[int, int] | None = None
        self._has_told_size = False
        self._sent: set[str] = set()
        self._saving = asyncio.Lock()
        self._making: deque[asyncio.Task[Any]] = deque()
        self._until_ready: Callable[[], Awaitable[None]] | None = None
        self._shutdown = Shutdown()
        self.api = RolloutApi(
            config.rollout_server_url,
            patience=config.outage_patience,
            abort=self._shutdown.abort,
            doing=self.status.doing,
        )
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
            finishing=lambda: self.collector.finishing if self._is_set_up else (),
        )
        # Atropos' `handle_env` reads and changes these.
        self.backlog, self.running_items = self.groups.waiting, self.groups.running
        self.workers = self.groups.workers

    @property
    def _tokenizers(self) -> list[Any]:
        clients = self.server.servers
        return [self.tokenizer, *(getattr(client, "tokenizer", None) for client in clients)]

    @property
    def _is_set_up(self) -> bool:
        return bool(self.task_names)

    # Checks at the start, and an orderly end

    @classmethod
    def cli(cls) -> None:
        """Run the command line of this process for this class, and exit."""
        end_on_signals()
        sys.exit(command.run_words(cls, sys.argv[1:]))

    async def run_command(self, mode: startup.Mode, work: Callable[[], Awaitable[None]]) -> None:
        """Check the options, do the work of a command, and close in any case."""
        self.mode = mode
        self._until_ready = functools.partial(self.require_servers, self.config.startup_timeout)

        async def checked() -> None:
            chats = servers.speaks_chat_only(self.server.servers)
            try:
                startup.check_options(mode, self.config)
                if mode in ("serve", "process") or not chats:
                    require_tokenizers(self._tokenizers)
                await work()
            except (BadUsage, StartupError) as error:
                if not self._is_set_up:  # a short look finds what else is wrong
                    try:
                        await self.require_servers(LOOK_SECONDS)
                    except StartupError as another:
                        if str(another).partition(" (Last")[0] not in str(error):  # or the same
                            raise joined(error, another) from None
                raise

        async with self.status.shown():
            await self._shutdown.guard(checked(), self._end, self._log_end)

    async def require_servers(self, timeout: float) -> None:
        """Wait until all servers of the command answer; StartupError names each that does not."""
        waits = [*require_servers(self.server.servers, timeout)]
        if self.mode == "serve":
            waits.append(self.api.require(timeout))
        found = await asyncio.gather(*waits, return_exceptions=True)
        if errors := [error for error in found if isinstance(error, Exception)]:
            raise joined(*errors)

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
        is_for_users = isinstance(error, command.FOR_USERS)
        if is_for_users and not self._is_set_up:
            return
        if error is None:
            why = self._done()
        elif is_for_users or isinstance(error, Signalled):
            why = str(error)
        else:
            why = failed_call(error) if isinstance(error, OSError) else describe(error)
        level = logging.INFO if error is None or isinstance(error, Signalled) else logging.ERROR
        saved = self._saved(is_done=error is None)
        if given_up := self.metrics.totals["items_given_up"]:
            saved.append(f"{counted(given_up, 'prompt')} given up")
        log.log(level, "Ended: %s. Result: %s.", hide(why).rstrip("."), "; ".join(saved))
        if error is not None:
            error.add_note(command.LOGGED)

    def _done(self) -> str:
        """Return why a run ended that did all that it was to do."""
        steps, is_set = self.config.total_steps, self._total_steps != FROM_TRAINER
        who = "--env.total_steps" if is_set else "the trainer's num_steps"
        return {
            "process": f"all groups are done (--env.total_steps {steps})",
            "evaluate": "the evaluation is done",
            "profile": "the profile is done",
        }.get(self.mode, f"there are groups for all steps ({who}: {steps})")

    def _saved(self, *, is_done: bool) -> list[str]:
        """Return what a command saved where, in words."""
        api, state = self.api, self.snapshot.path
        if self.mode == "process":
            return [self.jsonl_writer.summary() if self.jsonl_writer is not None else "none"]
        if self.mode != "serve":
            samples = self.results and self.results / SAMPLES
            has_answers = samples and samples.exists() and samples.stat().st_size > 0
            return [f"samples in {self.results}" if has_answers else "no answers"]
        if not api.registered:
            return ["no problem was asked"]
        counts = f"{counted(api.delivered, 'group')} delivered, {api.refused} refused"
        if api.lost:
            counts += f", {api.lost} not delivered (their problems are asked again)"
        rollouts = [f"rollouts in {self.dumps_dir}"] if self.recorder.dumps.each else []
        more = f"its state in {state}" if is_done else f"the same command goes on from {state}"
        return [counts, *rollouts, more]

    # Asking a fixed set

    async def _run_evaluate(self) -> None:
        """Run `evaluate`: ask for the evaluation set once, and print a table of scores."""
        await self.run_command("evaluate", super()._run_evaluate)
        if self.evaluation is not None:
            print(terminal.report(self.evaluation), flush=True)
        _require_answers(self.eval_samples)

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
            PoolBroken: the environment was closed meanwhile; the samples so far are saved.
        """
        config, policy, problems = self.config, self.policy, self.eval_items
        is_command, step = self.mode == "evaluate", self.curr_step if self.mode == "serve" else None
        about = evaluation_definition(config, policy, self.pool.version, problems, step)

        def opened(folder: Path) -> None:
            self.results = folder
            if is_command:  # with what it was asked, as a file that --config takes
                openai = [one.config.model_dump(mode="json") for one in self.server.servers]
                asked = without_secrets({"env": config.model_dump(mode="json"), "openai": openai})
                text = yaml.dump(asked, sort_keys=False)
                write_atomic(folder / "evaluate_config.yaml", text.encode())

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

        async def beside_training() -> None:
            try:
                await self.evaluate()
            except Exception as error:  # of anything that it does; the training goes on
                log.error("The evaluation at step %d failed: %s", self.curr_step, describe(error))

        if self.evaluates:
            log.warning("The last evaluation is still running; this one is skipped.")
            return
        self.eval_runner = asyncio.create_task(beside_training())
        if self.groups.stops_for_evaluation:
            self.groups.cancel_generating()

    async def _run_profile(self) -> None:
        """Run `profile`: find out which tasks a model can learn from."""
        text, samples = "", list[Any]()
        opened = functools.partial(setattr, self, "results")

        async def work() -> None:
            nonlocal text, samples
            await self.setup()
            text, samples = await profile(self.config, self.gym, self.policy, opened=opened)

        await self.run_command("profile", work)
        print(text, flush=True)
        _require_answers(samples)

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
        if not self.api.registered:  # else only the API was restarted
            self.snapshot.root = self.checkpoint_dir
            self._resume()

    def _state(self) -> dict[str, Any]:
        asked = [running["item"] for running in self.running_items.values()]
        return {
            "run": self.recorder.dumps.run_id,
            "step": self.curr_step,
            "tokens": dict(self.fates.tokens),
            "stream": self.source.state([*self.collector.collecting, *asked, *self.backlog]),
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
        self.recorder.dumps = startup.new_dumps(self.config, self.dumps_dir, version, found.run)
        file = self.jsonl_writer if self.mode == "process" else None
        log.info(
            "Resumed from %s: serving %s again, then problem %d and later ones%s.",
            *(self.snapshot.path, counted(self.source.requeued, "problem"), self.source.position),
            f", but none whose group is in {file.path}" if file is not None else "",
        )

    # What is reported

    async def setup_wandb(self) -> None:
        """Log to wandb, offline if there is no account or no network."""
        if self.config.use_wandb and self.wandb_project is None:
            trainer = await self.api.wait_for_trainer()
            self.wandb_group, self.wandb_project = trainer.group, trainer.project
            of_trainer = {"project": trainer.project, "group": trainer.group}
            settings = self.config.model_dump()
            await wandb_logging.start(self.config.wandb_name, settings, **of_trainer)

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
        """Add Atropos' timings, but not its number of groups that were sent."""
        sent = metrics_dict.get(SENT, 0)
        metrics: dict[str, Any] = super().perf_stats(metrics_dict)
        metrics[SENT] = sent
        return metrics

    async def _report_rest(self) -> None:
        """Report groups and tokens since the last report: of `serve`, whose step wandb may have,
        into the file alone, without its speed, which means nothing while the run ends."""
        self.status.between = 0.0
        if not self.metrics.rates() and self.fates.tokens.total() == self._reported_tokens:
            return
        if self.mode == "serve":
            rest = self._take_metrics().items()
            self._save_metrics({n: x for n, x in rest if not n.endswith("_per_second")})
        elif self.mode == "process":
            await self.wandb_log()

    def _take_metrics(self) -> dict[str, Any]:
        """Write a line, and return all metrics: counts since the last call, and current values."""
        speed = self.status.report()  # before the rates of its line are taken
        self._reported_tokens = self.fates.tokens.total()
        sent = self.api.delivered - self._reported_groups
        self._reported_groups = self.api.delivered
        taken, self.eval_metrics = dict(self.eval_metrics), []
        dumps, levels = self.recorder.dumps.each, self.source.difficulty.levels()
        return {
            **taken,
            **self.metrics.take(),
            **wandb_logging.curriculum_metrics(levels, self.config.curriculum_target_accuracy),
            "pool/worker_restarts": self.pool.restarts,
            "pool/malformed_replies": self.pool.malformed,
            "train/dumps_waiting": sum(dump.held for dump in dumps),
            "train/dumps_not_written": sum(dump.lost for dump in dumps),
            SENT: sent,
            "train/groups_refused": self.api.refused,
            "train/groups_not_delivered": self.api.lost,
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

    def _look(self) -> Moment:
        """Return what `serve` or `process` is doing now, for the line of the log."""
        api, collector, groups = self.api, self.collector, self.groups
        serves, total = self.mode == "serve", self.config.total_steps
        return Moment(
            step=self.curr_step,
            total=total if total > 0 else None,
            unit="Step" if serves else "Group",
            groups=self.metrics.groups,
            tokens=self.metrics.tokens,
            sent=api.delivered if serves else self.curr_step,
            trained=self.fates.trained_share if serves else None,
            rates=self.metrics.rates(),
            under_way=max(0, len(collector.collecting) - collector.scoring),
            most_under_way=groups.most,
            scoring=collector.scoring,
            sending=api.sending_for,
            queue=groups.status.get("queue_size"),
            queue_limit=groups.queue_limit,
            api_silent=api.silent_for,
            inference_outage=self.policy.generation.outage,
            paused_for="the evaluation" if self.evaluates and groups.stops_for_evaluation else "",
            never_fills=never_fills(self.config.batch_size, self.config.group_size),
        )


def _require_answers(samples: Sequence[Mapping[str, Any]]) -> None:
    """Raise StartupError if too many samples of an evaluation or a profile failed."""
    asked, failed = len(samples), sum("score" not in sample for sample in samples)
    if failed == asked:
        raise StartupError("No sample could be scored; the log and samples.jsonl say why.")
    if failed > MOST_FAILED * asked:
        raise StartupError(
            f"{failed} of {asked} samples failed, so the results are those of the others. The "
            "same command asks for the failed ones again."
        )
