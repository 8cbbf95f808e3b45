"""Session: the objects that `setup()` creates for a run.

`Builder` reads the configuration once and passes plain values to each object.
"""

import contextlib
import functools
import logging
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.evaluation import (
    chosen_tasks,
    evaluation_sampling,
    new_runner,
    training_sampling,
)
from rgenv.atropos.servers import ScriptedServer, speaks_chat_only
from rgenv.atropos.startup import Mode, settings_of, try_once
from rgenv.atropos.wandb_logging import curriculum_metrics
from rgenv.dataset.source import ItemSource
from rgenv.evaluation.dataset import EvaluationSet
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.gym.gym import Gym
from rgenv.inference.chat import ChatServers
from rgenv.inference.chat_templates import chat_template
from rgenv.inference.generation import clients_of, completions_at_once
from rgenv.inference.policy import Policy, Sampling
from rgenv.pool.pool import WorkerPool
from rgenv.rollout_api.api import Doing
from rgenv.rollouts.collector import GroupCollector
from rgenv.rollouts.dump import FILES, RolloutDump
from rgenv.rollouts.group import score_group
from rgenv.rollouts.metrics import TrainMetrics
from rgenv.rollouts.recorder import Dumps, GroupRecorder
from rgenv.runtime.json_lines import cut_torn_lines
from rgenv.types import Problem

log = logging.getLogger("ReasoningGymEnv")

GOOD_BATCH, FAILED_BATCH = 100, 50
"""Groups in one file of a dump."""

PROCESS_GIVES_UP_AFTER = 10
"""After this many attempts in a row without a group, `process` ends with an error."""


@dataclass
class Session:
    """The objects of one run; `serve` has fewer tasks in its `eval_problems` than `evaluate`."""

    gym: Gym
    held_out: EvaluationSet
    source: ItemSource
    policy: Policy
    recorder: GroupRecorder
    collector: GroupCollector
    runner: EvaluationRunner
    eval_problems: list[Problem]

    @property
    def pool(self) -> WorkerPool:
        return self.gym.pool

    @property
    def task_names(self) -> list[str]:
        return self.gym.task_names

    @property
    def categories(self) -> Mapping[str, str]:
        return self.gym.categories

    async def close(self) -> None:
        """Finish the dumps, drop problems made ahead, and end the workers; idempotent."""
        self.recorder.close()
        await self.source.close()
        await self.pool.close()


@dataclass(frozen=True)
class Builder:
    """Creates the session of a run; its objects get plain values of the configuration."""

    config: ReasoningGymEnvConfig
    mode: Mode
    servers: Any
    tokenizer: Any
    metrics: TrainMetrics
    answered: Callable[[int, float], None]
    dumps_dir: Path
    abort: Callable[[Exception], None]
    doing: Doing = contextlib.nullcontext

    async def start(
        self, pool: WorkerPool, until_ready: Callable[[], Awaitable[None]] | None = None
    ) -> Session:
        """Choose the tasks, create the objects of a run, and make the evaluation set."""
        async with contextlib.AsyncExitStack() as on_failure:
            on_failure.push_async_callback(pool.close)
            session = self.session(pool)
            eval_tasks = chosen_tasks(
                self.config, session.categories, session.task_names, self.mode
            )
            with self.doing("Trying each task, the prompts and the servers once"):
                without_room = await try_once(
                    self.mode,
                    self.config,
                    session.gym.make,
                    session.policy,
                    training=session.task_names,
                    evaluation=eval_tasks,
                    until_ready=until_ready,
                )
            eval_tasks = [task for task in eval_tasks if task not in without_room]
            _log_start(self.config, session, self.dumps_dir)
            if eval_tasks:
                with self.doing(f"Making the evaluation set of {len(eval_tasks)} tasks"):
                    session.eval_problems = await session.held_out.of_tasks(
                        eval_tasks, limit=self.config.eval_limit
                    )
                log.info("The evaluation set holds %d problems.", len(session.eval_problems))
            on_failure.pop_all()
        return session

    def session(self, pool: WorkerPool) -> Session:
        config, metrics = self.config, self.metrics
        gym = Gym(settings_of(config), pool, count=metrics.count)
        metrics.categories = dict(gym.categories)
        metrics.sends_equal = not config.ensure_scores_are_not_same
        policy = self._policy()
        source = gym.new_source(
            config.complexity_mode,
            too_long=_too_long(config.max_prompt_tokens, policy, self.mode),
        )
        dumps = new_dumps(config, self.dumps_dir, pool.version, run_id=str(uuid.uuid4()))
        recorder = self._recorder(source, dumps)
        return Session(
            gym=gym,
            held_out=gym.evaluation_set(config.num_eval_samples_per_task, config.eval_levels),
            source=source,
            policy=policy,
            recorder=recorder,
            collector=self._collector(pool, policy, source, recorder),
            runner=new_runner(
                config,
                gym,
                self.servers.servers,
                policy.evaluate,
                samples_each=config.eval_samples_per_item,
            ),
            eval_problems=[],
        )

    def _policy(self) -> Policy:
        config, servers = self.config, self.servers.servers
        chat_only = speaks_chat_only(servers)
        evaluation = evaluation_sampling(
            config, chat_only=chat_only, as_in_training=self.mode == "profile"
        )
        return Policy(
            clients_of(self.servers),
            self.tokenizer,
            model=", ".join(dict.fromkeys(server.config.model_name for server in servers)),
            training=training_sampling(config),
            evaluation=evaluation,
            dialogue=settings_of(config).dialogue,
            chat_template_kwargs=config.chat_template_kwargs,
            chat_template=chat_template(config.chat_template) if config.chat_template else None,
            chat=ChatServers(servers, _chat_request(config, evaluation)) if chat_only else None,
            at_once=completions_at_once(
                getattr(self.servers, "max_n_completions", None), config.max_token_length
            ),
            scripted=any(isinstance(server, ScriptedServer) for server in servers),
            answered=self.answered,
            count=self.metrics.count,
        )

    def _recorder(self, source: ItemSource, dumps: Dumps) -> GroupRecorder:
        config = self.config
        return GroupRecorder(
            self.metrics,
            source.observe,
            dumps,
            table_rows=config.num_rollouts_per_group_for_logging if config.use_wandb else 0,
        )

    def _collector(
        self, pool: WorkerPool, policy: Policy, source: ItemSource, recorder: GroupRecorder
    ) -> GroupCollector:
        build = functools.partial(
            score_group,
            penalize_length=self.config.length_penalty,
            mask_truncated=self.config.mask_too_long_completions,
            min_spread=self.config.min_score_spread,
        )
        return GroupCollector(
            policy.rollouts,
            pool.score,
            recorder.record,
            patience=self.config.outage_patience,
            abort=self.abort,
            count=self.metrics.count,
            no_room=lambda problem: source.leaves_no_room(problem, policy.training.limit_option),
            build=build,
            give_up_after=PROCESS_GIVES_UP_AFTER if self.mode == "process" else None,
            raise_errors=policy.scripted,
        )


def _chat_request(config: ReasoningGymEnvConfig, evaluation: Sampling) -> dict[str, Any]:
    kwargs = config.chat_template_kwargs
    return evaluation.request | ({"chat_template_kwargs": kwargs} if kwargs else {})


def _log_start(config: ReasoningGymEnvConfig, session: Session, dumps_dir: Path) -> None:
    log.info("This is replica %d of %d.", config.replica_id, config.num_replicas)
    log.info(
        "Serving %d tasks of reasoning-gym %s; groups of %d, up to %d tokens; difficulty: %s.",
        len(session.task_names),
        session.pool.version,
        config.group_size,
        config.max_token_length,
        config.complexity_mode or "defaults",
    )
    if session.recorder.dumps.each:
        log.info("Rollouts are saved to %s.", dumps_dir)
        cut_torn_lines(dumps_dir, FILES)


def current_metrics(session: Session, config: ReasoningGymEnvConfig) -> dict[str, Any]:
    """Return the metrics that are current values, not counts since the last report."""
    dumps = session.recorder.dumps.each
    levels = session.source.difficulty.levels()
    return {
        **curriculum_metrics(levels, config.curriculum_target_accuracy),
        "pool/worker_restarts": session.pool.restarts,
        "pool/malformed_replies": session.pool.malformed,
        "train/dumps_waiting": sum(dump.held for dump in dumps),
        "train/dumps_not_written": sum(dump.lost for dump in dumps),
    }


def new_dumps(config: ReasoningGymEnvConfig, folder: Path, version: str, *, run_id: str) -> Dumps:
    new = functools.partial(RolloutDump, folder, run_id=run_id)
    failed = new(batch_size=FAILED_BATCH, label="FAILED_rollouts")
    return Dumps(
        above_threshold=new(batch_size=GOOD_BATCH) if config.dump_rollouts else None,
        failed=failed if config.dump_failed_rollouts else None,
        threshold=config.rollout_save_score_threshold,
        version=version,
        run_id=run_id,
    )


def _too_long(
    limit: int | None, policy: Policy, mode: Mode
) -> Callable[[Problem], Awaitable[str | None]] | None:
    """Return a function that returns the option to raise where a prompt is too long, else None.

    A program that calls the methods itself needs no tokenizer for items, so there the prompt has to
    leave room only once completions are asked for.
    """
    checks_room = mode in ("serve", "process")
    if limit is None and not checks_room:
        return None

    async def too_long(problem: Problem) -> str | None:
        if limit is not None and policy.has_more_tokens(problem.question, limit):
            return "max_prompt_tokens"
        if checks_room and await policy.leaves_no_room(problem):
            return policy.training.limit_option
        return None

    return too_long
