"""rgenv/rollouts/group.py: collecting groups, failures, cancelling and the end of a run."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from rgenv.errors import PromptFailed, RequestRefused, StartupError
from rgenv.rollouts.group import GroupCollector, ProblemDropped, RetryLater
from rgenv.runtime.backoff import ATTEMPTS, FIRST_PAUSE, LONGEST_PAUSE, REFUSALS
from rgenv.types import Group, Problem, Rollout
from tests.support.pools import PoolDouble, Score, fixed_scores
from tests.support.rollouts import problem, rollout

PROBLEM, OTHER = problem(7), problem(8)


class Run:
    """A collector over a scripted model, and everything that it reports."""

    def __init__(self, score: Score | None = None, **more: Any) -> None:
        self.fails: dict[int, Exception] = {}
        self.asked: list[Problem] = []
        self.recorded: list[Group] = []
        self.counts: Counter[str] = Counter()
        self.called_off: list[Exception] = []
        self.generating, self.release = asyncio.Event(), asyncio.Event()
        self.release.set()
        self.pool = PoolDouble(score=score or fixed_scores(1.0, 0.0))
        self.collector = GroupCollector(
            self.generate,
            self.pool.score,
            self.recorded.append,
            patience=60.0,
            abort=self.called_off.append,
            count=lambda name: self.counts.update([name]),
            **more,
        )

    async def generate(self, asked: Problem, count: int) -> list[Rollout]:
        self.asked.append(asked)
        self.generating.set()
        if asked.seed in self.fails:
            raise self.fails[asked.seed]
        await self.release.wait()
        return [rollout(asked, f"<answer>{i}</answer>") for i in range(count)]

    async def collect(self, asked: Problem = PROBLEM) -> Group:
        return await self.collector.collect(asked, 2)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses after failures, which take no time."""
    seen: list[float] = []
    soon = asyncio.sleep

    async def sleep(seconds: float) -> None:
        seen.append(seconds)
        await soon(0)

    monkeypatch.setattr("rgenv.rollouts.group.asyncio.sleep", sleep)
    return seen


async def test_a_failed_problem_is_asked_again_after_growing_pauses(pauses: list[float]) -> None:
    """While nothing works, no problem is given up, and every failure is counted; with raise_errors
    a failure is neither counted nor asked again."""
    run = Run()
    run.fails = {each.seed: OSError("away") for each in (PROBLEM, OTHER)}
    for asked in (PROBLEM, OTHER) * 6:
        with pytest.raises(RetryLater):
            await run.collect(asked)
    assert pauses == sorted(pauses) and (pauses[0], pauses[-1]) == (FIRST_PAUSE, LONGEST_PAUSE)
    assert run.counts == {"failed_groups": 12} and not run.recorded
    raising = Run(raise_errors=True)
    raising.fails = run.fails
    with pytest.raises(OSError, match="away"):
        await raising.collect()
    assert not raising.counts and len(pauses) == 12 and raising.collector.collecting == []


async def test_a_problem_that_fails_while_others_work_is_given_up(pauses: list[float]) -> None:
    """Its count begins anew if it is asked again later; after a success, pauses are short."""
    run = Run()
    run.fails = {PROBLEM.seed: OSError("bad request")}
    for _ in range(2):
        for _ in range(ATTEMPTS - 1):
            with pytest.raises(RetryLater):
                await run.collect()
            await run.collect(OTHER)
        with pytest.raises(ProblemDropped, match="bad request"):
            await run.collect()
        await run.collect(OTHER)
    assert run.counts == {"failed_groups": 2 * ATTEMPTS, "items_given_up": 2}
    assert pauses == [FIRST_PAUSE] * 2 * (ATTEMPTS - 1)


async def test_few_problems_are_given_up_if_all_fail(pauses: list[float]) -> None:
    """As where a server completes one token, but nothing longer."""
    run = Run()
    run.fails = {each: PromptFailed("too slow") for each in range(30)}
    for seed in run.fails:
        with pytest.raises((RetryLater, ProblemDropped)):
            await run.collect(problem(seed))
    assert run.counts == {"failed_groups": 30, "items_given_up": 2 + REFUSALS}


REFUSED = RequestRefused("too many tokens: lower --env.max_token_length", final=False)


async def test_a_run_whose_requests_are_all_refused_is_called_off(pauses: list[float]) -> None:
    """Waiting would not help; the message is the refusal's. Refusals of some problems end no run:
    their prompts may be too long for the server, while one that is under way may fit."""
    run = Run()
    run.fails = {PROBLEM.seed: REFUSED}
    for _ in range(REFUSALS):
        assert run.called_off == []
        with pytest.raises(RetryLater):
            await run.collect()
    assert [str(error) for error in run.called_off] == [f"{REFUSED}."]
    assert isinstance(run.called_off[0], StartupError)
    run = Run()
    run.fails = {each: REFUSED for each in range(10, 10 + 2 * REFUSALS)}
    run.release.clear()
    answering = asyncio.create_task(run.collect(OTHER))
    await run.generating.wait()
    for seed in run.fails:
        if seed == 10 + REFUSALS:
            run.release.set()
            await answering
        with pytest.raises((RetryLater, ProblemDropped)):
            await run.collect(problem(seed))
    assert run.called_off == []
