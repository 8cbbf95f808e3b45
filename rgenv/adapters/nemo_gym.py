"""NeMo Gym (0.4): a resources server for rows of ``export --columns nemo_gym``, and for others.

A row without a recipe has what reasoning-gym writes: ``question``, ``answer`` and ``metadata``.
``deploy/nemo_gym`` has the folder that NeMo Gym starts. Answers are scored in restricted worker
processes, so none stalls the server's event loop.
"""

from __future__ import annotations

from collections.abc import Sequence

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


class RgenvResponse(RgenvRequest, BaseVerifyResponse):
    """The reward, and why; `error` and `crashed` say nothing about the answer."""

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
        output = body.response.output
        is_apart = any(item.type == "reasoning" for item in output)
        opening = "<think>" if self.config.thinking_opened and not is_apart else ""
        parts = [part for item in output if item.type == "message" for part in item.content]
        text = opening + "".join(part.text for part in parts if part.type == "output_text")
        row = body.model_dump(exclude={"responses_create_params", "response"})
        try:
            [verdict] = await self._gym.verdicts(body.recipe or row, [text])
        except (ValueError, MakeFailed) as error:  # what is wrong with a row stays in its row
            verdict = Verdict(0.0, "error", detail=one_line(error))
        found = {"reward": verdict.score, "verdict": verdict.kind, "detail": verdict.detail or ""}
        return RgenvResponse(**body.model_dump(), **found)
