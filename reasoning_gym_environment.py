"""Every task of reasoning-gym as an Atropos environment.

    python reasoning_gym_environment.py serve       rollouts for a trainer, through the rollout API
    python reasoning_gym_environment.py process     rollouts into a file, no trainer
    python reasoning_gym_environment.py evaluate    one evaluation of a model
    python reasoning_gym_environment.py validate    tasks and verifiers, without a model

This file is the door: the class that Atropos drives, its configuration and its command line, and
the only place that knows atroposlib and wandb. What happens to an item on its way is in `rgenv`,
whose docstring is the map.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import logging
import math
import os
import sys
import time
import uuid
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args
from urllib.parse import urlparse

import aiohttp
import jsonlines
import wandb
import yaml
from atroposlib.envs import base as atropos_base
from atroposlib.envs.base import (
    APIServerConfig,
    BaseEnv,
    BaseEnvConfig,
    EvalHandlingEnum,
    ScoredDataGroup,
)
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import AsyncSemWithAdaptiveWeight
from atroposlib.envs.server_handling.server_harness import ServerHarness
from atroposlib.envs.server_handling.server_manager import ServerBaseline, ServerManagerConfig
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_cli import FailedExecutionException, run_and_exit
from tenacity import RetryError
from transformers import AutoTokenizer

ROOT = Path(__file__).resolve().parent
if str(ROOT) not in sys.path:  # imported as environments.….reasoning_gym_environment
    sys.path.insert(0, str(ROOT))

from rgenv.atropos.arguments import Flag, canonical  # noqa: E402
from rgenv.atropos.delivery import UNAVAILABLE, ApiAway, Delivery  # noqa: E402
from rgenv.dataset.difficulty import Difficulty, band_of  # noqa: E402
from rgenv.dataset.filters import (
    LabelBalance,
    PromptFilter,
)
from rgenv.dataset.prefetch import Judgement, NothingLeft, Prefetcher  # noqa: E402
from rgenv.dataset.stream import MAX_ATTEMPTS, MAX_REPLICAS, Stream, evaluation_seeds, random_for  # noqa: E402
from rgenv.dataset.task_sampler import SAMPLING, SignalSampler  # noqa: E402
from rgenv.errors import (  # noqa: E402
    AnotherEvaluation,
    BadCheckpoint,
    BadUsage,
    MakeFailed,
    MissingReasoningGym,
    NothingAnswers,
    PoolBroken,
    StartupError,
    UnknownTask,
)
from rgenv.evaluation import metrics as evaluation  # noqa: E402
from rgenv.evaluation import report as results
from rgenv.evaluation.item_cache import ItemCache, cache_folder, digest  # noqa: E402
from rgenv.evaluation.runner import EvaluationRunner, Reply, summary  # noqa: E402
from rgenv.evaluation.sample_log import SampleLog  # noqa: E402
from rgenv.pool.library import checkout_path  # noqa: E402
from rgenv.pool.pool import WorkerPool  # noqa: E402
from rgenv.rollouts.answer_format import build_messages, extract_answer  # noqa: E402
from rgenv.rollouts.dump import FILES, RolloutDump, group_row  # noqa: E402
from rgenv.rollouts.group import evidence as _evidence  # noqa: E402
from rgenv.rollouts.group import (
    is_informative,
    new_rollout,
    outcomes,
    row_metadata,
    score_group,
    scored_data,
)
from rgenv.rollouts.metrics import TrainMetrics  # noqa: E402
from rgenv.rollouts.retry import RetryPolicy  # noqa: E402
from rgenv.rollouts.rewards import group_kind, without_noise  # noqa: E402
from rgenv.runtime.background_loop import BackgroundLoop  # noqa: E402
from rgenv.runtime.backoff import retrying  # noqa: E402
from rgenv.runtime.host import (  # noqa: E402
    dumps_folder,
    has_wandb_account,
    replica,
    tune_garbage_collector,
)
from rgenv.runtime.preflight import require_answer, require_in_time  # noqa: E402
from rgenv.runtime.shutdown import Shutdown  # noqa: E402
from rgenv.storage import checkpoint  # noqa: E402
from rgenv.storage.journal import Journal, finish_torn  # noqa: E402
from rgenv.tasks import KNOWN_TASKS, choose_tasks, suggestion  # noqa: E402
from rgenv.text import (
    describe,
    level_name,
)
from rgenv.types import (  # noqa: E402
    Group,
    Message,
    Problem,
    Rollout,
    Verdict,
)
from rgenv.validation import cli as validate_cli  # noqa: E402
from rgenv.worker.protocol import (
    FROM_CHECKOUT,
    WorkerSettings,
)

log = logging.getLogger("ReasoningGymEnv")

MODEL = "NousResearch/DeepHermes-3-Llama-3-8B-Preview"
GOOD_BATCH, FAILED_BATCH = 100, 50
UNUSABLE_IN_A_ROW = 10
"""After so many attempts that gave no group, `process` ends instead of asking for ever."""
LONG_PROMPT = 2000
"""Characters from where on a tokenizer in Rust, which lets go of the GIL, works beside the loop."""

ROLLOUT_COLUMNS = ["full_text", "score", "answer", "expected_answer", "task_name", "level"]

STATUS_RATE = 100
IN_TOUCH_SECONDS = 1.0
"""A rollout API that answered so shortly before can't have been restarted since."""


ACCEPTANCE: dict[str, Judgement] = {
    "fresh": "yes",
    "inevitable": "yes",
    "repeated": "only if nothing better comes",
    "kept back": "never",
}

PUBLIC_COROUTINES = (
    "setup",
    "get_next_item",
    "make_item",
    "score_completions",
    "collect_trajectories",
    "evaluate",
    "close",
)

Recipe = tuple[str, int, float | None]
"""Task, seed and level: what `make_item` takes."""


def _words(value: Any) -> Any:
    """A comma string, as the command line has it, or a list, as YAML has it."""
    return [w.strip() for w in value.split(",") if w.strip()] if isinstance(value, str) else value


def _levels(value: Any) -> Any:
    """``none,0,0.5`` or a list of the same."""
    names = _words(value) if isinstance(value, str) else value
    if not isinstance(names, list):
        return names
    return [None if str(n).lower() in ("none", "null") else n for n in names]


def _mapping(value: Any) -> Any:
    """JSON or ``name=value,…``, as the command line has it, or a mapping, as YAML has it."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except ValueError as error:
            raise ValueError(f"not valid JSON: {error}") from None
    return dict(pair.partition("=")[::2] for pair in _words(value))


Words = Annotated[list[str], BeforeValidator(_words)]


class ReasoningGymEnvConfig(BaseEnvConfig):
    """What can be set: the fields of BaseEnvConfig and these; unknown names are errors."""

    model_config = ConfigDict(extra="forbid", validate_default=True)

    task_names: Words = Field(
        default=[],
        description="Tasks to train on: names, categories or patterns (`*_sorting`); empty: all.",
    )
    exclude_tasks: Words = Field(
        default=[], description="Taken away from task_names; names, categories or patterns."
    )
    task_weights: Annotated[dict[str, float], BeforeValidator(_mapping)] = Field(
        default={}, description="How often a task is drawn, relative to 1 for the others."
    )
    task_sampling: str = Field(
        default="uniform",
        description="Which task is next: uniform or weighted (both by task_weights, if any), or "
        "signal: those whose groups are likely to have different rewards.",
    )
    min_task_share: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="With signal, every task gets this share of what it gets otherwise, at least.",
    )
    task_configs: Annotated[dict[str, dict[str, Any]], BeforeValidator(_mapping)] = Field(
        default={}, description="Parameters for reasoning-gym, by task; they win over the level's."
    )
    seed: int = Field(default=42, description="Fixes the whole stream of training items.")
    replica_id: int = Field(
        default_factory=lambda: replica()[0],
        ge=0,
        description="Which of num_replicas this process is; SLURM_PROCID or RANK when set.",
    )
    num_replicas: int = Field(
        default_factory=lambda: replica()[1],
        ge=1,
        le=MAX_REPLICAS,
        description="Processes that share one stream; SLURM_NTASKS or WORLD_SIZE when set.",
    )
    balance_labels: bool = Field(
        default=True,
        description="Of a task's items no answer comes more than 11 times in 20, if others come.",
    )
    complexity_mode: str | None = Field(
        default=None,
        description="Difficulty: none (the tasks' defaults), random or curriculum (adaptive).",
    )
    curriculum_target_accuracy: float = Field(
        default=0.7, gt=0, lt=1, description="Accuracy that the curriculum steers each task to."
    )
    curriculum_counts_truncated: bool = Field(
        default=False,
        description="Whether completions cut by length count as wrong for the curriculum.",
    )
    random_level_range: Annotated[tuple[float, float], BeforeValidator(_words)] = Field(
        default=(0.0, 1.0), description="Lowest and highest level of random difficulty."
    )
    max_prompt_tokens: int | None = Field(
        default=None,
        gt=0,
        description="Longer questions (without system prompt and template) are not asked; none: no "
        "limit.",
    )
    temperature: float = Field(default=1.0, ge=0, description="Sampling temperature in training.")
    top_p: float = Field(default=0.95, gt=0, le=1, description="Nucleus sampling in training.")
    mask_too_long_completions: bool = Field(
        default=True,
        description="Completions cut by length get no advantage; they stay in the group.",
    )
    min_score_spread: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="Groups whose scores lie closer together count as equal in training.",
    )
    dump_rollouts: bool = Field(
        default=False, description="Save groups with a score above rollout_save_score_threshold."
    )
    dump_failed_rollouts: bool = Field(
        default=False, description="Save groups whose scores are all 0, for debugging."
    )
    rollout_save_score_threshold: float = Field(
        default=0.7,
        ge=0,
        le=1,
        description="A group is saved when any reward (score less length penalty) is above this.",
    )
    dump_fsync: bool = Field(
        default=False,
        description="Sync every saved group to the disk, not only full batches and the last one.",
    )
    data_dumps_dir: str | None = Field(
        default=None,
        description="Where rollouts are saved; none: data_dumps beside the module, or here.",
    )
    num_eval_samples_per_task: int = Field(
        default=5, gt=0, description="Evaluation items for each evaluated task."
    )
    eval_tasks: Words = Field(
        default=[], description="Tasks to evaluate: names, categories, patterns; empty: task_names."
    )
    eval_levels: Annotated[list[float | None], BeforeValidator(_levels)] = Field(
        default=[None], description="Difficulties to evaluate: `none`, or numbers in [0, 1]."
    )
    num_eval_tasks: int = Field(
        default=20,
        ge=0,
        description="How many of them, chosen by eval_seed, evaluations in `serve` take; 0: all.",
    )
    eval_samples_per_item: int = Field(
        default=1, ge=1, description="Completions for each evaluation item, for pass@k."
    )
    eval_seed: int = Field(default=123, description="Fixes the evaluation set, by itself.")
    eval_temperature: float = Field(
        default=0.1, ge=0, description="Sampling temperature in evaluation."
    )
    eval_top_p: float = Field(
        default=1.0, gt=0, le=1, description="Nucleus sampling in evaluation."
    )
    eval_max_tokens: int | None = Field(
        default=None,
        gt=0,
        description="Tokens of prompt and answer in evaluation; none: twice max_token_length.",
    )
    eval_cache_dir: str | None = Field(
        default=None, description="Where evaluation items are kept; none: the user's cache folder."
    )
    force: bool = Field(
        default=False,
        description="`evaluate` starts over where its folder holds answers; also `--force`.",
    )
    strict_verifiers: bool = Field(
        default=True,
        description="Judge by our verifiers and labels where the library's are proven wrong.",
    )
    scoring_workers: int = Field(
        default=2, ge=1, description="Processes that make problems and score answers."
    )
    items_ahead: int = Field(
        default=8, ge=1, description="Problems made ahead of demand, for each scoring worker."
    )
    scoring_timeout: float = Field(
        default=5.0, gt=0, description="Seconds one answer may take to score."
    )
    generation_timeout: float = Field(
        default=10.0, gt=0, description="Seconds one problem may take to make."
    )
    max_answer_bytes: int = Field(
        default=32768, gt=0, description="Longer answers score 0 without being looked at."
    )
    worker_memory_mb: int = Field(
        default=3072, ge=512, description="Memory limit of each worker process, in MiB."
    )
    startup_timeout: float = Field(
        default=60.0, gt=0, description="Seconds to wait for servers and tokenizer at the start."
    )
    outage_patience: float = Field(
        default=1800.0,
        gt=0,
        description="Seconds that rollout API or inference may be away before the run ends.",
    )
    shutdown_grace: float = Field(
        default=10.0, ge=0, description="Seconds for what is being scored or sent at the end."
    )
    debug_logging: bool = Field(
        default=False, description="Log extraction, both scored forms, and task selection."
    )
    suppress_base_env_logs: bool = Field(
        default=True, description="Keep Atropos' own status lines out of the log."
    )

    @field_validator("complexity_mode")
    @classmethod
    def _known_mode(cls, value: str | None) -> str | None:
        value = None if value is not None and value.lower() in ("", "none", "null") else value
        if value not in (None, "random", "curriculum"):
            raise ValueError(f"must be none, random or curriculum, got {value!r}")
        return value

    @field_validator("task_sampling")
    @classmethod
    def _known_sampling(cls, value: str) -> str:
        if value not in SAMPLING:
            raise ValueError(f"must be {', '.join(SAMPLING[:-1])} or {SAMPLING[-1]}, got {value!r}")
        return value

    @model_validator(mode="after")
    def _weights_weigh(self) -> ReasoningGymEnvConfig:
        if self.task_weights and self.task_sampling == "uniform":
            self.task_sampling = "weighted"
        return self

    @field_validator("random_level_range")
    @classmethod
    def _ordered_range(cls, value: tuple[float, float]) -> tuple[float, float]:
        if not 0 <= value[0] <= value[1] <= 1:
            raise ValueError(f"must be two rising numbers in [0, 1], got {value}")
        return value

    @field_validator("eval_levels")
    @classmethod
    def _levels_on_the_scale(cls, value: list[float | None]) -> list[float | None]:
        if not value or any(level is not None and not 0 <= level <= 1 for level in value):
            raise ValueError("must be `none` or numbers in [0, 1], at least one")
        return list(dict.fromkeys(value))

    @model_validator(mode="after")
    def _existing_replica(self) -> ReasoningGymEnvConfig:
        if self.replica_id >= self.num_replicas:
            raise ValueError(
                f"replica_id {self.replica_id} does not exist among num_replicas "
                f"{self.num_replicas}: ids count from 0"
            )
        return self

    @field_validator("task_weights")
    @classmethod
    def _positive_weights(cls, value: dict[str, float]) -> dict[str, float]:
        if bad := [task for task, weight in value.items() if not 0 < weight < float("inf")]:
            raise ValueError(f"weights must be positive numbers; exclude {bad[0]!r} instead")
        return value


@dataclass(frozen=True)
class Prompt:
    """A templated prompt in both forms, and the tokenizer that Atropos' managed server needs.

    That one would encode the prompt once more, and decode completions, which we do ourselves.
    """

    text: str
    tokens: list[int]

    def encode(self, _text: str, add_special_tokens: bool = True) -> list[int]:
        """The prompt: nothing else is ever asked."""
        return list(self.tokens)

    def decode(self, _tokens: Sequence[int], skip_special_tokens: bool = False) -> str:
        """Nobody looks at it."""
        return ""


class ScriptedServer(ServerHarness):
    """Atropos' stand-in server, with what its server manager asks of a server."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.server_healthy = True
        self.sem = self.eval_sem = AsyncSemWithAdaptiveWeight(1)

    async def tokens_and_logprobs_completion(self, **request: Any) -> tuple[list, list, list, list]:
        """What `set_tokens_and_logprobs_response` was told for this prompt.

        Raises:
            KeyError: it was told nothing.
        """
        if request["prompt"] not in self.tokens_and_logprobs_map:
            raise KeyError(f"No response is set for the prompt {request['prompt']!r:.200}.")
        answer: tuple[list, list, list, list] = await super().tokens_and_logprobs_completion(
            **request
        )
        return answer


class ReasoningGymEnv(BaseEnv):
    """Serves reasoning-gym's tasks to Atropos.

    ::

        env = ReasoningGymEnv(*ReasoningGymEnv.config_init())
        await env.setup()
        item = await env.make_item("chain_sum", seed=7, level=0.5)
        scores = await env.score_completions(item, ["<answer>4</answer>", "4"])
        await env.close()
    """

    name = "reasoning_gym"
    env_config_cls = ReasoningGymEnvConfig

    def __init__(
        self,
        config: ReasoningGymEnvConfig,
        server_configs: ServerBaseline | list[APIServerConfig],
        slurm: bool = False,
        testing: bool = False,
    ) -> None:
        server_configs = _completed(server_configs, config.tokenizer_name)
        if _speak_chat_only(server_configs):
            with _tokenizer_if_at_hand():
                super().__init__(config, server_configs, slurm=slurm, testing=testing)
        else:
            for name in {config.tokenizer_name, *_tokenizers_of(server_configs)}:
                _require_tokenizer(name, config.startup_timeout)
            super().__init__(config, server_configs, slurm=slurm, testing=testing)
        if self.jsonl_writer is not None:  # a killed `process` keeps what it had written
            self.jsonl_writer.close()
            self.jsonl_writer = jsonlines.open(config.data_path_to_save_groups, "w", flush=True)
        self._set_log_levels()
        self._testing = testing
        if testing:
            self._prepare_testing(server_configs)
        self.metrics = TrainMetrics()
        self._pool: WorkerPool | None = None
        self._processing = self._evaluating = False
        self._ending = Shutdown()
        self._prepare_items()
        self._prepare_rollouts()
        self._prepare_evaluation()
        self._prepare_api()

    def _prepare_testing(self, server_configs: Any) -> None:
        """Frameworks that are not Atropos drive an environment so: call by call, from any loop."""
        configs = server_configs if isinstance(server_configs, list) else [server_configs]
        self.server.servers = [ScriptedServer(configs[0])]
        home = BackgroundLoop()
        for name in PUBLIC_COROUTINES:
            setattr(self, name, home.hosting(getattr(self, name)))

    def _prepare_items(self) -> None:
        self.task_names: list[str] = []
        self.difficulty = Difficulty(
            self.config.complexity_mode,
            target_accuracy=self.config.curriculum_target_accuracy,
            random_range=self.config.random_level_range,
        )
        self._prompts = PromptFilter()
        self._balance = LabelBalance()
        self._sampler: SignalSampler | None = None
        self._plans: dict[int, tuple[str, float | None]] = {}
        self._again: deque[Recipe] = deque()
        self._again_judged = 0
        self._drawing = asyncio.Lock()
        self._turns = asyncio.Lock()
        self._supply: Prefetcher[Problem] | None = None

    def _prepare_rollouts(self) -> None:
        self._collecting: dict[int, Problem] = {}
        self._scoring: dict[int, tuple[Problem, asyncio.Task[ScoredDataGroup]]] = {}
        self._retries = RetryPolicy(self.config.outage_patience)
        self._unusable_in_a_row = 0
        self._seen_trouble: set[tuple[str, str]] = set()
        self.dumps_dir = dumps_folder(self.config.data_dumps_dir, ROOT)
        self._name_dumps(str(uuid.uuid4()))

    def _prepare_evaluation(self) -> None:
        self.eval_items: list[Problem] = []
        self.eval_metrics: list[tuple[str, float]] = []
        self.eval_samples: list[dict[str, Any]] = []
        self._eval_cache = ItemCache(cache_folder(self.config.eval_cache_dir))
        self._eval_batches: dict[str, asyncio.Future[list[Problem]]] = {}

    def _prepare_api(self) -> None:
        self._registered = False
        self._heard_from_api = float("-inf")
        self._delivery = Delivery(
            self.config.rollout_server_url,
            patience=self.config.outage_patience,
            env_id=lambda: getattr(self, "env_id", None),
            in_touch=lambda: time.monotonic() - self._heard_from_api < IN_TOUCH_SECONDS,
        )
        self._delivered_before = 0

    @classmethod
    def config_init(cls) -> tuple[ReasoningGymEnvConfig, list[APIServerConfig]]:
        """The defaults of the command line: an 8B model behind one vLLM server on this machine."""
        config = ReasoningGymEnvConfig(
            tokenizer_name=MODEL,
            group_size=8,
            max_token_length=8192,
            batch_size=1024,
            total_steps=250,
            steps_per_eval=25,
            seed=1918,
            wandb_name="reasoning_gym_think",
            rollout_server_url="http://localhost:8000",
            inference_weight=4.0,
            eval_handling=EvalHandlingEnum.NONE,
            num_rollouts_per_group_for_logging=4,
            num_rollouts_to_keep=50,
        )
        server = APIServerConfig(
            model_name=MODEL,
            base_url="http://localhost:9004/v1",
            api_key="x",
            server_type="vllm",
            num_max_requests_at_once=128,
            num_requests_for_eval=256,
        )
        return config, [server]

    def _set_log_levels(self) -> None:
        """Levels only: which handlers there are is the application's choice."""
        level = logging.DEBUG if self.config.debug_logging else logging.INFO
        for name in (log.name, "rgenv"):
            logging.getLogger(name).setLevel(level)
        base = logging.WARNING if self.config.suppress_base_env_logs else level
        logging.getLogger("atroposlib.envs.base").setLevel(base)

    def _name_dumps(self, run_id: str) -> None:
        new = functools.partial(
            RolloutDump, self.dumps_dir, Journal, run_id=run_id, sync_each=self.config.dump_fsync
        )
        self._dump = new(batch_size=GOOD_BATCH)
        self._failed_dump = new(batch_size=FAILED_BATCH, label="FAILED_rollouts")

    # Setting up and taking down

    async def setup(self) -> None:
        """Start the workers, find the tasks, make the evaluation set.

        Raises:
            StartupError: reasoning-gym is missing, or no worker can be started.
            UnknownTask, ValueError: the chosen tasks make no sense; the message says why.
        """
        self._pool = await self._start_pool()
        self.task_names = self._choose_tasks()
        self.metrics.categories = dict(self._available_tasks())
        self._prepare_stream()
        self._supply = self._new_supply(first=0)
        log.info("This is replica %d of %d.", self.config.replica_id, self.config.num_replicas)
        log.info(
            "Serving %d tasks of reasoning-gym %s; groups of %d, up to %d tokens; difficulty: %s.",
            len(self.task_names),
            self._pool.version,
            self.config.group_size,
            self.config.max_token_length,
            self.config.complexity_mode or "defaults",
        )
        log.info("One <answer> outside <think> or the score is 0; the better of raw and tagged.")
        if self.config.dump_rollouts or self.config.dump_failed_rollouts:
            log.info("Rollouts are saved to %s.", self.dumps_dir)
            finish_torn(self.dumps_dir, FILES)
        self.eval_items = await self._make_eval_items()
        log.info("The evaluation set holds %d items.", len(self.eval_items))

    def _prepare_stream(self) -> None:
        tasks = {name: self.config.task_weights.get(name, 1.0) for name in self.task_names}
        replica = {"replica_id": self.config.replica_id, "num_replicas": self.config.num_replicas}
        self._stream = Stream(tasks=tasks, seed=self.config.seed, **replica)
        if self.config.task_sampling == "signal":
            self._sampler = SignalSampler(
                tasks, seed=self.config.seed, min_share=self.config.min_task_share, **replica
            )

    async def _start_pool(self) -> WorkerPool:
        try:
            settings = WorkerSettings(
                memory_limit_mb=self.config.worker_memory_mb,
                import_path=checkout_path(),
                strict=self.config.strict_verifiers,
                request_cpu_seconds=10
                + 2 * max(self.config.scoring_timeout, self.config.generation_timeout),
            )
            pool = WorkerPool(
                workers=self.config.scoring_workers,
                scoring_timeout=self.config.scoring_timeout,
                generation_timeout=self.config.generation_timeout,
                max_answer_bytes=self.config.max_answer_bytes,
                settings=settings,
            )
            await pool.start()
        except (MissingReasoningGym, PoolBroken) as error:
            raise StartupError(str(error)) from None
        return pool

    def _available_tasks(self) -> Mapping[str, str]:
        return self.pool.task_categories or KNOWN_TASKS

    def _choose_tasks(self) -> list[str]:
        available = self._available_tasks()
        if self.pool.task_categories is None:
            log.warning("reasoning-gym's registry can't be read; using the list of 0.1.25.")
        for task in (*self.config.task_weights, *self.config.task_configs):
            if task not in available:
                raise UnknownTask(
                    f"There is no task {task!r} to weigh or configure.{suggestion(task, available)}"
                )
        return choose_tasks(
            available,
            self.config.task_names,
            self.config.exclude_tasks,
            configured=list(self.config.task_configs),
        )

    @property
    def pool(self) -> WorkerPool:
        """The worker processes.

        Raises:
            RuntimeError: `setup` was not awaited.
        """
        if self._pool is None:
            raise RuntimeError("The environment is not set up: `await env.setup()` first.")
        return self._pool

    async def close(self) -> None:
        """Finish what is paid for, save it, leave the rollout API, end the workers; idempotent.

        What is being scored or sent has `shutdown_grace` seconds; what is being generated none.
        """
        await self._cancel_running()
        await self._finish_scoring(time.monotonic() + self.config.shutdown_grace)
        await self._disconnect()
        for dump in (self._dump, self._failed_dump):
            dump.close()
        if self._supply is not None:
            await self._supply.close()
        if self._pool is not None:
            await self._pool.close()
        for server in self.server.servers:
            if getattr(server, "check_task", None) is not None:
                server.check_task.cancel()

    async def _cancel_running(self) -> None:
        running = [task for task in (*self.workers, self.eval_runner) if task is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _finish_scoring(self, deadline: float) -> None:
        """Completions that are there get their scores, their line in the dump, and are sent."""
        scoring, self._scoring = list(self._scoring.values()), {}
        sending = [asyncio.create_task(self._see_off(item, task)) for item, task in scoring]
        if sending:
            await asyncio.wait(sending, timeout=max(0.0, deadline - time.monotonic()))
        for task in (*sending, *(task for _, task in scoring)):
            task.cancel()
        await asyncio.gather(*sending, return_exceptions=True)
        await self._delivery.drain(max(0.0, deadline - time.monotonic()))

    async def _see_off(self, item: Problem, scoring: asyncio.Task[ScoredDataGroup]) -> None:
        group = await self.postprocess_histories(await scoring)
        if self._registered:
            await self.handle_send_to_api(group, item)
        elif self._processing:
            await self.handle_send_to_api(group, item, False, False)

    async def _disconnect(self) -> None:
        """Tell the rollout API that we are gone: a dead env with an allocation stops everybody."""
        env_id, self.env_id = getattr(self, "env_id", None), None
        if env_id is None:
            return
        with contextlib.suppress(aiohttp.ClientError, TimeoutError):
            timeout = aiohttp.ClientTimeout(total=5)
            async with aiohttp.ClientSession(timeout=timeout) as session:
                url = f"{self.config.rollout_server_url}/disconnect-env"
                await session.post(url, json={"env_id": env_id})

    # Items

    async def get_next_item(self) -> Problem:
        """The next item of this replica's stream; one that can't be made is counted and skipped.

        After a resume, what was under way when the checkpoint was written comes first, then what
        was made ahead, which keeps its places: the later items are planned when they would have
        been.

        Raises:
            StartupError: hundreds in a row can't be served; the choice of tasks leaves nothing.
            PoolBroken: no worker can be started any more.
            RuntimeError: `setup` was not awaited.
        """
        if self._supply is None:
            raise RuntimeError("The environment is not set up: `await env.setup()` first.")
        async with self._drawing:
            while self._again:
                item = await self._try_make(*self._again[0])
                self._again.popleft()
                self._supply.fill(reserved=min(len(self._again), self._again_judged))
                if item is not None:
                    return item
            try:
                return await self._supply.next()
            except NothingLeft as error:
                raise StartupError(
                    f"{error}: every problem was too long, kept for evaluation, or could not be "
                    "made. Look at task_names, task_configs, max_prompt_tokens and the log."
                ) from None

    def _new_supply(self, first: int) -> Prefetcher[Problem]:
        return Prefetcher(
            self._make_nth,
            self._accept,
            self._take,
            ahead=self.config.items_ahead * self.config.scoring_workers,
            attempts=MAX_ATTEMPTS,
            first=first,
        )

    async def _make_nth(self, n: int, attempt: int) -> Problem | None:
        if n not in self._plans:
            self._plans[n] = self._plan(n)
            self._plans.pop(n - 1000, None)
        task, level = self._plans[n]
        seed = self._stream.seed(n, attempt, task)
        log.debug("Item %d.%d: %s, seed %d, level %s.", n, attempt, task, seed, level)
        await self._eval_batch(task)  # knows which prompts to keep back
        return await self._try_make(task, seed, level)

    def _plan(self, n: int) -> tuple[str, float | None]:
        """Task and level of item `n`, decided once: what is heard later changes neither."""
        task, uniform = self._stream.draw(n)
        band = None
        if self._sampler is not None:
            task, band = self._sampler.pick(n, self.difficulty.bands)
        return task, self.difficulty.level_for(task, uniform, band)

    def _accept(self, item: Problem) -> Judgement:
        """Nothing kept for evaluation, unwinnable or too long; rather no repeats of anything."""
        if not item.winnable:
            self.metrics.count("not_made/unwinnable")
            return "never"
        if not self._fits(item.question):
            self.metrics.count("not_made/question_too_long")
            return "never"
        judgement = ACCEPTANCE[self._prompts.judge(item.task, item.prompt_hash)]
        unbalanced = self.config.balance_labels and self._balance.too_many(item.task, item.answer)
        return "only if nothing better comes" if judgement == "yes" and unbalanced else judgement

    def _take(self, item: Problem) -> None:
        self._prompts.remember(item.task, item.prompt_hash)
        self._balance.served(item.task, item.answer)

    def _fits(self, question: str) -> bool:
        limit = self.config.max_prompt_tokens
        if limit is None or len(question.encode("utf-8", "replace")) <= limit:
            return True
        return len(self.tokenizer.encode(question, add_special_tokens=False)) <= limit

    async def _try_make(self, task: str, seed: int, level: float | None) -> Problem | None:
        try:
            return await self.make_item(task, seed, level)
        except MakeFailed as failure:
            self.metrics.count(f"not_made/{failure.kind}")
            log.warning("No item: %s, seed %d, level %s: %s.", task, seed, level, failure)
            return None

    async def make_item(self, task: str, seed: int, level: float | None = None) -> Problem:
        """Make one item.

        Args:
            task: a registered name.
            seed: reasoning-gym's seed.
            level: difficulty in [0, 1]; None for the task's default parameters.

        Raises:
            MakeFailed: the generator failed or took too long.
            PoolBroken: no worker can be started any more.
            RuntimeError: `setup` was not awaited.
        """
        return await self.pool.make(
            task, seed, level=level, config=self.config.task_configs.get(task)
        )

    async def _make_eval_items(self) -> list[Problem]:
        """The whole set for `evaluate`; otherwise that of some tasks, chosen by eval_seed alone."""
        names = self.task_names
        if self.config.eval_tasks:
            names = choose_tasks(
                self._available_tasks(),
                self.config.eval_tasks,
                configured=list(self.config.task_configs),
            )
        if not self._evaluating and 0 < self.config.num_eval_tasks < len(names):
            rng = random_for(self.config.eval_seed, "evaluation tasks")
            names = sorted(rng.sample(names, self.config.num_eval_tasks))
        batches = await asyncio.gather(*map(self._eval_batch, names))
        return [item for batch in batches for item in batch]

    def _eval_batch(self, task: str) -> asyncio.Future[list[Problem]]:
        """The evaluation items of one task, made once."""
        if task not in self._eval_batches:
            self._eval_batches[task] = asyncio.ensure_future(self._make_eval_batch(task))
        return asyncio.shield(self._eval_batches[task])

    async def _make_eval_batch(self, task: str) -> list[Problem]:
        """num_eval_samples_per_task items a level, all different, kept back from training."""
        key = self._eval_cache.key(
            task,
            items=self.config.num_eval_samples_per_task,
            eval_seed=self.config.eval_seed,
            levels=self.config.eval_levels,
            config=self.config.task_configs.get(task),
            strict=self.config.strict_verifiers,
            version=self.pool.version,
        )
        keep = self.pool.version != FROM_CHECKOUT
        items = self._eval_cache.load(key) if keep else None
        if items is None:
            items = []
            for level in self.config.eval_levels:
                items += await self._new_eval_items(task, level, {i.prompt_hash for i in items})
            if keep:
                self._eval_cache.store(key, items)
        self._prompts.keep_back(task, [item.prompt_hash for item in items])
        return items

    async def _new_eval_items(
        self, task: str, level: float | None, known: set[int]
    ) -> list[Problem]:
        wanted = self.config.num_eval_samples_per_task
        seeds = evaluation_seeds(task, 40 * wanted, eval_seed=self.config.eval_seed)
        items: dict[int, Problem] = {}
        while len(items) < wanted and seeds:
            batch, seeds = seeds[: wanted - len(items)], seeds[wanted - len(items) :]
            made = await asyncio.gather(*(self._try_make(task, seed, level) for seed in batch))
            items |= {
                item.prompt_hash: item
                for item in made
                if item and item.winnable and item.prompt_hash not in known
            }
        return list(items.values())

    # Rollouts

    async def collect_trajectories(
        self, item: Problem
    ) -> tuple[ScoredDataGroup | None, list[Problem]]:
        """Ask the model for a group of completions and score them.

        Returns:
            The group (exactly group_size rollouts) and what to ask again: the item, when the server
            failed. None for the group also when the prompt leaves no room for an answer.

        Raises:
            StartupError: in `process`, after too many attempts in a row gave no group.
            Exception: with testing=True, whatever the server raised.
        """
        self._collecting[id(item)] = item
        try:
            return await self._group_or_backlog(item)
        except asyncio.CancelledError:
            # Atropos keeps what it cancels, but drops items whose worker took too long.
            if not any(item is waiting for waiting in self.backlog):
                self.backlog.append(item)
            if id(item) not in self._scoring:  # what was written so far is thrown away
                self.metrics.count("generations_cancelled")
            raise
        finally:
            self._collecting.pop(id(item), None)

    async def _group_or_backlog(
        self, item: Problem
    ) -> tuple[ScoredDataGroup | None, list[Problem]]:
        try:
            group = await self._scored_group(item)
        except Exception as error:  # per item, failure is data: whatever a server answers
            if self._testing:  # there it is news for the caller
                raise
            if isinstance(error, PoolBroken):
                self._ending.call_off(error)
            return None, await self._after_failure(item, error)
        if group is None:
            self._count_unusable()
        else:
            self._retries.worked(_recipe(item))
            self._unusable_in_a_row = 0
        return group, []

    async def _scored_group(self, item: Problem) -> ScoredDataGroup | None:
        """Generate and score; a cancelled item whose completions were there keeps its scores."""
        if id(item) not in self._scoring:
            rollouts = await self._generate(item)
            if not rollouts:
                return None
            self._scoring[id(item)] = item, asyncio.create_task(self.score(rollouts))
        scoring = self._scoring[id(item)][1]
        group = await asyncio.shield(scoring)
        del self._scoring[id(item)]
        return group

    async def _after_failure(self, item: Problem, error: Exception) -> list[Problem]:
        """Count it, wait a little, and give the item back to be asked again."""
        self._scoring.pop(id(item), None)
        log.warning("No group for %s, seed %d: %s", item.task, item.seed, describe(error))
        self.metrics.count("failed_groups")
        self._count_unusable()
        pause = self._retries.failed(_recipe(item))
        if self._retries.exhausted:
            self._ending.call_off(
                StartupError(
                    f"No group for {self._retries.failing_for:.0f} s (last: {describe(error)}). "
                    "Look at the inference server."
                )
            )
        if pause is None:
            log.warning("%s, seed %d is given up: others work.", item.task, item.seed)
            self.metrics.count("items_given_up")
            return []
        await asyncio.sleep(pause)
        if self._processing:  # which knows no backlog
            self._again.append(_recipe(item))
            return []
        return [item]

    def _count_unusable(self) -> None:
        self._unusable_in_a_row += 1
        if self._processing and self._unusable_in_a_row >= UNUSABLE_IN_A_ROW:
            raise StartupError(
                f"{UNUSABLE_IN_A_ROW} attempts in a row gave no group; the log says why. "
                "Look at the inference server and at --env.max_token_length."
            )

    async def _generate(self, item: Problem) -> list[Rollout]:
        """A full group of rollouts, or none when there is no room for one."""
        messages = build_messages(item.question)
        prompt, budget = await self._prompt(messages, self.config.max_token_length)
        if budget <= 0:
            log.warning(
                "The prompt of %s, seed %d leaves no room for an answer: raise "
                "--env.max_token_length (%d) or exclude the task.",
                item.task,
                item.seed,
                self.config.max_token_length,
            )
            self.metrics.count("prompt_too_long")
            return []
        rollouts: list[Rollout] = []
        for _attempt in range(2):
            missing = self.config.group_size - len(rollouts)
            nodes = await self._complete(
                prompt,
                n=missing,
                max_tokens=budget,
                temperature=self.config.temperature,
                top_p=self.config.top_p,
            )
            for node in nodes[:missing]:
                async with self._turns:
                    rollouts.append(self._rollout(item, messages, prompt, node, budget))
                    await asyncio.sleep(0)  # a long completion is milliseconds of the loop's time
            if len(rollouts) == self.config.group_size or (self._testing and rollouts):
                return rollouts
        raise ValueError(f"{len(rollouts)} of {self.config.group_size} completions came back")

    async def _prompt(self, messages: list[Message], limit: int) -> tuple[Prompt, int]:
        """The templated prompt, and how many of `limit` tokens it leaves for the completion."""
        text = self.tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=False
        )
        if len(text) > LONG_PROMPT and getattr(self.tokenizer, "is_fast", False):
            tokens = await asyncio.to_thread(self.tokenizer.encode, text)
        else:
            tokens = self.tokenizer.encode(text)
        return Prompt(text, tokens), limit - len(tokens)

    async def _complete(self, prompt: Prompt, **request: Any) -> list[Any]:
        """The server's nodes: tokens, masks and log probabilities of each completion."""
        async with self.server.managed_server(tokenizer=prompt) as managed:
            await managed.completion(prompt=prompt.text, **request)
            return list(managed.get_state()["nodes"])

    def _rollout(
        self, item: Problem, messages: list[Message], prompt: Prompt, node: Any, budget: int
    ) -> Rollout:
        written = _completion(node.tokens, node.masked_tokens)
        if self._testing and not _begins_with(node, prompt):
            text = "".join(map(chr, written))  # without a tokenizer Atropos' tokens are code points
        else:
            text = self._text_of(written)
        logprobs = list(map(float, node.logprobs))
        if not all(map(math.isfinite, logprobs)):
            raise ValueError("a log probability that is no finite number")
        return new_rollout(
            item,
            messages,
            text,
            tokens=node.tokens,
            masks=node.masked_tokens,
            logprobs=logprobs,
            finish_reason=str((node.metadata or {}).get("finish_reason", "stop")),
            budget=budget,
            thinking_opened=_opens_thinking(prompt.text),
        )

    def _text_of(self, completion: Sequence[int]) -> str:
        """The text of tokens; special ones go, unless they are the tags we look for."""
        hidden = self._hidden_tokens
        return str(self.tokenizer.decode([token for token in completion if token not in hidden]))

    @functools.cached_property
    def _hidden_tokens(self) -> frozenset[int]:
        ours = ("<think>", "</think>", "<answer>", "</answer>")
        tags = {self.tokenizer.convert_tokens_to_ids(tag) for tag in ours}
        return frozenset(self.tokenizer.all_special_ids) - (tags - {self.tokenizer.unk_token_id})

    async def score(self, rollouts: Sequence[Rollout]) -> ScoredDataGroup:
        """Score one group and book it: metrics, difficulty, dump.

        Args:
            rollouts: all completions of one problem, in the order they came.

        Returns:
            The group in that same order: scores are floats in [0, 1] with the length penalty.

        Raises:
            PoolBroken: no worker can be started any more.
            RuntimeError: `setup` was not awaited.
        """
        item = rollouts[0].problem
        verdicts = await self.pool.score(item, [rollout.answer for rollout in rollouts])
        group = score_group(rollouts, verdicts)
        self._book(group)
        payload = scored_data(group, mask_truncated=self.config.mask_too_long_completions)
        return ScoredDataGroup(**payload)

    async def score_completions(self, item: Problem, completions: Sequence[str]) -> list[float]:
        """Score full model texts for `item`, without length penalty and without booking anything.

        Returns:
            One float in [0, 1] for each text, in order.

        Raises:
            PoolBroken: no worker can be started any more.
            RuntimeError: `setup` was not awaited.
        """
        verdicts = await self.pool.score(item, [extract_answer(text) for text in completions])
        return [verdict.score for verdict in verdicts]

    async def postprocess_histories(self, trajectories: Any) -> Any:
        """A group as the trainer gets it: scores without noise, messages only if asked for.

        `process` writes scores as they are.
        """
        if not isinstance(trajectories, dict):
            return trajectories
        group = dict(trajectories)
        if not self._processing:
            group["scores"] = without_noise(
                group["scores"], min_spread=self.config.min_score_spread
            )
        if not self.config.include_messages:
            group.pop("messages", None)
        return group

    # Bookkeeping

    def _book(self, group: Group) -> None:
        item = group.problem
        informative = is_informative(group, min_spread=self.config.min_score_spread)
        self.metrics.group(item.task, outcomes(group, informative=informative))
        errors = sum(bool(v.detail) and v.kind in ("scored", "error") for v in group.verdicts)
        self.metrics.count("verifier_errors", errors)
        evidence = _evidence(group, count_truncated=self.config.curriculum_counts_truncated)
        follows = self.difficulty.can_follow(item.task, evidence)
        if self._sampler is not None:
            band = band_of(item.level)
            self._sampler.observe(item.task, band, informative, followed=follows)
        moved = self.difficulty.observe(item.task, item.level, evidence)
        if moved is not None:
            log.info("Curriculum: %s moves from level %.2f to %.2f.", item.task, item.level, moved)
        mean = sum(group.scores) / len(group.scores)
        log.info(
            "Task: %s | group average score: %.4f (%s)", item.task, mean, group_kind(group.scores)
        )
        for rollout, verdict in zip(group.rollouts, group.verdicts, strict=True):
            self._log_verdict(rollout, verdict)
        self._save(group)

    def _log_verdict(self, rollout: Rollout, verdict: Verdict) -> None:
        item = rollout.problem
        if verdict.kind == "scored":
            log.debug(
                "Answer %r to %s, seed %d: raw %s, tagged %s.",
                (rollout.answer or "")[:100],
                item.task,
                item.seed,
                verdict.raw,
                verdict.tagged,
            )
            return
        reason = rollout.violation or verdict.detail or "empty answer"
        if verdict.kind == "no_answer":
            log.debug(
                "Format violation (%s): %s, seed %d: %r",
                reason,
                item.task,
                item.seed,
                rollout.text[-200:],
            )
        if (item.task, verdict.kind) not in self._seen_trouble:
            self._seen_trouble.add((item.task, verdict.kind))
            log.log(
                logging.INFO if verdict.kind == "no_answer" else logging.WARNING,
                "First %r of %s (%s): recipe %s, answer %r",
                verdict.kind,
                item.task,
                reason,
                json.dumps(item.recipe),
                (rollout.answer or rollout.text)[:200],
            )

    def _save(self, group: Group) -> None:
        threshold = self.config.rollout_save_score_threshold
        good = self.config.dump_rollouts and max(group.rewards) > threshold
        failed = self.config.dump_failed_rollouts and not any(group.scores)
        if not good and not failed:
            return
        row = group_row(
            group.problem.task,
            [rollout.messages for rollout in group.rollouts],
            group.rewards,
            metadata={**row_metadata(group), "reasoning_gym": self.pool.version},
        )
        (self._dump if good else self._failed_dump).add(row)

    # Evaluation

    async def evaluate(self, *_args: Any, **_kwargs: Any) -> None:
        """Answer the evaluation set once; an item that fails is an error, not the end of it.

        Raises:
            NothingAnswers: the endpoint is down; what was answered is saved.
            AnotherEvaluation: the folder for results holds answers to something else.
            OSError: results can't be written.
        """
        started, folder = time.time(), self._eval_folder
        evaluator = EvaluationRunner(
            self._ask_chat if self._speaks_chat_only else self._ask_tokens,
            self.pool.score,
            samples_each=self.config.eval_samples_per_item,
            at_once=sum(server.config.num_requests_for_eval for server in self.server.servers),
            categories=self._available_tasks(),
        )
        about = self._about_evaluation()  # in `serve`, of the step at which it begins
        done = None
        if folder is not None:
            afresh = self.config.force or self._registered
            done = SampleLog.open(folder, about, afresh=afresh)
        try:
            samples = await evaluator.run(self.eval_items, done)
        finally:
            if done is not None:
                done.close()
        metrics = await asyncio.to_thread(evaluation.metrics, samples)
        log.info("Evaluation: %s.", summary(samples))
        self.eval_metrics, self.eval_samples = list(metrics.items()), samples
        if folder is not None:
            date = time.strftime("%Y-%m-%d %H:%M")
            await self._log_metrics(folder, metrics, started)
            await asyncio.to_thread(
                results.write, folder, samples, metrics, {**about, "date": date}
            )
            log.info("Metrics, samples, plots and report.html are in %s.", folder)

    @property
    def _eval_folder(self) -> Path | None:
        """Where results go; in `serve` every step has its own."""
        if self.config.data_dir_to_save_evals is None:
            return None
        folder = Path(self.config.data_dir_to_save_evals)
        return folder / f"step-{self.curr_step:06d}" if self._registered else folder

    def _about_evaluation(self) -> dict[str, Any]:
        """What makes two evaluations the same: set, model, sampling, rules of scoring."""
        return {
            "model": ", ".join(dict.fromkeys(s.config.model_name for s in self.server.servers)),
            "set": digest(self.eval_items),
            "items": len(self.eval_items),
            "samples_per_item": self.config.eval_samples_per_item,
            "levels": [level_name(level) for level in self.config.eval_levels],
            "eval_seed": self.config.eval_seed,
            "temperature": self.config.eval_temperature,
            "top_p": self.config.eval_top_p,
            "max_tokens": self._eval_tokens,
            "strict_verifiers": self.config.strict_verifiers,
            "reasoning_gym": self.pool.version,
            "step": self.curr_step if self._registered else None,
        }

    async def _log_metrics(self, folder: Path, metrics: dict[str, float], began: float) -> None:
        """metrics.json through Atropos."""
        configured = self.config.data_dir_to_save_evals
        self.config.data_dir_to_save_evals = str(folder)  # where evaluate_log writes
        try:
            await self.evaluate_log(
                metrics=metrics,
                start_time=began,
                end_time=time.time(),
                generation_parameters={
                    "temperature": self.config.eval_temperature,
                    "top_p": self.config.eval_top_p,
                    "max_new_tokens": self._eval_tokens,
                },
                verbose=False,
            )
        finally:
            self.config.data_dir_to_save_evals = configured

    @property
    def _eval_tokens(self) -> int:
        return self.config.eval_max_tokens or 2 * self.config.max_token_length

    @property
    def _speaks_chat_only(self) -> bool:
        return any(isinstance(server, OpenAIServer) for server in self.server.servers)

    async def _ask_tokens(self, item: Problem) -> Reply:
        """One completion from a server that takes and gives tokens."""
        messages = build_messages(item.question)
        prompt, budget = await self._prompt(messages, self._eval_tokens)
        if budget <= 0:
            raise ValueError("the prompt leaves no room for an answer: raise --env.eval_max_tokens")
        [node] = await self._complete(
            prompt,
            n=1,
            max_tokens=budget,
            temperature=self.config.eval_temperature,
            top_p=self.config.eval_top_p,
            split="eval",
        )
        opened = "<think>" if _opens_thinking(prompt.text) else ""
        written = _completion(node.tokens, node.masked_tokens)
        reason = str((node.metadata or {}).get("finish_reason", "stop"))
        return Reply(messages, opened + self._text_of(written), reason, len(written))

    async def _ask_chat(self, item: Problem) -> Reply:
        """One completion from a server that speaks OpenAI's chat format."""
        messages = build_messages(item.question)
        answer = await self.server.chat_completion(
            messages=messages,
            n=1,
            max_tokens=self._eval_tokens,
            split="eval",
            temperature=self.config.eval_temperature,
            top_p=self.config.eval_top_p,
        )
        choice = answer.choices[0]
        tokens = answer.usage.completion_tokens if answer.usage is not None else None
        return Reply(messages, choice.message.content or "", choice.finish_reason or "stop", tokens)

    # wandb

    async def setup_wandb(self) -> None:
        """Log to wandb, offline when there is no account."""
        self._prefer_offline_wandb()
        if self.config.use_wandb:
            asking = "Asking for the trainer's wandb project"
            while not await self._riding_out(self._trainer_is_there, asking):
                await asyncio.sleep(1)
        await super().setup_wandb()

    async def _trainer_is_there(self) -> bool:
        url = f"{self.config.rollout_server_url}/wandb_info"
        async with aiohttp.ClientSession() as session, session.get(url) as reply:
            reply.raise_for_status()
            return (await reply.json())["project"] is not None

    def _prefer_offline_wandb(self) -> None:
        if self.config.use_wandb and not has_wandb_account():
            os.environ["WANDB_MODE"] = "offline"
            log.warning(
                "No wandb account found: logging offline to ./wandb (`wandb sync` uploads "
                "it later, --env.use_wandb false turns it off)."
            )

    async def add_rollouts_for_wandb(self, scored_data: Any, item: Problem | None = None) -> None:
        """Keep some rollouts of a group for the table."""
        if item is None or not self.config.use_wandb:
            return
        keep = self.config.num_rollouts_per_group_for_logging
        count = len(scored_data["tokens"]) if keep == -1 else min(keep, len(scored_data["tokens"]))
        rows = []
        for i in range(count):
            rows.append(
                (
                    self.tokenizer.decode(scored_data["tokens"][i]),
                    scored_data["scores"][i],
                    self._extracted(scored_data, i),
                    str(item.answer),
                    item.task,
                    level_name(item.level),
                )
            )
            await asyncio.sleep(0)
        self.rollouts_for_wandb.append(rows)
        del self.rollouts_for_wandb[: -self.config.num_rollouts_to_keep]

    def _extracted(self, group: Any, index: int) -> str:
        written = _completion(group["tokens"][index], group["masks"][index])
        return extract_answer(self._text_of(written)) or ""

    async def create_rollout_table(self, wandb_metrics: dict[str, Any]) -> dict[str, Any]:
        """Add the kept rollouts as ``train/rollouts``."""
        if self.rollouts_for_wandb and self.config.use_wandb:
            table = wandb.Table(columns=ROLLOUT_COLUMNS)
            for row in (row for group in self.rollouts_for_wandb for row in group):
                table.add_data(*row)
            wandb_metrics["train/rollouts"] = table
        self.rollouts_for_wandb = []
        return wandb_metrics

    async def wandb_log(self, wandb_metrics: dict[str, Any] | None = None) -> None:
        """Log everything since the last call."""
        metrics = {**(wandb_metrics or {}), **self.metrics.take(), **dict(self.eval_metrics)}
        self.eval_metrics = []
        metrics |= {
            "pool/worker_restarts": self._pool.restarts if self._pool else 0,
            "train/groups_refused": self._delivery.refused,
            "train/groups_not_delivered": self._delivery.lost,
            "train/dumps_waiting": self._dump.held + self._failed_dump.held,
            "train/dumps_not_written": self._dump.lost + self._failed_dump.lost,
        }
        levels = list(self.difficulty.levels().values())
        if levels:
            metrics |= {
                "curriculum/total_tasks_tracked": len(levels),
                "curriculum/target_accuracy": self.config.curriculum_target_accuracy,
                "curriculum/avg_complexity": sum(levels) / len(levels),
                "curriculum/min_complexity": min(levels),
                "curriculum/max_complexity": max(levels),
            }
        await super().wandb_log(metrics)

    def perf_stats(self, metrics_dict: dict[str, Any]) -> dict[str, Any]:
        """Atropos' timings, with what the API took in place of what Atropos tried to send."""
        metrics = super().perf_stats(metrics_dict)
        delivered = self._delivery.delivered
        metrics["train/items_sent_to_api"] = delivered - self._delivered_before
        self._delivered_before = delivered
        return metrics

    # Checkpoints

    @property
    def _checkpoint_folder(self) -> Path:
        """Of this replica: Atropos' own name for it depends on who registered first."""
        name = self.wandb_prepend
        if self.config.num_replicas > 1:
            name = f"{self.config.wandb_name}_{self._replica_name}"
        return Path(self.checkpoint_dir, "env_checkpoints", name)

    @property
    def _replica_name(self) -> str:
        return f"replica{self.config.replica_id}of{self.config.num_replicas}"

    def save_checkpoint(self, step: int, data: dict[str, Any] | None = None) -> None:
        """Write what continues this run; a refusing disk costs the checkpoint, not the run."""
        assert self._supply is not None
        under_way = [
            *self._collecting.values(),
            *(running["item"] for running in self.running_items.values()),
            *self.backlog,
        ]
        judged = [*map(_recipe, self._supply.judged)]
        position = self._supply.position
        state = {
            "seed": self.config.seed,
            "replica": self._replica_name,
            "run": self._dump.run_id,
            "next_item": position,
            "again": list(dict.fromkeys([*map(_recipe, under_way), *self._again, *judged])),
            "judged": min(len(self._again), self._again_judged) + len(judged),
            "plans": {n: plan for n, plan in self._plans.items() if n >= position},
            "prompts": self._prompts.state_dict(),
            "balance": self._balance.state_dict(),
            "difficulty": self.difficulty.state_dict(),
            "sampler": self._sampler.state_dict() if self._sampler is not None else None,
        }
        path = self._checkpoint_folder / checkpoint.step_name(step)
        try:
            checkpoint.write(path, state, data)
        except OSError as error:
            log.error("No checkpoint at step %d: %s.", step, error)
        else:
            log.info("Checkpoint of step %d: %s.", step, path)

    def load_checkpoint(self) -> None:
        """Go on from the newest checkpoint that is not beyond the starting step.

        Raises:
            StartupError: that file is damaged or foreign; the message names it.
        """
        if self._registered:  # the API was restarted, we were not
            return
        path = checkpoint.newest(self._checkpoint_folder, at_most=self.curr_step)
        if path is None:
            log.warning(
                "No checkpoint in %s: the stream starts at its beginning.", self._checkpoint_folder
            )
            return
        try:
            state = checkpoint.read(path)
            self.difficulty.load_state_dict(state["difficulty"])
            self._prompts.load_state_dict(state["prompts"])
            self._balance.load_state_dict(state.get("balance", {}))
            self._plans = {int(n): (task, level) for n, (task, level) in state["plans"].items()}
            if self._sampler is not None and state["sampler"] is not None:
                self._sampler.load_state_dict(state["sampler"])
            self._again = deque((task, seed, level) for task, seed, level in state["again"])
            self._again_judged = int(state.get("judged", 0))
            self._supply = self._new_supply(first=int(state["next_item"]))
            self._name_dumps(str(state.get("run") or self._dump.run_id))
        except BadCheckpoint as error:
            raise StartupError(str(error)) from None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise StartupError(f"{path} is damaged ({describe(error)}): move it away.") from None
        if (state["seed"], state["replica"]) != (self.config.seed, self._replica_name):
            log.warning(
                "%s was written with seed %s by %s: the stream is another one now.",
                path,
                state["seed"],
                state["replica"],
            )
        log.info(
            "Resumed from %s: %d items again, then item %d.",
            path,
            len(self._again),
            self._supply.position,
        )

    # Atropos' main loops, with a beginning and an end

    async def env_manager(self) -> None:
        """`serve`: check what must be there, then run Atropos' loop until it ends."""
        await self._run(self._serve())

    async def _serve(self) -> None:
        self._require_tokens()
        await self._require_servers()
        await self._require_rollout_api()
        await super().env_manager()

    async def process_manager(self) -> None:
        """`process`: rollouts into a file."""
        self._processing = True
        self._prefer_offline_wandb()
        await self._run(self._process())

    async def _process(self) -> None:
        if self.tokenizer is None:
            raise StartupError("process needs a tokenizer: set --env.tokenizer_name to a folder.")
        await self._require_servers()
        await super().process_manager()

    async def _run_evaluate(self) -> None:
        self._evaluating = True
        await self._run(self._evaluate_once())

    async def _evaluate_once(self) -> None:
        await self._require_servers()
        await super()._run_evaluate()
        print(evaluation.score_table(self.eval_samples))
        if not any("score" in sample for sample in self.eval_samples):
            raise StartupError("No item could be answered; the log and samples.jsonl say why.")

    async def _run(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` so that whatever ends it, what was scored is saved and the workers end."""
        self._ending = Shutdown()
        watch = asyncio.create_task(self._watch_inference())
        try:
            await self._ending.guard(work, self._wind_up)
        finally:
            watch.cancel()

    async def _wind_up(self) -> None:
        await self.close()
        if self.jsonl_writer is not None:
            self.jsonl_writer.close()
        if wandb.run is not None:
            await asyncio.to_thread(wandb.finish)  # a second signal must still be heard

    async def _watch_inference(self) -> None:
        """End the run when no inference server was well for `outage_patience` seconds.

        Atropos' requests wait for a healthy server without a limit.
        """
        away_since, patience = None, self.config.outage_patience
        while away_since is None or time.monotonic() - away_since <= patience:
            await asyncio.sleep(1)
            if not any(getattr(server, "server_healthy", True) for server in self.server.servers):
                if away_since is None:
                    away_since = time.monotonic()
                    log.warning("No inference server is well; waiting up to %g s.", patience)
            elif away_since is not None:
                log.info("Inference is back after %.0f s.", time.monotonic() - away_since)
                away_since = None
        self._ending.call_off(
            StartupError(
                f"No inference server was well for {patience:g} s: look at it, and start again."
            )
        )

    # The rollout API, through its outages and restarts

    async def register_env(self) -> None:
        """Register with the rollout API, saying so while no trainer has started.

        A second time, after the API was restarted, names stay what they were.
        """
        url, name = self.config.rollout_server_url, self.wandb_prepend
        log.info("Registering with %s; this waits for the trainer.", url)
        await super().register_env()
        if self._registered:
            self.wandb_prepend = name
        self._registered = True

    async def _register_env(self) -> Any:
        """One request of a waiting that may take as long as the trainer does."""
        url = self.config.rollout_server_url
        return await self._riding_out(super()._register_env, f"Registering with {url}")

    async def get_status(self) -> None:
        """Ask the API how things are; where it does not know us any more, register again.

        Atropos' loop asks ten times a second. All replicas together ask `STATUS_RATE` times:
        the API is one process, and looks through its queue each time.
        """
        if time.monotonic() - self._heard_from_api < self.config.num_replicas / STATUS_RATE:
            return
        url = self.config.rollout_server_url
        await self._riding_out(self._status_as_registered, f"Asking {url} for its status")
        self._heard_from_api = time.monotonic()

    async def _status_as_registered(self) -> None:
        try:
            await super().get_status()
        except RetryError as error:
            if _http_status(error) < 500:
                raise
            await self._disconnect()  # should it know us after all
            await self._register_again()
        if self.status_dict["current_step"] < self.curr_step:  # and our number is another's
            await self._register_again()

    async def _register_again(self) -> None:
        log.warning("The rollout API was restarted and does not know us: registering again.")
        self.metrics.count("registered_again")
        await self.register_env()
        await super().get_status()

    async def _riding_out(self, action: Callable[[], Awaitable[Any]], doing: str) -> Any:
        """What `action` gives, once the rollout API plays along.

        Raises:
            StartupError: it refuses, or is away for longer than `outage_patience`.
        """
        try:
            async for attempt in retrying(self.config.outage_patience, doing, on=UNAVAILABLE):
                with attempt:
                    return await _unwrapped(action)
        except UNAVAILABLE as error:
            raise StartupError(
                f"{doing} failed ({describe(error)}): look at the rollout API, then start again."
            ) from None

    async def _send_scored_data_to_api(self, scored_data: Any) -> None:
        """Send what Atropos let through; whoever waits for it may be cancelled."""
        for group in scored_data if isinstance(scored_data, list) else [scored_data]:
            group["env_id"] = getattr(self, "env_id", None)  # the mark of having been let through
            await self._delivery.send(group)

    async def handle_send_to_api(
        self,
        scored_data: Any,
        item: Problem | None = None,
        do_send_to_api: bool = True,
        abort_on_any_max_length_exceeded: bool = True,
    ) -> None:
        """Let Atropos choose and send; count what it left out (equal scores, too long)."""
        await super().handle_send_to_api(
            scored_data, item, do_send_to_api, abort_on_any_max_length_exceeded
        )
        groups = scored_data if isinstance(scored_data, list) else [scored_data]
        if do_send_to_api:
            self.metrics.count("groups_skipped", sum("env_id" not in g for g in groups if g))

    async def get_server_info(self) -> None:
        """Take the trainer's batch size and length limit, and say what does not fit."""
        try:
            await self._riding_out(super().get_server_info, "Asking for the batch size")
        except ValueError:
            raise StartupError(
                f"group_size {self.config.group_size} does not fit the trainer's batch_size "
                f"{self.config.batch_size}: lower --env.group_size or raise the trainer's."
            ) from None
        if 0 < self.max_token_len <= self.config.max_token_length:
            log.warning(
                "The trainer takes sequences shorter than %d tokens and ours reach %d: groups with "
                "a truncated completion will be dropped. Raise the trainer's max_token_len.",
                self.max_token_len,
                self.config.max_token_length,
            )
        if self.config.batch_size % self.config.group_size:
            log.warning(
                "The trainer's batch_size %d is not a multiple of group_size %d: batches may never "
                "fill.",
                self.config.batch_size,
                self.config.group_size,
            )

    async def env_step_checks(self) -> None:
        """Evaluate, save and log when the step crossed a multiple, however far it jumped."""
        old, new = self.curr_step, self.status_dict["current_step"]
        if old == new:
            return
        if _crossed(old, new, self.config.steps_per_eval):
            self._start_evaluation()
        if _crossed(old, new, self.checkpoint_interval):
            self.save_checkpoint(new - new % self.checkpoint_interval)
        self.curr_step = new
        if self.items_sent_this_step >= self.config.min_items_sent_before_logging:
            self.items_sent_this_step = 0
            await self.wandb_log({})

    def _start_evaluation(self) -> None:
        if self.eval_runner is not None and not self.eval_runner.done():
            log.warning("The last evaluation is still running; this one is left out.")
            return
        self.eval_runner = asyncio.create_task(self._evaluate_beside_training())
        if self.config.eval_handling == EvalHandlingEnum.STOP_TRAIN:
            self.backlog.extend(running["item"] for running in self.running_items.values())
            for worker in self.workers:
                worker.cancel()
            self.workers, self.running_items = set(), {}

    async def _evaluate_beside_training(self) -> None:
        try:
            await self.evaluate()
        except Exception as error:  # training goes on
            log.error("The evaluation at step %d failed: %s", self.curr_step, describe(error))

    async def _require_rollout_api(self) -> None:
        url = self.config.rollout_server_url
        await require_answer(
            f"{url}/",
            self.config.startup_timeout,
            f"No rollout API answers at {url}: start it with `run-api --port "
            f"{urlparse(url).port or 8000}`, or set --env.rollout_server_url.",
            is_well=lambda body: "AtroposLib" in body,
        )

    def _require_tokens(self) -> None:
        if self._speaks_chat_only:
            raise StartupError(
                "server_type openai gives texts but no token ids and log probabilities, so nothing "
                "can be trained on it: use --openai.server_type vllm or sglang (README, "
                '"With vLLM").'
            )

    async def _require_servers(self) -> None:
        """Wait until the inference servers answer.

        Raises:
            StartupError: one does not within startup_timeout.
        """
        configs = [s.config for s in self.server.servers if getattr(s, "config", None) is not None]
        for config in configs:
            if config.server_type != "vllm" or not (config.base_url and config.health_check):
                continue
            base = config.base_url.replace("/v1", "")
            await require_answer(
                f"{base}/health",
                self.config.startup_timeout,
                f'No inference server answers at {base}: start one (README, "With vLLM"), or set '
                "--openai.base_url.",
                is_well=lambda body: "<html" not in body.lower(),
            )

    # Command line

    @classmethod
    def cli(cls) -> None:
        """Run the command line of this process and exit."""
        sys.exit(main(sys.argv[1:]))


def _begins_with(node: Any, prompt: Prompt) -> bool:
    return bool(node.tokens[: len(prompt.tokens)] == prompt.tokens)


def _completion(tokens: Sequence[int], masks: Sequence[int]) -> list[int]:
    """The tokens that the model wrote."""
    return [token for token, mask in zip(tokens, masks, strict=True) if mask != -100]


def _recipe(item: Problem) -> Recipe:
    return item.task, item.seed, item.level


async def _unwrapped(action: Callable[[], Awaitable[Any]]) -> Any:
    """Await `action`; where Atropos has tried it several times, raise what it was about.

    Raises:
        StartupError: the server refused the request, so that another attempt makes no sense.
    """
    try:
        return await action()
    except RetryError as error:
        if 400 <= _http_status(error) < 500:
            raise StartupError(f"The rollout API refuses us: {describe(error)}") from None
        raise ApiAway(describe(error)) from None


def _http_status(error: RetryError) -> int:
    """The status code behind a failure; 0 when there was no answer."""
    return int(getattr(error.last_attempt.exception(), "status", 0))


def _opens_thinking(prompt: str) -> bool:
    """Whether the chat template ends inside a think block, so that the model only closes it."""
    return prompt.rstrip().endswith("<think>")


def _crossed(old: int, new: int, interval: int) -> bool:
    return interval > 0 and new // interval > old // interval


def _completed(servers: Any, tokenizer_name: str) -> Any:
    """Servers without a tokenizer get the environment's; without a key, one that is not empty.

    Atropos' health check of a chat server is a completion a second, which somebody pays for.
    """
    if not isinstance(servers, list):
        return servers
    key = os.environ.get("OPENAI_API_KEY") or "x"
    return [
        server.model_copy(
            update={
                "api_key": server.api_key or key,
                "health_check": server.health_check and server.server_type != "openai",
                "tokenizer_name": tokenizer_name
                if server.tokenizer_name == "none"
                else server.tokenizer_name,
            }
        )
        for server in servers
    ]


def _tokenizers_of(servers: Any) -> set[str]:
    return {server.tokenizer_name for server in servers} if isinstance(servers, list) else set()


def _speak_chat_only(servers: Any) -> bool:
    return isinstance(servers, list) and all(s.server_type == "openai" for s in servers)


@contextlib.contextmanager
def _tokenizer_if_at_hand() -> Iterator[None]:
    """BaseEnv always loads a tokenizer; chat servers need none, so one that is not here is None."""

    class IfAtHand:
        @staticmethod
        def from_pretrained(name: str) -> Any:
            with contextlib.suppress(Exception):  # transformers has many ways to say no
                return AutoTokenizer.from_pretrained(name, local_files_only=True)
            return None

    atropos_base.AutoTokenizer = IfAtHand
    try:
        yield
    finally:
        atropos_base.AutoTokenizer = AutoTokenizer


def _require_tokenizer(name: str, timeout: float) -> None:
    require_in_time(
        lambda: AutoTokenizer.from_pretrained(name),
        timeout,
        f"The tokenizer {name!r} can't be loaded ({{why}}): set --env.tokenizer_name to a model "
        "of the hub or a folder with tokenizer.json.",
    )


COMMANDS = {
    "serve": ReasoningGymEnv.get_cli_serve_config_cls,
    "process": ReasoningGymEnv.get_cli_process_config_cls,
    "evaluate": ReasoningGymEnv.get_cli_evaluate_config_cls,
}
USAGE = """usage: python reasoning_gym_environment.py {serve,process,evaluate,validate} [--OPTION …]

  serve      generate and score rollouts for a trainer, through the rollout API
  process    generate and score rollouts into a file
  evaluate   answer the evaluation set once
  validate   check tasks and their verifiers, or saved rollouts; no model needed

`COMMAND --help` lists the options; README.md explains them."""


BAD_INPUT = (BadUsage, AnotherEvaluation, UnknownTask, ValidationError, FailedExecutionException)


def main(words: Sequence[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit code: 0 done, 1 failed, 2 bad usage, 130/143 interrupted or terminated.
    """
    words = list(sys.argv[1:] if words is None else words)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("atroposlib.envs.base").setLevel(logging.WARNING)  # it starts with DEBUG
    for name in ("httpx", "httpx2", "openai"):  # the chat client logs every request
        logging.getLogger(name).setLevel(logging.WARNING)
    try:
        return _run_command(words)
    except BAD_INPUT as error:
        print(_sentence(error), file=sys.stderr)
        return 2
    except (StartupError, NothingAnswers, PoolBroken, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else 1


def _run_command(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(USAGE, file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    command, *rest = words
    if command == "validate":
        return validate_cli.main(rest)
    if command not in COMMANDS:
        raise BadUsage(f"There is no command {command!r}.\n{USAGE}")
    command_cls = COMMANDS[command]()
    if {"-h", "--help"} & set(rest):
        run_and_exit({command: command_cls}, args=[command, "--help"])
    rest = ["--env.force=true" if word == "--force" else word for word in rest]
    flags = canonical(rest, _flags())
    options = dict(word[2:].split("=", 1) for word in flags)
    sys.argv = [sys.argv[0], command, *flags]  # where Atropos reads its flags from
    _check_servers({name[7:]: v for name, v in options.items() if name.startswith("openai.")})
    if options.get("testing", "false").lower() in ("true", "1"):
        raise BadUsage("--testing is for programs that drive the class call by call: leave it out.")
    _check_yaml(options.get("config"))
    tune_garbage_collector()
    command_cls(config=options.get("config")).run()
    return 0


def _flags() -> dict[str, Flag]:
    """Every option of the command line, as Atropos names them."""
    known = {"config": Flag(), "slurm": Flag(), "testing": Flag()}
    for prefix, model in (("env", ReasoningGymEnvConfig), ("openai", APIServerConfig)):
        for name, info in model.model_fields.items():
            many = getattr(info.annotation, "__origin__", None) is list
            known[f"{prefix}.{name}"] = Flag(type(None) in get_args(info.annotation), many)
    return known


def _check_yaml(path: str | None) -> None:
    """Refuse a configuration file that can't be meant, before Atropos reads it."""
    if path is None:
        return
    try:
        content = yaml.safe_load(Path(path).read_text())
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadUsage(f"--config {path} can't be read: {error}") from None
    known = {"env", "openai", *ServerManagerConfig.model_fields}
    if not isinstance(content, dict) or not set(content) <= known:
        raise BadUsage(
            f"--config {path}: the top level must be a mapping with keys among "
            f"{', '.join(sorted(known))}."
        )
    servers = content.get("openai") or []
    for server in servers if isinstance(servers, list) else [servers]:
        _check_servers(server)


def _check_servers(values: Mapping[str, Any]) -> None:
    """Refuse server settings that Atropos would drop, or stumble over while it complains.

    Raises:
        BadUsage: an unknown name.
        ValidationError: a value that does not fit.
    """
    for name in values:
        if name not in APIServerConfig.model_fields:
            raise BadUsage(f"There is no server setting openai.{name}. See --help.")
    APIServerConfig(**{name: None if v == "None" else v for name, v in values.items()})


def _sentence(error: Exception) -> str:
    """What is wrong and how to mend it, for the person at the terminal."""
    if isinstance(error, ValidationError):
        prefix = "openai" if error.title == APIServerConfig.__name__ else "env"
        lines = [
            f"--{prefix}.{'.'.join(map(str, problem['loc']))}: {problem['msg']} "
            f"(got {problem['input']!r})"
            for problem in error.errors()
        ]
        return "error: " + "; ".join(lines)
    return f"error: {getattr(error, 'message', None) or error}"


if __name__ == "__main__":
    ReasoningGymEnv.cli()
