"""Run a command of an environment class: its options, its log and its exit code.

The words are checked against the options of the class. The environment is made from them, and the
method that runs the command is awaited.
"""

import asyncio
import functools
import logging
import os
import sys
import warnings
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from typing import Any

from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig
from atroposlib.envs.server_handling.server_manager import ServerManagerConfig
from atroposlib.utils.cli import merge_dicts
from openai import OpenAIError
from pydantic import ValidationError

from rgenv.atropos.config import MODEL
from rgenv.atropos.options import (
    MANAGERS,
    command_class,
    command_defaults,
    has_own_command,
    options_of,
)
from rgenv.atropos.patches import atropos_words
from rgenv.atropos.reporting import FOR_USERS, is_logged
from rgenv.cli.arguments import SHORT_OPTIONS
from rgenv.cli.config_file import SERVERS
from rgenv.cli.entry import Request, answer, reader_left
from rgenv.cli.messages import failed_call, invalid_values
from rgenv.errors import DONE, BadUsage, exit_code, joined
from rgenv.runtime.machine import tune_garbage_collector
from rgenv.secrets import hidden_in_output, remember, remember_words
from rgenv.text import describe, one_line

NO_MODEL = (
    "No model is named: give the server with --openai.base_url http://HOST:PORT/v1 and its model "
    "with --openai.model_name NAME; for a chat endpoint, which evaluate and profile can ask, also "
    "--openai.server_type openai."
)

MOST_LOGGED = 20_000
"""Characters of a line of the log; only the configuration, for debugging, has thousands."""

WANDB_SETTINGS = "Settings"
"""The class that wandb fills from variables such as WANDB_MODE."""


def run(env_cls: type[BaseEnv], words: Sequence[str]) -> int:
    """Run one command of an environment class, and return its exit code (rgenv/errors.py)."""
    remember_words(words)
    remember(os.environ)
    with hidden_in_output():
        return _run(env_cls, words)


def _run(env_cls: type[BaseEnv], words: Sequence[str]) -> int:
    _set_up_logging()
    options = functools.cache(functools.partial(options_of, env_cls))
    try:
        found = answer(words, options)
        return _run_command(env_cls, found) if isinstance(found, Request) else found
    except BrokenPipeError:  # of what is printed at the end; requests have errors of their own
        return reader_left()
    except (*FOR_USERS, OSError) as error:
        if not is_logged(error):
            said = failed_call(error) if isinstance(error, OSError) else error
            print(f"error: {said}", file=sys.stderr)
        return exit_code(error)
    except KeyboardInterrupt:
        return 130
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else exit_code(exit_)
    except BaseException as error:  # a panic of a library in Rust is no Exception
        if not isinstance(error, MemoryError) and type(error).__name__ != "PanicException":
            raise
        said = f"error: {describe(error)}: raise the limits of memory and processes."
        print(said, file=sys.stderr)
        return exit_code(error)


class OneLine(logging.Formatter):
    """Writes each message as one printable line, whatever library quotes whatever server in it."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        return one_line(super().formatMessage(record), MOST_LOGGED)


def _set_up_logging() -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(OneLine("%(asctime)s %(name)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    logging.getLogger("atroposlib.envs.base").setLevel(logging.WARNING)  # Atropos sets DEBUG
    for name in ("httpx", "httpx2", "openai"):  # the chat client logs every request
        logging.getLogger(name).setLevel(logging.WARNING)
    for message in ("You are using a local Base URL", "Trainer requested to ignore max length"):
        warnings.filterwarnings("ignore", message=message)


def _run_command(env_cls: type[BaseEnv], request: Request) -> int:
    remember(request.content)
    _check_slurm(request)
    tune_garbage_collector()
    request, no_model = _with_model(env_cls, request)
    try:
        if has_own_command(env_cls, request.command):
            if no_model is not None:
                raise no_model
            _servers(env_cls.config_init()[1], request, _section(_given(request), SERVERS))
            flags = [f"--{name}={value}" for name, value in request.values.items()]
            with atropos_words([request.command, *flags]):
                command_class(env_cls, request.command)(config=request.values.get("config")).run()
        else:
            asyncio.run(_work(env_cls, request, no_model))
    except ValidationError as error:
        raise joined(_explained(error, env_cls, request), no_model) from None
    except OpenAIError as error:
        if type(error) is not OpenAIError:  # a request that failed
            raise
        # The client of a server that a subclass adds, such as a teacher, has no key.
        raise BadUsage(
            f"A server's client can't be made ({' '.join(str(error).split())}): set the api_key "
            "of each server; any word will do for one that needs none."
        ) from None
    return DONE


def _with_model(env_cls: type[BaseEnv], request: Request) -> tuple[Request, BadUsage | None]:
    """Let model and tokenizer have the same name where only one is given, or say what to give."""
    config, servers = env_cls.config_init()
    if MODEL not in (config.tokenizer_name, *(one.model_name for one in _as_list(servers))):
        return request, None  # a subclass has a model of its own
    in_file = _as_list(request.content.get(SERVERS, []))
    tokenizer = request.values.get("env.tokenizer_name") or request.content.get("env", {}).get(
        "tokenizer_name"
    )
    models = [request.values.get("openai.model_name"), *(one.get("model_name") for one in in_file)]
    model = next(filter(None, models), None)
    if not (tokenizer or model):
        return request, BadUsage(NO_MODEL)
    missing = {} if tokenizer else {"env.tokenizer_name": str(model)}
    if not model and len(in_file) < 2:
        missing["openai.model_name"] = str(tokenizer)
    return replace(request, values={**request.values, **missing}), None


def _as_list(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _work(
    env_cls: type[BaseEnv], request: Request, no_model: BadUsage | None
) -> Coroutine[Any, Any, None]:
    config, servers = env_cls.config_init()
    given = _given(request)
    config = _environment(config, env_cls, request, _section(given, "env"))
    servers = _servers(servers, request, _section(given, SERVERS))
    slurm = ServerManagerConfig(slurm=given.get("slurm", request.content.get("slurm", False))).slurm
    if no_model is not None:
        raise no_model
    made: Any = env_cls(config=config, server_configs=servers, slurm=slurm)
    if request.command == "process":
        made.n_groups_to_process = config.total_steps
    work: Coroutine[Any, Any, None] = getattr(made, MANAGERS[request.command])()
    return work


def _given(request: Request) -> dict[str, Any]:
    return {name: None if value == "None" else value for name, value in request.values.items()}


def _section(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    prefix = f"{name}."
    return {n.removeprefix(prefix): v for n, v in values.items() if n.startswith(prefix)}


def _environment(
    default: BaseEnvConfig, env_cls: type[BaseEnv], request: Request, given: Mapping[str, Any]
) -> BaseEnvConfig:
    """Return the configuration: words before the file, the file before the defaults."""
    in_file = request.content.get("env", {})
    values = merge_dicts(default.model_dump(), command_defaults(env_cls, request.command))
    found: BaseEnvConfig = type(default)(**merge_dicts(values, in_file, given))
    set_by_somebody = default.model_fields_set | in_file.keys() | given.keys()
    found.model_fields_set.intersection_update(set_by_somebody)
    return found


def _servers(default: Any, request: Request, given: Mapping[str, Any]) -> Any:
    in_file = request.content.get(SERVERS, [])
    listed, defaults = _as_list(in_file), _as_list(default)
    several = len(listed) > 1 or (len(defaults) > 1 and not listed)
    if given and several:
        where = request.values["config"] if listed else "This class"
        number = len(listed or defaults)
        raise BadUsage(
            f"{where} has {number} inference servers, so --{SERVERS}.{next(iter(given))} can't "
            "say which it is for: write it into the file."
        )
    if len(listed) > 1:
        return [APIServerConfig(**one) for one in listed]
    if not (listed or given):
        return default
    base = defaults[0].model_dump() if len(defaults) == 1 else {}
    server = APIServerConfig(**merge_dicts(base, *listed, given))
    return [server] if isinstance(default, list) else server


def _explained(error: ValidationError, env_cls: type[BaseEnv], request: Request) -> Exception:
    """Return the sentence about a value that is wrong; the error itself if it is no option's."""
    prefixes = {
        type(env_cls.config_init()[0]).__name__: "env.",
        APIServerConfig.__name__: f"{SERVERS}.",
        ServerManagerConfig.__name__: "",
    }
    if error.title == WANDB_SETTINGS:
        return BadUsage(invalid_values(error, lambda name: f"WANDB_{name.upper()}"))
    if (prefix := prefixes.get(error.title)) is None:
        return error
    written = functools.partial(_as_written, request)
    return BadUsage(invalid_values(error, lambda name: written(f"{prefix}{name}")))


def _as_written(request: Request, name: str) -> str:
    """Return the name of an option as the user wrote it: as a word, or as a key of the file."""
    section, _, key = name.rpartition(".")
    in_file = request.content.get(section, {}) if section else request.content
    mappings = in_file if isinstance(in_file, list) else [in_file]
    if name not in request.values and any(key in mapping for mapping in mappings):
        return f"{request.values['config']}: {name}"
    given = {word.partition("=")[0] for word in request.words}
    shorter = [short for short, full in SHORT_OPTIONS.items() if full == name]
    return next((f"--{short}" for short in shorter if f"--{short}" in given), f"--{name}")


def _check_slurm(request: Request) -> None:
    """Check that --slurm, with which Atropos asks the job's nodes, stands in a job."""
    is_on = str(request.values.get("slurm", request.content.get("slurm", False))).lower() == "true"
    if is_on and "SLURM_JOB_NODELIST" not in os.environ:
        raise BadUsage(
            "--slurm finds inference servers on the nodes of a SLURM job, and this is none: "
            "leave it out."
        )
