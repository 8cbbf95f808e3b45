"""rgenv/atropos/servers.py: settings, checks and health of inference servers."""

import asyncio
import logging
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
from aiohttp import web
from aiohttp.test_utils import TestServer
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from atroposlib.envs.server_handling.server_baseline import ServerBaseline

from rgenv.atropos import servers as servers_module
from rgenv.atropos.servers import (
    ScriptedServer,
    require_servers,
    require_settings,
    require_tokens,
    speaks_chat_only,
    stop_health_checks,
    watching_health,
    with_defaults,
)
from rgenv.errors import BadUsage, StartupError
from tests.support.event_loop import settle
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


class Health:
    """An inference server that answers every page in the same way.

    Attributes:
        asked: the paths that were requested.
        keys: the keys with which they were requested.
        page: what it answers.
        status: the HTTP status.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.keys: list[str] = []
        self.page, self.status, self.url = "", 200, ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path)
        self.keys.append(request.headers.get("Authorization", ""))
        return web.Response(text=self.page, status=self.status)


@pytest_asyncio.fixture(loop_scope="session")
async def health() -> AsyncIterator[Health]:
    """A server on a free port of this machine."""
    handler = Health()
    app = web.Application()
    app.router.add_get("/{path:.*}", handler.handle)
    async with TestServer(app) as server:
        handler.url = str(server.make_url("")).rstrip("/")
        yield handler


def client(url: str | None, **changes: Any) -> Any:
    """A client as Atropos makes it, as far as the check at the start reads it."""
    [config] = fake_config(base_url=url and f"{url}/v1", **{"health_check": True, **changes})
    return SimpleNamespace(config=config)


@pytest.mark.parametrize("server_type", ["vllm", "sglang"])
async def test_the_start_waits_for_healthy_servers(health: Health, server_type: str) -> None:
    """The health page of vLLM and SGLang is below the address without /v1."""
    await require_servers([client(health.url, server_type=server_type, api_key="k")], 60)
    assert (health.asked, health.keys) == (["/health"], ["Bearer k"])


@pytest.mark.parametrize(("status", "page"), [(503, ""), (200, "<HTML>login</HTML>")])
async def test_a_server_that_is_not_healthy_is_named(
    health: Health, status: int, page: str
) -> None:
    """The error names the address, also if another program answers there."""
    health.status, health.page = status, page
    message = f"No inference server answers at {health.url}:.*--openai.base_url"
    with pytest.raises(StartupError, match=message):
        await require_servers([client(health.url)], 0)


async def test_the_first_of_several_servers_that_does_not_answer_is_named(health: Health) -> None:
    """All servers are asked at the same time."""
    nowhere = "http://127.0.0.1:9"
    with pytest.raises(StartupError, match=f"No inference server answers at {nowhere}:"):
        await require_servers([client(health.url), client(nowhere), client(nowhere)], 0.1)
    assert health.asked == ["/health"]


async def test_chat_servers_are_asked_for_their_models(
    health: Health, caplog: pytest.LogCaptureFixture
) -> None:
    """That costs nothing; a model that is not listed is a warning, because lists may be partial."""
    chat = client(health.url, server_type="openai", health_check=False, model_name="gpt-goood")
    health.page = '{"data": [{"id": "gpt-good"}, {"id": "other"}]}'
    await require_servers([chat], 60)
    assert health.asked == ["/v1/models"]
    assert "does not list gpt-goood, but ['gpt-good'" in caplog.text


@pytest.mark.parametrize(("status", "page"), [(404, "no such page"), (200, "[1]"), (200, "ok")])
async def test_chat_servers_need_no_list_of_models(health: Health, status: int, page: str) -> None:
    """Any answer but a refused key or a server's error shows that the server is there."""
    health.status, health.page = status, page
    await require_servers([client(health.url, server_type="openai")], 0)


@pytest.mark.parametrize(("status", "server_type"), [(401, "openai"), (403, "vllm")])
async def test_a_refused_key_is_reported_at_once(
    health: Health, status: int, server_type: str
) -> None:
    """The message names address and option, and never the key."""
    health.status = status
    keyed = client(health.url, server_type=server_type, api_key="sk-secret")
    message = f"{health.url}/v1 refuses the key .*{status}.*--openai.api_key"
    with pytest.raises(StartupError, match=message) as error:
        await require_servers([keyed], 60)
    assert "sk-secret" not in str(error.value) and len(health.asked) == 1


async def test_a_chat_server_that_fails_is_named(health: Health) -> None:
    """An error of the server is waited out, as long as the timeout allows."""
    health.status = 500
    with pytest.raises(StartupError, match=f"answers at {health.url}/v1:.*HTTP 500"):
        await require_servers([client(health.url, server_type="openai")], 0)


@pytest.mark.parametrize("status", [404, 405])
async def test_engines_need_no_health_page(health: Health, status: int) -> None:
    """Any answer but an error or a web page shows that the server is there."""
    health.status = status
    await require_servers([client(health.url)], 0)
    health.page = "<html>404</html>"
    with pytest.raises(StartupError):
        await require_servers([client(health.url)], 0)


@pytest.mark.parametrize("base", ["", "/", "/v1", "/v1/"])
def test_addresses_of_engines_end_with_v1(base: str) -> None:
    """Atropos' other requests need it; that of a chat server stays."""
    for server_type in ("vllm", "sglang"):
        given = fake_config(base_url=f"http://a:9004{base}", server_type=server_type)
        assert with_defaults(given, "t")[0].base_url == "http://a:9004/v1"
    [chat] = with_defaults(fake_config(base_url="http://a/api", server_type="openai"), "t")
    assert chat.base_url == "http://a/api"


async def test_servers_without_a_health_page_are_not_checked(health: Health) -> None:
    """Servers without an address, or with checks turned off, are skipped."""
    health.status = 503
    unchecked = [client(None), ScriptedServer(None), client(health.url, health_check=False)]
    await require_servers(unchecked, 0)
    assert health.asked == []


PATIENCE = 30.0


class Clock:
    """Time that passes only when a test advances it; stands in for `asyncio` and `time`.

    Attributes:
        now: seconds.
    """

    def __init__(self) -> None:
        self.now = 100.0
        self._sleeping: list[asyncio.Future[None]] = []

    def monotonic(self) -> float:
        return self.now

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, _seconds: float) -> None:
        self._sleeping.append(asyncio.get_running_loop().create_future())
        await self._sleeping[-1]

    async def advance(self, seconds: float) -> None:
        """Let time pass, one check a second."""
        for _ in range(round(seconds)):
            await settle()
            self.now += 1.0
            sleeping, self._sleeping = self._sleeping, []
            for sleeper in sleeping:
                if not sleeper.done():
                    sleeper.set_result(None)
        await settle()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of the watch."""
    clock = Clock()
    monkeypatch.setattr(servers_module, "asyncio", clock)
    monkeypatch.setattr("rgenv.runtime.backoff.time", clock)
    return clock


def unhealthy() -> Any:
    return SimpleNamespace(server_healthy=False)


async def test_a_run_without_a_healthy_server_is_called_off(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """The outage is logged once; the run ends after the patience and not before."""
    called_off: list[Exception] = []
    async with watching_health([unhealthy(), unhealthy()], PATIENCE, called_off.append):
        await clock.advance(PATIENCE)
        assert called_off == []
        await clock.advance(3)
        [error] = called_off
        await clock.advance(2 * PATIENCE)
        assert called_off == [error]
    assert isinstance(error, StartupError) and "30 s" in str(error)
    assert caplog.text.count("No inference server is healthy") == 1


async def test_a_server_that_comes_back_starts_the_patience_again(
    clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """One healthy server is enough; the end of an outage is logged."""
    caplog.set_level(logging.INFO, logger="rgenv")
    flaky = unhealthy()
    called_off: list[Exception] = []
    async with watching_health([unhealthy(), flaky], PATIENCE, called_off.append):
        for _ in range(5):
            flaky.server_healthy = False
            await clock.advance(PATIENCE - 2)
            flaky.server_healthy = True
            await clock.advance(2)
    assert called_off == []
    assert caplog.text.count("Inference is back after 28 s") == 5


async def test_servers_that_tell_no_health_are_taken_for_healthy(clock: Clock) -> None:
    """Servers without the attribute `server_healthy` count as healthy."""
    called_off: list[Exception] = []
    async with watching_health([SimpleNamespace()], PATIENCE, called_off.append):
        await clock.advance(2 * PATIENCE)
    assert called_off == []


@pytest.mark.parametrize(("timeout", "limit"), [(5, PATIENCE), (200, 200)])
async def test_servers_that_never_answer_end_the_run(
    clock: Clock, timeout: int, limit: float
) -> None:
    """A healthy server has at least the limit of a single request, however short the patience."""
    server = SimpleNamespace(config=SimpleNamespace(timeout=timeout))
    called_off: list[Exception] = []
    watch = watching_health([server], PATIENCE, called_off.append, lambda: clock.now - 100.0)
    async with watch:
        await clock.advance(limit - 1)
        assert called_off == []
        await clock.advance(4)
    assert "No inference server has answered a request for" in str(called_off[0])


async def test_the_watch_ends_with_the_run(clock: Clock) -> None:
    """The run is not called off after the watch has ended."""
    called_off: list[Exception] = []
    async with watching_health([unhealthy()], PATIENCE, called_off.append):
        await clock.advance(1)
    await clock.advance(2 * PATIENCE)
    assert called_off == []


async def test_health_checks_are_cancelled() -> None:
    """Servers without a health check are skipped."""
    check = asyncio.create_task(asyncio.Event().wait())
    stop_health_checks(
        [
            SimpleNamespace(check_task=check),
            SimpleNamespace(check_task=None),
            SimpleNamespace(),
        ]
    )
    with pytest.raises(asyncio.CancelledError):
        await check
