"""Gym: makes and scores problems, in one event loop.

`ReasoningGymEnv` and both clients are built on it.
"""

import contextlib
import itertools
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self, SupportsIndex

from rgenv.dialogue.prompts import Dialogue, default_prompt
from rgenv.dialogue.reading import Reading
from rgenv.errors import BadUsage, MakeFailed, UnknownTask, joined
from rgenv.gym import library_rows, recipes
from rgenv.gym.examples import Examples
from rgenv.gym.library_rows import RowProblem
from rgenv.gym.recipes import LevelChoice, ProblemOrRecipe, Recipe
from rgenv.gym.settings import Settings, start_pool
from rgenv.pool.library import is_measured
from rgenv.pool.pool import NOT_MADE, WorkerPool
from rgenv.runtime.parts import in_order
from rgenv.stream.difficulty import Difficulty
from rgenv.stream.held_out import EvaluationSet
from rgenv.stream.source import ItemSource
from rgenv.stream.stream import Stream
from rgenv.task_names import HARDENED, KNOWN_TASKS, choose_tasks, require_task, suggestion
from rgenv.text import texts
from rgenv.types import Problem, Verdict

log = logging.getLogger(__name__)

OF_TASKS = ("task_weights", "task_configs", "start_levels")
"""The settings whose keys are names of tasks."""

MOST_HELD_OUT = 100_000
"""Held-out problems of a task at a level, which are in memory together."""

JOBS_PER_WORKER, ANSWERS_IN_A_JOB = 8, 16
"""Requests that calls for many keep waiting for each worker, and the most answers in one."""


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
        self._examples = Examples(
            self._made, settings.dialogue, count=settings.examples, seed=settings.eval_seed
        )
        self._logged: set[tuple[str, str]] = set()

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
        seed: SupportsIndex,
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
        return await self._of_recipe(
            recipes.new(task, seed, level, config, source, answer_format, think_tags, problems)
        )

    async def remake(self, problem: ProblemOrRecipe) -> Problem:
        """Make the problem of one of many recipes; an error says which one it is."""
        recipe = recipes.read(problem.recipe if isinstance(problem, Problem) else problem)
        try:
            return await self._of_recipe(recipe)
        except MakeFailed as error:
            error.add_note(f"Its recipe is {recipe}.")
            raise

    async def _of_recipe(self, recipe: Recipe) -> Problem:
        self._require(recipe)
        task, seed, level, config = recipe.task, recipe.seed, recipe.level, recipe.config
        if config is None:
            made = await self._made(task, seed, level, recipe.problems)
        else:
            made = await self.pool.make(
                task, seed, level=level, config=config, problems=recipe.problems
            )
        return await self._asked(made, recipe.reading)

    def _require(self, recipe: Recipe) -> None:
        """Check that the task of a recipe is here, and the same as when the recipe was made."""
        if recipe.source and recipe.task not in self.categories:
            raise UnknownTask(
                f"{recipe.task} is somebody's own task: name its file in task_modules."
            )
        require_task(recipe.task, self.categories)
        self.pool.coverage.require(recipe.task, recipe.source)

    async def draw_for_training(self, task: str, seed: int, level: float | None) -> Problem:
        """Make a problem as `draw` does; one of the examples counts as held out."""
        problem = await self.draw(task, seed, level)
        return replace(problem, held_out=True) if await self._examples.has(problem) else problem

    async def draw(self, task: str, seed: int, level: float | None) -> Problem:
        """Make a problem of a seed that was never asked for, as streams do."""
        return await self._asked(await self._made(task, seed, level, select=True))

    async def _asked(self, problem: Problem, reading: Reading | None = None) -> Problem:
        """Return a problem as this gym asks it, with its examples, or as a recipe says."""
        dialogue = self._dialogue(reading)
        if dialogue is self.settings.dialogue:
            shots = await self._examples.before(problem)
            dialogue = replace(dialogue, examples=shots)
        return replace(problem, dialogue=dialogue)

    def _dialogue(self, reading: Reading | None) -> Dialogue:
        own = self.settings.dialogue
        if reading in (None, own.reading):
            return own
        return Dialogue(reading, default_prompt(reading))

    async def _made(
        self,
        task: str,
        seed: int,
        level: float | None,
        problems: str | None = None,
        *,
        select: bool = False,
    ) -> Problem:
        """Make a problem with the parameters of the settings; at a level, one is selected."""
        config, wanted = self.settings.task_configs.get(task), problems or self.settings.problems
        select = select or level is not None
        made = await self.pool.make(
            task, seed, level=level, config=config, select=select, problems=wanted
        )
        if wanted == HARDENED and task in self.pool.hardened_tasks and not made.hardened:
            self._warn_once(
                (task, HARDENED),
                "Some problems of %s are reasoning-gym's own, because no hardened one can be made "
                "with the parameters %s.",
                *(task, dict(made.config)),
            )
        return made

    def _warn_once(self, of: tuple[str, str], text: str, *values: object) -> None:
        if of not in self._logged:
            self._logged.add(of)
            log.warning(text, *values)

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
        listed = texts(completions)
        given = self.read(problem)
        known = await self._scorable(given) if isinstance(given, Recipe) else given
        reading = known.dialogue.reading
        verdicts = await self.pool.score(known, [reading.answer(text) for text in listed])
        lacking = [verdict.detail for verdict in verdicts if verdict.detail.startswith(NOT_MADE)]
        if lacking and isinstance(given, Recipe):  # a problem was made before
            raise MakeFailed(
                "error",
                f"{lacking[0]}. Is the recipe the one of the problem? Data sets may add keys to "
                f"its config; as a JSON string it stays as it is: {str(known.recipe)[:200]}",
            )
        return [
            self._explained(known, text, verdict)
            for text, verdict in zip(listed, verdicts, strict=True)
        ]

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
        jobs = list(in_jobs(_checked(pairs)))
        calls = (self.verdicts(problem, completions) for problem, completions in jobs)
        ahead = JOBS_PER_WORKER * self.settings.scoring_workers
        async with contextlib.aclosing(in_order(calls, ahead)) as judged:
            return [verdict async for verdicts in judged for verdict in verdicts]

    def read(self, given: ProblemOrRecipe) -> Problem | Recipe:
        """Return a problem, the problem of a row, or a recipe; the task of the last two is here."""
        row = given if isinstance(given, RowProblem) else library_rows.read(given)
        if row is not None:
            require_task(row.task, self.categories)
            return replace(row, dialogue=self.settings.dialogue)
        if isinstance(given, Problem):
            return given
        recipe = recipes.read(given)
        self._require(recipe)
        return recipe

    async def _scorable(self, recipe: Recipe) -> Problem:
        """Return the problem of a recipe, without its texts if the recipe has all parameters."""
        if recipe.config is None:
            return await self._of_recipe(recipe)
        return Problem(
            *(recipe.task, recipe.seed, recipe.level, recipe.config),
            question="",
            answer=None,
            source=recipe.source or "",
            hardened=recipe.problems == HARDENED,
            dialogue=self._dialogue(recipe.reading),
        )

    def _explained(self, problem: Problem, text: str, verdict: Verdict) -> Verdict:
        """Say what is wrong with the format; log the first failure of a verifier of each task."""
        if verdict.kind == "no_answer" and not verdict.detail:
            return replace(verdict, detail=problem.dialogue.reading.violation(text) or "")
        if not verdict.reflects_model:
            self._warn_once(
                (problem.task, verdict.kind),
                "An answer to %s scores 0 because its verifier failed (%s: %s): recipe %s.",
                *(problem.task, verdict.kind, verdict.detail, problem.recipe),
            )
        return verdict


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


def _checked(pairs: Iterable[tuple[ProblemOrRecipe, str]]) -> Iterator[tuple[ProblemOrRecipe, str]]:
    for index, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[1], str):
            raise BadUsage(f"pairs[{index}] must be a problem or recipe and a text.")
        yield library_rows.read(pair[0]) or pair[0], pair[1]


def in_jobs(
    pairs: Iterable[tuple[ProblemOrRecipe, str]],
) -> Iterator[tuple[ProblemOrRecipe, list[str]]]:
    """Put completions of the same problem together, up to `ANSWERS_IN_A_JOB`."""
    for problem, same in itertools.groupby(pairs, key=lambda pair: pair[0]):
        while job := [text for _, text in itertools.islice(same, ANSWERS_IN_A_JOB)]:
            yield problem, job
