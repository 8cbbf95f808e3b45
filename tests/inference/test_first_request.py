"""rgenv/inference/first_request.py: trying the prompts and the servers once at the start."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from atroposlib.envs.server_handling.openai_server import OpenAIServer
from transformers import AutoTokenizer

from rgenv.errors import BadUsage, RequestFailed, StartupError
from rgenv.inference.first_request import require_servers, try_prompts, try_servers
from rgenv.inference.policy import Policy, Sampling
from rgenv.types import Problem
from tests.inference.test_http import answering
from tests.inference.test_policy import new_policy as policy_over
from tests.support.chat_server import ChatServer, says
from tests.support.chat_templates import GEMMA
from tests.support.engines import error
from tests.support.fakes import fake_config
from tests.support.rollouts import problem

LONG = problem(1, "long", question="why? " * 1000)
SHORT = problem(2, "short", question="2 + 2?")


def new_policy(tokenizer: Any, *clients: Any, **more: Any) -> Policy:
    return policy_over(SimpleNamespace(servers=clients), tokenizer, **more)


async def try_with(policy: Policy, *problems: Problem, **more: Any) -> set[str]:
    return await try_prompts(policy, problems, policy.training, **more)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        (None, r"no chat template.*to plain, chatml"),  # of a base model
        (GEMMA, r"System role not supported.*--env\.system_prompt none"),
        ("{{ messages[1]['content'] }}", "leaves out our system prompt"),
        ("{{ messages[0]['content'] }}", "leaves out our question"),
    ],
)
async def test_a_template_that_fails_is_bad_usage(
    tokenizer_dir: Path, template: str | None, message: str
) -> None:
    tokenizer = AutoTokenizer.from_pretrained(str(tokenizer_dir))
    tokenizer.chat_template = None
    with pytest.raises(BadUsage, match=message) as error:
        await try_with(new_policy(tokenizer, own_template=template), SHORT)
    assert "--env.chat_template" in str(error.value) and "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("lost", "message"),
    [
        ("<", r"no answer could be read.*--env\.tokenizer_name"),
        ("<think>", r"in the thinking would count.*--env\.think_tags"),
        ("</think>", r"no answer could be read"),
    ],
)
async def test_a_tokenizer_that_loses_the_tags_is_bad_usage(
    tokenizer: Any, lost: str, message: str
) -> None:
    """What the model writes must come back as it was written, thinking that never ends, too."""

    class Lossy:
        def __getattr__(self, name: str) -> Any:
            return getattr(tokenizer, name)

        def decode(self, tokens: Any) -> str:
            return re.sub(lost, "", str(tokenizer.decode(tokens)))

    with pytest.raises(BadUsage, match=message):
        await try_with(new_policy(Lossy()), SHORT)


async def test_a_prompt_that_fills_the_token_limit_is_bad_usage(
    tokenizer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    policy = new_policy(tokenizer, max_tokens=900)
    with pytest.raises(BadUsage, match=r"--env\.max_token_length 900 .*of long has \d+") as error:
        await try_with(policy, SHORT, LONG)
    assert "leave out long." in str(error.value)
    value = int(str(error.value).split("Set it to ")[1].split(",")[0])
    await try_with(new_policy(tokenizer, max_tokens=value), SHORT, LONG)
    assert await try_with(policy, SHORT, LONG, named=False) == {"long"}
    assert "These tasks are left out: long." in caplog.text
    with pytest.raises(BadUsage, match="leave out long"):
        await try_with(policy, LONG, named=False)


class Client(SimpleNamespace):
    """An inference server that raises `error`, or gives a token after `seconds`."""

    error, seconds, context_length = None, 0.0, None
    config = SimpleNamespace(base_url="http://here:1/v1")

    async def tokens_and_logprobs_completion(self, **request: Any) -> Any:
        await asyncio.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        return list(request["input_ids"]), [[7]], [[-0.5]], ["stop"]


SAMPLINGS = [
    Sampling(4096, temperature=1.0, top_p=1.0),
    Sampling(8192, temperature=1.0, top_p=1.0, limit_option="eval_max_tokens"),
]


async def test_a_limit_that_nobody_set_follows_the_servers(tokenizer: Any) -> None:
    """The smallest of the servers decides, and limits of the user are checked as ever."""
    policy = new_policy(tokenizer, Client(context_length=4000), Client(context_length=3000))
    policy.training, policy.evaluation = (replace(one, adapts=True) for one in SAMPLINGS)
    await try_servers(policy, SHORT, [policy.training, policy.evaluation], timeout=60)
    assert (policy.training.max_tokens, policy.evaluation.max_tokens) == (3000, 3000)
    policy.fit(2047, "the trainer")
    policy.fit(5000, "the trainer")
    assert policy.training.max_tokens == 2047
    message = r"takes 4000 tokens .*--env.max_token_length 4096: set that to 4000.*--max-model-len"
    with pytest.raises(StartupError, match=message):
        await try_servers(policy, SHORT, SAMPLINGS, timeout=60)


@pytest.mark.parametrize(
    "client",
    [Client(error=RequestFailed("status 503")), Client(seconds=60), Client(error=OSError("away"))],
)
async def test_a_server_that_is_busy_or_fails_for_a_moment_is_waited_for_later(
    tokenizer: Any, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """The run rides out outages, so this one is only logged; one without tokens ends it."""
    await try_servers(new_policy(tokenizer, client), SHORT, SAMPLINGS, timeout=0.2)
    assert re.search("No token yet.* http://here:1/v1", caplog.text)
    assert ("within 0.2 s (--env.startup_timeout)" in caplog.text) == (client.seconds > 0)
    policy = new_policy(tokenizer, client, Client(error=KeyError("logprobs")))
    with pytest.raises(StartupError, match=r"at http://here:1/v1 gives no tokens .*running.md"):
        await try_servers(policy, SHORT, SAMPLINGS, timeout=0.2)


async def test_the_start_waits_for_engines_that_answer(caplog: pytest.LogCaptureFixture) -> None:
    statuses = [200, 404, 503, 503, 503]

    async def tell(request: web.Request) -> web.StreamResponse:
        assert (request.path, request.headers["Authorization"]) == ("/health", "Bearer k")
        return web.Response(status=statuses.pop(0))

    async with answering(tell) as url:
        [config] = fake_config(base_url=f"{url}v1", api_key="k", health_check=True)
        for _ in range(2):
            [check] = require_servers([SimpleNamespace(config=config), SimpleNamespace()], 0)
            await check
        message = f"No inference server is ready at {url.rstrip('/')}.*503.*"
        [check] = require_servers([SimpleNamespace(config=config)], 0)
        with pytest.raises(StartupError, match=message):
            await check
        line = rf"Asking {url}health failed \(NoAnswer: .*503.*\); retrying for up to 1 s\."
        assert re.search(line, caplog.text)


PAGE = "<!DOCTYPE HTML><html>Log in</html>"


@pytest.mark.parametrize(
    ("status", "text", "message"),
    [
        (401, '{"message": "no such key"}', r"status 401 \(no such key\).*OPENAI_API_KEY"),
        (404, "no", r"status 404 .*--openai\.base_url"),
        (501, PAGE, r"web page: set --openai\.base_url"),
        (200, '{"hello": 1}', r"does not speak OpenAI's chat API .*--openai\.base_url"),
        (503, "later", r": check the server and the network"),
    ],
)
async def test_what_refuses_every_chat_ends_the_run_at_the_start(
    status: int, text: str, message: str
) -> None:
    """It is sent a request without messages, which no server completes."""

    async def tell(request: web.Request) -> web.StreamResponse:
        assert request.method == "GET" or "messages" not in await request.json()
        is_lacking = request.method == "GET" and status == 501  # as of Python's http.server
        return web.Response(status=404 if is_lacking else status, text=text)

    async with answering(tell) as url:
        with pytest.raises(StartupError, match=f"^(The|No) inference server .*{url}v1.*{message}"):
            await require_chat_at(f"{url}v1")


async def test_a_model_that_a_chat_server_does_not_list_is_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """It may take that name, as gateways do, or refuse it. A server that lists none may be one."""
    async with ChatServer(says("4")) as server:
        await require_chat_at(server.url, model_name="serve")
        [warning] = caplog.messages
        assert "lists no model serve: set --openai.model_name to served, unless" in warning
        await require_chat_at(server.url, model_name="served")
        server.lists = ""
        await require_chat_at(server.url)
        assert caplog.messages == [warning]
        server.lists = "served"
        for refusal in (error(404, "no such model"), error(400, "serve is not a valid model")):
            server.script = lambda body, found=refusal: found
            with pytest.raises(StartupError, match=r"lists no model serve: .*_name to served\."):
                await require_chat_at(server.url, model_name="serve")
        server.script = lambda body: error(400, "serve takes no max_tokens")
        await require_chat_at(server.url, model_name="serve")
    assert caplog.messages == [warning] * 2


async def require_chat_at(url: str, **settings: Any) -> None:
    [config] = fake_config(base_url=url, server_type="openai", **settings)
    [check] = require_servers([OpenAIServer(config)], 0)
    await check
