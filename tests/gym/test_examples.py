"""rgenv/gym/gym.py: solved problems before a question."""

from typing import Any

from rgenv.gym.gym import Gym
from rgenv.gym.settings import Settings
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem
from tests.support.pools import PoolDouble


async def test_examples_are_neither_trained_on_nor_held_out(pool: WorkerPool) -> None:
    """The same ones come before each question of a task, but not before themselves."""
    small = {"gcd": {"max_numbers": 2, "max_value": 12}}
    options: Any = {"tasks": ["gcd"], "task_configs": small, "answer_format": "boxed"}
    gym, bare = (Gym(Settings(**options, examples=n), PoolDouble(pool)) for n in (2, 0))  # type: ignore[arg-type]
    problem = await gym.make("gcd", 7)
    system, *shots, question = problem.messages
    assert system["role"] == "system" and question["content"] == problem.question
    assert [message["role"] for message in shots] == ["user", "assistant"] * 2
    assert all(shot["content"].startswith("\\boxed{") for shot in shots[1::2])
    served, shown = await asked(gym), {shot["content"] for shot in shots[::2]}
    assert not shown & served.keys() and shown <= (await asked(bare)).keys()
    assert all(one.messages[:-1] == problem.messages[:-1] for one in served.values())
    assert not shown & {one.question for one in await gym.held_out("gcd", 40)}
    for one in (await asked(bare)).values():
        assert one.question not in shown or len((await gym.make(**one.recipe)).messages) == 4
    await gym.close()
    await bare.close()


async def asked(gym: Gym) -> dict[str, Problem]:
    """Return the problems of a stream that has asked all there are."""
    served = [await gym.next(None) for _ in range(150)]
    return {problem.question: problem for problem in served}


async def test_what_is_unfit_is_no_example(pool: WorkerPool) -> None:
    unfit = [{"held_out": True}, {"winnable": False}, {"answer": "1\n2"}, {"answer": None}]
    made: list[Problem] = []

    async def make(task: str, seed: int, **_: Any) -> Problem:
        values = {"answer": "4", **(unfit[len(made)] if len(made) < 4 else {})}
        made.append(Problem(task, seed, None, {}, f"{seed}?", **values, family=len(made)))
        return made[-1]

    settings = Settings(tasks=["gcd"], examples=1, answer_format="final_line")
    problem = await Gym(settings, PoolDouble(pool, make=make)).make("gcd", 7)  # type: ignore[arg-type]
    assert [turn["content"] for turn in problem.messages[1::2]] == [made[4].question, "7?"]
