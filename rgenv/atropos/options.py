"""The options of commands as data, for the command line, its help and the documents.

`scripts/generate_docs.py` writes options.json: those of ReasoningGymEnv, to check words before
Atropos loads.
"""

import dataclasses
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from atroposlib.envs.base import BaseEnv, BaseEnvConfig
from pydantic.fields import FieldInfo

from rgenv.atropos.config import MODEL, SECTIONS, ReasoningGymEnvConfig
from rgenv.cli.arguments import Option
from rgenv.secrets import is_secret

COMMANDS = {
    "serve": "get_cli_serve_config_cls",
    "process": "get_cli_process_config_cls",
    "evaluate": "get_cli_evaluate_config_cls",
    "profile": "get_cli_evaluate_config_cls",
}
"""Command -> the method of an environment class that returns Atropos' class for it."""

MANAGERS = {
    "serve": "env_manager",
    "process": "process_manager",
    "evaluate": "_run_evaluate",
    "profile": "_run_profile",
}
"""Command -> the method of an environment that runs it."""

COMMAND_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "serve": {},
    "process": {
        "ensure_scores_are_not_same": False,
        "include_messages": True,
        "data_path_to_save_groups": "data/{name}.jsonl",
        "use_wandb": True,
    },
    "evaluate": {"use_wandb": True},
    "profile": {"use_wandb": True},
}
"""What Atropos' commands set, whatever the class says; a path only where the class has none."""

ATROPOS_OPTIONS = """
    tokenizer_name group_size max_token_length total_steps steps_per_eval eval_handling
    batch_size rollout_server_url max_num_workers worker_timeout ensure_scores_are_not_same
    include_messages data_path_to_save_groups data_dir_to_save_evals use_wandb wandb_name
    num_rollouts_to_keep num_rollouts_per_group_for_logging inference_weight
""".split()
"""Fields of BaseEnvConfig that users set."""

SERVER_OPTIONS = """
    model_name base_url server_type api_key tokenizer_name timeout num_max_requests_at_once
    num_requests_for_eval health_check
""".split()
"""Fields of APIServerConfig that users set."""

COMMAND_OPTIONS = {
    "config": "YAML file with options; the command line wins.",
    "slurm": "Find the inference servers on the nodes of the SLURM job.",
}
"""Options without a namespace -> description."""

DESCRIPTIONS = {
    **COMMAND_OPTIONS,
    "env.tokenizer_name": "Tokenizer of the model, from the hub or a folder; default: the model's.",
    "env.max_token_length": "Tokens of prompt and completion in training; unless you set it, fewer "
    "if the server or the trainer takes fewer.",
    "openai.model_name": "Name of the model at the server; default: the tokenizer's.",
}
"""What Atropos describes otherwise, or not at all."""

WITHOUT_EFFECT = {"max_n_completions", "proxy_url", "testing"}
"""Options that Atropos' commands show; the first two are ignored, and `testing` is for programs."""

ATROPOS, RARE, SERVERS = "Options of Atropos", "Rare options of Atropos", "Inference servers"
FIRST, LAST = "The command", [ATROPOS, SERVERS, RARE]

TYPE_NAMES = {
    int: "integer",
    float: "number",
    bool: "boolean",
    str: "string",
    type(None): "none",
}


def command_class(env_cls: type[BaseEnv], command: str) -> Any:
    """Return Atropos' class of a command; its fields are the options."""
    return getattr(env_cls, COMMANDS[command])()


def has_own_command(env_cls: type[BaseEnv], command: str) -> bool:
    """Return whether a class changes Atropos' class of a command, by more options as a rule."""
    own, plain = (getattr(cls, COMMANDS[command]).__func__ for cls in (env_cls, BaseEnv))
    return own is not plain


def command_defaults(env_cls: type[BaseEnv], command: str) -> dict[str, Any]:
    config, _ = env_cls.config_init()
    return {
        name: value.format(name=env_cls.name or "groups") if isinstance(value, str) else value
        for name, value in COMMAND_DEFAULTS[command].items()
        if not isinstance(value, str) or getattr(config, name) is None
    }


def options_of(env_cls: type[BaseEnv], command: str) -> list[Option]:
    """Return the options of a command in the order of their sections, with its defaults."""
    fields: Mapping[str, FieldInfo] = getattr(env_cls, COMMANDS[command])().model_fields
    defaults = _defaults(env_cls, command)
    options = [
        dataclasses.replace(
            _described(name, field),
            name=name,
            section=_section(name, env_cls),
            default=_shown_default(
                name, defaults.get(name, field.get_default(call_default_factory=True))
            ),
        )
        for name, field in fields.items()
        if name not in WITHOUT_EFFECT
    ]
    order = [FIRST, *SECTIONS.values()]
    others = list(dict.fromkeys(o.section for o in options if o.section not in [*order, *LAST]))
    order += others + LAST
    return sorted(options, key=lambda o: (order.index(o.section), _rank(o.name)))


def _rank(name: str) -> int:
    """Return the place of an option in its section; ours keep the order of their class."""
    listed = [*COMMAND_OPTIONS, *ATROPOS_OPTIONS] if "openai." not in name else SERVER_OPTIONS
    field = name.rpartition(".")[2]
    return listed.index(field) if field in listed else len(listed)


def _defaults(env_cls: type[BaseEnv], command: str) -> dict[str, Any]:
    config, servers = env_cls.config_init()
    server = servers[0] if isinstance(servers, list) and servers else servers
    values = {f"env.{name}": value for name, value in config}
    for name, value in command_defaults(env_cls, command).items():
        values[f"env.{name}"] = value
    values |= {f"openai.{name}": value for name, value in server}
    return {name: None if value == MODEL else value for name, value in values.items()}


def _shown_default(name: str, value: Any) -> str:
    is_hidden = is_secret(name) and value not in (None, "", "x")
    return "not shown" if is_hidden else shown_value(value)


def _section(name: str, env_cls: type[BaseEnv]) -> str:
    space, _, field = name.rpartition(".")
    if space == "openai":
        return SERVERS
    if space != "env":
        return f"Options of {space}" if space else FIRST
    if field in BaseEnvConfig.model_fields:
        return ATROPOS if field in ATROPOS_OPTIONS else RARE
    title = ""
    for known in ReasoningGymEnvConfig.model_fields:
        title = SECTIONS.get(known, title)
        if known == field:
            return title
    return f"Options of {env_cls.__name__}"


def _described(name: str, field: FieldInfo) -> Option:
    origin = get_origin(field.annotation)
    return Option(
        name="",
        type=type_name(field.annotation).replace("`", ""),
        description=DESCRIPTIONS.get(name) or field.description or "",
        may_be_none=type(None) in get_args(field.annotation),
        takes_many=origin in (list, tuple, dict),
        adds_up=origin in (list, dict),
    )


def type_name(annotation: Any) -> str:
    """Return the type of an option in words, with fixed words in backticks."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation in TYPE_NAMES:
        return TYPE_NAMES[annotation]
    if origin is Annotated:
        return type_name(arguments[0])
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(type_name(argument) for argument in arguments)
    if origin is list:
        return f"list of {_plural(arguments[0])}"
    if origin is tuple:
        return f"{len(arguments)} {_plural(arguments[0])}"
    if origin is dict:
        return "mapping"
    if hasattr(annotation, "__members__"):  # an enumeration
        return ", ".join(f"`{member.value}`" for member in annotation)
    return getattr(annotation, "__name__", str(annotation))


def _plural(annotation: Any) -> str:
    names = [type_name(argument) for argument in get_args(annotation) or (annotation,)]
    return " or ".join(name if name == "none" else f"{name}s" for name in names)


def shown_value(value: Any) -> str:
    if value is None or value in ([], {}, ""):
        return "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(shown_value, value))
    if isinstance(value, bool):
        return str(value).lower()
    return str(getattr(value, "value", value))
