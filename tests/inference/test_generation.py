"""rgenv/inference/policy.py: spreading requests over servers, and asking again."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from rgenv.errors import RequestFailed, RequestRefused
from rgenv.inference import policy as policy_module
from rgenv.inference.engine import Ask
from rgenv.inference.policy import Generation, completions_at_once
from tests.support.polling import settle, until

TEXT = "2 + 2?"


pytestmark = pytest.mark.usefixtures("short_pauses")
AWAY = RequestFailed("http://here fails")


class Server:
    """Fails with `errors` first; then gives completions, each with the server's name as token."""

    def __init__(self, name: int, *errors: Exception, limit: int = 8) -> None:
        self.errors = list(errors)
        self.write: Any = lambda n: ([[name]] * n, [[-0.5]] * n)
        self.config = SimpleNamespace(num_max_requests_at_once=limit)
        self.reason: Any = "stop"
        self.asked: list[dict[str, Any]] = []
        self.release = asyncio.Event()
        self.release.set()

    async def tokens_and_logprobs_completion(self, **request: Any) -> Any:
        self.asked.append(request)
        await self.release.wait()
        if self.errors:
            raise self.errors.pop(0)
        tokens, logprobs = self.write(request["n"])
        return request["input_ids"], tokens, logprobs, [self.reason] * len(tokens)


async def ask(generation: Generation, count: int = 1, *, limit: int = 9, **more: Any) -> Any:
    return await generation.complete(Ask([5, 9], n=count, max_tokens=limit), TEXT, **more)


def over(*servers: Server, **more: Any) -> Generation:
    return Generation(SimpleNamespace(servers=list(servers)), at_once=8, **more)


async def test_the_server_with_the_most_room_is_asked() -> None:
    small, large = Server(0, limit=2), Server(1, limit=6)
    generation = over(small, large)
    for server in (small, large):
        server.release.clear()
    tasks = [asyncio.create_task(ask(generation)) for _ in range(16)]
    await settle()
    assert (len(small.asked), len(large.asked)) == (4, 12)
    for server in (small, large):
        server.release.set()
    await asyncio.gather(*tasks)


async def test_a_large_group_is_split() -> None:
    servers = Server(0), Server(1)
    assert len(await ask(over(*servers), 20)) == 20
    assert sorted(request["n"] for s in servers for request in s.asked) == [4, 8, 8]
    assert all(server.asked for server in servers)


def test_longer_completions_come_in_smaller_parts() -> None:
    """A body of more would hold the event loop while it is taken apart."""
    lengths = (2048, 8192, 21_000, 1 << 20)
    assert [completions_at_once(8, tokens) for tokens in lengths] == [8, 4, 1, 1]


async def test_another_server_is_asked_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that failed, which has the fewest requests under way, is tried from time to time."""
    monkeypatch.setattr(policy_module, "LONGEST_PAUSE", 0.5)
    failing, other = Server(0, *[AWAY] * 2), Server(1)
    generation = over(failing, other)
    for attempts in (1, 2):
        found = [await ask(generation) for _ in range(3)]
        assert [one.tokens for [one] in found] == [[1]] * 3
        assert len(failing.asked) == attempts and not generation.outage
        await asyncio.sleep(0.6)


async def test_a_request_waits_until_a_server_answers(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    server = Server(0, *[AWAY] * 20)
    generation = over(server, patience=60)
    tasks = [asyncio.create_task(ask(generation)) for _ in range(5)]
    await until(lambda: generation.outage)
    assert [len(found) for found in await asyncio.gather(*tasks)] == [1] * 5
    begun, over_again = caplog.messages
    assert begun == f"All inference servers fail; waiting up to 60 s: {AWAY}"
    assert over_again.startswith("Inference is back after") and not generation.outage


async def test_a_request_that_fails_while_others_work_is_given_up() -> None:
    """Such as one whose completions take longer than the server's limit of time."""

    class ForShort(Server):
        async def tokens_and_logprobs_completion(self, **request: Any) -> Any:
            self.errors = [AWAY] if request["max_tokens"] == 1 else []
            return await super().tokens_and_logprobs_completion(**request)

    generation = over(ForShort(0))
    failing = asyncio.create_task(ask(generation, limit=1))
    while not failing.done():
        await ask(generation)
    assert failing.exception() is AWAY


@pytest.mark.parametrize("error", [RequestRefused("no", final=True), KeyError("foreign")])
async def test_a_refusal_is_not_repeated(error: Exception) -> None:
    """Nor are errors of foreign clients, which have attempts of their own."""
    server = Server(0, error)
    with pytest.raises(type(error)):
        await ask(over(server))
    assert len(server.asked) == 1


async def test_what_no_trainer_can_use_is_left_out_and_counted() -> None:
    counted: list[str] = []
    server = Server(0)
    server.write = lambda n: ([[1, -100], [1, 2]][:n], [[-0.5, -0.5], [-0.5, 0.0005]][:n])
    generation = over(server, vocabulary=lambda: 10, count=counted.append)
    for _ in range(2):
        [one] = await ask(generation, 2)
        assert one == ([1, 2], [-0.5, 0.0005], "stop", [5, 9])
    assert counted == ["completions_unusable"] * 2
    with pytest.raises(RequestFailed, match="outside the vocabulary"):
        await ask(generation, is_training=False)


async def test_any_client_of_atropos_is_asked() -> None:
    """The prompt is the one that it read, and finish reasons are OpenAI's words."""
    server = Server(7)
    server.reason = "MAX_TOKENS"
    [one] = await ask(over(server), is_training=False)
    assert one == ([7], [-0.5], "length", [5, 9])
    given = {"temperature": 1.0, "top_p": 1.0, "n": 1, "max_tokens": 9, "split": "eval"}
    assert server.asked == [{"prompt": TEXT, "input_ids": [5, 9], **given}]


@pytest.mark.parametrize("reason", ["abort", "ERROR", None])
async def test_completions_that_were_broken_off_are_asked_elsewhere(reason: Any) -> None:
    """vLLM and SGLang end requests so when they sleep or restart."""
    one, two = Server(1), Server(2)
    one.reason = reason
    generation = over(one, two)
    found = await ask(generation, 2)
    assert [completion.tokens for completion in found] == [[2], [2]]
    with pytest.raises(RequestFailed, match=r"broke the completions off \(finish_reason"):
        await ask(over(one), 2, is_training=False)
