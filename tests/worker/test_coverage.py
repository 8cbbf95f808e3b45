"""Corrections apply to tasks whose source they were measured on."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import reasoning_gym

from rgenv.errors import MakeFailed
from rgenv.measured import RELEASE
from rgenv.pool.coverage import Coverage
from rgenv.pool.pool import WorkerPool
from rgenv.types import Problem
from rgenv.worker.protocol import WorkerSettings
from tests.support.altered_library import CHANGED, EXECUTING, GONE, NEW, altered_library

pytestmark = pytest.mark.slow


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def altered(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[WorkerPool]:
    """A worker with a copy of the library in which some tasks differ."""
    folder = altered_library(tmp_path_factory.mktemp("library"))
    settings = WorkerSettings(import_path=str(folder))
    async with WorkerPool(workers=1, settings=settings) as pool:
        yield pool


async def test_tasks_that_differ_are_told(altered: WorkerPool) -> None:
    found = altered.coverage
    assert found.tasks("changed") == [CHANGED]
    assert sorted(found.tasks("new")) == [NEW, EXECUTING]
    assert found.tasks("gone") == [GONE]
    assert found.state("lcm") == "covered"
    warning = found.warning or ""
    for words in (f"{CHANGED}; new: ", f"gone: {GONE}.", f"pip install reasoning-gym=={RELEASE}`"):
        assert words in warning
    gone = Coverage(states={"maze": "gone"}).warning
    assert gone is not None and gone.startswith("These tasks are gone: maze. ")
    assert Coverage().warning is None


async def test_a_changed_task_is_served_by_the_library(altered: WorkerPool) -> None:
    """Questions, answers and scores are the library's own, whatever level is asked for."""
    for seed in range(20):
        problem = await altered.make(CHANGED, seed, level=1.0 if seed % 2 else None)
        drawn = problem.drawn_seed
        entry = reasoning_gym.create_dataset(CHANGED, size=1, seed=drawn)[0]
        assert problem.question == entry["question"].replace("Find the", "Find twice the")
        assert problem.answer == str(2 * int(entry["answer"])) and problem.winnable
        assert problem.config == {} and not problem.covered
        verdicts = await altered.score(problem, [problem.answer, f"{problem.answer}.0", "x"])
        assert [v.score for v in verdicts][::2] == [1.0, 0.0]
        assert 0 < verdicts[1].score < 1  # the credit of the library for a part of the text
    inspection = await altered.inspect(problem)
    assert (inspection.shortcuts, inspection.work) == ({}, None)
    assert CHANGED in altered.fixed_tasks


async def test_a_new_task_is_served_at_its_default_level(altered: WorkerPool) -> None:
    """It makes different problems, some of them held out, and its verifier scores them."""
    problems = [await altered.make(NEW, seed, select=True) for seed in (1, 2, 2**52 + 1)]
    assert [problem.held_out for problem in problems] == [False, False, True]
    assert len({problem.question for problem in problems}) == 3
    verdicts = await altered.score(problems[0], [str(problems[0].answer), "17"])
    assert [verdict.score for verdict in verdicts] == [1.0, 0.0]
    assert (await altered.make(NEW, 1, level=0.5)).config == {} and NEW in altered.fixed_tasks


async def test_a_verifier_that_executes_answers_accepts_none(altered: WorkerPool) -> None:
    """Its problems can't be won, so none is served, and no answer is executed."""
    with pytest.raises(MakeFailed, match="would execute"):
        await altered.make(EXECUTING, 1)
    problem = Problem(EXECUTING, 1, None, {}, "What is twice 1?", "2")
    for answer in ("1 + 1", "__import__('os')._exit(3)"):
        [verdict] = await altered.score(problem, [answer])
        assert (verdict.kind, verdict.score) == ("rejected", 0.0)
    assert altered.restarts == 0


async def test_other_tasks_are_as_in_the_release(altered: WorkerPool, pool: WorkerPool) -> None:
    assert altered.coverage.source(CHANGED) != pool.coverage.source(CHANGED)
    assert altered.coverage.source("composite") != pool.coverage.source("composite")
    for task in ("lcm", "codeio", "knights_knaves", "color_cube_rotation"):
        ours, theirs = [await each.make(task, 7, level=0.5) for each in (pool, altered)]
        assert ours == theirs and ours.question == theirs.question
        assert ours.source == theirs.source and theirs.covered
    problem = await altered.make("lcm", 7)
    [verdict] = await altered.score(problem, [f"{problem.answer}.0"])
    assert verdict.score == 1.0
