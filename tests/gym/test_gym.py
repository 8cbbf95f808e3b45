"""rgenv/gym/gym.py: problems and scores, over the shared pool."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from rgenv.errors import BadUsage, MakeFailed, UnknownTask
from rgenv.gym.gym import Gym
from rgenv.gym.settings import Settings
from rgenv.pool.pool import WorkerPool
from rgenv.stream.difficulty import START
from rgenv.types import Problem, Verdict
from tests.support.pools import PoolDouble


@pytest.fixture
async def gym(pool: WorkerPool) -> Gym:
    """A gym of two tasks over the shared pool."""
    return Gym(Settings(tasks=["gcd", "chain_sum"]), pool)


async def test_task_configs_hold_for_problems_but_not_for_recipes(pool: WorkerPool) -> None:
    """A recipe has all parameters of its problem, so the gym's own don't change it."""
    wide = Gym(Settings(task_configs={"gcd": {"min_value": 900}}), pool)
    problem = await Gym(Settings(), pool).make("gcd", 7)
    assert (await wide.make("gcd", 7)).config == {"min_value": 900}
    assert await wide.make(**problem.recipe) == problem


async def test_many_problems_are_scored_in_order(gym: Gym, pool: WorkerPool) -> None:
    problems = [await gym.make("gcd", seed) for seed in range(6)]
    pairs = [
        (problem if index % 2 else problem.recipe, f"<answer>{problem.answer}</answer>")
        for index, problem in enumerate(problems)
    ]
    wrong = [(problems[0], "<answer>x</answer>")] * 20
    double = PoolDouble(pool)
    scores = await Gym(Settings(), double).score_many([*pairs, *wrong, *pairs])  # type: ignore[arg-type]
    assert scores == [1.0] * 6 + [0.0] * 20 + [1.0] * 6
    assert sorted(len(answers) for _, answers in double.scored) == [1] * 12 + [4, 16]
    assert await gym.score_many([]) == []
    with pytest.raises(BadUsage, match=r"pairs\[1\] must be a problem or recipe and a text"):
        await gym.score_many([pairs[0], problems[0]])  # type: ignore[list-item]
    with pytest.raises(UnknownTask):
        await gym.score_many([pairs[0], ({"task": "gdc", "seed": 1}, "7")])


async def test_a_recipe_that_makes_no_problem_is_an_error(gym: Gym) -> None:
    """A data set that gave its config further keys does not make all scores 0."""
    recipe = (await gym.make("gcd", 1)).recipe
    flattened = {**recipe, "config": {**recipe["config"], "num_dice": None}}
    with pytest.raises(MakeFailed, match=r"argument 'num_dice'.*as a JSON string it stays"):
        await gym.score(flattened, ["<answer>7</answer>"])


async def test_a_verifier_that_fails_is_logged_once(
    pool: WorkerPool, caplog: pytest.LogCaptureFixture
) -> None:
    """Its answers score 0, and the log says why at the first one of each task."""

    async def score(problem: Problem, answers: Sequence[str | None]) -> list[Verdict]:
        return [Verdict(0.0, "timeout", detail="no reply within 5 s") for _ in answers]

    gym = Gym(Settings(), PoolDouble(pool, score=score))  # type: ignore[arg-type]
    problem = await gym.make("gcd", 1)
    for _ in range(2):
        assert await gym.score(problem, ["<answer>7</answer>"] * 2) == [0.0, 0.0]
    [said] = [text for text in caplog.messages if "its verifier failed" in text]
    assert "no reply within 5 s" in said


async def test_held_out_problems_need_right_parameters(pool: WorkerPool) -> None:
    gym = Gym(Settings(tasks=["gcd"], task_configs={"gcd": {"min_numz": 3}}), pool)
    with pytest.raises(BadUsage, match="gcd has no parameter 'min_numz'"):
        await gym.held_out("gcd", 3)
    made: list[Any] = []
    double: Any = PoolDouble(pool, make=lambda *a, **b: made.append(a) or pool.make(*a, **b))
    gym = Gym(Settings(task_configs={"gcd": {"min_value": 900}}), double)
    twice = [await gym.held_out("gcd", 1, 0.5) for _ in range(2)]
    assert twice[0] == twice[1] and len(made) % 2  # the first call tries the parameters


def test_settings_that_name_no_task_are_refused(pool: WorkerPool) -> None:
    names = {"tasks": ["gdc", "lmc"], "exclude_tasks": ["mais"], "task_weights": {"games": 1}}
    with pytest.raises(UnknownTask, match=r"games.*'jug'.*'dicee'.*'gdc'.*'lmc'.*'mais'"):
        Gym(Settings(**names, task_configs={"jug": {}}, start_levels={"dicee": 1}), pool)


async def test_settings_of_tasks_that_are_not_served_are_told(
    pool: WorkerPool, caplog: pytest.LogCaptureFixture
) -> None:
    of_tasks = {"task_weights": {"gcd": 2}, "task_configs": {"dice": {}}, "start_levels": {"ab": 1}}
    Gym(Settings(tasks=["gcd"], **of_tasks), pool)
    told = [f"{name} has tasks that are not served: {{}}." for name in of_tasks]
    assert caplog.messages == [told[1].format("dice"), told[2].format("ab")]


async def test_answers_are_read_as_the_gym_says_or_the_recipe(pool: WorkerPool) -> None:
    """A recipe names the format, so any gym scores its completions alike."""
    plain, boxed = Gym(Settings(), pool), Gym(Settings(answer_format="boxed"), pool)
    problem = await boxed.make("gcd", 7)
    assert problem.recipe["answer_format"] == "boxed"
    texts = [f"\\boxed{{{problem.answer}}}", f"<answer>{problem.answer}</answer>"]
    for gym in (plain, boxed):
        for known in (problem, problem.recipe, json.dumps(problem.recipe)):
            assert await gym.score(known, texts) == [1.0, 0.0]
        again = await gym.make(**problem.recipe)
        assert again == await gym.remake(problem.recipe) == problem
        assert again.recipe == problem.recipe
        assert "\\boxed" in again.messages[0]["content"]
    by_hand = {"task": "gcd", "seed": 7}
    assert await boxed.score(by_hand, texts) == [1.0, 0.0]
    assert await plain.score(by_hand, texts) == [0.0, 1.0]
    assert await boxed.score(by_hand | {"answer_format": "tags"}, texts) == [0.0, 1.0]
    [verdict] = await boxed.verdicts(problem, [texts[0] + "\\boxed{x}"])
    assert (verdict.kind, verdict.detail) == ("no_answer", "2 answers")
    with pytest.raises(BadUsage, match="'x' must be tags"):
        await plain.score(by_hand | {"answer_format": "x"}, texts)


async def test_hardened_problems_are_asked_by_name_and_say_so(pool: WorkerPool) -> None:
    plain, hardened = Gym(Settings(), pool), Gym(Settings(problems="hardened"), pool)
    one, other = await plain.make("gcd", 7), await hardened.make("gcd", 7)
    assert one.question != other.question and not one.hardened and other.hardened
    assert "problems" not in one.recipe and other.recipe["problems"] == "hardened"
    assert await plain.make("gcd", 7, problems="hardened") == other
    for gym in (plain, hardened):
        for problem in (one, other):
            assert await gym.make(**problem.recipe) == problem
            right = f"<answer>{problem.answer}</answer>"
            assert await gym.score(json.dumps(problem.recipe), [right, "x"]) == [1.0, 0.0]
    with pytest.raises(BadUsage, match="problems must be 'library' or 'hardened', not 'hard'"):
        await plain.make("gcd", 7, problems="hard")


async def test_parameters_that_no_hardened_problem_has_are_obeyed(
    pool: WorkerPool, caplog: pytest.LogCaptureFixture
) -> None:
    """The library's problem is asked instead, which the log says once for a task."""
    config = {"modulo_grid": {"max_holes": 1}}
    hardened = Gym(Settings(problems="hardened", task_configs=config), pool)
    for seed in (7, 8):
        problem = await hardened.make("modulo_grid", seed)
        assert problem == await Gym(Settings(task_configs=config), pool).make("modulo_grid", seed)
        assert not problem.hardened
    assert [m for m in caplog.messages if "modulo_grid" in m] == [
        "Some problems of modulo_grid are reasoning-gym's own, because no hardened one can be made "
        "with the parameters {'max_holes': 1}."
    ]


@pytest.fixture
def streams(pool: WorkerPool) -> Any:
    """Begin streams over the shared pool; each call begins them anew."""
    settings = Settings(tasks=["chain_sum", "gcd", "syllogism"], seed=7)
    return lambda: Gym(settings, PoolDouble(pool))  # type: ignore[arg-type]


async def test_each_way_of_choosing_levels_has_its_own_stream(streams: Any) -> None:
    mixed, plain = streams(), streams()
    got = [await mixed.next(level) for level in (0.5, "random", 0.5, None, 0.5, "curriculum")]
    assert [p.level for p in got if p.level in (0.5, START)] == [0.5, 0.5, 0.5, START]
    assert [p for p in got if p.level == 0.5] == [await plain.next(0.5) for _ in range(3)]
    for each in (mixed, plain):
        await each.close()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"max_numbers": 1}, r'task_configs.gcd: {"max_numbers": 1} makes no'),
        ({"max_valu": 3}, r"It has max_numbers, max_value, min_numbers, min_value"),
        ({"min_numbers": "3"}, r"min_numbers is a number, write it without quotes"),
        ({"": 1}, r"gcd has no parameter ''"),
        ({"seed": 3}, r"seed and size are set for each problem"),
    ],
)
async def test_parameters_that_make_no_problem_end_a_stream_at_once(
    pool: WorkerPool, config: dict[str, Any], said: str
) -> None:
    gym = Gym(Settings(tasks=["gcd", "lcm"], task_configs={"gcd": config}), PoolDouble(pool))  # type: ignore[arg-type]
    for level in (None, 0.5):
        with pytest.raises(BadUsage, match=said):
            await gym.next(level)
    await gym.close()


async def test_the_curriculum_learns_before_its_stream_begins(streams: Any) -> None:
    warm, recipe = streams(), {"task": "gcd", "seed": 1, "level": 0.3}
    warm.pool.make = None  # of a recipe, no problem is made
    moved = [await warm.observe(recipe, [1.0] * 8) for _ in range(4)]
    del warm.pool.make
    highest = max(level for level in moved if level is not None)
    assert highest > START
    levels = {p.task: p.level for p in [await warm.next("curriculum") for _ in range(12)]}
    assert levels["gcd"] == highest and levels["chain_sum"] == START
    await warm.close()


async def test_a_damaged_state_changes_nothing(
    streams: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """The error says what to pass, and the streams go on; a state of other tasks is logged."""
    one = streams()
    before = await one.next(None)
    state = await one.state_dict()
    await one.load_state_dict(state)
    assert not caplog.messages
    state["streams"][-1]["state"]["plans"][0] = ["theirs", None]  # which is skipped
    await one.load_state_dict({**state, "tasks": ["gcd", "lcm"]})
    assert "other tasks (one of the two lacks chain_sum, lcm, syllogism)" in caplog.text
    wrong = [[], [{"level": None}], [{**state["streams"][0], "level": "hard"}]]
    damages = [{**state, "streams": each} for each in wrong]
    with pytest.raises(BadUsage, match="state is of a gym with seed 8, and this one has seed 7"):
        await one.load_state_dict({**state, "seed": 8})
    for damaged in ({}, {**state, "schema": 9}, [1], *damages):
        with pytest.raises(BadUsage, match="pass what state_dict\\(\\) returned"):
            await one.load_state_dict(damaged)
    assert await one.next(None) != before
    with pytest.raises(BadUsage, match="2 scores and 1 values of cut"):
        await one.observe(before, [1.0, 0.0], [True])
    with pytest.raises(BadUsage, match=r"cut is \[0\.5\]"):
        await one.observe(before, [1.0], [0.5])
    with pytest.raises(BadUsage, match="pairs are None: write a list of"):
        await one.score_many(None)
    with pytest.raises(UnknownTask, match=r"\['gcd'\] is not a task: write one name.* n is -1"):
        await one.held_out(["gcd"], -1)
    with pytest.raises(UnknownTask, match=r"no task 'gdc'.* seed is -1.* level is 2"):
        await one.make("gdc", -1, 2)
    with pytest.raises(BadUsage, match=r"write make\(\*\*recipe\)"):
        await one.make(before.recipe)
    await one.close()
