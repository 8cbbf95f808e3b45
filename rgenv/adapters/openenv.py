"""OpenEnv (openenv 0.10): problems and rewards as a server, and its typed client.

    rgenv-openenv --port 8000        # the server; or: uvicorn rgenv.adapters.openenv:app

An episode is one problem and one completion. All sessions share one pool of restricted worker
processes; its settings are in the variable ``RGENV``, as JSON with the arguments of `ReasoningGym`.
"""

from __future__ import annotations

import argparse
import json
import os
import uuid
from typing import Any

from rgenv.adapters import shared
from rgenv.errors import BadUsage, MakeFailed, require_extra
from rgenv.gym.clients import AsyncReasoningGym
from rgenv.text import did_you_mean, nearest

require_extra("openenv", ["openenv", "uvicorn"], "rgenv.adapters.openenv")

from openenv.core import EnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from starlette.responses import JSONResponse


class CompletionAction(Action):
    """The whole text of a model; over plain HTTP, which keeps no session, with the recipe."""

    text: str
    recipe: dict[str, Any] | None = None


class ProblemObservation(Observation):
    """What the model is asked; after the answer, why it earned what it earned."""

    messages: list[dict[str, str]] = []  # noqa: RUF012  # pydantic copies defaults
    recipe: dict[str, Any] | None = None
    verdict: str = ""


class ReasoningGymEnvironment(Environment[CompletionAction, ProblemObservation, State]):
    """One session: a problem, then the score of one completion."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._recipe: dict[str, Any] | None = None
        self._state = State()

    async def reset_async(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task: str | None = None,
        level: float | None = None,
        recipe: dict[str, Any] | None = None,
        **others: Any,
    ) -> ProblemObservation:
        """Ask the problem of a recipe, or of a task and a seed; without both, the next one."""
        if others:
            names = ["seed", "episode_id", "task", "level", "recipe"]
            near = did_you_mean(nearest(min(others), names))
            raise BadUsage(f"reset has no argument {min(others)!r}.{near}")
        gym = shared_gym()
        if recipe is not None:
            problem = await anext(gym.make_many([recipe]))
        elif task is not None:
            problem = await gym.make(task, 0 if seed is None else seed, level)
        else:
            problem = await anext(gym.problems(1, level))
        self._recipe = problem.recipe
        self._state = State(episode_id=episode_id or uuid.uuid4().hex)
        return ProblemObservation(messages=problem.messages, recipe=self._recipe)

    async def step_async(
        self, action: CompletionAction, timeout_s: float | None = None
    ) -> ProblemObservation:
        """Score the completion; the episode is over, without a reward if the verifier failed."""
        recipe = action.recipe or self._recipe
        if recipe is None:
            raise BadUsage("There is no problem: call reset first, or send its recipe.")
        [verdict] = await shared_gym().verdicts(recipe, [action.text])
        self._state.step_count += 1
        said = f"{verdict.kind}: {verdict.detail}" if verdict.detail else verdict.kind
        reward = None if verdict.failed else verdict.score
        return ProblemObservation(done=True, reward=reward, recipe=recipe, verdict=said)

    def reset(self, *_: Any, **__: Any) -> ProblemObservation:
        raise NotImplementedError("The server calls reset_async.")

    def step(self, *_: Any, **__: Any) -> ProblemObservation:
        raise NotImplementedError("The server calls step_async.")

    @property
    def state(self) -> State:
        """The episode, and how many completions it has scored."""
        return self._state

    def get_metadata(self) -> EnvironmentMetadata:
        """Return what the server says about itself."""
        about = "All tasks of reasoning-gym, with verified rewards from 0 to 1."
        return EnvironmentMetadata(name="rgenv", description=about)


class ReasoningGymClient(EnvClient[CompletionAction, ProblemObservation, State]):
    """Asks a server for problems and scores."""

    def _step_payload(self, action: CompletionAction) -> dict[str, Any]:
        return dict(action.model_dump(exclude_none=True))

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[ProblemObservation]:
        outcome = {"done": payload.get("done", False), "reward": payload.get("reward")}
        observation = ProblemObservation(**{**payload["observation"], **outcome})
        return StepResult(observation=observation, **outcome)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)


def shared_gym() -> AsyncReasoningGym:
    """Return the gym of this process."""
    return shared(AsyncReasoningGym, **json.loads(os.environ.get("RGENV", "{}")))


app = create_app(
    ReasoningGymEnvironment,
    CompletionAction,
    ProblemObservation,
    env_name="rgenv",
    max_concurrent_envs=1024,
)


@app.exception_handler(BadUsage)
@app.exception_handler(MakeFailed)
async def _refuse(_request: Any, error: Exception) -> JSONResponse:
    """Answer a user's mistake over plain HTTP with its sentence."""
    return JSONResponse({"detail": str(error)}, status_code=422)


def main() -> None:
    """Serve until a signal."""
    import uvicorn

    parser = argparse.ArgumentParser(description="Serve problems and rewards by OpenEnv.")
    parser.add_argument("--host", default="127.0.0.1", help="default: %(default)s")
    parser.add_argument("--port", type=int, default=8000, help="default: %(default)s")
    options = parser.parse_args()
    uvicorn.run(app, host=options.host, port=options.port)


if __name__ == "__main__":
    main()
