"""The options of the environment's commands, each declared once.

`Options` has the settings of the library, our own options, and those of Atropos that are shown;
`ServerOptions` has those of an inference server. A class of fields is a section of the help; its
docstring is the heading. A value may be text from a command line (``gcd,lcm``), a list from YAML,
or any Python value.

This file does not import Atropos, which takes seconds: help and mistakes are answered before.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from rgenv.gym.settings import (
    Difficulty,
    HeldOut,
    Prompt,
    Rewards,
    Scoring,
    Settings,
    Tasks,
)
from rgenv.gym.values import (
    OPTIONAL,
    Count,
    Level,
    Levels,
    MaybeCount,
    Natural,
    Request,
    Seconds,
    Text,
    Words,
    between,
    none_word,
)
from rgenv.inference.chat_templates import chat_template
from rgenv.runtime.machine import replica
from rgenv.runtime.preflight import address_problem, file_on_path

FROM_TRAINER = -1
"""The total_steps that stands for the trainer's num_steps."""

MAX_NAME = 180
"""Bytes of the name of a run; most file systems allow 255, and replica and suffixes follow."""

SET_BY_US = {"model", "messages", "n", "stream"}
"""Parameters of evaluation requests that the environment sets."""


def _not_empty(value: str, remedy: str) -> None:
    if not value.strip():
        raise ValueError(f"is empty: {remedy}, or leave it out")


def _folder(value: str) -> str:
    _not_empty(value, "name a folder")
    path = os.path.expanduser(value)  # shells don't replace it everywhere
    if (file := file_on_path(Path(path))) is not None:
        raise ValueError(f"{file} is a file, where a folder is needed")
    return path


def _existing(value: str) -> str:
    if not Path(path := _folder(value)).is_dir():
        raise ValueError(f"there is no folder {path!r}: name that of an evaluation")
    return path


def _file(value: str) -> str:
    _not_empty(value, "name a file")
    path = os.path.expanduser(value)
    if Path(path).is_dir():
        raise ValueError(f"{path!r} is a folder: name a file in it")
    _folder(str(Path(path).parent))
    return path


def _tokenizer(value: str) -> str:
    _not_empty(value, "name a model of the hub or a folder with tokenizer.json")
    is_path = value.startswith((".", "/", "~")) or value.count("/") > 1
    if is_path and not Path(value).expanduser().is_dir():
        raise ValueError(f"there is no folder {value!r}, and a model of the hub has no such name")
    return value


def _run_name(value: str) -> str:
    _not_empty(value, "name the run")
    if ".." in Path(value).parts or Path(value).is_absolute() or len(value.encode()) > MAX_NAME:
        raise ValueError(
            f"a folder is called after it: write at most {MAX_NAME} letters, and a relative path"
        )
    return value


def _address(value: str) -> str:
    if (problem := address_problem(value)) is not None:
        raise ValueError(problem)
    return value.rstrip("/")


def _template(value: str) -> str:
    chat_template(value)
    return value


def _share(value: float) -> float:
    if not 0 < value <= 1:
        raise ValueError(f"must be a share of the batch in (0, 1], not {value:g}")
    return value


def _request(value: Mapping[str, Any]) -> Mapping[str, Any]:
    if ours := SET_BY_US & set(value):
        raise ValueError(f"{min(ours)} is set by the environment; leave it out")
    return value


def _word(value: Any) -> Any:
    """Return the word of a member of Atropos' enumerations."""
    return getattr(value, "value", value)


Folder = Annotated[Annotated[str, AfterValidator(_folder)] | None, OPTIONAL]
Many = Annotated[int, AfterValidator(between(1, 10**6))]
Temperature = Annotated[float, AfterValidator(between(0))]
Portion = Annotated[float, Field(gt=0, le=1)]


class Levelled(BaseModel):
    """Difficulty"""

    complexity_mode: Annotated[
        Literal["random", "curriculum"] | None, BeforeValidator(none_word)
    ] = Field(
        default=None,
        description="Difficulty: `none` (the tasks' defaults), `random`, or `curriculum`, which "
        "adapts to the model.",
    )
    max_prompt_tokens: MaybeCount = Field(
        default=None,
        description="Skip problems with a longer question, without system prompt and template.",
    )


class ChatPrompt(BaseModel):
    """Prompt and answer"""

    chat_template: Annotated[Annotated[str, AfterValidator(_template)] | None, OPTIONAL] = Field(
        default=None,
        description="Template of the prompts, for models without one, such as base models: "
        "`plain`, `chatml`, `llama3` or the path of a Jinja file; defaults to the tokenizer's.",
    )
    chat_template_kwargs: Request = Field(
        default={},
        description="What the chat template is given besides the messages, as `name=value,...` or "
        "a mapping, such as `enable_thinking=false`.",
    )


class Sampling(BaseModel):
    """Sampling and rewards"""

    temperature: Temperature = Field(
        default=1.0,
        description="Sampling temperature in training; others than 1 need a setting of the server "
        "(docs/running.md).",
    )
    top_p: Portion = Field(
        default=1.0,
        description="Nucleus sampling in training. Below 1, tokens come from another distribution "
        "than the one whose log probabilities trainers compute.",
    )
    mask_too_long_completions: bool = Field(
        default=True,
        description="Give completions cut by length no advantage. They stay in the group, so "
        "dividing by its deviation makes the advantages of the others larger by sqrt(all / uncut).",
    )
    length_penalty: bool = Field(
        default=True,
        description="In groups where all completions are solved, lower the rewards of completions "
        "longer than three quarters of the token budget; docs/metrics.md has a table.",
    )


class SavedRollouts(BaseModel):
    """Saved rollouts"""

    dump_rollouts: bool = Field(
        default=False, description="Save groups with a score above rollout_save_score_threshold."
    )
    dump_failed_rollouts: bool = Field(
        default=False, description="Save groups whose scores are all 0, for debugging."
    )
    rollout_save_score_threshold: Annotated[float, Field(ge=0, le=1)] = Field(
        default=0.7,
        description="Save a group when any of its scores is above this (with dump_rollouts).",
    )
    data_dumps_dir: Folder = Field(
        default=None,
        description="Folder for saved rollouts; defaults to data_dumps beside the module, or else "
        "in the working directory.",
    )


class Evaluation(BaseModel):
    """Evaluation"""

    num_eval_samples_per_task: Many = Field(
        default=20,
        description="Evaluation problems per task and level.",
    )
    eval_tasks: Words = Field(
        default=[],
        description="Tasks to evaluate: names, categories or patterns; empty: those of task_names.",
    )
    eval_levels: Levels = Field(
        default=[None],
        description="Difficulties to evaluate: `none` (the tasks' defaults) or numbers in [0, 1].",
    )
    num_eval_tasks: Natural = Field(
        default=20,
        description="Number of tasks in the periodic evaluations of `serve`, drawn by `eval_seed` "
        "(0: all).",
    )
    eval_samples_per_item: Annotated[int, Field(ge=1, le=4096)] = Field(
        default=1, description="Completions per evaluation problem, for pass@k."
    )
    eval_temperature: Temperature = Field(
        default=0.1, description="Sampling temperature in evaluation."
    )
    eval_top_p: Portion = Field(default=1.0, description="Nucleus sampling in evaluation.")
    eval_max_tokens: MaybeCount = Field(
        default=None,
        description="Tokens of prompt and completion in evaluation; default: twice "
        "max_token_length, or fewer if the server takes fewer.",
    )
    eval_request: Annotated[Request, AfterValidator(_request)] = Field(
        default={},
        description="Parameters of evaluation requests to OpenAI's chat API, as `name=value,...` "
        "or a mapping; `null` removes one. Reasoning models often need "
        "`max_completion_tokens=32000,temperature=null,top_p=null`.",
    )
    eval_limit: MaybeCount = Field(
        default=None,
        description="Ask at most this many evaluation problems, of all tasks and levels in turn.",
    )
    eval_compare: Annotated[Annotated[str, AfterValidator(_existing)] | None, OPTIONAL] = Field(
        default=None,
        description="Folder of the evaluation with which `evaluate` compares its own. Default: the "
        "newest of the same model beside it, if any.",
    )
    force: bool = Field(
        default=False,
        description="Start over: `evaluate` and `profile` in a folder that holds answers, `serve` "
        "where it finds checkpoints, which it sets aside.",
    )


class Profile(BaseModel):
    """Profile"""

    profile_levels: Annotated[Levels, Field(min_length=1)] = Field(
        default=[0.0, 0.25, 0.5, 0.75, 1.0],
        description="Levels to profile: numbers in [0, 1], and `none` for the tasks' defaults.",
    )
    profile_completions: Annotated[int, Field(ge=8, le=4096)] = Field(
        default=32,
        description="Completions of a task at a level.",
    )
    profile_dir: Folder = Field(
        default=None,
        description="Folder for the results of `profile`; defaults to one for each model and "
        "setting in `profiles`.",
    )


class Running(BaseModel):
    """Running"""

    startup_timeout: Seconds = Field(
        default=60.0,
        description="Seconds to wait for servers and tokenizer at the start; afterwards "
        "`outage_patience` counts.",
    )
    outage_patience: Seconds = Field(
        default=1800.0,
        description="Seconds to ride out an outage of the rollout API or of inference once the run "
        "has begun; then it ends.",
    )
    debug_logging: bool = Field(
        default=False,
        description="Log the configuration without its secrets, each answer with both of its "
        "scores, each format violation and each draw.",
    )
    suppress_base_env_logs: bool = Field(
        default=True,
        description="Hide what Atropos itself logs below a warning, and its warning of each group "
        "that it skips, which are counted as metrics.",
    )


class OfAtropos(BaseModel):
    """Options of Atropos"""

    tokenizer_name: Annotated[str, AfterValidator(_tokenizer)] = Field(
        default="NousResearch/DeepHermes-3-Llama-3-3B-Preview",
        description="Tokenizer of the model, from the hub or a folder; default: the model's.",
    )
    group_size: Annotated[int, AfterValidator(between(1, 4096))] = Field(
        default=4, description="Completions of a problem, which are compared with each other."
    )
    max_token_length: Count = Field(
        default=2048,
        description="Tokens of prompt and completion in training; unless you set it, fewer if the "
        "server or the trainer takes fewer.",
    )
    total_steps: Annotated[int, AfterValidator(between(1, special=-1))] = Field(
        default=FROM_TRAINER,
        description="Step of the trainer after which `serve` ends; -1: the trainer's num_steps. "
        "For `process`, the number of groups; -1: 250.",
    )
    steps_per_eval: Annotated[int, AfterValidator(between(0, special=-1))] = Field(
        default=100, description="Steps between two evaluations in `serve`; 0 or -1: none."
    )
    eval_handling: Annotated[
        Literal["STOP_TRAIN", "LIMIT_TRAIN", "NONE"], BeforeValidator(_word)
    ] = Field(
        default="STOP_TRAIN", description="What groups do while an evaluation runs beside them."
    )
    batch_size: Annotated[int, AfterValidator(between(1, 10**6, special=-1))] = Field(
        default=-1, description="Completions of a batch; the trainer sets it."
    )
    rollout_server_url: Annotated[str, AfterValidator(_address)] = Field(
        default="http://localhost:8000", description="Address of the rollout API."
    )
    max_num_workers: Annotated[int, AfterValidator(between(1, 10**6, special=-1))] = Field(
        default=-1,
        description="Groups under way at most; -1: as many as the inference servers take, by the "
        "time of their answers and num_max_requests_at_once.",
    )
    worker_timeout: Annotated[float, AfterValidator(between(1, special=-1))] = Field(
        default=600, description="Seconds after which a group is cancelled; -1: never."
    )
    ensure_scores_are_not_same: bool = Field(
        default=True, description="Send no group whose rewards are equal."
    )
    include_messages: bool = Field(
        default=False, description="Send the messages of a group to the trainer, too."
    )
    data_path_to_save_groups: Annotated[Annotated[str, AfterValidator(_file)] | None, OPTIONAL] = (
        Field(default=None, description="File to which groups are written, as JSON lines.")
    )
    data_dir_to_save_evals: Folder = Field(
        default=None, description="Folder for the results of evaluations."
    )
    use_wandb: bool = Field(default=True, description="Log to wandb.")
    wandb_name: Annotated[Annotated[str, AfterValidator(_run_name)] | None, OPTIONAL] = Field(
        default=None, description="Name of the run, in wandb and of its checkpoints."
    )
    num_rollouts_to_keep: Many = Field(default=32, description="Groups in wandb's table.")
    num_rollouts_per_group_for_logging: Annotated[
        int, AfterValidator(between(0, 4096, special=-1))
    ] = Field(default=1, description="Rollouts of a group in wandb's table; -1: all.")
    inference_weight: Annotated[float, AfterValidator(between(0, special=-1))] = Field(
        default=1.0, description="Share of batches, against other environments; -1: not set."
    )


class RareOfAtropos(BaseModel):
    """Rare options of Atropos"""

    max_eval_workers: Many = Field(default=16, description="Of no effect here.")
    max_num_workers_per_node: Many = Field(
        default=8,
        description="Groups under way for each inference server, if max_num_workers is -1.",
    )
    eval_limit_ratio: Level = Field(
        default=0.5, description="Share of the groups that goes on with eval_handling LIMIT_TRAIN."
    )
    max_batches_offpolicy: Many = Field(
        default=3, description="Batches that may wait for a trainer."
    )
    min_items_sent_before_logging: Annotated[int, AfterValidator(between(-1))] = Field(
        default=2, description="Groups sent before a step is logged."
    )
    min_batch_allocation: Annotated[Annotated[float, AfterValidator(_share)] | None, OPTIONAL] = (
        Field(default=None, description="Least share of a batch that this environment fills.")
    )
    thinking_mode: bool = Field(
        default=False, description="Ask a chat API for reasoning; the next two options imply it."
    )
    reasoning_effort: Annotated[
        Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None, OPTIONAL
    ] = Field(default=None, description="Effort of reasoning that a chat API is asked for.")
    max_reasoning_tokens: Annotated[Annotated[int, Field(ge=1024, le=32000)] | None, OPTIONAL] = (
        Field(default=None, description="Tokens of reasoning that a chat API is asked for.")
    )
    custom_thinking_prompt: Text = Field(
        default=None, description="System prompt of Atropos' thinking mode."
    )


class Options(
    RareOfAtropos,
    OfAtropos,
    Running,
    Profile,
    Evaluation,
    SavedRollouts,
    Sampling,
    ChatPrompt,
    Levelled,
    Settings,
):
    """The options of the environment, ``env`` on the command line. Unknown names are errors."""

    model_config = ConfigDict(loc_by_alias=False)

    replica_id: Natural = Field(
        default_factory=lambda: replica()[0],
        description="Index of this process among `num_replicas`; defaults to SLURM_PROCID or RANK.",
    )
    num_replicas: Count = Field(
        default_factory=lambda: replica()[1],
        description="Processes that share one stream; defaults to SLURM_NTASKS or WORLD_SIZE.",
    )


class ServerOptions(BaseModel):
    """Inference servers"""

    model_config = ConfigDict(extra="forbid")

    model_name: str = Field(
        default="default",
        description="Name of the model at the server; default: the tokenizer's.",
    )
    base_url: Text = Field(default="", description="Its address, such as http://localhost:9004/v1.")
    server_type: Literal["openai", "trl", "sglang", "vllm"] = Field(
        default="openai",
        description="What the server is; openai: a chat endpoint, for evaluations.",
    )
    api_key: Text = Field(default="", description="Its API key.")
    tokenizer_name: str = Field(default="none", description="Tokenizer; none: env.tokenizer_name.")
    timeout: Count = Field(default=1200, description="Seconds that a request may take.")
    num_max_requests_at_once: Count = Field(
        default=512, description="Requests under way at most, in training."
    )
    num_requests_for_eval: Count = Field(
        default=64, description="Requests under way at most, in evaluations."
    )
    health_check: bool = Field(default=True, description="Look at its health.")
    rolling_buffer_length: Count = Field(
        default=1000, description="Requests whose timings Atropos keeps."
    )
    n_kwarg_is_ignored: bool = Field(
        default=False, description="The server returns one completion, however many are asked for."
    )


class CommandOptions(BaseModel):
    """The command"""

    config: str | None = Field(
        default=None, description="YAML file with options; the command line wins."
    )
    slurm: bool = Field(
        default=False, description="Find the inference servers on the nodes of the SLURM job."
    )


SECTIONS: tuple[type[BaseModel], ...] = (
    *(CommandOptions, Tasks, Difficulty, Levelled, Prompt, ChatPrompt, Sampling, Rewards),
    *(SavedRollouts, Evaluation, HeldOut, Profile, Scoring, Running),
    *(OfAtropos, ServerOptions, RareOfAtropos),
)
"""Classes of options in the order of the help. Neighbours with the same heading are one section."""

PROMPT_OPTIONS = (*ChatPrompt.model_fields, *Prompt.model_fields)

MODEL = "NousResearch/DeepHermes-3-Llama-3-8B-Preview"

COMMAND_LINE: Mapping[str, Any] = {
    "tokenizer_name": MODEL,
    "group_size": 8,
    "max_token_length": 8192,
    "batch_size": 1024,
    "steps_per_eval": 25,
    "seed": 1918,
    "wandb_name": "reasoning_gym_think",
    "inference_weight": 4.0,
    "eval_handling": "NONE",
    "num_rollouts_per_group_for_logging": 4,
    "num_rollouts_to_keep": 50,
}
"""What `config_init` sets: defaults of the commands that a program, which makes its configuration
itself, does not have."""

COMMAND_LINE_SERVER: Mapping[str, Any] = {
    "model_name": MODEL,
    "base_url": "http://localhost:9004/v1",
    "api_key": "x",
    "server_type": "vllm",
    "num_max_requests_at_once": 128,
    "num_requests_for_eval": 256,
}
"""Its inference server: one vLLM server on this machine."""
