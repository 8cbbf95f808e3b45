"""rgenv/catalog/problems.py: making problems, and scoring an answer to one."""

from collections.abc import Iterator

import pytest

from rgenv.catalog import answers
from rgenv.catalog.problems import Failed, make_all, problem_json, score, wanted
from rgenv.errors import BadUsage
from rgenv.gym import recipes
from rgenv.gym.clients import ReasoningGym
from rgenv.types import Problem


@pytest.fixture(scope="module")
def gym() -> Iterator[ReasoningGym]:
    """A worker that all tests of this file share."""
    with ReasoningGym(workers=1) as gym:
        yield gym


def test_problems_have_consecutive_seeds(gym: ReasoningGym) -> None:
    """Each task gets its problems in turn, at the level that was asked for."""
    made = list(make_all(gym, wanted(["gcd", "lcm"], count=2, first_seed=7, level=0.5)))
    assert [(one.task, one.seed, one.level) for one in made if isinstance(one, Problem)] == [
        ("gcd", 7, 0.5),
        ("gcd", 8, 0.5),
        ("lcm", 7, 0.5),
        ("lcm", 8, 0.5),
    ]
    content = problem_json(made[0])
    assert gym.make(**content["recipe"]) == made[0]
    assert content["messages"][1]["content"] == content["question"]
    assert 100 < content["prompt_tokens"] < 200


def test_a_generator_that_fails_does_not_stop_the_others(gym: ReasoningGym) -> None:
    """Its problem is replaced by the reason, on one line."""
    bad = recipes.read({"task": "gcd", "seed": 1, "config": {"min_numbers": 9, "max_numbers": 1}})
    first, second = make_all(gym, [bad, *wanted(["gcd"], count=1, first_seed=0, level=None)])
    assert isinstance(first, Failed) and isinstance(second, Problem)
    assert str(first).startswith("gcd, seed 1: no problem (error: ") and "\n" not in str(first)


def test_a_verdict_says_how_the_answer_was_read(gym: ReasoningGym) -> None:
    """The JSON has the extracted answer, the score, and what the verdict means."""
    problem = gym.make("gcd", 0, 0.5)
    right = score(gym, problem, answers.read(str(problem.answer))).as_json()
    assert (right["read_as"], right["score"], right["verdict"]) == ("answer", 1.0, "scored")
    broken = score(gym, problem, answers.read("<think>1</think>2")).as_json()
    assert (broken["read_as"], broken["answer"], broken["score"]) == ("completion", None, 0.0)
    assert broken["detail"] == "no answer tags" and "required format" in broken["meaning"]


def test_a_recipe_needs_a_task_and_a_level(gym: ReasoningGym) -> None:
    """What makes no sense is refused in a sentence."""
    with pytest.raises(BadUsage, match="level is 2"):
        wanted(["gcd"], count=1, first_seed=0, level=2)
    with pytest.raises(BadUsage, match="Did you mean gcd"):
        list(make_all(gym, wanted(["gdc"], count=1, first_seed=0, level=None)))
