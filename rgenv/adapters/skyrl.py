"""SkyRL: the environment for rows of ``export --columns skyrl``, which name it ``rgenv``.

Register it where SkyRL's documentation registers environments of one's own, in the Ray task of the
entry point, before ``BasePPOExp(cfg).run()``::

    skyrl_gym.register(id="rgenv", entry_point="rgenv.adapters.skyrl:ReasoningGymEnvironment")
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from rgenv.adapters import shared
from rgenv.errors import MakeFailed
from rgenv.gym.clients import ReasoningGym
from rgenv.text import one_line
from rgenv.types import SOLVED, Verdict

log = logging.getLogger(__name__)


class ReasoningGymEnvironment(BaseTextEnv):
    """A problem, and the score of one completion.

    `register` takes in ``kwargs`` whether the chat template opens the thinking, and arguments of
    `ReasoningGym`.
    """

    def __init__(
        self,
        env_config: Any,
        extras: Mapping[str, Any],
        thinking_opened: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__()
        self._gym = shared(ReasoningGym, **settings)
        self._opening = "<think>" if thinking_opened else ""
        self._recipe: str = extras["reward_spec"]["ground_truth"]
        self._score = 0.0

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Score a completion; the episode is over. A recipe that makes no problem scores 0."""
        try:
            [verdict] = self._gym.verdicts(self._recipe, [self._opening + action])
        except (ValueError, MakeFailed) as error:
            log.warning("A completion was not scored: %s", one_line(error))
            verdict = Verdict(0.0, "error", detail=one_line(error))
        self._score = verdict.score
        said = {"verdict": verdict.kind, "detail": verdict.detail}
        return BaseTextEnvStepOutput(observations=[], reward=self._score, done=True, metadata=said)

    def get_metrics(self) -> dict[str, float]:
        """Return whether the completion solved the problem."""
        return {"solved": float(self._score >= SOLVED)}
