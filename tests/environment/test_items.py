"""reasoning_gym_environment.py: the items of the stream and of the evaluation set."""

from tests.conftest import MakeEnv
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
