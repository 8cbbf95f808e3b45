"""rgenv/atropos/servers.py: settings of inference servers, and their checks."""

from types import SimpleNamespace
from typing import Any

import pytest
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import ServerBaseline

from rgenv.atropos.servers import (
    ScriptedServer,
    require_settings,
    require_tokens,
    speaks_chat_only,
    with_defaults,
)
from rgenv.errors import BadUsage
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


def test_settings_that_are_given_are_kept() -> None:
    """Given settings are kept, and the original object is not changed."""
    given = fake_config(api_key="mine", tokenizer_name="its/own", health_check=True)
    assert with_defaults(given, "my/tokenizer") == given
    assert with_defaults([*given, *fake_config()], "t")[1].tokenizer_name == "t"
    assert given[0].tokenizer_name == "its/own"


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


@pytest.mark.parametrize(
    ("servers", "message"),
    [
        ([], "at least one entry"),
        ([*fake_config(), *fake_config(server_type="openai")], "openai and vllm"),
        (fake_config(base_url="localhost:9004/v1"), "--openai.base_url 'localhost:9004/v1'"),
        (fake_config(health_check=True), "type vllm needs an address"),
        (fake_config(num_max_requests_at_once=0), "--openai.num_max_requests_at_once"),
        (fake_config(num_requests_for_eval=-1), "--openai.num_requests_for_eval"),
        (fake_config(timeout=0), "--openai.timeout"),
    ],
)
def test_impossible_settings_of_servers_are_bad_usage(servers: Any, message: str) -> None:
    """The message names the setting."""
    with pytest.raises(BadUsage, match=message):
        require_settings(servers)


def test_possible_settings_of_servers_pass() -> None:
    """So do those of a whole cluster."""
    require_settings(fake_config(base_url="http://a:9004/v1") * 2)
    require_settings(fake_config(server_type="openai"))
    require_settings(ServerBaseline())


@pytest.mark.parametrize("mode", ["serve", "process"])
def test_training_requires_a_tokenizer(mode: str) -> None:
    """The error names the option of the tokenizer."""
    with pytest.raises(BadUsage, match=f"{mode} needs a tokenizer.*tokenizer_name"):
        require_tokens([VLLM], None, mode)
    require_tokens([VLLM], object(), mode)


def test_only_evaluate_takes_servers_without_token_ids() -> None:
    """`serve` and `process` refuse chat servers, which return no token ids."""
    for mode in ("serve", "process"):
        with pytest.raises(BadUsage, match="server_type vllm or sglang"):
            require_tokens([VLLM, CHAT], object(), mode)
    require_tokens([CHAT], None, "evaluate")


def test_chat_servers_are_recognized() -> None:
    """One chat server among several is enough."""
    assert speaks_chat_only([VLLM, CHAT])
    assert not speaks_chat_only([VLLM]) and not speaks_chat_only([])


async def test_a_scripted_server_gives_what_was_set() -> None:
    """The stand-in returns the response that was set for a prompt."""
    [config] = fake_config(model_name="m")
    server = ScriptedServer.of([config, *fake_config()])
    assert server.config is config and server.server_healthy
    server.set_tokens_and_logprobs_response("2 + 2?", [1], [[4]], [[-0.5]], ["stop"])
    reply = await server.tokens_and_logprobs_completion(prompt="2 + 2?", n=1)
    assert reply == ([1], [[4]], [[-0.5]], ["stop"])
    baseline = ServerBaseline()
    assert ScriptedServer.of(baseline).config is baseline


async def test_a_prompt_without_a_scripted_response_is_named() -> None:
    """The error shows the start of the prompt."""
    with pytest.raises(KeyError, match=r"No response is set for the prompt '3 [+] 3"):
        await ScriptedServer(None).tokens_and_logprobs_completion(prompt="3 + 3?" * 100, n=1)


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/"])
def test_addresses_of_engines_end_with_v1(base: str) -> None:
    """Atropos' other requests need it; that of a chat server stays."""
    for server_type in ("vllm", "sglang"):
        given = fake_config(base_url=f"http://a:9004{base}", server_type=server_type)
        assert with_defaults(given, "t")[0].base_url == "http://a:9004/v1"
    [chat] = with_defaults(fake_config(base_url="http://a/api", server_type="openai"), "t")
    assert chat.base_url == "http://a/api"
