"""rgenv/atropos/startup.py: checks, log levels and worker processes before a session."""

import logging
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.trl_vllm_server import TrlVllmServer

from rgenv.atropos.config import ReasoningGymEnvConfig
from rgenv.atropos.startup import (
    check_options,
    check_servers,
    set_log_levels,
    settings_of,
)
from rgenv.errors import BadUsage, StartupError
from rgenv.gym.settings import Settings
from rgenv.rollout_api.api import RolloutApi

NOWHERE = "http://127.0.0.1:9"
"""An address where nothing listens."""


def configured(**options: Any) -> ReasoningGymEnvConfig:
    return ReasoningGymEnvConfig(**{"startup_timeout": 0.01, "seed": 7, **options})


LOGGERS = ("ReasoningGymEnv", "rgenv", "atroposlib.envs.base")


@pytest.fixture
def levels() -> Iterator[Any]:
    """Return the levels of our loggers and of Atropos', and restore them after the test."""
    before = {name: logging.getLogger(name).level for name in LOGGERS}
    yield lambda: [logging.getLogger(name).level for name in LOGGERS]
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


@pytest.mark.parametrize(
    ("debug", "expected"),
    [
        (False, [logging.INFO, logging.INFO, logging.WARNING]),
        (True, [logging.DEBUG] * 3),
    ],
)
def test_log_levels_follow_the_options(levels: Any, debug: bool, expected: list[int]) -> None:
    """Levels are set, and handlers are left as they are."""
    handlers = list(logging.getLogger().handlers)
    set_log_levels(debug=debug)
    assert levels() == expected and logging.getLogger().handlers == handlers


CHAT: Any = object.__new__(OpenAIServer)
"""A client of a chat server, without its connections."""

VLLM: Any = SimpleNamespace()


def check(
    mode: Any, tmp_path: Path, client: Any = VLLM, tokenizer: Any = VLLM, **options: Any
) -> None:
    check_options(mode, [client], tokenizer, configured(**options), tmp_path / "dumps")


@pytest.mark.parametrize(
    ("mode", "client", "tokenizer", "options", "message"),
    [
        ("serve", CHAT, VLLM, {}, "server_type openai .* serve .*vllm or sglang"),
        ("process", CHAT, VLLM, {}, "server_type openai .* process .*vllm or sglang"),
        ("evaluate", object.__new__(TrlVllmServer), VLLM, {}, "server_type trl"),
        ("serve", VLLM, None, {}, "serve needs a tokenizer"),
        ("process", VLLM, None, {}, "process needs a tokenizer"),
        ("serve", VLLM, VLLM, {"group_size": 1}, "--env.group_size 1 .* at least 2"),
        ("serve", VLLM, VLLM, {"start_levels": "gcd=0.5"}, "set --env.complexity_mode curriculum"),
        ("serve", VLLM, VLLM, {"eval_compare": "evals/a"}, "--compare .* is for evaluate"),
        ("evaluate", CHAT, None, {"chat_template": "plain"}, "--env.chat_template has no effect"),
    ],
)
def test_an_option_that_does_not_suit_the_command_is_bad_usage(
    tmp_path: Path, mode: Any, client: Any, tokenizer: Any, options: Any, message: str
) -> None:
    """The message names the option, and the exit code is 2."""
    with pytest.raises(BadUsage, match=message):
        check(mode, tmp_path, client, tokenizer, **options)


@pytest.mark.parametrize(
    ("mode", "client", "tokenizer", "options"),
    [
        ("evaluate", CHAT, None, {"group_size": 1}),
        ("evaluate", VLLM, VLLM, {"chat_template": "plain", "total_steps": -1}),
        ("process", VLLM, VLLM, {"group_size": 1}),
        ("serve", VLLM, VLLM, {"group_size": 2, "total_steps": -1}),
    ],
)
def test_options_that_suit_the_command_pass(
    tmp_path: Path, mode: Any, client: Any, tokenizer: Any, options: Any
) -> None:
    """`evaluate` needs no tokenizer with a chat server, and `process` no second completion."""
    check(mode, tmp_path, client, tokenizer, **options)


@pytest.mark.parametrize(
    ("mode", "options", "warned"),
    [
        ("serve", {}, False),
        ("serve", {"top_p": 0.95}, True),
        ("serve", {"temperature": 0.7}, True),
        ("process", {"top_p": 0.95}, False),
    ],
)
def test_sampling_from_another_distribution_is_a_warning(
    tmp_path: Path, mode: Any, options: Any, warned: bool, caplog: pytest.LogCaptureFixture
) -> None:
    """By default, tokens are sampled from the distribution that trainers compute."""
    check(mode, tmp_path, **options)
    assert ("docs/engines.md" in caplog.text) == warned


@pytest.mark.parametrize(
    ("mode", "options", "option"),
    [
        ("serve", {"dump_rollouts": True}, "data_dumps_dir"),
        ("process", {"dump_failed_rollouts": True}, "data_dumps_dir"),
        ("evaluate", {}, "data_dir_to_save_evals"),
        ("serve", {}, "data_dir_to_save_evals"),
    ],
)
def test_a_folder_that_cannot_be_written_is_noticed_at_the_start(
    tmp_path: Path, mode: Any, options: dict[str, Any], option: str
) -> None:
    """The error names the folder and the option that sets it."""
    if option == "data_dir_to_save_evals":
        options = {"data_dir_to_save_evals": "/proc/none/evals"}
    with pytest.raises(StartupError, match=rf"/proc/none/\w+ can't be written.*--env\.{option}"):
        check(mode, Path("/proc/none"), **options)


def test_the_default_folder_of_an_evaluation_is_in_a_writable_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is made there before the evaluation starts."""
    monkeypatch.chdir(tmp_path)
    check("evaluate", tmp_path)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.chdir("/proc")
    with pytest.raises(StartupError, match=r"--env\.data_dir_to_save_evals"):
        check("evaluate", tmp_path)


def test_folders_are_only_made_where_they_are_needed(tmp_path: Path) -> None:
    """A folder that passed the check exists and is empty; without an option there is none."""
    check("serve", tmp_path)
    assert not (tmp_path / "dumps").exists()
    check("serve", tmp_path, dump_rollouts=True)
    assert list((tmp_path / "dumps").iterdir()) == []


async def test_only_serve_requires_a_rollout_api() -> None:
    """`serve` waits for the rollout API, whose address the message names."""
    api = RolloutApi(NOWHERE, patience=1, num_replicas=1)
    for mode in ("process", "evaluate"):
        await check_servers(mode, [VLLM], api, timeout=0.01)
    with pytest.raises(StartupError, match=f"No rollout API answers at {NOWHERE}"):
        await check_servers("serve", [VLLM], api, timeout=0.01)


def test_the_gym_gets_the_options_of_the_same_name() -> None:
    """Each setting of the gym is an option of the environment, with its value and its default."""
    settings = settings_of(configured(scoring_workers=3, task_weights={"gcd": 2.0}, seed=5))
    assert (settings.workers, settings.task_weights) == (3, {"gcd": 2.0})
    defaults = settings_of(ReasoningGymEnvConfig(replica_id=0, num_replicas=1))
    assert [list(value) if isinstance(value, tuple) else value for value in astuple(defaults)] == [
        list(value) if isinstance(value, tuple) else value for value in astuple(Settings())
    ]
