"""reasoning_gym_environment.py with testing=True: driven call by call, as ROLL's adapter does.

That adapter makes each call in an event loop of its own. It shows the item as text to a policy of
its own, and returns the answer through a replaced server, in code points
(tests/inference/test_policy.py). docs/running.md has a program over Atropos' stand-in server.
"""

import asyncio
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.dialogue.prompts import DIALOGUE
from rgenv.types import Problem
from tests.support.fakes import fake_config, scripted

pytestmark = pytest.mark.slow


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
    """Return the group of an item with this completion, and the prompt of its only request."""
    bridge = scripted(lambda prompt, n: [(text, "stop")], env.tokenizer)
    before, env.server.servers = env.server.servers, [bridge(fake_config()[0])]
    group, _ = run(env.collect_trajectories(item))
    [request] = env.server.servers[0].requests
    env.server.servers = before
    return group, request["prompt"]


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
