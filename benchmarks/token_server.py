"""A client of Atropos for servers that exist in this process only."""

from __future__ import annotations

from typing import Any

from atroposlib.envs.server_handling.server_baseline import APIServer


class TokenServer(APIServer):
    """Returns tokens and nothing else, and is always healthy.

    A subclass has `_tokens_and_logprobs_completion_wrapper`, which Atropos calls.
    """

    async def check_server_status_task(self, chat_completion: bool = True) -> None:
        self.server_healthy = True

    async def _chat_completion_wrapper(self, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _completion_wrapper(self, **kwargs: Any) -> Any:
        raise NotImplementedError
