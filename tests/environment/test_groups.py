"""reasoning_gym_environment.py: groups, from the request to what the trainer gets."""

from typing import Any

import pytest

from rgenv.dialogue.prompts import DIALOGUE
from rgenv.pool.pool import WorkerPool
from tests.conftest import MakeEnv
from tests.support.environments import Solver, always
from tests.support.fakes import Completion
from tests.support.pools import PoolDouble, fixed_scores


async def test_length_costs_where_the_option_says_so_and_not_the_prompt(
    make_env: MakeEnv, pool: WorkerPool, tokenizer: Any
) -> None:
    problem = await pool.make("gcd", 7)
    right = f"<answer>{problem.answer}</answer>"
    long = f"<think>{' '.join(['word'] * 300)}</think>{right}"
    tokens = len(tokenizer.encode(long))
    prompt = tokenizer.apply_chat_template(
        DIALOGUE.messages(problem.question), add_generation_prompt=True, tokenize=False
    )
    replies: list[Completion] = [(right, "stop"), (long, "stop")]
    options = {"group_size": 2, "max_token_length": tokens + len(tokenizer.encode(prompt))}
    for penalty, scores in ((True, [1.0, 0.5]), (False, [1.0, 1.0])):
        env = await make_env(
            lambda _prompt, n: replies[:n], task_names=["gcd"], length_penalty=penalty, **options
        )
        group, _ = await env.collect_trajectories(await env.make_item("gcd", 7))
        assert group["scores"] == scores


async def test_masks_and_noise_are_as_the_options_say(make_env: MakeEnv, pool: WorkerPool) -> None:
    noise = PoolDouble(pool, score=fixed_scores(0.01, 0.0, 0.01, 0.0))
    for options, scores, mask in (
        ({}, [0.005] * 4, {"set_advantage_to_zero": True}),
        ({"min_score_spread": 0.0, "mask_too_long_completions": False}, [0.01, 0.0] * 2, {}),
    ):
        cut = Solver("nnnn", reason="length")
        env = await make_env(cut, pool=noise, task_names=["gcd"], **options)
        group, _ = await env.collect_trajectories(await env.get_next_item())
        assert (group["scores"], group["overrides"]) == (scores, [mask] * 4)


async def test_sampling_in_training_reaches_the_server(make_env: MakeEnv) -> None:
    env = await make_env(
        always("x"), task_names=["gcd"], temperature=0.6, top_p=0.9, max_token_length=1000
    )
    group, _ = await env.collect_trajectories(await env.get_next_item())
    [request] = env.server.servers[0].requests
    assert (request["n"], request["temperature"], request["top_p"]) == (4, 0.6, 0.9)
    assert request["max_tokens"] == 1000 - len(request["input_ids"])
    assert group["group_overrides"]["temperature"] == 0.6
    for wanted in (False, True):
        env.config.include_messages = wanted
        assert "messages" in group
        assert ("messages" in await env.postprocess_histories(group)) == wanted


async def test_a_prompt_that_leaves_no_room_is_skipped(
    make_env: MakeEnv, caplog: pytest.LogCaptureFixture
) -> None:
    env = await make_env(always("x"), task_names=["gcd"], max_token_length=20)
    assert await env.collect_trajectories(await env.get_next_item()) == (None, [])
    assert "--env.max_token_length" in caplog.text
    assert env.metrics.take()["train/prompt_too_long"] == 1
