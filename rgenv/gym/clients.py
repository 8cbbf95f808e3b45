"""ReasoningGym and AsyncReasoningGym: problems and scores for any program.

::

    with ReasoningGym(tasks=["arithmetic", "maze"], seed=7) as gym:
        problem = gym.make("gcd", seed=7, level=0.5)
        gym.score(problem, ["<answer>4</answer>"])

    async with AsyncReasoningGym(tasks=["arithmetic"]) as gym:
        problem = await gym.make("gcd", seed=7, level=0.5)

Both have the same methods. Any number of threads and event loops may call them at the same time.
"""

from __future__ import annotations

import inspect
import itertools
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

from rgenv.dialogue.prompts import Dialogue
from rgenv.errors import BadUsage
from rgenv.gym import recipes
from rgenv.gym.recipes import Level, ProblemOrRecipe
from rgenv.gym.running import Host, Running, Work
from rgenv.gym.settings import Settings, argument, read_settings
from rgenv.text import did_you_mean, nearest
from rgenv.types import Problem, Verdict

ARGUMENTS = {argument(name): field for name, field in Settings.model_fields.items()}
"""Argument of a client -> the setting that it is."""


def _documented(init: Callable[..., None]) -> Callable[..., None]:
    """Show the arguments of a client in help and editors."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    shown = [
        inspect.Parameter(name, keyword, default=field.default) for name, field in ARGUMENTS.items()
    ]
    itself, tasks, _ = inspect.signature(init).parameters.values()
    init.__signature__ = inspect.Signature([itself, tasks, *shown[1:]])  # type: ignore[attr-defined]
    described = "\n".join(f"    {name}: {field.description}" for name, field in ARGUMENTS.items())
    init.__doc__ = f"{init.__doc__}\n\nArgs:\n{described}\n\nRaises:\n    BadUsage: one is wrong."
    return init


def _instead(name: str) -> str:
    if name in ("level", "complexity_mode"):
        return " Give the level to make(), problems() or held_out()."
    if name == "task_names":
        return did_you_mean(["tasks"])
    return did_you_mean(nearest(name, ARGUMENTS))


class BaseReasoningGym:
    """What both clients share: the arguments, and what happens to workers that nobody ends."""

    @_documented
    def __init__(self, tasks: Sequence[str] | str = (), **settings: Any) -> None:
        """What determines the problems and their scores."""
        for name in settings.keys() - ARGUMENTS.keys():
            raise BadUsage(f"{type(self).__name__} has no argument {name!r}.{_instead(name)}")
        self._host = Host(read_settings(tasks=tasks, **settings))
        # A client that is dropped ends its workers; it does not wait for them, as the garbage
        # collector may run in any thread. The host ends those of a process that exits.
        weakref.finalize(self, self._host.begin_close).atexit = False
        self._begin()

    def _begin(self) -> None: ...

    @property
    def task_names(self) -> list[str]:
        """The tasks that `problems` serves."""
        return list(self._host.running.gym.task_names)

    @property
    def categories(self) -> dict[str, str]:
        """Task -> category, for every available task."""
        return dict(self._host.running.gym.categories)

    @property
    def dialogue(self) -> Dialogue:
        """How problems are asked, and completions read; without examples."""
        return self._host.settings.dialogue

    @property
    def min_score_spread(self) -> float:
        """Scores of a group that differ by less count as equal."""
        return self._host.settings.min_score_spread

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"A {type(self).__name__} can't be pickled or copied, because its workers belong to "
            "this process: make one in each process, and send problems or recipes."
        )


class ReasoningGym(BaseReasoningGym):
    """Makes problems and scores completions, from plain code.

    ::

        with ReasoningGym(tasks=["arithmetic"], seed=7, workers=2) as gym:
            for problem in gym.problems(100, level="random"):
                completions = ask(problem.messages)
                scores = gym.score(problem, completions)

    The workers start with the object, which takes about a second, and end with it: by `close`, at
    the end of a ``with``, when nobody refers to it any more, and when the process ends.
    """

    def _begin(self) -> None:
        try:
            self._host.run(_nothing)
        except BaseException:
            self._host.close()
            raise

    def __enter__(self) -> ReasoningGym:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the workers; idempotent. Calls that wait in other threads raise PoolBroken."""
        self._host.close()

    def make(
        self,
        task: str,
        seed: int,
        level: float | None = None,
        config: Mapping[str, Any] | None = None,
        source: str | None = None,
        answer_format: str | None = None,
        think_tags: Sequence[str] | None = None,
        problems: str | None = None,
    ) -> Problem:
        """Make one problem; ``make(**problem.recipe)`` makes one again.

        Without a level, it is the first one of ``reasoning_gym.create_dataset(task, size=1,
        seed=seed)``; of acre, which tests one object there, it is one of a larger data set. Its
        `winnable` is False if no answer to it is provably right; `problems` and `held_out` leave
        such problems out.

        Args:
            task: the name under which reasoning-gym registers the task.
            seed: reasoning-gym's seed; at a level, the seed by which that one is drawn.
            level: difficulty in [0, 1]; None for the task's default parameters.
            config: all parameters of the task, as a recipe has them; the level is then noted, and
                changes nothing.
            source: of a task of your own, as its recipes have it. A recipe of another version of
                its file is refused.
            answer_format, think_tags: how its completions are read, as recipes have them; None: as
                the gym reads them.
            problems: ``library`` or ``hardened``; None: ``library`` if there is a config, else
                those of the gym.

        Raises:
            BadUsage: an argument makes no sense; `UnknownTask`, with similar names, if it is the
                task.
            MakeFailed: the generator failed or took too long.
        """
        recipe = recipes.new(task, seed, level, config, source, answer_format, think_tags, problems)
        return self._host.run(lambda running: running.gym.of_recipe(recipe))

    def make_many(self, problems: Iterable[ProblemOrRecipe]) -> Iterator[Problem]:
        """Make the problems of many recipes, in order; eight for each worker at a time.

        ::

            recipes = ({"task": "gcd", "seed": seed, "level": 0.5} for seed in range(10**6))
            for problem in gym.make_many(recipes):
                ...

        Args:
            problems: recipes, as `make` takes them, also as JSON strings, or problems. They are
                read as results are taken, so both may be without end.

        Raises: as `make`; by the iterator, which ends with it.
        """
        return self._host.run_many(_remaking(problem) for problem in problems)

    def score(self, problem: ProblemOrRecipe, completions: Iterable[str]) -> list[float]:
        """Score completions of one problem.

        Args:
            problem: a problem, its recipe, or that as a JSON string.
            completions: whole texts of a model, as a list; one text alone is a list of one. If
                the prompt opens a think block, put ``<think>`` before each.

        Returns:
            One score in [0, 1] for each completion, in order.

        Raises:
            TypeError: `completions` is no list of texts.
            BadUsage: the recipe is none, or names an unknown task.
            MakeFailed: the recipe makes no problem.
        """
        return self._host.run(lambda running: running.gym.score(problem, completions))

    def verdicts(self, problem: ProblemOrRecipe, completions: Iterable[str]) -> list[Verdict]:
        """Score completions of one problem, with the reason for each score; see `score`."""
        return self._host.run(lambda running: running.gym.verdicts(problem, completions))

    def score_many(self, pairs: Iterable[tuple[ProblemOrRecipe, str]]) -> list[float]:
        """Score one completion of each of many problems; return the scores in order.

        Args:
            pairs: a problem (or its recipe) and the whole text of a model, each.

        Raises: as `score`.
        """
        listed = list(pairs)
        return self._host.run(lambda running: running.gym.score_many(listed))

    def verdicts_many(self, pairs: Iterable[tuple[ProblemOrRecipe, str]]) -> list[Verdict]:
        """Score one completion of each of many problems, with the reasons; see `score_many`."""
        listed = list(pairs)
        return self._host.run(lambda running: running.gym.verdicts_many(listed))

    def problems(self, n: int | None = None, level: Level = None) -> Iterator[Problem]:
        """Return the next training problems, of the stream for this way of choosing levels.

        A held-out problem is never among them, and none comes twice while its task has others. The
        next call goes on where this one stopped.

        Args:
            n: how many; None: without end.
            level: a level in [0, 1] for all of them; ``random``: a random one each;
                ``curriculum``: the one at which the model has the target accuracy, as `observe`
                learns; None: the tasks' default parameters.

        Raises:
            BadUsage: an argument makes no sense; the iterator raises it if no problem with the
                parameters of `task_configs` can be served.
            StartupError: hundreds of problems in a row can't be served; raised by the iterator.
        """
        turns = itertools.repeat(None) if n is None else range(recipes.read_count(n))
        kind = recipes.read_stream_level(level)
        # `map` may be shared by threads; a generator may not.
        return map(lambda _: self._host.run(lambda running: running.next(kind)), turns)

    def held_out(self, task: str, n: int, level: float | None = None) -> list[Problem]:
        """Return evaluation problems of a task, which `problems` never serves, in any process.

        Args:
            n: how many; tasks with few different problems return fewer.
            level: difficulty in [0, 1]; None for the task's default parameters.

        Raises:
            BadUsage: an argument makes no sense.
        """
        count, at = recipes.read_count(n), recipes.read_level(level)
        return self._host.run(lambda running: running.held_out(task, count, at))

    def observe(
        self, problem: ProblemOrRecipe, scores: Iterable[float], cut: Iterable[bool] | None = None
    ) -> float | None:
        """Let the curriculum learn from the scores of one problem's completions.

        Args:
            problem: a problem, its recipe, or that as a JSON string.
            scores: as `score` returned them: a list, an array or a tensor.
            cut: for each, whether its completion was cut at the token limit; None: none was.

        Returns:
            The new level of the problem's task if the curriculum moved, else None.

        Raises:
            BadUsage: the recipe is none, a score is not in [0, 1], or `cut` has another length.
        """
        return self._host.run(lambda running: running.observe(problem, scores, cut))

    def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state of `problems` and of what `observe` taught.

        A gym with the same arguments goes on exactly where this one stands, after
        `load_state_dict`: the next problem of each stream is the same.
        """
        return self._host.run(Running.state_dict)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state; the log says if it is of a gym with other tasks.

        Raises:
            BadUsage: it is damaged, or of another version; nothing is changed.
        """
        self._host.run(lambda running: running.load_state_dict(state))


class AsyncReasoningGym(BaseReasoningGym):
    """Makes problems and scores completions; `ReasoningGym` has the same methods.

    ::

        async with AsyncReasoningGym(tasks=["arithmetic"], seed=7) as gym:
            async for problem in gym.problems(100, level="random"):
                scores = await gym.score(problem, await ask(problem.messages))

    The workers start with ``async with``, or else with the first call. Calls may come from several
    event loops.
    """

    async def __aenter__(self) -> AsyncReasoningGym:
        try:
            await self._host.awaited(_nothing)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """As `ReasoningGym.close`."""
        await self._host.aclose()

    async def make(
        self,
        task: str,
        seed: int,
        level: float | None = None,
        config: Mapping[str, Any] | None = None,
        source: str | None = None,
        answer_format: str | None = None,
        think_tags: Sequence[str] | None = None,
        problems: str | None = None,
    ) -> Problem:
        """As `ReasoningGym.make`."""
        recipe = recipes.new(task, seed, level, config, source, answer_format, think_tags, problems)
        return await self._host.awaited(lambda running: running.gym.of_recipe(recipe))

    def make_many(self, problems: Iterable[ProblemOrRecipe]) -> AsyncIterator[Problem]:
        """As `ReasoningGym.make_many`, for ``async for``."""
        return self._host.awaited_many(_remaking(problem) for problem in problems)

    async def score(self, problem: ProblemOrRecipe, completions: Iterable[str]) -> list[float]:
        """As `ReasoningGym.score`."""
        return await self._host.awaited(lambda running: running.gym.score(problem, completions))

    async def verdicts(self, problem: ProblemOrRecipe, completions: Iterable[str]) -> list[Verdict]:
        """As `ReasoningGym.verdicts`."""
        return await self._host.awaited(lambda running: running.gym.verdicts(problem, completions))

    async def score_many(self, pairs: Iterable[tuple[ProblemOrRecipe, str]]) -> list[float]:
        """As `ReasoningGym.score_many`."""
        listed = list(pairs)
        return await self._host.awaited(lambda running: running.gym.score_many(listed))

    async def verdicts_many(self, pairs: Iterable[tuple[ProblemOrRecipe, str]]) -> list[Verdict]:
        """As `ReasoningGym.verdicts_many`."""
        listed = list(pairs)
        return await self._host.awaited(lambda running: running.gym.verdicts_many(listed))

    def problems(self, n: int | None = None, level: Level = None) -> AsyncIterator[Problem]:
        """As `ReasoningGym.problems`, for ``async for``."""
        turns = itertools.repeat(None) if n is None else range(recipes.read_count(n))
        kind = recipes.read_stream_level(level)
        return self._problems(iter(turns), kind)

    async def _problems(self, turns: Iterator[Any], kind: Level) -> AsyncIterator[Problem]:
        for _ in turns:
            yield await self._host.awaited(lambda running: running.next(kind))

    async def held_out(self, task: str, n: int, level: float | None = None) -> list[Problem]:
        """As `ReasoningGym.held_out`."""
        count, at = recipes.read_count(n), recipes.read_level(level)
        return await self._host.awaited(lambda running: running.held_out(task, count, at))

    async def observe(
        self, problem: ProblemOrRecipe, scores: Iterable[float], cut: Iterable[bool] | None = None
    ) -> float | None:
        """As `ReasoningGym.observe`."""
        return await self._host.awaited(lambda running: running.observe(problem, scores, cut))

    async def state_dict(self) -> dict[str, Any]:
        """As `ReasoningGym.state_dict`."""
        return await self._host.awaited(Running.state_dict)

    async def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """As `ReasoningGym.load_state_dict`."""
        await self._host.awaited(lambda running: running.load_state_dict(state))


def _remaking(problem: ProblemOrRecipe) -> Work[Problem]:
    return lambda running: running.gym.remake(problem)


async def _nothing(_running: Running) -> None:
    """Only start."""
