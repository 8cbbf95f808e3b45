"""Stand-ins that behave: an inference server whose completions a test writes itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from atroposlib.envs.base import APIServerConfig
from atroposlib.envs.server_handling.server_baseline import APIServer

Completion = tuple[str, str]
Reply = Callable[[str, int], Sequence[Completion]]


def fake_config(**changes: Any) -> list[APIServerConfig]:
    """One server that is nowhere and needs no health check."""
    values = {"api_key": "x", "base_url": None, "model_name": "fake", "health_check": False}
    return [APIServerConfig(**{**values, "server_type": "vllm", **changes})]


class FakeServer(APIServer):
    """Answers with what `reply(prompt, n)` returns: (text, finish reason) pairs.

    Set `reply` and `tokenizer` on a subclass (see `scripted`). Each text is tokenized as it is;
    `logprob` is what every token gets.
    """

    reply: Reply
    tokenizer: Any
    logprob = -0.5

    def __init__(self, config: APIServerConfig, reasoning_config: Any = None) -> None:
        super().__init__(config, reasoning_config=reasoning_config)
        self.requests: list[dict[str, Any]] = []

    async def check_server_status_task(self, chat_completion: bool = True) -> None:
        self.server_healthy = True

    async def _chat_completion_wrapper(self, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _completion_wrapper(self, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _tokens_and_logprobs_completion_wrapper(self, **kwargs: Any) -> Any:
        self.requests.append(kwargs)
        prompt_ids = kwargs.get("input_ids") or self.tokenizer.encode(kwargs["prompt"])
        prompt = self.tokenizer.decode(prompt_ids)
        pairs = type(self).reply(prompt, kwargs.get("n", 1))
        tokens = [self.tokenizer.encode(text) for text, _ in pairs]
        logprobs = [[self.logprob] * len(ids) for ids in tokens]
        return prompt_ids, tokens, logprobs, [reason for _, reason in pairs]


def scripted(reply: Reply, tokenizer: Any, **attributes: Any) -> type[FakeServer]:
    """A server class whose completions are what `reply` says."""
    return type(
        "Scripted",
        (FakeServer,),
        {"reply": staticmethod(reply), "tokenizer": tokenizer, **attributes},
    )
