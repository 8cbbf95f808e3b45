"""reasoning_gym_environment.py with testing=True: driven call by call, as ROLL's adapter does.

That adapter takes a class by "module:Class", changes values of its config_init, and sets
testing=True. It awaits `setup` and `get_next_item`, shows the item as text to a policy of its own,
and returns the answer through a replaced server, which gives it as code points to any request.
"""

import asyncio
import importlib
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from atroposlib.envs.base import APIServerConfig, BaseEnv
from atroposlib.envs.server_handling.server_baseline import APIServer

from rgenv.dialogue.prompts import DIALOGUE

pytestmark = pytest.mark.slow

PATH = "reasoning_gym_environment:ReasoningGymEnv"
Run = Callable[[Coroutine[Any, Any, Any]], Any]


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

    async def _completion_wrapper(self, **_: Any) -> Any:
        raise NotImplementedError

    async def _tokens_and_logprobs_completion_wrapper(self, **request: Any) -> Any:
        self.asked.append(request)
        if len(self.asked) > 1:
            raise NextTurn
        points = [ord(sign) for sign in self.answer]
        return [0], [points], [[0.0] * len(points)], ["stop"]


class Driver:
    """One environment as the adapter uses it; `run` awaits its coroutines."""

    def __init__(self, run: Run, **changes: Any) -> None:
        self.run = run
        module, name = PATH.split(":")
        env_class = getattr(importlib.import_module(module), name)
        assert issubclass(env_class, BaseEnv)
        config, servers = env_class.config_init()
        config = type(config)(**{**config.model_dump(), **changes})
        self.env = env_class(config=config, server_configs=servers, slurm=False, testing=True)
        run(self.env.setup())

    def reset(self) -> str:
        self.item = self.run(self.env.get_next_item())
        return str(self.item)

    def prompt(self) -> str:
        """Return the prompt that the policy gets: that of the environment, not the item's text."""
        bridge, before = Bridge("<answer>1</answer>"), self.env.server.servers
        self.env.server.servers = [bridge]
        self.run(self.env.collect_trajectories(self.item))
        self.env.server.servers = before
        text = str(bridge.asked[0]["prompt"])
        assert DIALOGUE.system in text
        return text

    def step(self, answer: str) -> tuple[float, dict[str, Any]]:
        before, self.env.server.servers = self.env.server.servers, [Bridge(answer)]
        try:
            group, _ = self.run(self.env.collect_trajectories(self.item))
        finally:
            self.env.server.servers = before
        assert isinstance(group, dict)
        return group["scores"][0], group


@pytest.fixture(scope="module")
def driver(tokenizer_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driver]:
    """One environment for all tests; each call runs in an event loop and a thread of its own."""

    def run(work: Coroutine[Any, Any, Any]) -> Any:
        with ThreadPoolExecutor(max_workers=1) as threads:
            return threads.submit(asyncio.run, work).result(120)

    driver = Driver(
        run,
        tokenizer_name=str(tokenizer_dir),
        task_names=["gcd"],
        use_wandb=False,
        data_dumps_dir=str(tmp_path_factory.mktemp("dumps")),
        num_eval_samples_per_task=1,
        scoring_workers=1,
        group_size=2,
    )
    yield driver
    run(driver.env.close())


def test_answers_of_another_framework_are_scored(driver: Driver) -> None:
    """Without a server, a right answer earns 1; a wrong one and text without tags earn 0."""
    for _ in range(2):
        question = driver.reset()
        assert "Greatest Common Divisor" in question and question in driver.prompt()
        right = f"<think>ü</think>\n<answer>{driver.item.answer}</answer>"
        reward, group = driver.step(right)
        assert reward == 1.0 and group["messages"][0][-1]["content"] == right
        assert driver.step("<answer>-1</answer>")[0] == 0.0
        assert driver.step(f"It is {driver.item.answer}.")[0] == 0.0


def test_scripted_answers_are_scored(driver: Driver) -> None:
    """Atropos' stand-in server returns the response that was set, in the tokenizer's tokens."""
    question = driver.reset()
    env, server = driver.env, driver.env.server.servers[0]
    prompt = env.tokenizer.apply_chat_template(
        DIALOGUE.messages(question), add_generation_prompt=True, tokenize=False
    )
    texts = [f"<answer>{driver.item.answer}</answer>", "<answer>-1</answer>"]
    tokens = [env.tokenizer.encode(text, add_special_tokens=False) for text in texts]
    server.set_tokens_and_logprobs_response(
        prompt,
        env.tokenizer.encode(prompt),
        tokens,
        [[-0.5] * len(ids) for ids in tokens],
        ["stop"] * 2,
    )
    group, backlog = driver.run(env.collect_trajectories(driver.item))
    assert group["scores"] == [1.0, 0.0] and backlog == []
    assert [rollout[-1]["content"] for rollout in group["messages"]] == texts
