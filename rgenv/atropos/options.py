"""The options of the environment's commands, each declared once.

A class of fields is a section of the help; its docstring is the heading. A value may be text from a
command line (``gcd,lcm``), a list from YAML, or any Python value. This file reads what Atropos
declares, and does not import it: help and mistakes are answered before the seconds that this takes.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from inspect import get_annotations
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
    model_validator,
)

from rgenv.cli.parser import several
from rgenv.errors import StartupError, require_extra
from rgenv.evaluation.sample_log import SAMPLES
from rgenv.gym.settings import (
    Count,
    Difficulty,
    HeldOut,
    Level,
    Levels,
    MaybeCount,
    Natural,
    Prompt,
    Request,
    Rewards,
    Scoring,
    Seconds,
    Settings,
    Tasks,
    Words,
    between,
    json_or_word,
    none_word,
    parse_mapping,
    split_words,
)
from rgenv.inference.chat_templates import chat_template
from rgenv.runtime.machine import dumps_folder, replica
from rgenv.runtime.preflight import address_problem, file_on_path, require_writable

require_extra("atropos", ["atroposlib"], "The environment")

FROM_TRAINER = -1
"""The total_steps that stands for the trainer's num_steps."""

MAX_NAME = 180
"""Bytes of the name of a run; most file systems allow 255, and replica and suffixes follow."""

MOST_COMPLETIONS = 4096
"""Of a problem."""

SET_BY_US = {"model", "messages", "n", "stream"}
"""Parameters of evaluation requests that the environment sets."""


def declared(path: str, *names: str) -> Any:
    """Return the last of some classes of Atropos, made from their source."""
    package: Any = find_spec("atroposlib")
    source = Path(package.submodule_search_locations[0], path)
    wanted: list[ast.stmt] = [
        node
        for node in ast.parse(source.read_text(encoding="utf-8")).body
        if (isinstance(node, ast.ImportFrom) and node.module in ("enum", "pydantic", "typing"))
        or (isinstance(node, ast.ClassDef) and node.name in names)
    ]
    made: dict[str, Any] = {"__name__": __name__}
    exec(compile(ast.Module(wanted, []), str(source), "exec", dont_inherit=True), made)
    return made[names[-1]]


def _checked(value: Any, info: ValidationInfo) -> Any:
    return value if value is None else CHECKS[str(info.field_name)](value)


def _key(value: str | None) -> str | None:
    if value and not (value.isascii() and value.isprintable()):
        raise ValueError("the key holds a line break or a letter that no key has")
    return value


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
        raise ValueError(f"there is no folder {path!r}: name the folder of an evaluation")
    if not Path(path, SAMPLES).is_file():
        raise ValueError(f"{path!r} has no {SAMPLES}: name the folder of an evaluation")
    return path


def _file(value: str) -> str:
    _not_empty(value, "name a file")
    path = os.path.expanduser(value)
    if Path(path).is_dir():
        raise ValueError(f"{path!r} is a folder: name a file in it")
    if Path(path).exists() and not Path(path).is_file():
        raise ValueError(f"{path!r} is a device or a pipe: name a file")
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
    for name in ("max_tokens", "max_completion_tokens"):
        most = value.get(name)
        if most is not None and (type(most) is not int or most < 1):
            raise ValueError(f"{name} must be a positive whole number or null, not {most!r:.80}")
    for name in ("temperature", "top_p"):
        if type(value.get(name)) not in (int, float, type(None)):
            raise ValueError(f"{name} must be a number or null, not {value[name]!r:.80}")
    return value


def _has_boolean(given: Any, read: Any) -> bool:
    """Return whether something given was a boolean and became a number."""
    if isinstance(given, Mapping) and isinstance(read, Mapping):
        given, read = [*given.values()], [*read.values()]
    if isinstance(given, list | tuple) and isinstance(read, list | tuple):
        return any(map(_has_boolean, given, read))
    return isinstance(given, bool) and type(read) in (int, float)


READERS = BeforeValidator, PlainValidator, WrapValidator

Folder = Annotated[str, AfterValidator(_folder)] | None
Temperature = Annotated[float, AfterValidator(between(0))]
Portion = Annotated[float, Field(gt=0, le=1)]


class Section(BaseModel):
    """Options; the docstring of each is what the help says."""

    model_config = ConfigDict(use_attribute_docstrings=True)

    @field_validator("*", mode="wrap")
    @classmethod
    def _meant(cls, value: Any, read: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        """Take no boolean for a number, none for None, and words for a subclass's list or mapping.

        What reads the text of a field, such as a BeforeValidator of its type, comes first.
        """
        name = str(info.field_name)
        field = cls.model_fields[name]
        annotation = field.annotation
        is_none = type(None) in get_args(annotation) and none_word(value) is None and value != ""
        reads_text = any(isinstance(one, READERS) for one in field.metadata)
        try:
            found = read(None if is_none and not reads_text else value)
        except ValidationError:
            if is_none:
                return read(None)
            kind = None if name in Options.model_fields else several(annotation)
            if kind is None or not isinstance(value, str):
                raise
            word = json_or_word if Any in (get_args(annotation) or [Any]) else str
            return read(split_words(value) if kind is list else parse_mapping(value, word))
        if _has_boolean(value, found):
            raise ValueError("write a number, not true or false")
        return found


class Levelled(Section):
    """Difficulty"""

    complexity_mode: Annotated[
        Literal["random", "curriculum"] | None, BeforeValidator(none_word)
    ] = None
    """`none` (the tasks' defaults), `random`, or `curriculum`, by the model."""
    max_prompt_tokens: MaybeCount = None
    """Skip problems with a longer question, without system prompt and template."""


class ChatPrompt(Section):
    """Prompt and answer"""

    chat_template: Annotated[str, AfterValidator(_template)] | None = None
    """For models without a template: `plain`, `chatml`, `llama3` or a Jinja file."""
    chat_template_kwargs: Request = {}
    """What the template gets besides the messages, such as `enable_thinking=false`."""


class Sampling(Section):
    """Sampling and rewards"""

    temperature: Temperature = 1.0
    """Of training; others than 1 need a setting of the server (docs/running.md)."""
    top_p: Portion = 1.0
    """Of training; below 1, trainers compute another distribution."""
    mask_too_long_completions: bool = True
    """Give completions cut by length no advantage. They stay in the group, so dividing by its
    deviation makes the advantages of the others larger by sqrt(all / uncut)."""
    length_penalty: bool = True
    """Where a whole group is solved, lower the rewards of completions longer than three quarters of
    the token budget (docs/metrics.md)."""


class SavedRollouts(Section):
    """Saved rollouts"""

    dump_rollouts: bool = False
    """Save groups with a score above rollout_save_score_threshold."""
    dump_failed_rollouts: bool = False
    """Save groups whose scores are all 0, for debugging."""
    rollout_save_score_threshold: Level = 0.7
    """Save a group when any score is above this (with dump_rollouts)."""
    data_dumps_dir: Folder = None
    """Their folder; default: data_dumps beside the module, or in the current one."""


class Evaluation(Section):
    """Evaluation"""

    num_eval_samples_per_task: Annotated[int, AfterValidator(between(1, 10**6))] = 20
    """Problems per task and level."""
    eval_tasks: Words = []
    """Names, categories or patterns; empty: those of task_names."""
    eval_levels: Levels = [None]
    """`none` (the tasks' defaults) or numbers in [0, 1]."""
    num_eval_tasks: Natural = 20
    """Tasks in an evaluation of `serve`, drawn by `eval_seed`; 0: all."""
    eval_samples_per_item: Annotated[int, AfterValidator(between(1, MOST_COMPLETIONS))] = 1
    """Completions per problem, for pass@k."""
    eval_temperature: Temperature = 0.1
    """Sampling temperature."""
    eval_top_p: Portion = 1.0
    """Nucleus sampling."""
    eval_max_tokens: MaybeCount = None
    """Tokens of prompt and completion; default: twice max_token_length, or fewer if the server
    takes fewer."""
    eval_request: Annotated[Request, AfterValidator(_request)] = {}
    """Parameters of requests to a chat API; `null` removes one. Reasoning models often need
    `max_completion_tokens=32000,temperature=null,top_p=null`."""
    eval_limit: MaybeCount = None
    """Ask so many problems at most, of all tasks and levels in turn."""
    eval_compare: Annotated[str, AfterValidator(_existing)] | None = None
    """Folder of an evaluation to compare with; default: the newest of the same model in the same
    place."""
    force: bool = False
    """Start over: `evaluate` and `profile` in a folder that holds answers, `serve` where it finds
    checkpoints, which it sets aside, `process` in a new file."""


class Profile(Section):
    """Profile"""

    profile_levels: Annotated[Levels, Field(min_length=1)] = [0.0, 0.25, 0.5, 0.75, 1.0]
    """Numbers in [0, 1], and `none` for the tasks' defaults."""
    profile_completions: Annotated[int, Field(ge=8, le=MOST_COMPLETIONS)] = 32
    """Completions of a task at a level."""
    profile_dir: Folder = None
    """Folder of the results; default: one for each model and setting in `profiles`."""


class Running(Section):
    """Running"""

    startup_timeout: Seconds = 60.0
    """Seconds to wait for servers and tokenizer at the start."""
    outage_patience: Seconds = 1800.0
    """Seconds for which rollout API or inference may be away later; then it ends."""
    debug_logging: bool = False
    """Log the configuration without its secrets, and each answer with its problem, what its format
    violates and two scores, the higher of which counts: `raw`, as it is, and `tagged`, within
    answer tags, for which some verifiers of the library look."""
    suppress_base_env_logs: bool = True
    """Hide what Atropos itself logs below a warning, and its warning of each group that it skips,
    which are counted as metrics."""


BaseEnvConfig: Any = declared("envs/base.py", "EvalHandlingEnum", "BaseEnvConfig")

CHECKS: Mapping[str, Callable[[Any], Any]] = {
    "tokenizer_name": _tokenizer,
    "rollout_server_url": _address,
    "data_path_to_save_groups": _file,
    "data_dir_to_save_evals": _folder,
    "wandb_name": _run_name,
    "min_batch_allocation": _share,
    "group_size": between(1, MOST_COMPLETIONS),
    "max_token_length": between(1),
    "total_steps": between(1, special=-1),
    "steps_per_eval": between(0, special=-1),
    "batch_size": between(1, special=-1),
    "max_num_workers": between(1, special=-1),
    "max_num_workers_per_node": between(1),
    "max_eval_workers": between(1),
    "max_batches_offpolicy": between(1),
    "worker_timeout": between(1, special=-1),
    "inference_weight": between(0, special=-1),
    "eval_limit_ratio": between(0, 1),
    "min_items_sent_before_logging": between(-1),
    "num_rollouts_to_keep": between(1),
    "num_rollouts_per_group_for_logging": between(0, special=-1),
}
"""Option of Atropos -> what checks its value."""


class OfAtropos(BaseEnvConfig, Section):
    """Options of Atropos"""

    total_steps: int = FROM_TRAINER
    """Step of the trainer after which `serve` ends; -1: the trainer's num_steps. For `process`, the
    number of groups; -1: 250."""
    max_eval_workers: int = 16
    """Of no effect here."""
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    """Effort of reasoning that a chat API is asked for."""

    _check_values = field_validator(*CHECKS)(_checked)


class Options(
    OfAtropos, Running, Profile, Evaluation, SavedRollouts, Sampling, ChatPrompt, Levelled, Settings
):
    """The options of the environment, ``env`` on the command line. Unknown names are errors."""

    model_config = ConfigDict(loc_by_alias=False, use_attribute_docstrings=False)

    replica_id: Natural = Field(
        default_factory=lambda: replica()[0],
        description="Index of this process among `num_replicas`; defaults to SLURM_PROCID or RANK.",
    )
    num_replicas: Count = Field(
        default_factory=lambda: replica()[1],
        description="Processes that share one stream; defaults to SLURM_NTASKS or WORLD_SIZE.",
    )


APIServerConfig: Any = declared(
    "envs/server_handling/server_baseline.py", "ServerBaseline", "APIServerConfig"
)

SERVER_NUMBERS = [n for n, x in APIServerConfig.model_fields.items() if x.annotation is int]


class ServerOptions(APIServerConfig, Section):
    """Inference servers"""

    model_config = ConfigDict(extra="forbid")

    model_name: str = "default"
    """Name of the model at the server; default: the tokenizer's."""

    _check_numbers = field_validator(*SERVER_NUMBERS)(between(1))
    _check_key = field_validator("api_key")(_key)

    @model_validator(mode="after")
    def _check_address(self) -> Self:
        is_chat = self.server_type == "openai"
        if not (is_chat or self.base_url):
            raise ValueError(
                f"A server of type {self.server_type} needs an address: set --openai.base_url, "
                "such as http://localhost:9004/v1."
            )
        if self.base_url and (problem := address_problem(self.base_url)):
            raise ValueError(f"--openai.base_url: {problem}")
        parts = urlsplit(self.base_url or "")
        if "@" in parts.netloc or (parts.query and not is_chat):
            raise ValueError(
                "--openai.base_url holds a name, a password or parameters, which Atropos can't "
                "send: leave them out, and set --openai.api_key."
            )
        return self


class CommandOptions(Section):
    """The command"""

    config: str | None = None
    """YAML file with options; the command line wins."""
    slurm: bool = False
    """Find the inference servers on the nodes of the SLURM job."""


SECTIONS: tuple[type[BaseModel], ...] = (
    *(CommandOptions, Tasks, Difficulty, Levelled, Prompt, ChatPrompt, Sampling, Rewards),
    *(SavedRollouts, Evaluation, HeldOut, Profile, Scoring, Running),
    *(OfAtropos, ServerOptions),
)
"""Classes of options in the order of the help. Neighbours with the same heading are one section."""

ROOT = Path(__file__).resolve().parents[2]


def unwritable(command: str, config: Options) -> list[StartupError]:
    """Return an error for each folder that a command writes to and can't."""
    folders: dict[str, Path | str | None] = {}
    if config.data_path_to_save_groups is not None:
        folders["data_path_to_save_groups"] = Path(config.data_path_to_save_groups).parent
    if config.dump_rollouts or config.dump_failed_rollouts:
        folders["data_dumps_dir"] = dumps_folder(config.data_dumps_dir, ROOT)
    if command == "profile":
        folders["profile_dir"] = config.profile_dir
    if command == "evaluate" or (command == "serve" and config.data_dir_to_save_evals is not None):
        folders["data_dir_to_save_evals"] = config.data_dir_to_save_evals
    errors = []
    for option, folder in folders.items():
        try:
            require_writable(Path(folder or ""), option)  # by default in the working directory
        except StartupError as error:
            errors.append(error)
    return errors


GROUP_OPTIONS = {
    *("group_size", "max_token_length", "strict_verifiers"),
    *(name for section in (Tasks, Difficulty, Levelled) for name in section.model_fields),
    *(name for section in (Prompt, ChatPrompt, Sampling, Rewards) for name in section.model_fields),
} - {"replica_id", "num_replicas", "curriculum_target_accuracy"}
"""The options that determine which groups a run makes: problems, prompts, sampling, rewards."""

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
"""What `config_init` sets: defaults of the commands."""

COMMAND_LINE_SERVER: Mapping[str, Any] = {
    "model_name": MODEL,
    "base_url": "http://localhost:9004/v1",
    "api_key": "x",
    "server_type": "vllm",
    "num_max_requests_at_once": 128,
    "num_requests_for_eval": 256,
}
"""Its inference server: one vLLM server on this machine."""


def own_options(options: type[BaseModel]) -> set[str]:
    """Return the options that classes of a user declare, new ones and ours anew."""
    library = ("rgenv", "atroposlib", "pydantic", "builtins")
    own = (cls for cls in options.__mro__ if cls.__module__.partition(".")[0] not in library)
    return {name for cls in own for name in get_annotations(cls)} & options.model_fields.keys()


def default_options(options: type[BaseModel] = Options) -> Any:
    """Return a user's own defaults, and ours of commands; the token limit counts as not set."""
    names = COMMAND_LINE.keys() - own_options(options)
    made = options(**{name: COMMAND_LINE[name] for name in names})
    made.model_fields_set.discard("max_token_length")
    return made
