"""The command line of an environment class.

::

    run(Mine, ["serve", "--env.seed", "-1"])    # the exit code; rgenv/errors.py lists them

The command line is rewritten in a form that Atropos reads correctly (arguments.py), checked against
the options of the class, and passed to Atropos' own command.
"""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from atroposlib.envs.base import APIServerConfig, BaseEnv
from pydantic import ValidationError
from pydantic_cli import run_and_exit
from pydantic_cli.argparse import FailedExecutionException

from rgenv.atropos.arguments import Flag, canonical
from rgenv.errors import (
    BAD_USAGE,
    DONE,
    BadUsage,
    InferenceUnavailable,
    PoolBroken,
    StartupError,
    exit_code,
)
from rgenv.runtime.host import tune_garbage_collector
from rgenv.validation import cli as validate

USAGE = """usage: {program} {{serve,process,evaluate,validate}} [--OPTION ...]

  serve      generate and score rollouts for a trainer, through the rollout API
  process    generate and score rollouts into a file
  evaluate   answer the evaluation set once
  validate   check tasks and their verifiers, or saved rollouts; no model needed

`COMMAND --help` lists the options; docs/options.md explains ours."""

COMMANDS = {
    "serve": "get_cli_serve_config_cls",
    "process": "get_cli_process_config_cls",
    "evaluate": "get_cli_evaluate_config_cls",
}
"""Command -> the method of an environment class that returns Atropos' class for it."""

SERVERS = "openai"
"""The namespace of the inference servers' options."""


def run(env_cls: type[BaseEnv], words: Sequence[str]) -> int:
    """Run one command of an environment class.

    Args:
        words: the command line without the program.

    Returns:
        The exit code.
    """
    _set_up_logging()
    try:
        return _run_command(env_cls, list(words))
    except (BadUsage, ValidationError, FailedExecutionException) as error:
        print(f"error: {_sentence(error)}", file=sys.stderr)
        return BAD_USAGE
    except (StartupError, InferenceUnavailable, PoolBroken, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return exit_code(error)
    except KeyboardInterrupt:
        return 130
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else exit_code(exit_)


def _set_up_logging() -> None:
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.getLogger("atroposlib.envs.base").setLevel(logging.WARNING)  # Atropos sets DEBUG
    for name in ("httpx", "httpx2", "openai"):  # the chat client logs every request
        logging.getLogger(name).setLevel(logging.WARNING)


def _run_command(env_cls: type[BaseEnv], words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(USAGE.format(program=sys.argv[0]), file=sys.stdout if words else sys.stderr)
        return DONE if words else BAD_USAGE
    command, *rest = words
    if command == "validate":
        return validate.main(rest)
    if command not in COMMANDS:
        usage = USAGE.format(program=sys.argv[0])
        raise BadUsage(f"There is no command {command!r}.\n{usage}")
    command_cls = getattr(env_cls, COMMANDS[command])()
    if {"-h", "--help"} & set(rest):
        run_and_exit({command: command_cls}, args=[command, "--help"])
    rest = ["--env.force=true" if word == "--force" else word for word in rest]
    flags = canonical(rest, _flags(command_cls))
    options = dict(word[2:].split("=", 1) for word in flags)
    _check_options(options, command_cls)
    tune_garbage_collector()
    with _argv([command, *flags]):
        command_cls(config=options.get("config")).run()
    return DONE


@contextlib.contextmanager
def _argv(words: list[str]) -> Iterator[None]:
    """Put `words` into sys.argv, the only place from which Atropos' commands read their options."""
    before = sys.argv
    sys.argv = [before[0], *words]
    try:
        yield
    finally:
        sys.argv = before


def _flags(command_cls: Any) -> dict[str, Flag]:
    """Return every option of a command, including those that a subclass adds."""
    return {
        name: Flag(
            may_be_none=type(None) in get_args(info.annotation),
            takes_many=getattr(info.annotation, "__origin__", None) is list,
        )
        for name, info in command_cls.model_fields.items()
    }


def _check_options(options: Mapping[str, str], command_cls: Any) -> None:
    """Check the options that Atropos would ignore, or fail on while it reports an error.

    Raises:
        BadUsage: a name is unknown, or the configuration file can't be read.
        ValidationError: a server setting has an invalid value.
    """
    prefix = f"{SERVERS}."
    _check_server({n.removeprefix(prefix): v for n, v in options.items() if n.startswith(prefix)})
    if options.get("testing", "false").lower() in ("true", "1"):
        raise BadUsage("--testing is for programs that call the class themselves: leave it out.")
    if "config" in options:
        _check_yaml(options["config"], command_cls)


def _check_yaml(path: str, command_cls: Any) -> None:
    try:
        content = yaml.safe_load(Path(path).read_text())
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadUsage(f"--config {path} can't be read: {error}") from None
    known = {name.split(".")[0] for name in command_cls.model_fields} - {"config"}
    if not isinstance(content, dict) or not set(content) <= known:
        raise BadUsage(
            f"--config {path}: the top level must be a mapping with keys among "
            f"{', '.join(sorted(known))}."
        )
    servers = content.get(SERVERS) or []
    for server in servers if isinstance(servers, list) else [servers]:
        _check_server(server)


def _check_server(values: Mapping[str, Any]) -> None:
    for name in values:
        if name not in APIServerConfig.model_fields:
            raise BadUsage(f"There is no server setting {SERVERS}.{name}. See --help.")
    APIServerConfig(**{name: None if v == "None" else v for name, v in values.items()})


def _sentence(error: Exception) -> str:
    """Return the message of an error; for ValidationError, one sentence with options and values."""
    if isinstance(error, ValidationError):
        prefix = SERVERS if error.title == APIServerConfig.__name__ else "env"
        return "; ".join(
            f"--{prefix}.{'.'.join(map(str, problem['loc']))}: {problem['msg']} "
            f"(got {problem['input']!r})"
            for problem in error.errors()
        )
    return str(getattr(error, "message", None) or error)
