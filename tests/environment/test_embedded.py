"""reasoning_gym_environment.py under testing=True: driven from outside, as ROLL's adapter does it.

That adapter takes a class by "module:Class", its config_init with changes, and testing=True; runs
`setup` and `get_next_item`, shows the item as text to a policy of its own, and hands the answer in
by swapping the server for one that gives it back as code points, whatever was asked for.
"""

import asyncio
import importlib
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from atroposlib.envs.base import APIServerConfig, BaseEnv
from atroposlib.envs.server_handling.server_baseline import APIServer
from tenacity import RetryError

from reasoning_gym_environment import Prompt, ReasoningGymEnv
from rgenv.rollouts.answer_format import SYSTEM_PROMPT, build_messages

PATH = "reasoning_gym_environment:ReasoningGymEnv"
Run = Callable[[Coroutine[Any, Any, Any]], Any]


class NextTurn(Exception):
    """A second request of the same rollout: in a dialogue, the policy would be asked again."""


class Bridge(APIServer):
    """Gives one completion back, then refuses."""

    def __init__(self, answer: str) -> None:
        super().__init__(APIServerConfig(model_name="x", base_url="x", api_key="x"))
        self.answer, self.asked = answer, []

    async def check_server_status_task(self, chat_completion: bool = True) -> None:
        """It is well."""

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
    """One environment as the adapter holds it; `run` is how it awaits."""

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

    def step(self, answer: str) -> tuple[float, dict[str, Any]]:
        """The reward of an answer, and the group."""
        before, self.env.server.servers = self.env.server.servers, [Bridge(answer)]
        try:
            group, _ = self.run(self.env.collect_trajectories(self.item))
        finally:
            self.env.server.servers = before
        assert isinstance(group, dict)
        return group["scores"][0], group


def one_loop() -> Iterator[Run]:
    """A loop of the thread, run until each call is done."""
    loop = asyncio.new_event_loop()
    yield loop.run_until_complete
    loop.close()


def a_loop_for_each_call() -> Iterator[Run]:
    """Another thread and another loop each time."""
    with ThreadPoolExecutor(max_workers=1) as threads:
        yield lambda work: threads.submit(asyncio.run, work).result(120)


@pytest.fixture(params=[one_loop, a_loop_for_each_call])
def driver(request: Any, tokenizer_dir: Path, tmp_path: Path) -> Iterator[Callable[..., Driver]]:
    """Makes environments under test, and closes them."""
    made = []
    for run in request.param():

        def make(**changes: Any) -> Driver:
            values = {
                "tokenizer_name": str(tokenizer_dir),
                "task_names": ["gcd"],
                "use_wandb": False,
                "data_dumps_dir": str(tmp_path),
                "num_eval_samples_per_task": 1,
                **changes,
            }
            made.append(Driver(run, **values))  # noqa: B023 - called before the loop goes on
            return made[-1]

        yield make
        for each in made:
            run(each.env.close())


def test_answers_of_another_framework_are_scored(driver: Callable[..., Driver]) -> None:
    """With the default group size and no server: right earns 1, wrong 0, prose without tags 0."""
    driven = driver()
    for _ in range(2):
        question = driven.reset()
        assert "Greatest Common Divisor" in question
        right = f"<think>ü</think>\n<answer>{driven.item.answer}</answer>"
        reward, group = driven.step(right)
        assert reward == 1.0 and group["messages"][0][-1]["content"] == right
        assert driven.step("<answer>-1</answer>")[0] == 0.0
        assert driven.step(f"It is {driven.item.answer}.")[0] == 0.0


def test_the_policy_is_asked_what_atropos_would_ask(driver: Callable[..., Driver]) -> None:
    """The prompt holds system prompt and question; the text of the item is the question alone."""
    driven = driver()
    question = driven.reset()
    bridge = Bridge("<answer>1</answer>")
    driven.env.server.servers = [bridge]
    driven.run(driven.env.collect_trajectories(driven.item))
    assert SYSTEM_PROMPT in bridge.asked[0]["prompt"] and question in bridge.asked[0]["prompt"]


def test_errors_of_a_server_reach_the_caller(driver: Callable[..., Driver]) -> None:
    """What a bridge signals with an exception is not taken for a failed item."""
    driven = driver()
    driven.reset()
    bridge = Bridge("")
    bridge.asked.append({})
    driven.env.server.servers = [bridge]
    with pytest.raises(RetryError) as failed:  # Atropos asks three times
        driven.run(driven.env.collect_trajectories(driven.item))
    assert isinstance(failed.value.last_attempt.exception(), NextTurn)


def test_scripted_answers_are_scored(driver: Callable[..., Driver]) -> None:
    """Atropos' own stand-in server gives what it was told, in the tokenizer's tokens."""
    driven = driver(group_size=2)
    question = driven.reset()
    env, server = driven.env, driven.env.server.servers[0]
    prompt, _ = driven.run(env._prompt(build_messages(question), 4096))
    assert isinstance(prompt, Prompt)
    texts = [f"<answer>{driven.item.answer}</answer>", "<answer>-1</answer>"]
    tokens = [env.tokenizer.encode(text, add_special_tokens=False) for text in texts]
    server.set_tokens_and_logprobs_response(
        prompt.text, prompt.tokens, tokens, [[-0.5] * len(ids) for ids in tokens], ["stop"] * 2
    )
    group, backlog = driven.run(env.collect_trajectories(driven.item))
    assert group["scores"] == [1.0, 0.0] and backlog == []
    assert [rollout[-1]["content"] for rollout in group["messages"]] == texts


def test_an_answer_that_was_not_scripted_is_named(driver: Callable[..., Driver]) -> None:
    """The error shows the prompt."""
    driven = driver()
    driven.reset()
    with pytest.raises(KeyError, match="No response is set"):
        driven.run(driven.env.collect_trajectories(driven.item))


def test_callers_may_come_from_many_threads(tokenizer_dir: Path, tmp_path: Path) -> None:
    """Items drawn at once from different loops are all different, and all can be scored."""
    driven = Driver(
        asyncio.run,
        tokenizer_name=str(tokenizer_dir),
        task_names=["gcd"],
        use_wandb=False,
        data_dumps_dir=str(tmp_path),
        num_eval_samples_per_task=1,
    )
    scores: list[tuple[int, float]] = []

    def draw_and_score() -> None:
        item = asyncio.run(driven.env.get_next_item())
        text = f"<answer>{item.answer}</answer>"
        [score] = asyncio.run(driven.env.score_completions(item, [text]))
        scores.append((item.seed, score))

    threads = [threading.Thread(target=draw_and_score) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len({seed for seed, _ in scores}) == 6 and {score for _, score in scores} == {1.0}
    asyncio.run(driven.env.close())


def test_without_testing_nothing_is_hosted(tokenizer_dir: Path) -> None:
    """In Atropos everything runs in its own loop."""
    config, servers = ReasoningGymEnv.config_init()
    env = ReasoningGymEnv(config.model_copy(update={"tokenizer_name": str(tokenizer_dir)}), servers)
    assert env.setup.__func__ is ReasoningGymEnv.setup
