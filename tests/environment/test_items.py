"""reasoning_gym_environment.py: the items of the stream and of the evaluation set."""

from tests.conftest import MakeEnv
from tests.support.environments import next_items
from tests.support.replies import always

# Training and evaluation


async def test_the_stream_depends_neither_on_speed_nor_on_what_else_is_done(
    make_env: MakeEnv,
) -> None:
    """The number of workers, logging, evaluations and groups in between change no item."""
    choice = {"task_names": ["tower_of_hanoi", "coin_flip", "gcd"], "complexity_mode": "random"}
    plain = await make_env(always("x"), scoring_workers=1, **choice)
    busy = await make_env(always("x"), scoring_workers=9, debug_logging=True, **choice)
    for _ in range(40):
        item = await busy.get_next_item()
        assert item == await plain.get_next_item()
        if item.seed % 4 == 0:
            await busy.collect_trajectories(item)
        if item.seed % 8 == 0:
            await busy.evaluate()


# Choice of problems


async def test_composite_parts_take_the_level(make_env: MakeEnv) -> None:
    """A level of composite applies to each of its tasks; configured parameters override it."""
    parts = [{"name": "chain_sum"}, {"name": "gcd", "config": {"min_numbers": 2}}]
    env = await make_env(task_names=["composite"], task_configs={"composite": {"datasets": parts}})
    easy, hard = [await env.make_item("composite", 5, level) for level in (0.0, 1.0)]
    assert easy.config != hard.config
    assert hard.config["datasets"][1]["config"]["min_numbers"] == 2
    for item in (easy, hard):
        assert await env.score_completions(item, [f"<answer>{item.answer}</answer>"]) == [1.0]


async def test_the_question_is_all_that_the_model_is_asked(make_env: MakeEnv) -> None:
    """It has the sentence that says what the verifier demands."""
    env = await make_env(task_names=["coin_flip"])
    [item] = await next_items(env, 1)
    sentence = item.question.rpartition("\n\n")[2]
    assert "fraction" in sentence
    group, _ = await env.collect_trajectories(item)
    assert group is not None
    text = env.tokenizer.decode(group["tokens"][0])
    assert " ".join(item.question.split()) in " ".join(text.split())
