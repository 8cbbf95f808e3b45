"""rgenv/resume/progress.py: what happens to each problem, recorded for the next process."""

import logging
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from rgenv.dataset.difficulty import Difficulty
from rgenv.dataset.source import ItemSource
from rgenv.dataset.stream import Stream
from rgenv.errors import StartupError
from rgenv.resume import progress as module
from rgenv.resume.checkpoints import Found
from rgenv.resume.progress import Progress, replay
from rgenv.storage.state_log import LEAST_BYTES, StateLog
from rgenv.types import Problem
from tests.support.rollouts import group, problem

ABOUT = {"seed": 42, "replica": "replica0of1", "settings": {}, "run": "1f3a"}


async def make(task: str, seed: int, level: float | None) -> Problem:
    return problem(seed, task, level, answer=str(seed))


def new_source() -> ItemSource:
    stream = Stream(seed=42, tasks={"gcd": 1.0, "lcm": 1.0})
    return ItemSource(make, stream=stream, difficulty=Difficulty(None), ahead=4)


@pytest_asyncio.fixture(loop_scope="session")
async def source() -> AsyncIterator[ItemSource]:
    """A source of problems that are made at once."""
    source = new_source()
    yield source
    await source.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file, in a folder that does not exist yet."""
    return tmp_path / "run" / "progress.jsonl"


def begun(path: Path, source: ItemSource) -> Progress:
    progress = Progress()
    progress.begin(path, source, ABOUT, step=3)
    return progress


def found(path: Path) -> Found:
    state, events = StateLog(path).read()
    assert state is not None
    return Found(path, state, events)


async def goes_on(path: Path) -> tuple[list[Problem], Problem]:
    """Return what the next process asks again, and its first new problem."""
    source = new_source()
    replay(source, found(path))
    again = [await source.next() for _ in range(source.requeued)]
    new = await source.next()
    await source.close()
    return again, new


async def test_a_settled_group_is_not_waited_for(path: Path, source: ItemSource) -> None:
    """Also if the file was started anew between the two events."""
    progress = begun(path, source)
    groups = [group(await source.next(), [1.0, 0.0]) for _ in range(2)]
    progress.scored(groups[0])
    path.unlink()
    progress.tidy(step=3)
    progress.scored(groups[1])
    for scored in groups:
        progress.settled(scored.group_id)
    after = Progress()
    after.went_on_from(found(path))
    assert after.unsettled == {}


@pytest.mark.parametrize("number", [-1, 10**400, "77", True, 1.5])
def test_impossible_counts_of_tokens_are_refused(path: Path, number: object) -> None:
    damaged = Found(path, {"tokens": {"trained": number}}, [])
    with pytest.raises(StartupError, match=str(path)):
        Progress().went_on_from(damaged)


async def test_the_step_is_recorded(path: Path, source: ItemSource) -> None:
    """A trainer that starts at an earlier step went back."""
    progress = begun(path, source)
    assert found(path).step == 3
    progress.tidy(step=4)
    progress.tidy(step=4)
    assert found(path).step == 4 and len(found(path).events) == 1


@pytest.mark.slow
async def test_a_long_file_is_started_anew(path: Path, source: ItemSource) -> None:
    progress = begun(path, source)
    first = await source.next()
    for step in range(LEAST_BYTES // 8):
        progress.tidy(step=step)
    assert path.stat().st_size < LEAST_BYTES + 10_000
    assert found(path).step == step and len(found(path).events) < step
    again, new = await goes_on(path)
    assert again == [first] and new == await source.next()


async def test_a_disk_that_refuses_does_not_end_the_run(
    path: Path,
    source: ItemSource,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.INFO, logger="ReasoningGymEnv")
    monkeypatch.setattr(module, "RETRY_SECONDS", 0.0)
    path.parent.touch()
    progress = begun(path, source)
    first = await source.next()
    progress.tidy(step=3)
    [error] = [line for line in caplog.messages if "can't be written" in line]
    assert str(path) in error and "asks again" in error
    path.parent.unlink()
    progress.tidy(step=3)
    assert f"{path} is written again" in caplog.text
    again, _ = await goes_on(path)
    assert again == [first]


async def test_after_closing_nothing_is_recorded(path: Path, source: ItemSource) -> None:
    """What is cancelled at the end stays under way."""
    progress = begun(path, source)
    first = await source.next()
    progress.close()
    source.done(first.key)
    progress.tidy(step=9)
    progress.close()
    assert (await goes_on(path))[0] == [first]
