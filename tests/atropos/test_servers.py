"""rgenv/atropos/servers.py: settings of inference servers, and their checks."""

from typing import Any

import pytest
from atroposlib.envs.server_handling.server_baseline import ServerBaseline

from rgenv.atropos.servers import with_defaults
from tests.support.fakes import fake_config


def test_settings_for_all_servers_of_a_cluster_stay_as_they_are() -> None:
    """A single ServerBaseline stands for servers that Atropos finds."""
    baseline = ServerBaseline()
    assert with_defaults(baseline, "t") is baseline


@pytest.mark.parametrize(
    ("server_type", "given", "filled"),
    [
        ("vllm", {"api_key": ""}, {"api_key": "x", "tokenizer_name": "my/tokenizer"}),
        ("sglang", {"api_key": "x"}, {"api_key": "x"}),
        ("openai", {"api_key": ""}, {"api_key": "sk-environment"}),
        ("openai", {"api_key": "x"}, {"api_key": "sk-environment"}),
        ("openai", {"api_key": "mine"}, {"api_key": "mine"}),
        ("openai", {"health_check": True}, {"health_check": False}),
        ("vllm", {"health_check": True}, {"health_check": True}),
        ("openai", {"base_url": ""}, {"base_url": None}),
        ("openai", {"base_url": "http://a/api"}, {"base_url": "http://a/api"}),
        *[
            (server_type, {"base_url": f"http://a:9004{end}"}, {"base_url": "http://a:9004/v1"})
            for server_type in ("vllm", "sglang")
            for end in ("", "/", "/v1", "/v1/")
        ],
    ],
)
def test_missing_settings_are_filled_in(
    monkeypatch: pytest.MonkeyPatch,
    server_type: str,
    given: dict[str, Any],
    filled: dict[str, Any],
) -> None:
    """The variable's key goes to chat servers alone, whose health check would buy completions."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    [server] = with_defaults(fake_config(server_type=server_type, **given), "my/tokenizer")
    assert {name: getattr(server, name) for name in filled} == filled
