"""Gym: makes and scores problems, in one event loop.

`ReasoningGymEnv` and both clients are built on it.
"""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, SupportsIndex

import msgspec

from rgenv.dialogue.prompts import Dialogue, default_prompt
from rgenv.dialogue.reading import Reading
from rgenv.errors import BadUsage, MakeFailed, UnknownTask, check_all, joined
from rgenv.gym import recipes
from rgenv.gym.recipes import (
    LevelChoice,
    ProblemOrRecipe,
    Recipe,
    RowProblem,
    read_count,
    read_cuts,
    read_level,
    read_scores,
    read_stream_level,
)
from rgenv.gym.settings import Settings, start_pool
from rgenv.gym.try_tasks import levels_of, try_tasks
from rgenv.pool.library import is_measured
from rgenv.pool.pool import NOT_MADE, WorkerPool
from rgenv.runtime.parts import in_order
from rgenv.stream.difficulty import Difficulty, Evidence
from rgenv.stream.held_out import EvaluationSet
from rgenv.stream.source import ItemSource, StreamState
from rgenv.stream.stream import Stream, random_for
from rgenv.task_names import HARDENED, KNOWN_TASKS, choose_tasks, require_task, suggestion
from rgenv.text import one_line, texts
from rgenv.types import Problem, Verdict

log = logging.getLogger(__name__)

OF_TASKS = ("task_weights", "task_configs", "start_levels")
"""The settings whose keys are names of tasks."""

MOST_HELD_OUT = 100_000
"""Held-out problems of a task at a level, which are in memory together."""

JOBS_PER_WORKER, ANSWERS_IN_A_JOB = 8, 16
"""Requests that calls for many keep waiting for each worker, and the most answers in one."""

SCHEMA = 1
"""Of what `state_dict` returns."""


class Gym:
    """Makes and scores problems; BadUsage: a setting names an unknown task, or none is left."""

    def __init__(
        self,
        settings: Settings,
        pool: WorkerPool,
        *,
        count: Callable[[str], None] = lambda name: None,
    ) -> None:
        if warning := pool.coverage.warning:
            log.warning("%s", warning)
        if fixed := sorted(pool.own_tasks.keys() & pool.fixed_tasks):
            log.warning(
                "These tasks of task_modules have no levels, so they keep their default "
                "parameters: %s. A curriculum or a record gives them levels (docs/own_tasks.md).",
                ", ".join(fixed),
            )
        self.settings = settings
        self.pool = pool
        self.categories: Mapping[str, str] = pool.task_categories or KNOWN_TASKS
        self.task_names = chosen_tasks(settings, self.categories)
        for option in OF_TASKS:
            if idle := sorted(getattr(settings, option).keys() - {*self.task_names}):
                log.warning("%s has tasks that are not served: %s.", option, ", ".join(idle))
        pool.prepare(self.task_names)
        self._count = count
        self._examples: dict[str, asyncio.Future[list[Problem]]] = {}
        self._logged: set[tuple[str, str]] = set()
        # The curriculum learns from the first group on, even if its stream begins later.
        self._streams: dict[LevelChoice, ItemSource] = {"curriculum": self.new_source("curriculum")}
        self._tried: set[tuple[str, float | None]] = set()
        self._trying = asyncio.Lock()

    @classmethod
    async def start(cls, settings: Settings) -> Self:
        """Return a gym with a pool of its own, which the caller closes; see `start_pool`."""
        if not settings.task_modules and is_measured():  # the tasks are known before workers start
            chosen_tasks(settings, KNOWN_TASKS)
        pool = await start_pool(settings)
        try:
            return cls(settings, pool)
        except BaseException:
            await pool.close()
            raise

    # Problems

    async def make(
        self,
        task: str,
        seed: SupportsIndex | None = None,
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
        if isinstance(task, Problem | Mapping):
            given = "recipe" if isinstance(task, Mapping) else "problem.recipe"
            raise BadUsage(f"make() takes the parts of a recipe: write make(**{given}).")
        of = {"task": task, "seed": seed, "level": level, "config": config, "source": source}
        read_as = {"answer_format": answer_format, "think_tags": think_tags}
        values = {**of, **read_as, "problems": problems}
        _, recipe = check_all(lambda: self._require(task, source), lambda: recipes.read(values))
        return await self._make(recipe)

    async def remake(self, problem: ProblemOrRecipe) -> Problem:
        """Make the problem of one of many recipes; an error says which one it is."""
        recipe = self._recipe(problem.recipe if isinstance(problem, Problem) else problem)
        try:
            return await self._make(recipe)
        except MakeFailed as error:
            error.add_note(f"Its recipe is {recipe}.")
            raise

    async def draw(self, task: str, seed: int, level: float | None) -> Problem:
        """Make a problem of a seed that was never asked for, as evaluation sets do."""
        return await self._make(Recipe(task, seed, level), select=True)

    async def draw_for_training(self, task: str, seed: int, level: float | None) -> Problem:
        """Make a problem as `draw` does; one of the examples counts as held out."""
        problem = await self._make(Recipe(task, seed, level), select=True)
        is_example = problem.family in {one.family for one in await self._examples_of(task)}
        return replace(problem, held_out=True) if is_example else problem

    async def _make(self, recipe: Recipe, *, select: bool = False) -> Problem:
        """Make a problem, and add how it is asked; the settings say what its recipe leaves open."""
        task, config, wanted = recipe.task, recipe.config, recipe.problems
        if config is None:
            config, wanted = self.settings.task_configs.get(task), wanted or self.settings.problems
            select = select or recipe.level is not None
        problem = await self.pool.make(
            task, recipe.seed, level=recipe.level, config=config, select=select, problems=wanted
        )
        is_meant = wanted == HARDENED and recipe.config is None and task in self.pool.hardened_tasks
        if is_meant and not problem.hardened:
            self._warn_once(
                (task, HARDENED),
                "Some problems of %s are reasoning-gym's own, because no hardened one can be made "
                "with the parameters %s.",
                *(task, dict(problem.config)),
            )
        dialogue = self._dialogue(recipe.reading)
        if dialogue is self.settings.dialogue and (shots := await self._examples_of(task)):
            others = [one for one in shots if one.family != problem.family]
            shown = tuple((one.question, one.answer or "") for one in others)
            dialogue = replace(dialogue, examples=shown)
        return replace(problem, dialogue=dialogue)

    def _recipe(self, given: Mapping[str, Any] | str) -> Recipe:
        recipe = recipes.read(given)
        self._require(recipe.task, recipe.source)
        return recipe

    def _require(self, task: str, source: str | None) -> None:
        """Check that the task of a recipe is here, and the same as when the recipe was made."""
        if source and isinstance(task, str) and task not in self.categories:
            raise UnknownTask(f"{task} is somebody's own task: name its file in task_modules.")
        require_task(task, self.categories)
        self.pool.coverage.require(task, source)

    def _dialogue(self, reading: Reading | None) -> Dialogue:
        own = self.settings.dialogue
        if reading in (None, own.reading):
            return own
        return Dialogue(reading, default_prompt(reading))

    async def _examples_of(self, task: str) -> list[Problem]:
        """Return the examples of a task, which are neither trained on nor held out."""
        if not self.settings.examples:
            return []
        if task not in self._examples:
            self._examples[task] = asyncio.ensure_future(self._draw_examples(task))
        return await asyncio.shield(self._examples[task])

    async def _draw_examples(self, task: str) -> list[Problem]:
        settings, reading = self.settings, self.settings.dialogue.reading
        found: dict[int, Problem] = {}
        config = settings.task_configs.get(task)
        draw = random_for(settings.eval_seed, "examples", task)
        for _ in range(20 * settings.examples):
            seed = draw.randrange(2**32)
            try:
                one = await self.pool.make(task, seed, config=config, problems=settings.problems)
            except MakeFailed:
                continue
            if not one.answer or not one.winnable or one.held_out:
                continue
            if reading.answer(reading.write(one.answer)) == one.answer.strip():
                found.setdefault(one.family, one)
            if len(found) == settings.examples:
                return list(found.values())
        log.warning("%s has %d of %d examples.", task, len(found), settings.examples)
        return list(found.values())

    def _warn_once(self, of: tuple[str, str], text: str, *values: object) -> None:
        if of not in self._logged:
            self._logged.add(of)
            log.warning(text, *values)

    # Streams

    async def next(self, level: LevelChoice) -> Problem:
        """Return the next problem of the stream for this way of choosing levels."""
        # Where the stream begins or leads
        await self._try(self.task_names, levels_of(level, self.settings.random_level_range))
        if level not in self._streams:
            self._streams[level] = self.new_source(level)
        return await self._streams[level].next()

    async def _try(self, tasks: Iterable[str], levels: Iterable[float | None]) -> None:
        """Try the user's parameters, once each; BadUsage: they make no problem."""
        configs = self.settings.task_configs
        plan = {*itertools.product(configs.keys() & tasks, levels)}
        async with self._trying:
            if new := plan - self._tried:
                await try_tasks(self.make, sorted(new, key=str), configs)
                self._tried |= new

    def new_source(
        self,
        level: LevelChoice,
        *,
        too_long: Callable[[Problem], Awaitable[str | None]] | None = None,
    ) -> ItemSource:
        """Return a stream of training problems; `too_long` returns the option to raise, if any."""
        settings = self.settings
        one = (level, level) if isinstance(level, float) else None
        return ItemSource(
            self.make,
            self.draw_for_training,
            Stream(
                tasks={name: settings.task_weights.get(name, 1.0) for name in self.task_names},
                seed=settings.seed,
                replica_id=settings.replica_id,
                num_replicas=settings.num_replicas,
            ),
            Difficulty(
                "random" if isinstance(level, float) else level,
                target_accuracy=settings.curriculum_target_accuracy,
                random_range=one or settings.random_level_range,
                start_levels=settings.start_levels,
                fixed=self.pool.fixed_tasks,
            ),
            too_long=too_long,
            balance_labels=settings.balance_labels,
            count=self._count,
            ahead=8 * settings.scoring_workers,  # so that a slow generator causes no wait
        )

    def evaluation_set(
        self, per_task: int, levels: Sequence[float | None], *, seed: int | None = None
    ) -> EvaluationSet:
        """Return the maker of held-out problems, of `eval_seed` by default."""
        if per_task > MOST_HELD_OUT:
            raise BadUsage(f"No task has more than {MOST_HELD_OUT:,} held-out problems at a level.")
        return EvaluationSet(
            self.draw,
            per_task=per_task,
            eval_seed=self.settings.eval_seed if seed is None else seed,
            levels=levels,
            balance_labels=self.settings.balance_labels,
            count=self._count,
        )

    async def held_out(
        self, task: str, n: SupportsIndex, level: float | None = None
    ) -> list[Problem]:
        """Return evaluation problems of a task, which `problems` never serves, in any process.

        Args:
            n: how many; tasks with few different problems return fewer.
            level: difficulty in [0, 1]; None for the task's default parameters.

        Raises:
            BadUsage: an argument makes no sense.
        """
        _, count, at = check_all(
            lambda: require_task(task, self.categories),
            lambda: read_count(n),
            lambda: read_level(level),
        )
        await self._try([task], [at])
        return await self.evaluation_set(count, [at]).of_task(task) if count else []

    async def observe(
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
        known, listed = self._read(problem), read_scores(scores)
        cuts = [False] * len(listed) if cut is None else read_cuts(cut)
        if len(cuts) != len(listed):
            raise BadUsage(f"There are {len(listed)} scores and {len(cuts)} values of cut.")
        group = Evidence.of(known.task, known.level, listed, cuts)
        moved = [stream.difficulty.learn(group) for stream in self._streams.values()]
        return next((level for level in moved if level is not None), None)

    async def state_dict(self) -> dict[str, Any]:
        """Return a JSON-able state of the streams, and of what `observe` taught."""
        streams = [
            {"level": level, "state": msgspec.to_builtins(stream.state())}
            for level, stream in self._streams.items()
        ]
        told = {"schema": SCHEMA, "seed": self.settings.seed, "tasks": sorted(self.task_names)}
        return {**told, "streams": streams}

    async def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state; the log says if it is of a gym with other tasks.

        Raises:
            BadUsage: it is damaged, or of another version or seed; nothing is changed.
        """
        streams: dict[LevelChoice, ItemSource] = {}
        try:
            if state["schema"] != SCHEMA:
                raise ValueError(f"schema {state['schema']}, expected {SCHEMA}")
            for saved in state["streams"]:
                level = read_stream_level(saved["level"])
                streams[level] = self.new_source(level)
                streams[level].load(msgspec.convert(saved["state"], StreamState))
            if "curriculum" not in streams:
                raise ValueError("it has no curriculum")
            seed = state["seed"]
            if others := set(state["tasks"]) ^ set(self.task_names):
                log.warning(
                    "The state is of a gym with other tasks (one of the two lacks %s): this gym "
                    "goes on at the same place with its own.",
                    one_line(", ".join(sorted(others))),
                )
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise BadUsage(
                f"This is not the state of a gym ({type(error).__name__}: {error}): pass what "
                "state_dict() returned, or what json.loads made of it."
            ) from None
        if seed != self.settings.seed:
            raise BadUsage(
                f"The state is of a gym with seed {seed!r:.60}, and this one has seed "
                f"{self.settings.seed}: make this gym with the seed of the state."
            )
        before, self._streams = self._streams, streams
        for stream in before.values():
            await stream.close()

    # Scores

    async def score(self, problem: ProblemOrRecipe, completions: Iterable[str]) -> list[float]:
        """Score completions of one problem.

        Args:
            problem: a problem, its recipe, or that as a JSON string.
            completions: whole texts of a model, as a list; one text alone is a list of one. If
                the prompt opens a think block, put ``<think>`` before each.

        Returns:
            One score in [0, 1] for each completion, in order.

        Raises:
            TypeError: `completions` is not a list of texts.
            BadUsage: the recipe is none, or names an unknown task.
            MakeFailed: the recipe makes no problem.
        """
        return [verdict.score for verdict in await self.verdicts(problem, completions)]

    async def verdicts(self, problem: ProblemOrRecipe, completions: Iterable[str]) -> list[Verdict]:
        """Score completions of one problem, with the reason for each score; see `score`."""
        known = await self._known(problem)
        reading = known.dialogue.reading
        read = [reading.answer_or_violation(text) for text in texts(completions)]
        verdicts = await self.pool.score(known, [answer for answer, _ in read])
        for index, verdict in enumerate(verdicts):
            if verdict.detail.startswith(NOT_MADE) and not known.question:
                raise MakeFailed(
                    "error",
                    f"{verdict.detail}. Is the recipe the one of the problem? Data sets may add "
                    "keys to its config; as a JSON string it stays as it is: "
                    f"{str(known.recipe)[:200]}",
                )
            if verdict.kind == "no_answer" and not verdict.detail:
                verdicts[index] = replace(verdict, detail=read[index][1] or "")
            elif not verdict.reflects_model:
                self._warn_once(
                    (known.task, verdict.kind),
                    "An answer to %s scores 0 because its verifier failed (%s: %s): recipe %s.",
                    *(known.task, verdict.kind, verdict.detail, known.recipe),
                )
        return verdicts

    async def score_many(self, pairs: Iterable[tuple[ProblemOrRecipe, str]]) -> list[float]:
        """Score one completion of each of many problems; return the scores in order.

        Args:
            pairs: a problem (or its recipe) and the whole text of a model, each.

        Raises: as `score`.
        """
        return [verdict.score for verdict in await self.verdicts_many(pairs)]

    async def verdicts_many(self, pairs: Iterable[tuple[ProblemOrRecipe, str]]) -> list[Verdict]:
        """Score one completion of each of many problems, with the reasons; see `score_many`.

        Completions of the same problem are scored together if they follow each other.
        """
        jobs = list(in_jobs(pairs))
        calls = (self.verdicts(problem, completions) for problem, completions in jobs)
        ahead = JOBS_PER_WORKER * self.settings.scoring_workers
        async with contextlib.aclosing(in_order(calls, ahead)) as judged:
            return [verdict async for verdicts in judged for verdict in verdicts]

    def _read(self, given: ProblemOrRecipe) -> Problem | Recipe:
        """Return a problem, the problem of a row, or a recipe; the task of the last two is here."""
        row = given if isinstance(given, RowProblem) else recipes.read_row(given)
        if row is not None:
            require_task(row.task, self.categories)
            return replace(row, dialogue=self.settings.dialogue)
        if isinstance(given, Problem):
            return given
        return self._recipe(given)

    async def _known(self, given: ProblemOrRecipe) -> Problem:
        """Return a problem that can be scored.

        Of a recipe that has all parameters, its texts are left out: no worker is asked for it.
        """
        recipe = self._read(given)
        if isinstance(recipe, Problem):
            return recipe
        if recipe.config is None:
            return await self._make(recipe)
        return Problem(
            *(recipe.task, recipe.seed, recipe.level, recipe.config),
            question="",
            answer=None,
            source=recipe.source or "",
            hardened=recipe.problems == HARDENED,
            dialogue=self._dialogue(recipe.reading),
        )

    async def close(self) -> None:
        """End the streams and the workers."""
        for stream in self._streams.values():
            await stream.close()
        await self.pool.close()


def chosen_tasks(settings: Settings, categories: Mapping[str, str]) -> list[str]:
    """Return the tasks that settings choose among those of `categories`, or raise BadUsage.

    One error says all that is wrong.
    """
    wrong: list[Exception] = []
    for option in OF_TASKS:
        for task in sorted(getattr(settings, option).keys() - categories.keys()):
            said = f"there is no task {task!r}.{suggestion(task, categories)}"
            if task in set(categories.values()):
                said = f"{task!r} is a category: name its tasks instead."
            wrong.append(UnknownTask(f"{option}: {said}"))
    try:
        chosen = choose_tasks(
            categories,
            settings.task_names,
            settings.exclude_tasks,
            configured=list(settings.task_configs),
        )
    except BadUsage as error:
        wrong.append(error)
    if wrong:
        raise joined(*wrong)
    return chosen


def in_jobs(
    pairs: Iterable[tuple[ProblemOrRecipe, str]],
) -> Iterator[tuple[ProblemOrRecipe, list[str]]]:
    """Check pairs, and put completions of the same problem together, up to `ANSWERS_IN_A_JOB`."""
    if not isinstance(pairs, Iterable):
        raise BadUsage(f"pairs are {pairs!r:.60}: write a list of (problem or recipe, text).")
    checked: list[tuple[ProblemOrRecipe, str]] = []
    for index, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[1], str):
            raise BadUsage(f"pairs[{index}] must be a problem or recipe and a text.")
        checked.append((recipes.read_row(pair[0]) or pair[0], pair[1]))
    for problem, same in itertools.groupby(checked, key=lambda pair: pair[0]):
        while job := [text for _, text in itertools.islice(same, ANSWERS_IN_A_JOB)]:
            yield problem, job
