"""rgenv/atropos/options.py: the options of commands as data."""

import sys
from pathlib import Path
from typing import Any

import pytest
from atroposlib.envs.base import APIServerConfig

from reasoning_gym_environment import ReasoningGymEnv, main
from rgenv.atropos.options import COMMANDS, options_of, shown_value
from rgenv.cli.arguments import Option
from rgenv.cli.entry import known_options
from tests.support.subclasses import Mine, TeacherFirst


def by_name(cls: type[Any], command: str = "serve") -> dict[str, Option]:
    return {option.name: option for option in options_of(cls, command)}


@pytest.mark.parametrize("command", COMMANDS)
def test_stored_options_are_those_of_the_class(command: str) -> None:
    """What is checked before Atropos is imported is what the class has."""
    assert known_options(command) == options_of(ReasoningGymEnv, command)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_defaults_that_help_shows_are_used(
    command: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[tuple[Any, list[APIServerConfig]]] = []

    def remember(self: Any, config: Any, server_configs: Any, **_: Any) -> None:
        given.append((config.model_copy(), server_configs))
        raise KeyboardInterrupt

    monkeypatch.setattr(ReasoningGymEnv, "__init__", remember)
    monkeypatch.setattr(sys, "argv", ["reasoning_gym_environment.py"])
    monkeypatch.chdir(tmp_path)
    assert main([command, "--openai.model_name", "none"]) == 130
    [(config, [server])] = given
    used = {f"env.{name}": shown_value(value) for name, value in config}
    used |= {f"openai.{name}": shown_value(value) for name, value in server}
    shown = {option.name: option.default for option in known_options(command)}
    assert {name: shown[name] for name in used if name in shown} == used
    assert (shown["env.group_size"], shown["env.seed"]) == ("8", "1918")
    assert (shown["openai.server_type"], shown["openai.api_key"]) == ("vllm", "x")


def test_a_subclass_shows_its_options() -> None:
    """An added option has a section of its own; a namespace that a base adds, too."""
    added = by_name(Mine)["env.greeting"]
    assert (added.section, added.default) == ("Options of Mine", "none")
    assert added.description == "Printed by every command."
    teacher = by_name(TeacherFirst)
    assert teacher["teacher.model_name"].section == "Options of teacher"
    assert teacher["env.teacher_top_k"].section == "Options of TeacherFirst"
    assert "teacher.model_name" not in by_name(TeacherFirst, "process")


def test_a_key_in_the_defaults_is_not_shown() -> None:
    class Paid(ReasoningGymEnv):
        @classmethod
        def config_init(cls) -> Any:
            config, [server] = super().config_init()
            return config, [server.model_copy(update={"api_key": "sk-secret"})]

    assert by_name(Paid)["openai.api_key"].default == "not shown"
