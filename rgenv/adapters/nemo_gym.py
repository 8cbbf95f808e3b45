"""NeMo Gym (0.4): a resources server for rows of ``export --columns nemo_gym``, and for others.

A row without a recipe has what reasoning-gym writes: ``question``, ``answer`` and ``metadata``.
``deploy/nemo_gym`` has the folder that NeMo Gym starts. Answers are scored in restricted worker
processes, so none stalls the server's event loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseVerifyRequest,
    BaseVerifyResponse,
    SimpleResourcesServer,
)
from pydantic import ConfigDict, PrivateAttr

from rgenv.errors import MakeFailed
from rgenv.gym.clients import AsyncReasoningGym
from rgenv.text import one_line
from rgenv.types import Verdict


class RgenvConfig(BaseResourcesServerConfig):
    """The options of the server, as in `ReasoningGym`, beside ``entrypoint``."""

    workers: int = 2
    thinking_opened: bool = False  # by the chat template, so completions only close it
    task_modules: Sequence[str] = ()
    strict_verifiers: bool = True


class RgenvRequest(BaseVerifyRequest):
    """A row with the response of a model, and what else the row has."""

    model_config = ConfigDict(extra="allow")
    recipe: str | None = None


class RgenvResponse(BaseVerifyResponse):
    """The reward, and why; `error` and `crashed` say nothing about the answer."""

    model_config = ConfigDict(extra="allow")
    recipe: str | None = None
    verdict: str
    detail: str


class RgenvServer(SimpleResourcesServer):
    """Scores completions by their recipes or rows."""

    config: RgenvConfig
    _gym: AsyncReasoningGym | None = PrivateAttr(None)

    async def verify(self, body: RgenvRequest) -> RgenvResponse:
        """Score the text of a response."""
        if self._gym is None:
            names = {"workers", "task_modules", "strict_verifiers"}
            self._gym = AsyncReasoningGym(**self.config.model_dump(include=names))
        opening = "<think>" if self.config.thinking_opened else ""
        row = body.model_dump(exclude={"responses_create_params", "response"})
        try:
            texts = [opening + text_of(body.response)]
            [verdict] = await self._gym.verdicts(body.recipe or row, texts)
        except (ValueError, MakeFailed) as error:  # what is wrong with a row stays in its row
            verdict = Verdict(0.0, "error", detail=one_line(error))
        found = {"reward": verdict.score, "verdict": verdict.kind, "detail": verdict.detail or ""}
        return RgenvResponse(**body.model_dump(), **found)


def text_of(response: Any) -> str:
    """Return what the model wrote, without reasoning that the server returned apart."""
    messages = [item for item in response.output if item.type == "message"]
    parts = [part for message in messages for part in message.content]
    return "".join(part.text for part in parts if part.type == "output_text")


if __name__ == "__main__":
    RgenvServer.run_webserver()
