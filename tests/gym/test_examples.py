"""rgenv/gym/examples.py: solved problems before a question."""

from typing import Any

from rgenv.dialogue.prompts import Dialogue
from rgenv.gym.examples import Examples
from rgenv.gym.gym import Gym
from rgenv.gym.settings import Settings
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem


async def test_examples_are_neither_trained_on_nor_held_out(pool: WorkerPool) -> None:
    """The same ones come before each question of a task; training leaves their families out."""
    options: Any = {"tasks": ["gcd"], "examples": 2, "answer_format": "boxed"}
    gym = Gym(Settings(**options), pool)
    problem = await gym.make("gcd", 7)
    system, *shots, question = problem.messages
    assert system["role"] == "system" and question["content"] == problem.question
    assert [message["role"] for message in shots] == ["user", "assistant"] * 2
    assert all(shot["content"].startswith("\\boxed{") for shot in shots[1::2])
    other = await Gym(Settings(**options, seed=1), pool).draw("gcd", 8, 0.5)
    assert other.messages[:-1] == problem.messages[:-1]

    drawn = await gym._examples._of("gcd")
    assert [one.question for one in drawn] == [shot["content"] for shot in shots[::2]]
    for one in drawn:
        assert not one.held_out
        again = await gym.draw_for_training("gcd", one.seed, None)
        assert not (await gym.draw("gcd", one.seed, None)).held_out or again.held_out
        assert len((await gym.make(**one.recipe)).messages) == 4  # not before itself


async def test_what_is_unfit_is_no_example() -> None:
    unfit = [{"held_out": True}, {"winnable": False}, {"answer": "1\n2"}, {"answer": None}]
    made: list[Problem] = []

    async def make(task: str, seed: int, level: None) -> Problem:
        values = {"answer": "4", **(unfit[len(made)] if len(made) < 4 else {})}
        made.append(Problem(task, seed, None, {}, f"{seed}?", **values, family=len(made)))
        return made[-1]

    examples = Examples(make, Dialogue.of("final_line"), count=1, seed=3)
    asked = Problem("t", 1, None, {}, "?", "1", family=-1)
    assert await examples.before(asked) == ((made[4].question, "4"),)
    assert await examples.has(made[4]) and not await examples.has(made[0])
