"""TRL (1.16 and later): an environment of GRPOTrainer, which asks a problem and owns its reward.

    GRPOTrainer(model, train_dataset=problems(gym), environment_factory=environment(gym), ...)

The model answers by calling the tool `submit`, so its chat template must know tools. A group shares
one problem, because its row has the recipe. The adapter in trl.py needs no tools, and its
curriculum learns.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from rgenv.adapters.trl import stream
from rgenv.gym.clients import ReasoningGym

if TYPE_CHECKING:
    from datasets import IterableDataset

PROMPT = (
    "You solve reasoning problems. Think the problem through, step by step and for as long as it "
    "takes. Then call the tool `submit` once, with the final answer in the format that the problem "
    "asks for and nothing else."
)


class GRPOEnvironment:
    """One rollout: a problem, an answer, and its reward."""

    def __init__(self, gym: ReasoningGym) -> None:
        self._gym = gym
        self._recipe: dict[str, Any] = {}
        self._answer: str | None = None

    def reset(self, recipe: str, **_: Any) -> str:
        """Return the question, which TRL appends to the prompt."""
        made_from = json.loads(recipe)
        self._recipe, self._answer = made_from | {"answer_format": "tags"}, None
        return self._gym.make(**made_from).question

    def submit(self, answer: str) -> str:
        """Submit the final answer.

        Args:
            answer: The final answer, in the format that the problem asks for, and nothing else.

        Returns:
            Whether the answer was taken: only the first one is.
        """
        if self._answer is not None:
            return "There is an answer already; this one does not count."
        self._answer = answer
        return "The answer was submitted."

    def get_reward(self) -> float | None:
        """Return the score of the answer: 0 if there is none, None if its verifier failed."""
        if self._answer is None:
            return 0.0
        [verdict] = self._gym.verdicts(self._recipe, [f"<answer>{self._answer}</answer>"])
        return None if verdict.failed else verdict.score


def environment(gym: ReasoningGym) -> Callable[[], GRPOEnvironment]:
    """Return the factory of environments that score with `gym`."""
    return functools.partial(GRPOEnvironment, gym)


def problems(gym: ReasoningGym, level: float | Literal["random"] | None = None) -> IterableDataset:
    """Return the stream of training problems as rows that have the recipe; see `gym.problems`."""
    prompt = [{"role": "system", "content": PROMPT}, {"role": "user", "content": ""}]

    def rows() -> Iterator[dict[str, Any]]:
        for problem in gym.problems(level=level):
            yield {"prompt": prompt, "recipe": json.dumps(problem.recipe)}

    return stream(gym, rows)
