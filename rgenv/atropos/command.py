"""Run a command of an environment class: its log, its work and its exit code."""

import asyncio
import logging
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from atroposlib.envs.base import APIServerConfig, BaseEnv
from openai import OpenAIError
from pydantic import ValidationError

from rgenv.atropos.command_line import Surface, read
from rgenv.atropos.patches import atropos_words
from rgenv.atropos.reporting import FOR_USERS, is_logged
from rgenv.cli.entry import Request, answer, reader_left
from rgenv.errors import DONE, BadUsage, exit_code
from rgenv.mistakes import invalid_values
from rgenv.runtime.machine import tune_garbage_collector
from rgenv.secrets import hidden_in_output, remember, remember_words
from rgenv.text import describe, failed_call, one_line

COMMAND_CLASSES = {
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

MOST_LOGGED = 20_000
"""Characters of a line of the log; only the configuration, for debugging, has thousands."""

WANDB_SETTINGS = "Settings"
"""The class that wandb fills from variables such as WANDB_MODE."""


def run_words(env_cls: type[BaseEnv], words: Sequence[str]) -> int:
    """Run a command line of an environment class; return its exit code (rgenv/errors.py)."""
    remember_words(words)
    with hidden_in_output():
        found = answer(words, lambda command, rest: read(command, rest, surface(env_cls, command)))
    return run(env_cls, found) if isinstance(found, Request) else found


def surface(env_cls: type[BaseEnv], command: str) -> Surface:
    """Return what the command line of a class may say."""
    config, servers = env_cls.config_init()
    more: dict[str, Any] = {}
    if _has_own_command(env_cls, command):
        fields = getattr(env_cls, COMMAND_CLASSES[command])().model_fields
        known = getattr(BaseEnv, COMMAND_CLASSES[command]).__func__(env_cls).model_fields
        more = {name: info for name, info in fields.items() if name not in known}
    return Surface(config, servers, more, env_cls.__name__, env_cls.name or "groups")


def _has_own_command(env_cls: type[BaseEnv], command: str) -> bool:
    """Return whether a class changes Atropos' class of a command, by more options as a rule."""
    own, plain = (getattr(cls, COMMAND_CLASSES[command]).__func__ for cls in (env_cls, BaseEnv))
    return own is not plain


def run(env_cls: type[BaseEnv], request: Request) -> int:
    """Do what a command line asks of an environment class; return the exit code."""
    remember(os.environ)
    with hidden_in_output():
        _set_up_logging()
        try:
            return _run(env_cls, request)
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


def _run(env_cls: type[BaseEnv], request: Request) -> int:
    tune_garbage_collector()
    try:
        if _has_own_command(env_cls, request.command):
            flags = [f"--{name}={value}" for name, value in request.words.items()]
            command: Any = getattr(env_cls, COMMAND_CLASSES[request.command])()
            with atropos_words([request.command, *flags]):
                command(config=request.file).run()
        else:
            made = _environment(env_cls, request)
            asyncio.run(getattr(made, MANAGERS[request.command])())
    except ValidationError as error:
        if error.title != WANDB_SETTINGS:
            raise
        raise BadUsage(invalid_values(error, lambda name: f"WANDB_{name.upper()}")) from None
    except OpenAIError as error:
        if type(error) is not OpenAIError:  # a request that failed
            raise
        # The client of a server that a subclass adds, such as a teacher, has no key.
        raise BadUsage(
            f"A server's client can't be made ({' '.join(str(error).split())}): set the api_key "
            "of each server; any word will do for one that needs none."
        ) from None
    return DONE


def _environment(env_cls: type[BaseEnv], request: Request) -> Any:
    config, default = request.config, env_cls.config_init()
    if not isinstance(config, type(default[0])):  # it was read before the class was imported
        known = config.model_fields_set
        config = type(default[0])(**dict(config))
        config.model_fields_set.intersection_update(known)
    servers: Any = default[1]
    if request.servers is not None:
        made = [APIServerConfig(**one) for one in request.servers]
        servers = made if isinstance(servers, list) or len(made) > 1 else made[0]
    made_env: Any = env_cls(config=config, server_configs=servers, slurm=request.slurm)
    if request.command == "process":
        made_env.n_groups_to_process = config.total_steps
    return made_env


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
