"""Run a command of an environment class: its log, its work and its exit code."""

import asyncio
import inspect
import logging
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any
from unittest import mock

from atroposlib.envs import base
from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig
from openai import OpenAIError
from pydantic import ValidationError

from rgenv import errors
from rgenv.atropos.command_line import Surface, read
from rgenv.atropos.options import Options
from rgenv.cli.entry import Request, answer, reader_left
from rgenv.mistakes import invalid_values
from rgenv.runtime.machine import tune_garbage_collector
from rgenv.secrets import hidden_in_output, remember, remember_words
from rgenv.text import describe, failed_call

COMMANDS = {
    "serve": ("env_manager", "get_cli_serve_config_cls"),
    "process": ("process_manager", "get_cli_process_config_cls"),
    "evaluate": ("_run_evaluate", "get_cli_evaluate_config_cls"),
    "profile": ("_run_profile", "get_cli_evaluate_config_cls"),
}
"""Command -> the methods of an environment class that run it, and return Atropos' class for it."""

FOR_USERS = (
    *(errors.BadUsage, errors.StartupError, errors.PoolBroken),
    *(errors.InferenceUnavailable, errors.RolloutsLost),
)
"""Errors whose message is a sentence for users."""

OF_SETTINGS = (ValidationError, OpenAIError)
"""Errors of libraries that say what a user has set wrongly."""

LOGGED = "The last line of the log says what was saved."
"""A note on an exception that is in the log."""


def run_words(env_cls: type[BaseEnv], words: Sequence[str]) -> int:
    """Run a command line of an environment class; return its exit code (rgenv/errors.py)."""
    remember_words(words)
    with hidden_in_output():
        found = answer(words, lambda command, rest: read(command, rest, surface(env_cls, command)))
    return run(env_cls, found) if isinstance(found, Request) else found


def surface(env_cls: type[BaseEnv], command: str) -> Surface:
    """Return what the command line of a class may say."""
    config, servers = env_cls.config_init()
    if isinstance(config, BaseEnvConfig) and not isinstance(config, Options):
        config = env_cls.env_config_cls(**config.model_dump(exclude_unset=True))
    more: dict[str, Any] = {}
    if own := _own_command(env_cls, command):
        known = getattr(BaseEnv, COMMANDS[command][1]).__func__(env_cls).model_fields
        more = {name: info for name, info in own.model_fields.items() if name not in known}
    return Surface(
        *(config, servers, more, env_cls.__name__, env_cls.name or "groups"),
        own_client=not inspect.isabstract(env_cls.server_cls),
    )


def _own_command(env_cls: type[BaseEnv], command: str) -> Any:
    """Return a class's own version of Atropos' class of a command, as a rule with more options."""
    own, plain = (getattr(cls, COMMANDS[command][1]) for cls in (env_cls, BaseEnv))
    return None if own.__func__ is plain.__func__ else own()


def run(env_cls: type[BaseEnv], request: Request) -> int:
    """Do what a command line asks of an environment class; return the exit code."""
    remember(os.environ)
    with hidden_in_output():
        _set_up_logging()
        tune_garbage_collector()
        try:
            _run(env_cls, request)
            return errors.DONE
        except BrokenPipeError:  # of what is printed at the end; requests have errors of their own
            return reader_left()
        except KeyboardInterrupt:
            return 130
        except SystemExit as exit_:
            return exit_.code if isinstance(exit_.code, int) else errors.exit_code(exit_)
        except Exception as error:  # of whatever an environment may be; it goes on without words
            if (said := _sentence(error)) is None:
                raise
            if LOGGED not in getattr(error, "__notes__", ()):
                print(f"error: {said}", file=sys.stderr)
            is_usage = isinstance(error, OF_SETTINGS)
            return errors.BAD_USAGE if is_usage else errors.exit_code(error)


def _sentence(error: Exception) -> str | None:
    """Return what a user is told of an error; None: its traceback."""
    if isinstance(error, FOR_USERS):
        return str(error)
    if isinstance(error, OSError):
        return failed_call(error)
    if isinstance(error, MemoryError):
        return f"{describe(error)}: raise the limits of memory and processes."
    if isinstance(error, ValidationError) and error.title == "Settings":  # of wandb
        return invalid_values(error, lambda name: f"WANDB_{name.upper()}")
    if type(error) is OpenAIError:  # others are requests that failed
        # The client of a server that a subclass adds, such as a teacher, has no key.
        return (
            f"A server's client can't be made ({' '.join(str(error).split())}): set the api_key "
            "of each server; any word will do for one that needs none."
        )
    return None


def _run(env_cls: type[BaseEnv], request: Request) -> None:
    if command := _own_command(env_cls, request.command):
        # Its namespaces read their options from sys.argv. Atropos prints all, keys included.
        flags = [f"--{name}={value}" for name, value in request.words.items()]
        words = [sys.argv[0], request.command, *flags]
        with mock.patch.object(sys, "argv", words), mock.patch.object(base, "rprint", id):
            command(config=request.file).run()
        return
    config, (default, servers) = request.config, env_cls.config_init()
    if not isinstance(config, type(default)):  # it was read before the class was imported
        known = config.model_fields_set
        config = type(default)(**config.model_dump(mode="json"))
        config.model_fields_set.intersection_update(known)
    if request.servers is not None:
        made = [APIServerConfig(**dict(one)) for one in request.servers]
        servers = made if isinstance(servers, list) or len(made) > 1 else made[0]
    env = env_cls(config=config, server_configs=servers, slurm=request.slurm)
    asyncio.run(getattr(env, COMMANDS[request.command][0])())


def _set_up_logging() -> None:
    form = "%(asctime)s %(name)s %(levelname)s %(message)s"
    logging.basicConfig(level=logging.INFO, format=form)
    logging.getLogger("atroposlib.envs.base").setLevel(logging.WARNING)  # Atropos sets DEBUG
    for name in ("httpx", "httpx2", "openai"):  # the chat client logs every request
        logging.getLogger(name).setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", message="You are using a local Base URL|Trainer requested to")
