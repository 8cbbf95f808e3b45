"""rgenv/gym/examples.py: solved problems before a question."""

from typing import Any

from rgenv.gym.examples import draw_examples
from rgenv.gym.gym import Gym
from rgenv.gym.settings import Settings
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem
from tests.support.pools import PoolDouble


async def test_examples_are_neither_trained_on_nor_held_out(pool: WorkerPool) -> None:
    """The same ones come before each question of a task; training leaves their families out."""
    drawn: dict[str, Problem] = {}

    async def make(task: str, seed: int, **options: Any) -> Problem:
        made = await pool.make(task, seed, **options)
        return drawn.setdefault(made.question, made)

    double = PoolDouble(pool, make=make)
    options: Any = {"tasks": ["gcd"], "examples": 2, "answer_format": "boxed"}
    gym = Gym(Settings(**options), double)  # type: ignore[arg-type]
    problem = await gym.make("gcd", 7)
    system, *shots, question = problem.messages
    assert system["role"] == "system" and question["content"] == problem.question
    assert [message["role"] for message in shots] == ["user", "assistant"] * 2
    assert all(shot["content"].startswith("\\boxed{") for shot in shots[1::2])
    other = await Gym(Settings(**options, seed=1), pool).draw("gcd", 8, 0.5)
    assert other.messages[:-1] == problem.messages[:-1]
    for shot in shots[::2]:
        one = drawn[shot["content"]]
        again = await gym.draw_for_training("gcd", one.seed, None)
        assert not one.held_out
        assert not (await gym.draw("gcd", one.seed, None)).held_out or again.held_out
        assert len((await gym.make(**one.recipe)).messages) == 4  # not before itself


async def test_what_is_unfit_is_no_example() -> None:
    unfit = [{"held_out": True}, {"winnable": False}, {"answer": "1\n2"}, {"answer": None}]
    made: list[Problem] = []

    async def make(task: str, seed: int, **_: Any) -> Problem:
        values = {"answer": "4", **(unfit[len(made)] if len(made) < 4 else {})}
        made.append(Problem(task, seed, None, {}, f"{seed}?", **values, family=len(made)))
        return made[-1]

    settings = Settings(tasks=["gcd"], examples=1, answer_format="final_line")
    assert await draw_examples("gcd", settings, PoolDouble(make=make)) == made[4:]  # type: ignore[arg-type]
