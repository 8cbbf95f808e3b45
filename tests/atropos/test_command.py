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


def test_an_option_for_one_of_several_servers_is_refused(
    small: type[SmallEnv], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options can't say which server of a file they are for."""
    path = tmp_path / "run.yaml"
    path.write_text("openai: [{model_name: a}, {model_name: b}]")
    assert cli.run(small, ["serve", "--config", str(path), "--openai.timeout", "3"]) == 2
    err = capsys.readouterr().err
    assert f"{path} has 2 inference servers, so --openai.timeout can't say which" in err


def test_an_invalid_value_of_something_else_keeps_its_traceback(small: type[SmallEnv]) -> None:
    """A validation error that is not about options is raised; it would be blamed on an option."""

    class Reply(BaseModel):
        number: int

    class Failing(small):  # type: ignore[valid-type, misc]
        async def env_manager(self) -> None:
            Reply(number="many")  # type: ignore[arg-type]

    with pytest.raises(ValidationError, match="Reply"):
        cli.run(Failing, ["serve"])
