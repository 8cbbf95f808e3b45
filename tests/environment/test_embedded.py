"""reasoning_gym_environment.py with testing=True: driven call by call, as ROLL's adapter does.

That adapter makes each call in an event loop of its own. It shows the item as text to a policy of
its own, and returns the answer through a replaced server, which gives it as code points to any
request. docs/testing.md has a program over Atropos' stand-in server.
"""

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from atroposlib.envs.base import APIServerConfig
from atroposlib.envs.server_handling.server_baseline import APIServer

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.dialogue.prompts import DIALOGUE
from rgenv.types import Problem

pytestmark = pytest.mark.slow


class NextTurn(Exception):
    """Raised by a second request for the same rollout: the next turn of a dialogue."""


class Bridge(APIServer):
    """Returns one completion, then raises NextTurn."""

    def __init__(self, answer: str) -> None:
        super().__init__(APIServerConfig(model_name="x", base_url="x", api_key="x"))
        self.answer, self.asked = answer, []

    async def check_server_status_task(self, chat_completion: bool = True) -> None:
        """Nothing to check."""

    async def _chat_completion_wrapper(self, **_: Any) -> Any:
        raise NotImplementedError

    _completion_wrapper = _chat_completion_wrapper

    async def _tokens_and_logprobs_completion_wrapper(self, **request: Any) -> Any:
        self.asked.append(request)
        if len(self.asked) > 1:
            raise NextTurn
        points = [ord(sign) for sign in self.answer]
        return [0], [points], [[0.0] * len(points)], ["stop"]


def run(work: Coroutine[Any, Any, Any]) -> Any:
    with ThreadPoolExecutor(max_workers=1) as threads:
        return threads.submit(asyncio.run, work).result(120)


@pytest.fixture
def env(tokenizer_dir: Path, tmp_path: Path) -> Iterator[ReasoningGymEnv]:
    config, servers = ReasoningGymEnv.config_init()
    changes = {
        "tokenizer_name": str(tokenizer_dir),
        "task_names": ["gcd"],
        "use_wandb": False,
        "data_dumps_dir": str(tmp_path),
        "num_eval_samples_per_task": 1,
        "scoring_workers": 1,
        "group_size": 2,
    }
    config = type(config)(**{**config.model_dump(), **changes})
    env = ReasoningGymEnv(config=config, server_configs=servers, slurm=False, testing=True)
    run(env.setup())
    yield env
    run(env.close())


def answered(env: ReasoningGymEnv, item: Problem, text: str) -> tuple[dict[str, Any], str]:
    """Return the group of an item with this completion, and the prompt of its request."""
    bridge, before = Bridge(text), env.server.servers
    env.server.servers = [bridge]
    group, _ = run(env.collect_trajectories(item))
    env.server.servers = before
    return group, bridge.asked[0]["prompt"]


def test_answers_of_another_framework_are_scored(env: ReasoningGymEnv) -> None:
    """Without a server, a right answer earns 1; a wrong one and text without tags earn 0."""
    for _ in range(2):
        item = run(env.get_next_item())
        right = f"<think>ü</think>\n<answer>{item.answer}</answer>"
        group, prompt = answered(env, item, right)
        assert "Greatest Common Divisor" in str(item)
        assert DIALOGUE.system in prompt and str(item) in prompt
        assert group["scores"][0] == 1.0 and group["messages"][0][-1]["content"] == right
        for wrong in ("<answer>-1</answer>", f"It is {item.answer}."):
            assert answered(env, item, wrong)[0]["scores"][0] == 0.0
