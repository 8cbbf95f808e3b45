"""Run: what one process of an environment owns, from its constructor to its end."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from rgenv.atropos import wandb_logging
from rgenv.atropos.config import FROM_TRAINER, ReasoningGymEnvConfig
from rgenv.atropos.evaluation import (
    evaluation_definition,
    evaluation_folder,
    save_configuration,
)
from rgenv.atropos.loop import GROUPS_PER_SERVER, Hooks, Limits, Loop
from rgenv.atropos.profiling import profile, profile_definition, profile_folder
from rgenv.atropos.registration import Registration
from rgenv.atropos.reporting import (
    FOR_USERS,
    Reporter,
    finished,
    log_end,
    served,
)
from rgenv.atropos.servers import speaks_chat_only
from rgenv.atropos.session import Builder, Session, current_metrics
from rgenv.atropos.startup import Mode, check_options, check_servers
from rgenv.errors import BadUsage, RolloutsLost, StartupError, joined
from rgenv.evaluation.compare import FINISHED
from rgenv.evaluation.evaluate import Evaluation, evaluate
from rgenv.inference.generation import completions_at_once
from rgenv.inference.health import stop_health_checks, watching_health
from rgenv.inference.tokenizers import require_tokenizers
from rgenv.pool.pool import WorkerPool
from rgenv.rollout_api.api import never_fills
from rgenv.rollout_api.client import Sizes
from rgenv.rollout_api.delivery import Delivery
from rgenv.rollouts.admission import Admission, Concurrency
from rgenv.rollouts.collector import ProblemDropped, RetryLater
from rgenv.rollouts.fates import Fate, Fates
from rgenv.rollouts.group import group_id, scored_data
from rgenv.rollouts.groups_file import GroupsFile
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.rollouts.status import Moment
from rgenv.runtime.files import set_aside
from rgenv.runtime.shutdown import Shutdown
from rgenv.text import describe
from rgenv.types import Group, Problem

log = logging.getLogger("ReasoningGymEnv")

LOOK_SECONDS = 1.0
"""The longest look at servers when the start has failed already."""

GRACE_SECONDS = 10.0
"""Seconds at the end to finish what is being scored or sent."""


class Run:
    """Owns the objects of one process, and joins them.

    Args:
        hooks: the methods of the environment, which subclasses override.
        groups_file: the file into which `process` writes; None: groups are written nowhere.

    Attributes:
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
        self._hooks, self._config, self._metrics = hooks, config, metrics
        self._servers = servers
        self._dumps_dir, self._groups_file = dumps_dir, groups_file
        self._has_checked_servers = False
        self._until_ready: Callable[[], Awaitable[None]] | None = None
        self._shutdown = Shutdown()
        concurrency = Concurrency(GROUPS_PER_SERVER * len(servers.servers))
        self._answered = concurrency.answered
        self._fates = Fates()
        self.reporter = Reporter(metrics, self._fates)
        self._doing = self.reporter.status.doing
        most = getattr(servers, "max_n_completions", None)
        at_once = completions_at_once(most, config.max_token_length)
        self.loop = Loop(
            hooks,
            Limits.of(config, servers.servers, at_once),
            Admission(config.replica_id, config.num_replicas),
            concurrency,
            sizes=Sizes(config.batch_size, -1),
            delivered=lambda: self.delivery.delivered,
            finishing=lambda: self.session.collector.finishing if self.session else (),
        )
        self.registration = Registration(
            hooks,
            config,
            self.loop,
            self._fates,
            started=lambda: self.started,
            count=metrics.count,
            doing=self._doing,
        )
        self.delivery = Delivery(
            self.registration.api, settled=self._settled, abort=self._shutdown.abort
        )

    @property
    def started(self) -> Session:
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
                try:
                    require_tokenizers(self._tokenizers)
                except StartupError as error:
                    raise joined(error, await self._servers_error()) from None
            self._until_ready = lambda: self._check_servers(config.startup_timeout)
            await work()

        watching = watching_health(
            clients, config.outage_patience, self._shutdown.abort, self._requests
        )
        async with watching, self.reporter.status.shown():
            await self._shutdown.guard(checked(), self._end, self._log_end)

    async def _check_servers(self, timeout: float) -> None:
        self._has_checked_servers = True
        clients, api = self._servers.servers, self.registration.api
        await check_servers(self.mode, clients, api, timeout=timeout)

    async def _servers_error(self) -> StartupError | None:
        """Look at the servers once, to name all that is wrong in one message."""
        if self.mode == "embedded" or self._has_checked_servers:
            return None
        try:
            await self._check_servers(LOOK_SECONDS)
        except StartupError as error:
            return error
        return None

    def _requests(self) -> tuple[int, int]:
        return self.session.policy.requests if self.session is not None else (0, 0)

    @property
    def _tokenizers(self) -> list[Any]:
        clients = self._servers.servers
        return [self._hooks.tokenizer, *(getattr(client, "tokenizer", None) for client in clients)]

    async def process(self) -> None:
        await self._hooks.setup()
        if self._config.use_wandb:
            wandb_logging.start(self._hooks.name, self._config.model_dump())
        await self.loop.process(self._config.total_steps)
        if self._groups_file is not None:
            path = self._groups_file.path
            log.info("To read the groups: python -m json.tool --json-lines %s", path)

    async def profile(self) -> None:
        printed: list[str] = []

        async def work() -> None:
            await self._hooks.setup()
            config, session = self._config, self.started
            gym, policy = session.gym, session.policy
            about = profile_definition(config, gym, policy)
            self.results = profile_folder(config, about)
            clients = self._servers.servers
            printed.append(await profile(config, gym, policy, clients, about, self.results))

        await self.command("profile", work)
        for text in printed:
            print(text, flush=True)

    async def start(self, start_pool: Callable[[], Awaitable[WorkerPool]]) -> Session:
        with self._doing(f"Starting {self._config.scoring_workers} worker processes"):
            pool = await start_pool()
        builder = Builder(
            self._config,
            self.mode,
            self._servers,
            self._hooks.tokenizer,
            self._metrics,
            self._answered,
            self._dumps_dir,
            self._shutdown.abort,
            self._doing,
        )
        try:
            self.session = session = await builder.start(pool, self._until_ready)
        except (BadUsage, StartupError) as error:
            raise joined(error, await self._servers_error()) from None
        coverage = pool.coverage
        snapshot = self.registration.snapshot
        snapshot.sources = {task: coverage.source(task) for task in session.task_names}
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
        if self.session is None and isinstance(error, FOR_USERS):
            return
        is_saved = self.session is not None and self.session.recorder.dumps.each
        if self.mode == "serve":
            dumps = self._dumps_dir if is_saved else None
            registration = self.registration
            state = registration.snapshot.path if registration.api.registered else None
            saved = served(self.delivery, state, dumps, is_done=error is None)
        elif self.mode == "process":
            saved = [self._groups_file.summary() if self._groups_file is not None else "none"]
        else:
            saved = [f"answers in {self.results}" if self.results else "no answers"]
        is_set = self.total_steps != FROM_TRAINER
        otherwise = finished(self.mode, self._config.total_steps, set_by_user=is_set)
        log_end(error, otherwise=otherwise, saved=saved)

    async def close(self) -> None:
        """Finish scoring and sending within `GRACE_SECONDS`, drop the rest; idempotent."""
        deadline = time.monotonic() + GRACE_SECONDS
        await self.loop.stop(deadline)
        await self.loop.write_rest()
        await self.delivery.drain(max(0.0, deadline - time.monotonic()))
        await self.registration.api.leave()
        await self.registration.snapshot.close()
        self.registration.snapshot.release()
        if self.session is not None:
            await self.session.close()
        stop_health_checks(self._servers.servers)
        if self._groups_file is not None:
            self._groups_file.close()

    # Groups

    async def collect(self, item: Problem) -> tuple[dict[str, Any] | None, list[Problem]]:
        """Return a group as the trainer gets it, or None, and the problems to ask again."""
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
            return None, [item]
        return self._scored_data(group), []

    def _scored_data(self, group: Group) -> dict[str, Any]:
        if self.mode == "process" and self._groups_file is not None:
            self._groups_file.expect(group)
        if self.mode != "embedded":  # whoever calls `collect` decides what becomes of it
            self._fates.scored(group)
        return scored_data(group, temperature=self._config.temperature)

    def as_sent(self, group: Mapping[str, Any]) -> dict[str, Any]:
        sent = dict(group)
        if not self._config.include_messages:
            sent.pop("messages", None)
        return sent

    async def send(self, groups: list[dict[str, Any]]) -> None:
        """Send groups to the rollout API; cancelling this stops no delivery."""
        for group in groups:
            self._sent.add(group_id(group))
            await self.delivery.send(group)

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
        key = self._fates.settle(group_id(group), fate)
        if key is not None and self.session is not None:
            self.session.source.done(key)

    # Evaluation

    async def evaluate(self, problems: list[Problem]) -> Evaluation:
        session, config, is_command = self.started, self._config, self.mode == "evaluate"
        step = self._hooks.curr_step if self.mode == "serve" else None
        about = evaluation_definition(
            config, session.policy, session.gym, session.eval_problems, step
        )
        folder = evaluation_folder(
            config.data_dir_to_save_evals,
            about,
            always=is_command,
            replica=f"replica{config.replica_id}" if config.num_replicas > 1 else "",
        )
        if folder and step is not None and (folder / FINISHED).exists():
            set_aside(folder)  # it may be that of an earlier run

        def opened(folder: Path) -> None:
            self.results = folder
            if is_command:
                clients = self._servers.servers
                save_configuration(folder, config, [client.config for client in clients])

        return await evaluate(
            problems,
            session.runner,
            about=about,
            folder=folder,
            opened=opened,
            start_over=config.force or step is not None,
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
        return self.registration.snapshot.folder

    def _current_metrics(self) -> dict[str, Any]:
        return {
            **current_metrics(self.started, self._config),
            "train/groups_refused": self.delivery.refused,
            "train/groups_not_delivered": self.delivery.lost,
        }

    def _look(self) -> Moment:
        """Return what the loop of `serve` or `process` is doing now."""
        collector, config, step = self.started.collector, self._config, self._hooks.curr_step
        making: dict[str, Any] = {
            "groups": self._metrics.groups,
            "tokens": self._metrics.tokens,
            "rates": self._metrics.rates(),
            "trained": None if self.mode == "process" else self._fates.trained_share,
            "under_way": max(0, len(collector.collecting) - collector.scoring),
            "scoring": collector.scoring,
            "inference_away": not any(
                getattr(client, "server_healthy", True) for client in self._servers.servers
            ),
        }
        if self.mode == "process":
            total = config.total_steps
            making["most_under_way"] = self.loop.most
            return Moment(unit="Group", step=step, total=total, sent=step, **making)
        return Moment(
            step=step,
            total=self.loop.total_steps if self.loop.total_steps > 0 else None,
            sent=self.delivery.delivered,
            most_under_way=self.loop.most,
            queue=self.loop.status.get("queue_size"),
            queue_limit=self.loop.queue_limit,
            api_silent=self.registration.api.silent_for,
            sending=self.delivery.sending_for,
            paused_for="the evaluation" if self.loop.is_paused else "",
            never_fills=never_fills(self.loop.sizes.batch_size, config.group_size),
            **making,
        )
