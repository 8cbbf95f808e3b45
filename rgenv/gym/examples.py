"""Examples: questions with their answers that come before a question in its prompt.

They are problems of the same task with its default parameters, which are not held out. Training
leaves them out, so they are neither trained on nor evaluated.
"""

import logging

from rgenv.errors import MakeFailed
from rgenv.gym.settings import Settings
from rgenv.pool.pool import WorkerPool
from rgenv.stream.stream import random_for
from rgenv.types import Problem

log = logging.getLogger(__name__)


async def draw_examples(task: str, settings: Settings, pool: WorkerPool) -> list[Problem]:
    """Return the examples of a task; one with few different problems has fewer."""
    found: dict[int, Problem] = {}
    config, reading = settings.task_configs.get(task), settings.dialogue.reading
    draw = random_for(settings.eval_seed, "examples", task)
    for _ in range(20 * settings.examples):
        seed = draw.randrange(2**32)
        try:
            problem = await pool.make(task, seed, config=config, problems=settings.problems)
        except MakeFailed:
            continue
        answer = problem.answer
        if not answer or not problem.winnable or problem.held_out:
            continue
        if reading.answer(reading.write(answer)) == answer.strip():
            found.setdefault(problem.family, problem)
        if len(found) == settings.examples:
            return list(found.values())
    log.warning("%s has %d of %d examples.", task, len(found), settings.examples)
    return list(found.values())
