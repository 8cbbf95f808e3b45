"""rgenv/gym/clients.py: ReasoningGym and AsyncReasoningGym, with real workers."""

import asyncio
import gc
import inspect
import itertools
import json
import os
import pickle
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import rgenv
from rgenv import AsyncReasoningGym, ReasoningGym
from rgenv.errors import BadUsage, MakeFailed, PoolBroken, StartupError, UnknownTask
from rgenv.gym import gym as gym_module
from rgenv.gym.settings import Settings
from rgenv.pool.pool import WorkerPool
from tests.support.own_tasks import write
from tests.support.paths import ROOT
from tests.support.processes import descendants, ends_within
from tests.support.programs import run_python

pytestmark = pytest.mark.slow

TASKS = ["gcd", "chain_sum"]


@pytest.fixture(scope="module")
def gym() -> Iterator[ReasoningGym]:
    """A gym that the tests of this file share."""
    with ReasoningGym(TASKS, seed=7, workers=1) as gym:
        yield gym


def right(problem: rgenv.types.Problem) -> str:
    return f"<answer>{problem.answer}</answer>"


def program(*lines: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program that has imported ReasoningGym, with all warnings shown."""
    head = "from rgenv import AsyncReasoningGym, ReasoningGym\n"
    variables = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    return run_python("-W", "always", "-c", head + "\n".join(lines), cwd=folder, env=variables)


def test_an_argument_that_does_not_exist_is_one_sentence() -> None:
    with pytest.raises(BadUsage, match=r"no argument 'level'. Give the level to make"):
        ReasoningGym(level="gcd")
    with pytest.raises(BadUsage, match=r"Did you mean tasks.*'levl'.* workers: must be from"):
        ReasoningGym(task="gcd", levl=1, workers=0)
    for client in (ReasoningGym, AsyncReasoningGym):
        assert "answer_format" in inspect.signature(client).parameters


def test_plain_code_makes_scores_and_learns(gym: ReasoningGym) -> None:
    """docs/library.md has a program of each method; here is what it does not show."""
    problem = gym.make("gcd", seed=7, level=0.5)
    level_only = {"task": "gcd", "seed": 7, "level": 0.5}
    pairs = [(one, right(problem)) for one in (problem.recipe, level_only)]
    assert gym.score_many([*pairs, (problem, "7")]) == [1.0, 1.0, 0.0]
    [verdict] = gym.verdicts(problem, ["<think><answer>7</answer>"])
    assert verdict.detail == "thinking never closed"
    with pytest.raises(TypeError, match="must be a list of texts"):
        gym.score(problem, right(problem))  # type: ignore[arg-type]
    served = list(gym.problems(20, level="curriculum"))
    assert {p.task for p in served} == set(TASKS) and len(served) == 20
    moved = [gym.observe(p.recipe, [1.0] * 8) for p in served]
    assert max(level for level in moved if level is not None) > 0.3
    assert gym.task_names == sorted(TASKS) and gym.categories["gcd"] == "arithmetic"


def test_many_recipes_are_made_in_order_and_read_as_results_are_taken(gym: ReasoningGym) -> None:
    read: list[int] = []

    def recipes() -> Iterator[dict[str, object]]:
        for seed in itertools.count():
            read.append(seed)
            yield {"task": TASKS[seed % 2], "seed": seed, "level": 0.5}

    made = list(itertools.islice(gym.make_many(recipes()), 20))
    assert [problem.seed for problem in made] == list(range(20))
    assert len(read) < 20 + 10
    assert list(gym.make_many([made[3], made[4].recipe, json.dumps(made[5].recipe)])) == made[3:6]
    with pytest.raises(MakeFailed) as failed:
        list(gym.make_many([made[3], {"task": "gcd", "seed": 5, "config": {"many": 3}}]))
    assert "seed=5" in failed.value.__notes__[0]
    again = pickle.loads(pickle.dumps(failed.value))  # as it comes out of another process
    assert (str(again), again.kind) == (str(failed.value), "error")


def test_held_out_problems_never_appear_in_a_stream(gym: ReasoningGym) -> None:
    held_out = gym.held_out("gcd", 50, level=0.0)
    assert len({problem.question for problem in held_out}) == 50
    assert gym.held_out("gcd", 50, level=0.0) == held_out
    families = {p.family for p in gym.problems(300, level=0.0) if p.task == "gcd"}
    assert len(families) > 100 and not families & {problem.family for problem in held_out}
    with pytest.raises(UnknownTask, match="gcd"):
        gym.held_out("gdc", 5)


def test_many_threads_call_at_once(gym: ReasoningGym) -> None:
    shared = gym.problems(60, level="random")

    def work(seed: int) -> list[str]:
        problem = gym.make("gcd", seed)
        assert gym.score(problem, ["<answer>x</answer>", right(problem)]) == [0.0, 1.0]
        return [problem.question for problem in shared]

    with ThreadPoolExecutor(16) as threads:
        asked = [question for part in threads.map(work, range(16)) for question in part]
    assert len(asked) == len(set(asked)) == 60


async def test_the_asynchronous_client_has_the_same_problems(gym: ReasoningGym) -> None:
    async with AsyncReasoningGym(TASKS, seed=7, workers=1) as other:
        await other.load_state_dict(gym.state_dict())
        served = [problem async for problem in other.problems(10, level="random")]
        assert served == list(gym.problems(10, level="random"))
        assert await other.held_out("gcd", 3) == gym.held_out("gcd", 3)
        assert await other.observe(served[0], [1.0, 0.0]) == gym.observe(served[0], [1.0, 0.0])
        pairs = ((one, right(one)) for one in served)
        assert await other.score_many(pairs) == [1.0] * 10
        again = [made async for made in other.make_many([served[0]])]
        assert again == [served[0]] == [await other.make(**served[0].recipe)]
        assert other.task_names == gym.task_names
    with pytest.raises(PoolBroken, match="This gym is closed"):
        await other.make("gcd", 7)


def test_closing_ends_workers_and_calls() -> None:
    before = set(descendants(os.getpid()))
    gym = ReasoningGym(TASKS, workers=1)
    started = set(descendants(os.getpid())) - before
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(list, gym.problems())
        gym.close()
        gym.close()
        assert isinstance(waiting.exception(60), PoolBroken)
    assert started and all(ends_within(pid, 0) for pid in started)
    assert gym.state_dict()["tasks"] == sorted(TASKS)
    with pytest.raises(PoolBroken, match="This gym is closed: make another one"):
        gym.make("gcd", 7)


def test_a_client_that_nobody_refers_to_ends_its_workers() -> None:
    before = set(descendants(os.getpid()))
    ReasoningGym(TASKS, workers=1).make("gcd", 7)
    gc.collect()
    assert all(ends_within(pid, 30) for pid in set(descendants(os.getpid())) - before)


def test_a_program_that_forgets_to_close_ends_quietly(tmp_path: Path) -> None:
    done = program(
        "import asyncio",
        "gym = ReasoningGym(['gcd'], workers=2)",
        "other = AsyncReasoningGym(['gcd'], workers=1)",
        "problem = asyncio.run(other.make('gcd', 7))",
        "next(gym.problems())",
        "print(gym.score(problem, [f'<answer>{problem.answer}</answer>']))",
        folder=tmp_path,
    )
    assert (done.stdout, done.stderr) == ("[1.0]\n", "")
    assert list(tmp_path.iterdir()) == []


def test_a_fork_is_told_to_make_its_own(tmp_path: Path) -> None:
    """Calls in a forked process raise at once, and closing there leaves the parent's workers."""
    done = program(
        "import os, warnings",
        "warnings.simplefilter('ignore')",
        "gym = ReasoningGym(['gcd'], workers=1)",
        "if os.fork() == 0:",
        "    try: gym.make('gcd', 7)",
        "    except RuntimeError as error: print(error, flush=True)",
        "    gym.close()",
        "    raise SystemExit",
        "os.wait()",
        "print(gym.make('gcd', 7).task)",
        folder=tmp_path,
    )
    told = "This gym belongs to the process that made it, and this one was forked from it: "
    assert done.stdout == f"{told}make a gym here.\ngcd\n" and done.stderr == ""


def test_problems_are_pickled_and_clients_are_not(gym: ReasoningGym) -> None:
    with pytest.raises(TypeError, match="make one in each process, and send problems or recipes"):
        pickle.dumps(gym)
    problem = gym.make("gcd", 7)
    assert pickle.loads(pickle.dumps(problem)) == problem


async def test_a_caller_that_is_cancelled_cancels_its_work(tmp_path: Path) -> None:
    """The cancellation stays one, and other calls go on."""
    settings = {"task_modules": write(tmp_path), "workers": 1, "scoring_timeout": 60.0}
    async with AsyncReasoningGym("own", **settings) as other, asyncio.timeout(50):
        problem = await other.make("backwards", 7)
        caller = asyncio.create_task(other.score(problem, ["<answer>hang</answer>"]))
        await asyncio.sleep(0.2)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        assert await other.score(problem, [right(problem)]) == [1.0]


async def test_a_failed_start_is_told_to_each_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(settings: Settings) -> WorkerPool:
        raise StartupError("no room")

    monkeypatch.setattr(gym_module, "start_pool", fail)
    other = AsyncReasoningGym("gcd")
    for _ in range(2):
        with pytest.raises(StartupError, match="no room"):
            await other.make("gcd", 7)
    with pytest.raises(RuntimeError, match="not started"):
        _ = other.task_names
    await other.close()
