"""reasoning_gym_environment.py with testing=True: driven call by call, as ROLL's adapter does.

That adapter makes each call in an event loop of its own. It shows the item as text to a policy of
its own, and returns the answer through a replaced server.
"""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from reasoning_gym_environment import ReasoningGymEnv
from rgenv.dialogue.prompts import DIALOGUE
from rgenv.errors import BadUsage, PoolBroken
from tests.support.fakes import fake_config, scripted

pytestmark = pytest.mark.slow


def run(work: Coroutine[Any, Any, Any]) -> Any:
    with ThreadPoolExecutor(max_workers=1) as threads:
        return threads.submit(asyncio.run, work).result(120)


def test_answers_of_another_framework_are_scored(tokenizer_dir: Path, tmp_path: Path) -> None:
    config, servers = ReasoningGymEnv.config_init()
    changes = {"tokenizer_name": str(tokenizer_dir), "data_dumps_dir": str(tmp_path)}
    changes |= {"task_names": ["gcd"], "use_wandb": False, "num_eval_samples_per_task": 1}
    config = type(config)(
        **{**config.model_dump(), **changes, "scoring_workers": 1, "group_size": 2}
    )
    env = ReasoningGymEnv(config=config, server_configs=servers, slurm=False, testing=True)
    run(env.setup())
    with pytest.raises(BadUsage, match=r"takes an item, as .*, not str\."):
        run(env.collect_trajectories("gcd"))
    for _ in range(2):
        item = run(env.get_next_item())
        assert "Greatest Common Divisor" in str(item)
        right = f"<think>ü</think>\n<answer>{item.answer}</answer>"
        for text, score in ((right, 1.0), ("<answer>-1</answer>", 0.0), (str(item.answer), 0.0)):
            bridge = scripted(lambda prompt, n, text=text: [(text, "stop")], env.tokenizer)
            before, env.server.servers = env.server.servers, [bridge(fake_config()[0])]
            group, _ = run(env.collect_trajectories(item))
            [request] = env.server.servers[0].requests
            env.server.servers = before
            assert DIALOGUE.system in request["prompt"] and str(item) in request["prompt"]
            assert group["scores"][0] == score and group["messages"][0][-1]["content"] == text
    run(env.close())
    run(env.close())
    calls = env.get_next_item(), env.make_item("gcd", 1), env.score_completions(item, ["x"])
    for call in (*calls, env.collect_trajectories(item), env.evaluate()):
        with pytest.raises(PoolBroken, match=r"^The environment is closed: make another one\.$"):
            run(call)
