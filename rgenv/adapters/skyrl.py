"""SkyRL: the environment for rows of ``export --columns skyrl``, which name it ``rgenv``.

Register it where SkyRL's documentation registers environments of one's own, in the Ray task of the
entry point, before ``BasePPOExp(cfg).run()``::

    skyrl_gym.register(id="rgenv", entry_point="rgenv.adapters.skyrl:ReasoningGymEnvironment")
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput

from rgenv.gym.clients import ReasoningGym
from rgenv.types import SOLVED


class ReasoningGymEnvironment(BaseTextEnv):
    """A problem, and the score of one completion.

    Args:
        thinking_opened: the chat template opens the thinking; `register` takes it, and the
            following, in ``kwargs``.
        task_modules, strict_verifiers: as in `ReasoningGym`.
    """

    def __init__(
        self,
        env_config: Any,
        extras: Mapping[str, Any],
        thinking_opened: bool = False,
        task_modules: Sequence[str] = (),
        strict_verifiers: bool = True,
    ) -> None:
        super().__init__()
        self._gym = _gym(tuple(task_modules), strict_verifiers)
        self._opening = "<think>" if thinking_opened else ""
        self._recipe: str = extras["reward_spec"]["ground_truth"]
        self._score = 0.0

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Score a completion; the episode is over."""
        [self._score] = self._gym.score(self._recipe, [self._opening + action])
        return BaseTextEnvStepOutput(observations=[], reward=self._score, done=True, metadata={})

    def get_metrics(self) -> dict[str, float]:
        """Return whether the completion solved the problem."""
        return {"solved": float(self._score >= SOLVED)}


@functools.cache
def _gym(task_modules: tuple[str, ...], strict: bool) -> ReasoningGym:
    return ReasoningGym(task_modules=task_modules, strict_verifiers=strict)
