"""rgenv/atropos/command.py: the command line of any environment class."""

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from atroposlib.envs.base import APIServerConfig, BaseEnv, BaseEnvConfig
from openai import OpenAIError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rgenv.atropos import command as cli
from rgenv.atropos.command import OneLine
from rgenv.atropos.config import Words
from rgenv.atropos.reporting import log_end
from rgenv.errors import (
    BadUsage,
    EvaluationMismatch,
    InferenceUnavailable,
    PoolBroken,
    StartupError,
    UnknownTask,
)
from tests.support.fakes import fake_config


class SmallConfig(BaseEnvConfig):
    """The options of a small environment."""

    model_config = ConfigDict(extra="forbid")
    level: float | None = Field(default=0.5, ge=0, le=1)
    tasks: Words = Field(default=[])
    force: bool = False


class SmallEnv(BaseEnv):
    """An environment whose commands record their options, and raise `error`."""

    name = "small"
    env_config_cls = SmallConfig
    made: list["SmallEnv"]
    error: BaseException | None = None

    def __init__(self, config: Any, server_configs: Any, **_: Any) -> None:
        self.config, self.server_configs = config, server_configs
        self.made.append(self)

    @classmethod
    def config_init(cls) -> tuple[BaseEnvConfig, list[APIServerConfig]]:
        return cls.env_config_cls(tokenizer_name="t"), fake_config()

    async def env_manager(self) -> None:
        if self.error is not None:
            raise self.error

    process_manager = _run_evaluate = _run_profile = env_manager

    async def get_next_item(self) -> Any:
        raise NotImplementedError

    async def evaluate(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[type[SmallEnv]]:
    """Return a new environment class, and restore the log levels after the test."""
    monkeypatch.setattr(sys, "argv", ["program.py", "its", "words"])
    monkeypatch.chdir(tmp_path)
    names = ("atroposlib.envs.base", "httpx", "httpx2", "openai")
    levels = {name: logging.getLogger(name).level for name in names}
    yield type("Small", (SmallEnv,), {"made": []})
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize("command", ["serve", "process", "evaluate", "profile"])
def test_a_command_runs_with_its_options(small: type[SmallEnv], command: str) -> None:
    """The command gets the options of environment and servers; the exit code is 0."""
    words = [command, "--env.level", "0.25", "--env.tasks", "a", "b", "--openai.timeout", "30"]
    assert cli.run(small, words) == 0
    [env] = small.made
    assert (env.config.level, env.config.tasks) == (0.25, ["a", "b"])
    assert env.server_configs[0].timeout == 30


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (StartupError("no server answers"), 1),
        (InferenceUnavailable("no server answers"), 1),
        (PoolBroken("no server answers"), 1),
        (OSError("no server answers"), 1),
        (BadUsage("no server answers"), 2),
        (UnknownTask("no server answers"), 2),
        (EvaluationMismatch("no server answers"), 2),
    ],
)
def test_an_expected_error_is_one_sentence_and_an_exit_code(
    small: type[SmallEnv], capsys: pytest.CaptureFixture[str], error: Exception, code: int
) -> None:
    """The exit code is 2 for bad usage and 1 if something is missing."""
    small.error = error
    assert cli.run(small, ["serve"]) == code
    assert capsys.readouterr().err.splitlines() == ["error: no server answers"]
    log_end(error, otherwise="", saved=["nothing"])
    assert cli.run(small, ["serve"]) == code
    assert capsys.readouterr().err == "", "the last line of the log has it already"


def test_a_server_without_a_key_is_a_sentence(
    small: type[SmallEnv], capsys: pytest.CaptureFixture[str]
) -> None:
    """A subclass may add servers; OpenAI's client refuses to be made without a key."""
    small.error = OpenAIError("The api_key client option\nmust be set.")
    assert cli.run(small, ["serve"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "(The api_key client option must be set.): set the api_key" in line


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (SystemExit(143), 143), (SystemExit("x"), 1)]
)
def test_a_run_that_was_ended_has_the_code_of_its_end(
    small: type[SmallEnv], error: BaseException, code: int
) -> None:
    """The exit code is 130 after SIGINT and 143 after SIGTERM."""
    small.error = error
    assert cli.run(small, ["serve"]) == code


def test_an_unexpected_error_keeps_its_traceback(small: type[SmallEnv]) -> None:
    """Exceptions that are not expected are raised."""
    small.error = ZeroDivisionError("here")
    with pytest.raises(ZeroDivisionError, match="here"):
        cli.run(small, ["serve"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--env.levle", "1"], "There is no option --env.levle. Did you mean --env.level?"),
        (["--env.level"], "--env.level needs a value"),
        (["--env.level", "2"], "--env.level must be at most 1, not '2'."),
        (["--env.level", "high"], "--env.level must be a number, not 'high'."),
        (["--openai.server_type", "magic"], "--openai.server_type must be 'openai', 'trl'"),
        (["--slurm", "perhaps"], "--slurm must be true or false, not 'perhaps'."),
        (["--slurm", "true"], "--slurm finds inference servers on the nodes of a SLURM job, and"),
        (["--proxy_url", "http://x"], "There is no option --proxy_url."),
        (["--openai.no_such", "1"], "There is no option --openai.no_such"),
        (["--testing", "true"], "--testing is for programs"),
        (["--config", "no.yaml"], "--config no.yaml can't be read"),
    ],
)
def test_bad_usage_names_the_option(
    small: type[SmallEnv],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    message: str,
) -> None:
    """The exit code is 2, and no environment is made."""
    monkeypatch.delenv("SLURM_JOB_NODELIST", raising=False)
    assert cli.run(small, ["serve", *words]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: ") and message in err
    assert small.made == []


def test_force_is_an_option_without_a_value(small: type[SmallEnv]) -> None:
    """`--force` stands for `--env.force true`."""
    for words, forced in (([], False), (["--force"], True), (["--env.force", "true"], True)):
        assert cli.run(small, ["evaluate", *words]) == 0
        assert small.made[-1].config.force is forced


class LargeConfig(SmallConfig):
    """More options."""

    colour: str = "red"


def test_a_subclass_has_options_of_its_own(
    small: type[SmallEnv], capsys: pytest.CaptureFixture[str]
) -> None:
    """Options of a subclass are unknown to its base class."""
    large = type("Large", (small,), {"env_config_cls": LargeConfig})
    assert cli.run(large, ["serve", "--env.colour", "blue", "--env.level", "1"]) == 0
    assert (small.made[-1].config.colour, small.made[-1].config.level) == ("blue", 1.0)
    assert cli.run(small, ["serve", "--env.colour", "blue"]) == 2
    assert "--env.colour" in capsys.readouterr().err


def test_a_yaml_file_sets_options_and_words_win(small: type[SmallEnv], tmp_path: Path) -> None:
    """Options on the command line override those of the file; lists and null are read as YAML."""
    path = tmp_path / "run.yaml"
    path.write_text("env:\n  level: null\n  tasks: [a, b]\nopenai:\n  - model_name: m\n")
    assert cli.run(small, ["serve", "--config", str(path), "--env.tasks", "c"]) == 0
    [env] = small.made
    assert (env.config.level, env.config.tasks) == (None, ["c"])
    assert env.server_configs[0].model_name == "m"


@pytest.mark.parametrize(
    "text", ["openai:\n  modelname: m\n", "openai:\n  - modelname: m\n", "servers: []\n"]
)
def test_an_unknown_key_of_a_yaml_file_is_refused(
    small: type[SmallEnv], tmp_path: Path, text: str
) -> None:
    """An unknown key is bad usage; Atropos would ignore it."""
    path = tmp_path / "run.yaml"
    path.write_text(text)
    assert cli.run(small, ["serve", "--config", str(path)]) == 2
    assert small.made == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("env: {level: 2}", "{path}: env.level must be at most 1, not 2."),
        ("env: {level: high}", "{path}: env.level must be a number, not 'high'."),
        ("openai: {timeout: soon}", "{path}: openai.timeout must be a whole number, not 'soon'."),
        ("openai: [{api_key: 12345}]", "{path}: openai.api_key must be text."),
        ("slurm: 7", "{path}: slurm must be true or false, not 7."),
    ],
)
def test_a_wrong_value_of_a_yaml_file_is_named_as_it_is_written(
    small: type[SmallEnv],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    message: str,
) -> None:
    """The message names the file and the key, in the words of an option; a key is never shown."""
    path = tmp_path / "run.yaml"
    path.write_text(text)
    assert cli.run(small, ["serve", "--config", str(path)]) == 2
    assert capsys.readouterr().err == f"error: {message.format(path=path)}\n"


def test_an_option_wins_over_the_file_in_messages_too(
    small: type[SmallEnv], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If an option stands in both places, the message names the word that counts."""
    path = tmp_path / "run.yaml"
    path.write_text("env: {level: 0.5}")
    assert cli.run(small, ["serve", "--config", str(path), "--env.level", "3"]) == 2
    assert capsys.readouterr().err == "error: --env.level must be at most 1, not '3'.\n"


def test_a_short_option_is_named_as_it_is_written(
    small: type[SmallEnv], capsys: pytest.CaptureFixture[str]
) -> None:
    """Who writes --force or --limit reads of --force or --limit."""
    assert cli.run(small, ["evaluate", "--force=maybe"]) == 2
    assert cli.run(small, ["evaluate", "--env.force=maybe"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "error: --force must be true or false, not 'maybe'.",
        "error: --env.force must be true or false, not 'maybe'.",
    ]


def test_an_option_for_one_of_several_servers_is_refused(
    small: type[SmallEnv], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options can't say which server of a file they are for."""
    path = tmp_path / "run.yaml"
    path.write_text("openai: [{model_name: a}, {model_name: b}]")
    assert cli.run(small, ["serve", "--config", str(path), "--openai.timeout", "3"]) == 2
    err = capsys.readouterr().err
    assert f"{path} has 2 inference servers, so --openai.timeout can't say which" in err


def test_what_the_system_refuses_is_named_with_its_path(
    small: type[SmallEnv], capsys: pytest.CaptureFixture[str]
) -> None:
    """An error of the operating system is a sentence with the path, without an error number."""
    small.error = NotADirectoryError(20, "Not a directory", "/data/file/groups.jsonl")
    assert cli.run(small, ["serve"]) == 1
    assert (
        capsys.readouterr().err == "error: /data/file/groups.jsonl: a part of the path is a file.\n"
    )


def test_an_invalid_value_of_something_else_keeps_its_traceback(small: type[SmallEnv]) -> None:
    """A validation error that is not about options is raised; it would be blamed on an option."""

    class Reply(BaseModel):
        number: int

    class Failing(small):  # type: ignore[valid-type, misc]
        async def env_manager(self) -> None:
            Reply(number="many")  # type: ignore[arg-type]

    with pytest.raises(ValidationError, match="Reply"):
        cli.run(Failing, ["serve"])


def test_without_a_command_the_usage_is_an_error(
    small: type[SmallEnv], capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a command the usage goes to stderr; with --help it goes to stdout."""
    assert cli.run(small, []) == 2
    asked_wrongly = capsys.readouterr()
    assert cli.run(small, ["--help"]) == 0
    asked = capsys.readouterr()
    assert asked.out == asked_wrongly.err and asked.out.startswith("usage: program.py {serve")
    assert cli.run(small, ["train"]) == 2
    assert "There is no command 'train'" in capsys.readouterr().err


def test_help_lists_the_options_of_the_class(
    small: type[SmallEnv], capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` also lists the options of a subclass."""
    large = type("Large", (small,), {"env_config_cls": LargeConfig})
    assert cli.run(large, ["evaluate", "--help"]) == 0
    out = capsys.readouterr().out
    assert "--env.level" in out and "--env.colour" in out and "--openai.timeout" in out


def test_validate_needs_no_environment(
    small: type[SmallEnv], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`validate` is passed to rgenv.validation and makes no environment."""
    seen: list[list[str]] = []
    monkeypatch.setattr("rgenv.validation.cli.main", lambda words: seen.append(words) or 5)
    assert cli.run(small, ["validate", "--task", "gcd"]) == 5
    assert seen == [["--task", "gcd"]] and small.made == []


def test_libraries_do_not_log_every_request(small: type[SmallEnv]) -> None:
    """HTTP clients log at level WARNING once a command runs."""
    cli.run(small, ["serve"])
    assert logging.getLogger("httpx").level == logging.WARNING
    assert logging.getLogger("openai").level == logging.WARNING


def test_a_line_of_the_log_is_one_line() -> None:
    """Libraries quote servers in their messages; tracebacks keep their lines."""
    written = OneLine("%(levelname)s %(message)s").format(
        logging.makeLogRecord({"msg": "Response: \x1b[31m\nERROR forged", "levelname": "WARNING"})
    )
    assert written == "WARNING Response: \\x1b[31m ERROR forged"
