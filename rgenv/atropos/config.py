"""The options of the environment, in addition to those of Atropos' BaseEnvConfig.

A value may be text from a command line (``gcd,lcm``), a list from YAML, or any Python value.

`docs/options.md` is generated from the fields; `SECTIONS` gives its headings.
"""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal

from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig, EvalHandlingEnum
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from rgenv.atropos.checks import CHECKS
from rgenv.cli.parsing import levels, none_word, parse_mapping, parse_request, split_words
from rgenv.dialogue.formats import TAGS
from rgenv.dialogue.prompts import QUESTION
from rgenv.dialogue.reading import THINK
from rgenv.gym.settings import check_replica, dialogue_of
from rgenv.runtime.machine import replica

MODEL = "NousResearch/DeepHermes-3-Llama-3-8B-Preview"

FROM_TRAINER = -1
"""The total_steps that stands for the trainer's num_steps."""

PROCESS_GROUPS = 250
"""The number of groups that `process` makes without total_steps."""

Words = Annotated[list[str], BeforeValidator(split_words)]
Mode = Annotated[Literal["random", "curriculum"] | None, BeforeValidator(none_word)]

PATHS = (
    "data_dumps_dir",
    "data_dir_to_save_evals",
    "data_path_to_save_groups",
    "eval_compare",
    "profile_dir",
)
"""Options whose ``~`` stands for the home folder, which shells don't replace everywhere."""

PROMPT_OPTIONS = (
    "chat_template",
    "chat_template_kwargs",
    "answer_format",
    "system_prompt",
    "question_template",
    "examples",
    "think_tags",
)

SECTIONS = {
    "task_names": "Tasks",
    "complexity_mode": "Difficulty",
    "chat_template": "Prompt and answer",
    "temperature": "Sampling and rewards",
    "dump_rollouts": "Saved rollouts",
    "num_eval_samples_per_task": "Evaluation",
    "profile_levels": "Profile",
    "strict_verifiers": "Scoring",
    "startup_timeout": "Running",
}
"""First option of a section -> heading of the section. The class has the same order."""


class ReasoningGymEnvConfig(BaseEnvConfig):
    """The options of the environment. Unknown names are errors."""

    model_config = ConfigDict(extra="forbid", validate_default=True)

    task_names: Words = Field(
        default=[],
        description="Tasks to train on: names, categories or patterns (`*_sorting`); empty: all; "
        "also `--tasks`.",
    )
    exclude_tasks: Words = Field(
        default=[], description="Tasks to exclude: names, categories or patterns."
    )
    task_modules: Words = Field(
        default=[],
        description="Python files, or names that can be imported, that register tasks of your own "
        "(docs/own_tasks.md); also `--task-modules`.",
    )
    task_weights: Annotated[dict[str, float], BeforeValidator(parse_mapping)] = Field(
        default={}, description="How often a task is drawn; tasks without a weight have 1."
    )
    task_configs: Annotated[dict[str, dict[str, Any]], BeforeValidator(parse_mapping)] = Field(
        default={},
        description="Keyword parameters for reasoning-gym, by task; they override the level's.",
    )
    problems: Literal["library", "hardened"] = Field(
        default="library",
        description="Which problems are asked: `library`, reasoning-gym's own, or `hardened`, "
        "harder ones of our own in the tasks that have them (docs/tasks.md); also `--problems`.",
    )
    seed: int = Field(default=42, description="Seed of the stream of training problems.")
    replica_id: int = Field(
        default_factory=lambda: replica()[0],
        description="Index of this process among `num_replicas`; defaults to SLURM_PROCID or RANK.",
    )
    num_replicas: int = Field(
        default_factory=lambda: replica()[1],
        description="Processes that share one stream; defaults to SLURM_NTASKS or WORLD_SIZE.",
    )
    balance_labels: bool = Field(
        default=True,
        description="Choose problems so that the few answers of a task are about as frequent, and "
        "cap any reference answer at 11 of a task's last 20 problems, if possible.",
    )
    complexity_mode: Mode = Field(
        default=None,
        description="Difficulty: `none` (the tasks' defaults), `random`, or `curriculum`, which "
        "adapts to the model.",
    )
    curriculum_target_accuracy: float = Field(
        default=0.7,
        description="Accuracy that the curriculum steers each task to, from 0.1 to 0.9; what blind "
        "guessing earns does not count.",
    )
    random_level_range: Annotated[tuple[float, float], BeforeValidator(split_words)] = Field(
        default=(0.0, 1.0), description="Lowest and highest level of `random` difficulty."
    )
    start_levels: Annotated[dict[str, float], BeforeValidator(parse_mapping)] = Field(
        default={},
        description="Level at which the curriculum begins with a task; others begin at 0.3. "
        "`profile` measures them; a checkpoint wins.",
    )
    max_prompt_tokens: int | None = Field(
        default=None,
        description="Skip problems with a longer question, without system prompt and template.",
    )
    chat_template: str | None = Field(
        default=None,
        description="Template of the prompts, for models without one, such as base models: "
        "`plain`, `chatml`, `llama3` or the path of a Jinja file; defaults to the tokenizer's.",
    )
    chat_template_kwargs: Annotated[dict[str, Any], BeforeValidator(parse_request)] = Field(
        default={},
        description="What the chat template is given besides the messages, as `name=value,...` or "
        "a mapping, such as `enable_thinking=false`.",
    )
    answer_format: str = Field(
        default=TAGS.name,
        description="How completions have their answer: `tags`, `boxed`, `final_line`, or a "
        "regular expression with one group (docs/running.md).",
    )
    system_prompt: str = Field(
        default="default",
        description="A text, the path of a file, or a name: `default` (it asks for the answer "
        "format), `reference`, `deepseek_zero`, `boxed` or `none`.",
    )
    question_template: str = Field(
        default=QUESTION, description="Message of the user, with `{question}` in it."
    )
    examples: int = Field(
        default=0,
        description="Solved problems before each question, neither trained on nor held out.",
    )
    think_tags: Words = Field(
        default=list(THINK),
        description="What opens and closes the thinking of a completion; `none`: it has none.",
    )
    temperature: float = Field(
        default=1.0,
        description="Sampling temperature in training; others than 1 need a setting of the server "
        "(docs/running.md).",
    )
    top_p: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="Nucleus sampling in training. Below 1, tokens come from another distribution "
        "than the one whose log probabilities trainers compute.",
    )
    mask_too_long_completions: bool = Field(
        default=True,
        description=(
            "Give completions cut by length no advantage. They stay in the group, so dividing by "
            "its deviation makes the advantages of the others larger by sqrt(all / uncut)."
        ),
    )
    length_penalty: bool = Field(
        default=True,
        description="In groups where all completions are solved, lower the rewards of completions "
        "longer than three quarters of the token budget; docs/metrics.md has a table.",
    )
    min_score_spread: float = Field(
        default=0.05,
        description="Make the rewards of a group equal where they lie closer together than this.",
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
        description="Save a group when any of its scores is above this (with dump_rollouts).",
    )
    data_dumps_dir: str | None = Field(
        default=None,
        description="Folder for saved rollouts; defaults to data_dumps beside the module, or else "
        "in the working directory.",
    )
    num_eval_samples_per_task: int = Field(
        default=20,
        gt=0,
        description="Evaluation problems per task and level.",
    )
    eval_tasks: Words = Field(
        default=[],
        description="Tasks to evaluate: names, categories or patterns; empty: those of task_names.",
    )
    eval_levels: Annotated[list[float | None], BeforeValidator(levels)] = Field(
        default=[None],
        description="Difficulties to evaluate: `none` (the tasks' defaults) or numbers in [0, 1].",
    )
    num_eval_tasks: int = Field(
        default=20,
        description="Number of tasks in the periodic evaluations of `serve`, drawn by `eval_seed` "
        "(0: all).",
    )
    eval_samples_per_item: int = Field(
        default=1, ge=1, le=4096, description="Completions per evaluation problem, for pass@k."
    )
    eval_seed: int = Field(
        default=123, description="Seed of the evaluation set; independent of `seed`."
    )
    eval_temperature: float = Field(default=0.1, description="Sampling temperature in evaluation.")
    eval_top_p: float = Field(
        default=1.0, gt=0, le=1, description="Nucleus sampling in evaluation."
    )
    eval_max_tokens: int | None = Field(
        default=None,
        description="Tokens of prompt and completion in evaluation; default: twice "
        "max_token_length, or fewer if the server takes fewer.",
    )
    eval_request: Annotated[dict[str, Any], BeforeValidator(parse_request)] = Field(
        default={},
        description="Parameters of evaluation requests to OpenAI's chat API, as `name=value,...` "
        "or a mapping; `null` removes one. Reasoning models often need "
        "`max_completion_tokens=32000,temperature=null,top_p=null`.",
    )
    eval_limit: int | None = Field(
        default=None,
        description="Ask at most this many evaluation problems, of all tasks and levels in turn; "
        "also `--limit`.",
    )
    eval_compare: str | None = Field(
        default=None,
        description="Folder of the evaluation with which `evaluate` compares its own; also "
        "`--compare`. Default: the newest of the same model beside it, if any.",
    )
    force: bool = Field(
        default=False,
        description="Start over: `evaluate` and `profile` in a folder that holds answers, `serve` "
        "where it finds checkpoints, which it sets aside; also `--force`.",
    )
    profile_levels: Annotated[list[float | None], BeforeValidator(levels)] = Field(
        default=[0.0, 0.25, 0.5, 0.75, 1.0],
        min_length=1,
        description="Levels to profile: numbers in [0, 1], and `none` for the tasks' defaults.",
    )
    profile_completions: int = Field(
        default=32,
        ge=8,
        le=4096,
        description="Completions of a task at a level.",
    )
    profile_dir: str | None = Field(
        default=None,
        description="Folder for the results of `profile`; defaults to one for each model and "
        "setting in `profiles`.",
    )
    strict_verifiers: bool = Field(
        default=True,
        description="Use our verifiers and corrected reference answers where the library's are "
        "proven wrong.",
    )
    scoring_workers: int = Field(
        default=2, description="Processes that make problems and score answers."
    )
    require_wall: bool = Field(
        default=False,
        description="Refuse to start unless these processes have every layer of their sandbox that "
        "this machine could have (docs/security.md).",
    )
    scoring_timeout: float = Field(
        default=5.0,
        description="Seconds that scoring one answer may take; making a problem may take twice as "
        "long.",
    )
    startup_timeout: float = Field(
        default=60.0,
        description="Seconds to wait for servers and tokenizer at the start; afterwards "
        "`outage_patience` counts.",
    )
    total_steps: int = Field(
        default=FROM_TRAINER,
        description="Step of the trainer after which `serve` ends; -1: the trainer's num_steps. "
        "For `process`, the number of groups; -1: 250.",
    )
    max_num_workers: int = Field(
        default=-1,
        description="Groups under way at most; -1: as many as the inference servers take, by the "
        "time of their answers and num_max_requests_at_once.",
    )
    outage_patience: float = Field(
        default=1800.0,
        description="Seconds to ride out an outage of the rollout API or of inference once the run "
        "has begun; then it ends.",
    )
    debug_logging: bool = Field(
        default=False,
        description="Log the configuration without its secrets, each answer with both of its "
        "scores, each format violation and each draw; also `--debug`.",
    )
    suppress_base_env_logs: bool = Field(
        default=True,
        description="Hide what Atropos itself logs below a warning, and its warning of each group "
        "that it skips, which are counted as metrics.",
    )

    @field_validator(*CHECKS)
    @classmethod
    def _check(cls, value: Any, info: ValidationInfo) -> Any:
        if value is not None:
            CHECKS[str(info.field_name)](value)
        return value

    @field_validator("rollout_server_url")
    @classmethod
    def _without_slash(cls, value: str) -> str:
        return value.rstrip("/")

    @field_validator(*PATHS)
    @classmethod
    def _without_tilde(cls, value: str | None) -> str | None:
        return None if value is None else os.path.expanduser(value)

    @model_validator(mode="after")
    def _check_replica(self) -> ReasoningGymEnvConfig:
        check_replica(self.replica_id, self.num_replicas)
        return self

    @model_validator(mode="after")
    def _check_prompt(self) -> ReasoningGymEnvConfig:
        dialogue_of(self.answer_format, self.system_prompt, self.question_template, self.think_tags)
        return self


def is_set(config: BaseEnvConfig, name: str) -> bool:
    """Return whether a user or a program set an option, rather than `default_config`."""
    return name in config.model_fields_set


def default_config(config_cls: type[ReasoningGymEnvConfig]) -> ReasoningGymEnvConfig:
    config = config_cls(
        tokenizer_name=MODEL,
        group_size=8,
        max_token_length=8192,
        batch_size=1024,
        total_steps=FROM_TRAINER,
        steps_per_eval=25,
        seed=1918,
        wandb_name="reasoning_gym_think",
        rollout_server_url="http://localhost:8000",
        inference_weight=4.0,
        eval_handling=EvalHandlingEnum.NONE,
        num_rollouts_per_group_for_logging=4,
        num_rollouts_to_keep=50,
    )
    config.model_fields_set.discard("max_token_length")
    return config


def default_server() -> APIServerConfig:
    """Return the command line's default inference server: one vLLM server on this machine."""
    return APIServerConfig(
        model_name=MODEL,
        base_url="http://localhost:9004/v1",
        api_key="x",
        server_type="vllm",
        num_max_requests_at_once=128,
        num_requests_for_eval=256,
    )


def combined_config(env_cls: type[BaseEnv]) -> type[BaseEnvConfig]:
    """Return a configuration class with the options of all base classes of `env_cls`.

    For example, ``class Mine(TeacherEnv, ReasoningGymEnv)`` has the options of both bases;
    their order does not matter.
    """
    classes: list[type[BaseEnvConfig]] = []
    for base in env_cls.__mro__:
        config = base.__dict__.get("env_config_cls")
        if config is not None and not any(issubclass(known, config) for known in classes):
            classes.append(config)
    if len(classes) == 1:
        return classes[0]
    return type(f"{env_cls.__name__}Config", tuple(classes), {})
