"""Run a command of an environment class.

::

    run(Mine, ["serve", "--env.seed", "-1"])    # the exit code; rgenv/errors.py lists them

The command line is rewritten in a form that Atropos reads correctly (arguments.py), checked against
the options of the class, and passed to Atropos' own command.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import os
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import yaml
from atroposlib.envs import base as atropos_base
from atroposlib.envs.base import APIServerConfig, BaseEnv
from atroposlib.envs.server_handling.server_manager import ServerManagerConfig
from openai import OpenAIError
from pydantic import ValidationError
from pydantic_cli.argparse import FailedExecutionException

from rgenv.atropos.ending import is_logged
from rgenv.atropos.options import command_class, options_of
from rgenv.cli.arguments import SHORT_OPTIONS
from rgenv.cli.config_file import SERVERS
from rgenv.cli.entry import Request, answer_or_read
from rgenv.cli.messages import failed_call, invalid_values
from rgenv.errors import (
    BAD_USAGE,
    DONE,
    FAILED,
    BadUsage,
    InferenceUnavailable,
    PoolBroken,
    StartupError,
    exit_code,
)
from rgenv.runtime.host import tune_garbage_collector
from rgenv.runtime.preflight import require_writable
from rgenv.secrets import hidden_in_output, remember, remember_words, without_secrets
from rgenv.storage.files import create_file
from rgenv.text import one_line

MOST_LOGGED = 20_000
"""Characters of a line of the log; only the configuration, for debugging, has thousands."""

WANDB_SETTINGS = "Settings"
"""The class that wandb fills from variables such as WANDB_MODE."""


def run(env_cls: type[BaseEnv], words: Sequence[str]) -> int:
    """Run one command of an environment class.

    Args:
        words: the command line without the program.

    Returns:
        The exit code.
    """
    remember_words(words)
    remember(os.environ)
    with hidden_in_output():
        return _run(env_cls, words)


def _run(env_cls: type[BaseEnv], words: Sequence[str]) -> int:
    _set_up_logging()
    options = functools.cache(functools.partial(options_of, env_cls))
    try:
        found = answer_or_read(words, options)
        return _run_command(env_cls, found) if isinstance(found, Request) else found
    except (BadUsage, FailedExecutionException) as error:
        if not is_logged(error):
            print(f"error: {getattr(error, 'message', None) or error}", file=sys.stderr)
        return BAD_USAGE
    except (StartupError, InferenceUnavailable, PoolBroken) as error:
        if not is_logged(error):
            print(f"error: {error}", file=sys.stderr)
        return exit_code(error)
    except OSError as error:
        if not is_logged(error):
            print(f"error: {failed_call(error)}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else exit_code(exit_)


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
    warnings.filterwarnings("ignore", message="You are using a local Base URL")


def _run_command(env_cls: type[BaseEnv], request: Request) -> int:
    """Check the values of the options, and run Atropos' command.

    Raises:
        BadUsage: a value is invalid.
    """
    remember(request.content)
    _check_slurm(request)
    written = functools.partial(_as_written, request)
    try:
        _check_servers(request)
        tune_garbage_collector()
        command_cls = command_class(env_cls, request.command)
        with _argv([request.command, *request.flags]), _configuration_without_secrets():
            command_cls(config=request.values.get("config")).run()
    except ValidationError as error:
        prefixes = {
            _config_name(env_cls): "env.",
            APIServerConfig.__name__: f"{SERVERS}.",
            ServerManagerConfig.__name__: "",
        }
        if error.title == WANDB_SETTINGS:
            raise BadUsage(invalid_values(error, lambda name: f"WANDB_{name.upper()}")) from None
        if (prefix := prefixes.get(error.title)) is None:  # not about an option
            raise
        raise BadUsage(invalid_values(error, lambda name: written(f"{prefix}{name}"))) from None
    except OpenAIError as error:
        if type(error) is not OpenAIError:  # a request that failed
            raise
        # The client of a server that a subclass adds, such as a teacher, has no key.
        raise BadUsage(
            f"A server's client can't be made ({' '.join(str(error).split())}): set the api_key "
            "of each server; any word will do for one that needs none."
        ) from None
    return DONE


def _config_name(env_cls: type[BaseEnv]) -> str:
    return type(env_cls.config_init()[0]).__name__


@contextlib.contextmanager
def _argv(words: list[str]) -> Iterator[None]:
    """Put `words` into sys.argv, the only place from which Atropos' commands read their options."""
    before = sys.argv
    sys.argv = [before[0], *words]
    try:
        yield
    finally:
        sys.argv = before


@contextlib.contextmanager
def _configuration_without_secrets() -> Iterator[None]:
    """Keep Atropos from printing the configuration, and from writing its secrets anywhere.

    Where it would print, the folder that it writes to is checked.

    With `debug_logging`, the environment logs it.
    """

    def dump(configuration: Any, *more: Any, **options: Any) -> Any:
        return yaml.dump(without_secrets(configuration), *more, **options)

    def check(printed: Any) -> None:
        # The last call before Atropos writes into this folder, whose errors name no remedy.
        if folder := getattr(printed, "data_dir_to_save_evals", None):
            require_writable(Path(folder), "data_dir_to_save_evals")

    before = atropos_base.rprint, atropos_base.yaml
    atropos_base.rprint = check
    atropos_base.yaml = SimpleNamespace(safe_load=yaml.safe_load, dump=dump)
    atropos_base.open = _open_anew  # its own name hides the builtin one
    try:
        yield
    finally:
        atropos_base.rprint, atropos_base.yaml = before
        del atropos_base.open


def _open_anew(path: str, mode: str = "r") -> Any:
    """Open a file as Atropos does, but replace one that is written instead of following a link."""
    if "w" not in mode:
        return open(path, mode, encoding="utf-8")
    Path(path).unlink(missing_ok=True)
    return os.fdopen(create_file(Path(path)), mode, encoding="utf-8")


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


def _check_servers(request: Request) -> None:
    """Check the settings of the inference servers, whose errors Atropos reports with all settings.

    Raises:
        BadUsage: an option does not say which of several servers it is for.
        ValidationError: a setting has an invalid value.
    """
    prefix = f"{SERVERS}."
    given = {n.removeprefix(prefix): v for n, v in request.values.items() if n.startswith(prefix)}
    in_file = request.content.get(SERVERS, [])
    if given and isinstance(in_file, list) and len(in_file) > 1:
        raise BadUsage(
            f"{request.values['config']} has {len(in_file)} inference servers, so "
            f"--{prefix}{next(iter(given))} can't say which it is for: write it into the file."
        )
    for values in [given, *(in_file if isinstance(in_file, list) else [in_file])]:
        _check_server(values)


def _check_server(values: Mapping[str, Any]) -> None:
    APIServerConfig(**{name: None if value == "None" else value for name, value in values.items()})


def _check_slurm(request: Request) -> None:
    """Check that --slurm, with which Atropos asks the job's nodes, stands in a job.

    Raises:
        BadUsage: it does not.
    """
    is_on = str(request.values.get("slurm", request.content.get("slurm", False))).lower() == "true"
    if is_on and "SLURM_JOB_NODELIST" not in os.environ:
        raise BadUsage(
            "--slurm finds inference servers on the nodes of a SLURM job, and this is none: "
            "leave it out."
        )
