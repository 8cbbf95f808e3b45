"""Gym: makes and scores problems, in one event loop.

`ReasoningGymEnv` and both clients are built on it.
"""

import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, SupportsIndex

from rgenv.dialogue.prompts import Dialogue, default_prompt
from rgenv.dialogue.reading import Reading
from rgenv.errors import BadUsage, MakeFailed, UnknownTask
from rgenv.gym import library_rows, recipes
from rgenv.gym.examples import Examples
from rgenv.gym.library_rows import RowProblem
from rgenv.gym.recipes import Level, ProblemOrRecipe, Recipe
from rgenv.gym.settings import Settings, start_pool
from rgenv.gym.task_trial import levels_of, try_tasks
from rgenv.measured import RELEASE
from rgenv.pool.jobs import NOT_MADE
from rgenv.pool.library import is_measured
from rgenv.pool.pool import WorkerPool
from rgenv.runtime.parts import in_order
from rgenv.stream.difficulty import Difficulty
from rgenv.stream.held_out import EvaluationSet
from rgenv.stream.source import ItemSource
from rgenv.stream.stream import Stream
from rgenv.task_names import HARDENED, KNOWN_TASKS, choose_tasks, require_task, suggestion
from rgenv.text import texts
from rgenv.types import Problem, Verdict

log = logging.getLogger(__name__)

PROBLEMS_AHEAD = 8
"""Problems made ahead of demand, per worker, so that a slow generator causes no wait."""

MOST_HELD_OUT = 100_000
"""Held-out problems of a task at a level, which are in memory together."""

JOBS_PER_WORKER, ANSWERS_IN_A_JOB = 8, 16
"""Requests that calls for many keep waiting for each worker, and the most answers in one."""


class Gym:
    """Makes and scores problems.

    Raises:
        BadUsage: a setting names an unknown task, or no task is left.
    """

    def __init__(
        self,
        settings: Settings,
        pool: WorkerPool,
        *,
        count: Callable[[str], None] = lambda name: None,
    ) -> None:
        if pool.task_categories is None:
            log.warning("reasoning-gym's registry can't be read; using the list of %s.", RELEASE)
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
        pool.prepare(self.task_names)
        self._count = count
        self._examples = Examples(
            self._plain, settings.dialogue, count=settings.examples, seed=settings.eval_seed
        )
        self._seen_trouble: set[tuple[str, str]] = set()

    # Problems

    async def make(
        self, task: str, seed: SupportsIndex, level: float | None = None, **others: Any
    ) -> Problem:
        return await self.of_recipe(recipes.new(task, seed, level, **others))

    async def of_recipe(self, recipe: Recipe) -> Problem:
        self._require(recipe)
        task, seed, level = recipe.task, recipe.seed, recipe.level
        if recipe.config is not None:
            made = await self.pool.make(
                task, seed, level=level, config=recipe.config, problems=recipe.problems
            )
            problem = await self.asked(made)
        else:
            problem = await self._make(task, seed, level, recipe.problems)
        return self._read_as(problem, recipe.reading)

    def _read_as(self, problem: Problem, reading: Reading | None) -> Problem:
        """Return a problem whose completions are read as its recipe says, if it does."""
        if reading is None or reading == problem.dialogue.reading:
            return problem
        return replace(problem, dialogue=Dialogue(reading, default_prompt(reading)))

    async def asked(self, problem: Problem) -> Problem:
        """Return a problem as this gym asks it: with its prompt, and examples if there are any."""
        dialogue = self.settings.dialogue
        if self.settings.examples:
            dialogue = replace(dialogue, examples=await self._examples.before(problem))
        return replace(problem, dialogue=dialogue)

    async def remake(self, problem: ProblemOrRecipe) -> Problem:
        recipe = recipes.read(problem.recipe if isinstance(problem, Problem) else problem)
        try:
            return await self.of_recipe(recipe)
        except MakeFailed as error:
            error.add_note(f"It is that of {recipe}.")  # one of many
            raise

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
        if self.settings.examples and await self._examples.has(problem):
            return replace(problem, held_out=True)
        return problem

    async def draw(self, task: str, seed: int, level: float | None) -> Problem:
        """Make a problem of a seed that was never asked for, as streams do."""
        return await self._make(task, seed, level, select=True)

    async def _make(
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
            self._say_gave_way(made)
        return await self.asked(made)

    def _say_gave_way(self, problem: Problem) -> None:
        if (trouble := (problem.task, HARDENED)) not in self._seen_trouble:
            self._seen_trouble.add(trouble)
            log.warning(
                "Some problems of %s are reasoning-gym's own, because no hardened one can be made "
                "with the parameters %s.",
                problem.task,
                dict(problem.config),
            )

    async def _plain(self, task: str, seed: int) -> Problem:
        config = self.settings.task_configs.get(task)
        return await self.pool.make(task, seed, config=config, problems=self.settings.problems)

    async def try_parameters(self, level: Level) -> None:
        """Make a problem of each task with parameters of the user, where a stream begins or leads.

        Raises:
            BadUsage: they make no problem that can be served.
            StartupError: each of them takes too long.
        """
        configs = self.settings.task_configs
        levels = levels_of(level, self.settings.random_level_range)
        tried = [task for task in self.task_names if task in configs]
        await try_tasks(self.make, [(task, at) for task in tried for at in levels], configs)

    def new_source(
        self,
        level: Level,
        *,
        too_long: Callable[[Problem], Awaitable[str | None]] | None = None,
    ) -> ItemSource:
        """Return a stream of training problems; `too_long` returns the option to raise, if any."""
        settings = self.settings
        weights = {name: settings.task_weights.get(name, 1.0) for name in self.task_names}
        replica = {"replica_id": settings.replica_id, "num_replicas": settings.num_replicas}
        return ItemSource(
            self._make,
            draw=self.draw_for_training,
            stream=Stream(tasks=weights, seed=settings.seed, **replica),
            difficulty=Difficulty(
                "random" if isinstance(level, float) else level,
                target_accuracy=settings.curriculum_target_accuracy,
                random_range=(
                    (level, level) if isinstance(level, float) else settings.random_level_range
                ),
                start_levels=settings.start_levels,
                fixed=self.pool.fixed_tasks,
            ),
            too_long=too_long,
            balance_labels=settings.balance_labels,
            ahead=PROBLEMS_AHEAD * settings.scoring_workers,
            count=self._count,
        )

    def evaluation_set(
        self, per_task: int, levels: Sequence[float | None], *, seed: int | None = None
    ) -> EvaluationSet:
        """Return the maker of held-out problems.

        Args:
            seed: of the problems; default: `eval_seed`.

        Raises:
            BadUsage: there are too many.
        """
        eval_seed = self.settings.eval_seed if seed is None else seed
        if per_task > MOST_HELD_OUT:
            raise BadUsage(f"No task has more than {MOST_HELD_OUT:,} held-out problems at a level.")
        return EvaluationSet(
            self.draw,
            per_task=per_task,
            eval_seed=eval_seed,
            levels=levels,
            balance_labels=self.settings.balance_labels,
            count=self._count,
        )

    # Scores

    async def score(self, problem: ProblemOrRecipe, completions: Iterable[str]) -> list[float]:
        return [verdict.score for verdict in await self.verdicts(problem, completions)]

    async def verdicts(self, problem: ProblemOrRecipe, completions: Iterable[str]) -> list[Verdict]:
        listed = texts(completions)
        known = await self._scorable(problem)
        reading = known.dialogue.reading
        verdicts = await self.pool.score(known, [reading.answer(text) for text in listed])
        if known is not problem and not isinstance(known, RowProblem):
            # A recipe may be wrong; a problem was made before; of a row, the verdict says it.
            _require_made(known, verdicts)
        return [
            self._explained(known, text, verdict)
            for text, verdict in zip(listed, verdicts, strict=True)
        ]

    async def verdicts_many(self, pairs: Iterable[tuple[ProblemOrRecipe, str]]) -> list[Verdict]:
        """Judge one completion of each of many problems, as `ReasoningGym.verdicts_many` does.

        Completions of the same problem are scored together if they follow each other.
        """
        jobs = list(in_jobs(_checked(pairs)))
        calls = (self.verdicts(problem, completions) for problem, completions in jobs)
        ahead = JOBS_PER_WORKER * self.settings.scoring_workers
        async with contextlib.aclosing(in_order(calls, ahead)) as judged:
            return [verdict async for verdicts in judged for verdict in verdicts]

    async def score_many(self, pairs: Iterable[tuple[ProblemOrRecipe, str]]) -> list[float]:
        return [verdict.score for verdict in await self.verdicts_many(pairs)]

    def known(self, problem: ProblemOrRecipe) -> Problem:
        """Return a problem, or that of a row, or that of a recipe, without its texts."""
        if (row := _row(problem)) is not None:
            require_task(row.task, self.categories)
            return replace(row, dialogue=self.settings.dialogue)
        if isinstance(problem, Problem):
            return problem
        recipe = recipes.read(problem)
        self._require(recipe)
        problem = replace(recipe.problem(), dialogue=self.settings.dialogue)
        return self._read_as(problem, recipe.reading)

    async def _scorable(self, problem: ProblemOrRecipe) -> Problem:
        """Return a problem whose parameters are known: a recipe may have only its level."""
        known = self.known(problem)
        if isinstance(problem, Problem) or isinstance(known, RowProblem):
            return known
        recipe = recipes.read(problem)
        if recipe.config is None:
            made = await self._make(known.task, known.seed, known.level, recipe.problems)
            return replace(made, dialogue=known.dialogue)
        return known

    def _explained(self, problem: Problem, text: str, verdict: Verdict) -> Verdict:
        """Say what is wrong with the format; log the first failure of a verifier of each task."""
        if verdict.kind == "no_answer" and not verdict.detail:
            return replace(verdict, detail=problem.dialogue.reading.violation(text) or "")
        trouble = problem.task, verdict.kind
        if not verdict.reflects_model and trouble not in self._seen_trouble:
            self._seen_trouble.add(trouble)
            log.warning(
                "An answer to %s scores 0 because its verifier failed (%s: %s): recipe %s.",
                *trouble,
                verdict.detail,
                problem.recipe,
            )
        return verdict


async def start_gym(settings: Settings) -> Gym:
    """Return a gym with a pool of its own, which the caller closes; see `start_pool`."""
    check_names(settings)
    pool = await start_pool(settings)
    try:
        return Gym(settings, pool)
    except BaseException:
        await pool.close()
        raise


def _require_made(problem: Problem, verdicts: Sequence[Verdict]) -> None:
    details = [verdict.detail for verdict in verdicts if verdict.detail.startswith(NOT_MADE)]
    if details:
        raise MakeFailed(
            "error",
            f"{details[0]}. Is the recipe the one of the problem? Data sets may add keys to its "
            f"config; as a JSON string it stays as it is: {str(problem.recipe)[:200]}",
        )


def chosen_tasks(settings: Settings, categories: Mapping[str, str]) -> list[str]:
    """Return the tasks that settings choose among those of `categories`, task -> category.

    Raises:
        BadUsage: a setting names an unknown task, or no task is left.
    """
    for option in ("task_weights", "task_configs", "start_levels"):
        for task in getattr(settings, option):
            if task in categories:
                continue
            if task in set(categories.values()):
                raise UnknownTask(f"{option}: {task!r} is a category: name its tasks instead.")
            raise UnknownTask(f"{option}: there is no task {task!r}.{suggestion(task, categories)}")
    return choose_tasks(
        categories,
        settings.task_names,
        settings.exclude_tasks,
        configured=list(settings.task_configs),
    )


def check_names(settings: Settings) -> None:
    """Raise BadUsage for a task that does not exist, before workers start, if that is known."""
    if not settings.task_modules and is_measured():
        chosen_tasks(settings, KNOWN_TASKS)


def _checked(pairs: Iterable[tuple[ProblemOrRecipe, str]]) -> Iterator[tuple[ProblemOrRecipe, str]]:
    for index, pair in enumerate(pairs):
        if not isinstance(pair, tuple | list) or len(pair) != 2 or not isinstance(pair[1], str):
            raise BadUsage(f"pairs[{index}] must be a problem or recipe and a text.")
        yield _row(pair[0]) or pair[0], pair[1]


def _row(problem: ProblemOrRecipe) -> RowProblem | None:
    """Return the problem of a row, if it is one."""
    if isinstance(problem, Problem):
        return problem if isinstance(problem, RowProblem) else None
    return library_rows.read(problem)


def in_jobs(
    pairs: Iterable[tuple[ProblemOrRecipe, str]],
) -> Iterator[tuple[ProblemOrRecipe, list[str]]]:
    """Put completions of the same problem together, up to `ANSWERS_IN_A_JOB`."""
    before: ProblemOrRecipe | None = None
    job: list[str] = []
    for problem, text in pairs:
        is_same = before is not None and (problem is before or problem == before)
        if is_same and len(job) < ANSWERS_IN_A_JOB:
            job.append(text)
            continue
        if before is not None:
            yield before, job
        before, job = problem, [text]
    if before is not None:
        yield before, job
