"""rgenv/dataset/source.py: the training problems of one replica, in order."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from typing import Any

import pytest
import pytest_asyncio

from rgenv.dataset import prefetch
from rgenv.dataset.difficulty import Difficulty, Mode
from rgenv.dataset.source import ItemSource
from rgenv.dataset.stream import Stream
from rgenv.errors import MakeFailed, StartupError
from rgenv.types import Problem
from tests.support.polling import settle, until
from tests.support.rollouts import problem

TASKS = {"gcd": 1.0, "lcm": 2.0}
SEED = 42

New = Callable[..., ItemSource]


async def make_any(task: str, seed: int, level: float | None) -> Problem:
    return problem(seed, task, level, answer=str(seed))


def maker(**attributes: Callable[[int], Any]) -> Callable[..., Awaitable[Problem]]:
    """A `make` whose problems have attributes that are functions of the seed."""

    async def make(task: str, seed: int, level: float | None) -> Problem:
        values = {name: value(seed) for name, value in {"answer": str, **attributes}.items()}
        return problem(seed, task, level, **values)

    return make


make_varied = maker(
    question=lambda seed: f"{seed % 200}?",
    answer=lambda seed: str(seed % 2),
    winnable=lambda seed: seed % 5 > 0,
)


def failing(seeds: Collection[int]) -> Callable[..., Awaitable[Problem]]:
    """A `make` that fails for some seeds."""

    async def make(task: str, seed: int, level: float | None) -> Problem:
        if seed in seeds:
            raise MakeFailed("timeout", "no reply within 10 s")
        return await make_any(task, seed, level)

    return make


def too_long_unless(fits: Callable[[str], bool]) -> Callable[[Problem], Awaitable[str | None]]:
    """A `too_long` that asks for a higher limit where a question does not fit."""

    async def too_long(asked: Problem) -> str | None:
        return None if fits(asked.question) else "max_token_length"

    return too_long


def too_long_above(level: float) -> Callable[[Problem], Awaitable[str | None]]:
    """A `too_long` for three quarters of gcd's problems above a level."""

    async def too_long(asked: Problem) -> str | None:
        is_long = asked.task == "gcd" and (asked.level or 0.0) > level and asked.seed % 4
        return "max_token_length" if is_long else None

    return too_long


@pytest_asyncio.fixture(loop_scope="session")
async def new() -> AsyncIterator[New]:
    """Makes sources and closes them."""
    made: list[ItemSource] = []

    def make(make: Any = make_any, tasks: dict[str, float] = TASKS, **changes: Any) -> ItemSource:
        values = {
            "stream": Stream(seed=SEED, tasks=tasks),
            "difficulty": Difficulty(None),
            "ahead": 4,
            **changes,
        }
        made.append(ItemSource(make, **values))
        return made[-1]

    yield make
    for source in made:
        await source.close()


async def drawn(source: ItemSource, count: int) -> list[Problem]:
    return [await source.next() for _ in range(count)]


async def test_problems_to_ask_again_come_before_new_ones(new: New) -> None:
    """They come in their order; then the stream goes on."""
    source, undisturbed = new(), new()
    first, second, third = await drawn(source, 3)
    again = new()
    again.load_state_dict(source.state_dict([third, first]))
    assert await drawn(again, 4) == [third, first, *(await drawn(undisturbed, 5))[3:]]
    assert second not in (first, third)


async def test_a_problem_that_cannot_be_made_is_counted_and_skipped(new: New) -> None:
    """No further attempt is made at it, because that could take as long to fail."""
    counts: Counter[str] = Counter()
    undisturbed = await drawn(new(), 12)
    broken = {undisturbed[n].seed for n in (0, 3, 4)}
    source = new(failing(broken), count=lambda name: counts.update([name]))
    expected = [p for p in undisturbed if p.seed not in broken]
    assert await drawn(source, len(expected)) == expected
    assert counts == {"not_made/timeout": 3}


async def test_held_out_problems_are_never_served(new: New) -> None:
    """A problem that is held out is replaced by another of the same task."""
    make = maker(question=lambda seed: f"{seed % 7}?", held_out=lambda seed: seed % 7 < 3)
    problems = await drawn(new(make), 60)
    for task in ("gcd", "lcm"):
        asked = {p.question for p in problems if p.task == task}
        assert asked == {f"{residue}?" for residue in range(3, 7)}


@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("unwinnable", {"winnable": lambda seed: seed % 3 > 0}),
        ("question_too_long", {"question": lambda seed: f"{seed}{'!' * 90 * (seed % 3 == 0)}"}),
    ],
)
async def test_unwinnable_and_long_problems_are_counted_and_replaced(
    new: New, name: str, attribute: dict[str, Callable[[int], Any]]
) -> None:
    """Each attempt that is rejected counts; the next attempt takes its place."""
    counts: Counter[str] = Counter()
    rejected: set[int] = set()
    make = maker(**attribute)

    async def noting(task: str, seed: int, level: float | None) -> Problem:
        rejected.update([seed] if seed % 3 == 0 else [])
        return await make(task, seed, level)

    too_long = too_long_unless(lambda question: len(question) < 80)
    source = new(noting, too_long=too_long, count=lambda metric: counts.update([metric]))
    problems = await drawn(source, 30)
    assert all(p.seed % 3 for p in problems)
    assert rejected
    await until(lambda: counts == {f"not_made/{name}": len(rejected)})


@pytest.mark.parametrize("balance", [True, False])
async def test_a_frequent_answer_is_avoided_unless_balancing_is_off(
    new: New, balance: bool
) -> None:
    """With balancing, an answer comes at most 11 times in 20 problems of a task."""
    make = maker(answer=lambda seed: "no" if seed % 10 else "yes")
    source = new(make, tasks={"gcd": 1.0}, balance_labels=balance)
    answers = [p.answer for p in await drawn(source, 100)]
    most = max(answers[i : i + 20].count("no") for i in range(81))
    assert (most <= 11) == balance


async def test_a_cancelled_call_loses_no_problem(new: New) -> None:
    """New and requeued problems both go to the next caller."""
    gate, made = asyncio.Event(), asyncio.Event()

    async def make(task: str, seed: int, level: float | None) -> Problem:
        made.set()
        await gate.wait()
        return await make_any(task, seed, level)

    source, undisturbed = new(make), new()
    expected = await drawn(undisturbed, 3)
    for requeued in ([], expected[2:]):
        if requeued:
            source.load_state_dict(source.state_dict(requeued))
        gate.clear()
        made.clear()
        waiting = asyncio.create_task(source.next())
        await made.wait()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        gate.set()
        assert await source.next() == (requeued or expected)[0]


async def test_a_stream_that_serves_nothing_ends_with_the_options_to_look_at(
    new: New, monkeypatch: pytest.MonkeyPatch
) -> None:
    """StartupError names the options that decide what is served."""
    monkeypatch.setattr(prefetch, "MAX_SKIPPED", 9)
    source = new(too_long=too_long_unless(lambda _question: False))
    with pytest.raises(StartupError, match=r"task_names.*max_prompt_tokens"):
        await source.next()


@pytest.mark.parametrize(
    ("difficulty", "lowest"),
    [
        (Difficulty("curriculum"), 0.45),
        (Difficulty("random"), 0.0),
        (Difficulty("random", random_range=(0.8, 0.8)), 0.45),
    ],
)
async def test_no_problem_is_lost_to_long_prompts(
    new: New, difficulty: Difficulty, lowest: float
) -> None:
    """A level that is too high is left, the task keeps its share, and each n gives a problem."""
    counts: Counter[str] = Counter()
    source = new(
        difficulty=difficulty,
        too_long=too_long_above(0.5),
        count=lambda name: counts.update([name]),
        ahead=16,
    )
    asked, tried = [], 0
    for number in range(500):
        each = await source.next()
        source.observe(each, [1.0] * 8)
        asked.append(each)
        if number == 100:
            tried = counts["not_made/question_too_long"]
    assert source.position <= 500 + 16 and not counts["skipped_too_long"]
    assert counts["not_made/question_too_long"] - tried < 40
    late = [each.level or 0.0 for each in asked[200:] if each.task == "gcd"]
    assert 60 < len(late) < 125  # about a third of 300
    assert sum(level > 0.5 for level in late) < 5
    assert max(late) > 0.4 and min(late[-20:]) >= lowest


async def test_a_level_is_kept_if_most_of_its_prompts_fit(new: New) -> None:
    async def too_long(asked: Problem) -> str | None:
        return None if asked.seed % 4 else "max_token_length"

    source = new(difficulty=Difficulty("random", random_range=(0.8, 0.8)), too_long=too_long)
    levels = [each.level for each in await drawn(source, 300)]
    assert levels.count(0.8) > 280


async def test_a_task_whose_prompts_are_all_too_long_is_left_out_once(
    new: New, caplog: pytest.LogCaptureFixture
) -> None:
    """Other tasks take its place by weight, from the first problem on; the log says it once."""
    tasks = {"gcd": 1.0, "lcm": 2.0, "bf": 1.0}
    counts: Counter[str] = Counter()

    async def too_long(asked: Problem) -> str | None:
        return "max_token_length" if asked.task == "gcd" else None

    source = new(tasks=tasks, too_long=too_long, count=lambda name: counts.update([name]))
    asked = Counter(each.task for each in await drawn(source, 300))
    assert set(asked) == {"lcm", "bf"} and 170 < asked["lcm"] < 230
    assert not counts["skipped_too_long"] and counts["not_made/question_too_long"] < 30
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    lines = [line for line in warnings if "gcd" in line]
    assert len(lines) == 2 and "raise --env.max_token_length" in lines[0]
    assert "gcd is asked no more" in lines[1]


MODES = [(None, None), ("random", None), ("curriculum", None), ("random", 0.4), ("curriculum", 0.3)]
"""What decides the level, and above which level prompts are too long."""


def settings_of(mode: Mode, above: float | None) -> dict[str, Any]:
    settings = {"difficulty": Difficulty(mode)}
    return settings if above is None else {**settings, "too_long": too_long_above(above)}


def observe(source: ItemSource, asked: Problem) -> None:
    """Give a source the scores of one group, a function of the problem."""
    scores = [float(asked.seed % 16 > i) for i in range(8)]
    source.observe(asked, scores)


@pytest.mark.parametrize(("mode", "above"), MODES)
async def test_a_restored_source_continues_exactly(
    new: New, mode: Mode, above: float | None
) -> None:
    """Problems under way come again; all later problems are those of the uninterrupted run."""
    original, restored = (new(make_varied, **settings_of(mode, above)) for _ in range(2))
    for _ in range(40):
        observe(original, await original.next())
    under_way = await drawn(original, 3)
    state = json.loads(json.dumps(original.state_dict(under_way)))
    restored.load_state_dict(state)
    assert await drawn(restored, 3) == under_way
    for each in under_way:
        observe(original, each)
        observe(restored, each)
    for _ in range(60):
        expected = await original.next()
        assert await restored.next() == expected
        observe(original, expected)
        observe(restored, expected)
    assert restored.state_dict([]) == original.state_dict([])


@pytest.mark.parametrize(
    "damage",
    [
        {},
        {"difficulty": {"schema": 9}},
        {"plans": {"x": ["gcd", None]}},
        {"plans": {"1": ["gcd", 9.35]}},
        {"plans": {"1": [[], 0.35]}},
        {"again": [1]},
        {"again": [["gcd", "7", None]]},
        {"again": [["gcd", 7, 9.35]]},
        {"again": [[{}, 7, None]]},
        {"judged": -1e308},
        {"prompts": {"asked": {}, "known_in_a_row": {"gcd": -5}}},
        {"difficulty": {"tasks": {}, "room": {"limit": "", "tasks": {"gcd": [[3, -1, 0]]}}}},
        {"next_item": 1e308},
    ],
)
async def test_a_damaged_state_is_refused(new: New, damage: dict[str, Any]) -> None:
    """Loading raises one of the documented exceptions."""
    state = {**new().state_dict([]), **damage} if damage else {}
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        new().load_state_dict(state)


# Recording and replaying


def killed(source: ItemSource, state: Any, events: list[Any]) -> None:
    """Bring a new source to the state of one that was killed after these events."""
    source.load_state_dict(json.loads(json.dumps(state)))
    for event in json.loads(json.dumps(events)):
        source.replay(event)


@pytest.mark.parametrize("asked", [0, 1, 3, 30])
async def test_after_kill_9_what_was_under_way_comes_first_and_nothing_twice(
    new: New, asked: int
) -> None:
    """All lives of a source together hand out the problems of an uninterrupted one."""
    stream = [each.key for each in await drawn(new(make_varied), 10 + 3 * (asked + 5))]
    source, events = new(make_varied), []
    state = source.state_dict([])
    source.record_to(events.append)
    served = []
    for _ in range(3):
        handed_out = await drawn(source, asked + 5)
        await settle()  # others are made ahead
        for each in handed_out[:-2]:
            source.done(each.key)
            served.append(each.key)
        source, before, events = new(make_varied), events, []
        killed(source, state, before)
        assert source.requeued == 2
        state = source.state_dict([])
        source.record_to(events.append)
    rest = [each.key for each in await drawn(source, 12)]
    assert len(set(rest + served)) == len(rest) + len(served)
    assert set(rest + served) == set(stream[: len(rest) + len(served)])


@pytest.mark.parametrize(("mode", "above"), MODES)
async def test_after_kill_9_the_curriculum_knows_what_it_knew(
    new: New, mode: Mode, above: float | None
) -> None:
    """What groups showed since the state is learned again, and what was skipped."""
    make = maker(winnable=lambda seed: seed % 3 > 0)
    source, events = new(make, **settings_of(mode, above)), []
    source.record_to(events.append)
    state = json.loads(json.dumps(source.state_dict([])))
    for _ in range(60):
        asked = await source.next()
        observe(source, asked)
        source.done(asked.key)
    restored = new(make, **settings_of(mode, above))
    killed(restored, state, events)
    assert restored.state_dict([])["difficulty"] == source.state_dict([])["difficulty"]
    assert restored.requeued == 0


async def test_a_skipped_problem_is_noted_once(new: New) -> None:
    """A problem that could not be served lowers the level, before and after kill -9 alike."""
    tasks, seeds = {"gcd": 1.0}, Stream(seed=SEED, tasks={"gcd": 1.0})
    never = {seeds.seed(2, attempt, "gcd") for attempt in range(64)}
    make = maker(winnable=lambda seed: seed not in never)

    def source() -> ItemSource:
        return new(make, tasks=tasks, difficulty=Difficulty("curriculum"))

    original, restored, events = source(), source(), []
    state = original.state_dict([])
    original.record_to(events.append)
    for _ in range(2):
        original.done((await original.next()).key)
    await settle()  # the third one is skipped ahead of demand
    assert not [event for event in events if event[0] == "skipped"]
    original.done((await original.next()).key)
    assert [event[:3] for event in events if event[0] == "skipped"] == [["skipped", 2, "gcd"]]
    killed(restored, state, events)
    await original.close()
    assert restored.difficulty.state_dict() == original.difficulty.state_dict()
    assert restored.position == 4


async def test_a_problem_that_cannot_be_made_again_is_done(new: New) -> None:
    """Otherwise it would be tried after every restart."""
    lost: list[int] = []
    source, restored, events = new(failing(lost)), new(failing(lost)), []
    [first] = await drawn(source, 1)
    restored.load_state_dict(json.loads(json.dumps(source.state_dict([first]))))
    restored.record_to(events.append)
    lost.append(first.seed)
    assert (await restored.next()).key != first.key
    assert events[0] == ["done", *first.key]


@pytest.mark.parametrize(
    "event",
    [
        ["lost"],
        ["asked", 1],
        ["asked", 1e308, "gcd", 7, 0.3, 5, "x"],
        ["asked", 1, "gcd", 7, 0.3, "5", "x"],
        ["skipped", -1, "gcd", 0.3],
        ["room", 1, "gcd", 9.35, 1, 2, ""],
        ["learned"],
        ["learned", "gcd", 0.3, 0, 0, 10**12, None],
        ["learned", None, 0.3, 0, 0, 8, None],
        ["done", "gcd"],
    ],
)
async def test_a_damaged_event_is_refused(new: New, event: list[Any]) -> None:
    """Replaying raises one of the documented exceptions."""
    with pytest.raises((ValueError, KeyError, TypeError)):
        new().replay(event)


async def test_places_of_problems_made_ahead_are_free_once_they_are_handed_out(new: New) -> None:
    """A problem that is handed back later takes no place from those that are made ahead."""
    original, restored = new(), new()
    await drawn(original, 1)
    await settle()
    restored.load_state_dict(json.loads(json.dumps(original.state_dict([]))))
    ahead = restored.requeued
    assert ahead > 0
    handed_out = await drawn(restored, ahead + 1)
    state = restored.state_dict(handed_out)
    assert state["judged"] == len(state["again"]) - len(handed_out)
