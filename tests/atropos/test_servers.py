"""rgenv/atropos/servers.py: settings of inference servers, and their checks."""

from types import SimpleNamespace
from typing import Any

import pytest
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import ServerBaseline

from rgenv.atropos.servers import (
    speaks_chat_only,
    with_defaults,
)
from tests.support.fakes import fake_config

CHAT: Any = object.__new__(OpenAIServer)
"""A client of a chat server, without its connections."""

VLLM: Any = SimpleNamespace()


def test_missing_settings_are_filled_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each server gets the environment's tokenizer and a key that is not empty."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    [server] = with_defaults(fake_config(api_key=""), "my/tokenizer")
    assert (server.tokenizer_name, server.api_key) == ("my/tokenizer", "x")


@pytest.mark.parametrize(
    ("server_type", "given", "sent"),
    [
        ("openai", "", "sk-environment"),
        ("openai", "x", "sk-environment"),
        ("openai", "mine", "mine"),
        ("vllm", "", "x"),
        ("sglang", "x", "x"),
    ],
)
def test_the_key_of_the_environment_goes_to_chat_servers_alone(
    monkeypatch: pytest.MonkeyPatch, server_type: str, given: str, sent: str
) -> None:
    """It replaces the command line's default, never a key that was given."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    [server] = with_defaults(fake_config(api_key=given, server_type=server_type), "my/tokenizer")
    assert server.api_key == sent


def test_chat_servers_have_no_health_check() -> None:
    """A health check of a chat server would pay for a completion every second."""
    chat, vllm = with_defaults(
        [
            *fake_config(server_type="openai", health_check=True),
            *fake_config(server_type="vllm", health_check=True),
        ],
        "t",
    )
    assert (chat.health_check, vllm.health_check) == (False, True)


def test_settings_for_all_servers_of_a_cluster_stay_as_they_are() -> None:
    """A single ServerBaseline stands for servers that Atropos finds."""
    baseline = ServerBaseline()
    assert with_defaults(baseline, "t") is baseline


def test_an_empty_address_is_none() -> None:
    """Chat requests without an address go to OpenAI."""
    [server] = with_defaults(fake_config(base_url="", server_type="openai"), "t")
    assert server.base_url is None


def test_chat_servers_are_recognized() -> None:
    """One chat server among several is enough."""
    assert speaks_chat_only([VLLM, CHAT])
    assert not speaks_chat_only([VLLM]) and not speaks_chat_only([])


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/"])
def test_addresses_of_engines_end_with_v1(base: str) -> None:
    """Atropos' other requests need it; that of a chat server stays."""
    for server_type in ("vllm", "sglang"):
        given = fake_config(base_url=f"http://a:9004{base}", server_type=server_type)
        assert with_defaults(given, "t")[0].base_url == "http://a:9004/v1"
    [chat] = with_defaults(fake_config(base_url="http://a/api", server_type="openai"), "t")
    assert chat.base_url == "http://a/api"
