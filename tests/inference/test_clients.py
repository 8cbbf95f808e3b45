"""rgenv/inference/clients.py: clients of Atropos, ours or others."""

from types import SimpleNamespace
from typing import Any

import pytest

from rgenv.inference.clients import Client, clients_of
from rgenv.inference.dialects import Ask


class Server:
    """A client that a program has chosen; its one completion ends for `reason`."""

    def __init__(self, reason: Any = "stop") -> None:
        self.reason = reason
        self.asked: list[dict[str, Any]] = []

    async def tokens_and_logprobs_completion(self, **request: Any) -> Any:
        self.asked.append(request)
        return [5, 9], [[7]], [[-0.5]], [self.reason]


@pytest.mark.parametrize(
    ("reason", "name"), [({"type": "length"}, "length"), ("stop", "stop"), (None, "stop")]
)
async def test_any_client_of_atropos_is_asked(reason: Any, name: str) -> None:
    """The prompt is the one that it read, and finish reasons are words, which SGLang's are not."""
    server = Server(reason)
    [one] = await Client(server).complete(Ask([5], n=1, max_tokens=3), "2 + 2?", is_training=False)
    assert one == ([7], [-0.5], name, [5, 9])
    given = {"temperature": 1.0, "top_p": 1.0, "n": 1, "max_tokens": 3, "split": "eval"}
    assert server.asked == [{"prompt": "2 + 2?", "input_ids": [5], **given}]


def test_a_client_is_the_same_as_long_as_its_server() -> None:
    """It counts requests under way; programs may replace servers."""
    manager = SimpleNamespace(servers=[Server(), Server()])
    clients = clients_of(manager)
    first, second = clients()
    manager.servers[1] = Server()
    assert clients()[0] is first and clients()[1] is not second
