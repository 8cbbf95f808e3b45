"""Entries of the library's data sets, and the scores that a worker gives to answers to them."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Iterator
from typing import Any

from rgenv.worker import levels
from rgenv.worker.operations import score_answer
from rgenv.worker.problem_maker import ProblemMaker, corrected


@functools.cache
def made(task: str, seed: int, level: float | None = None) -> tuple[Any, Any]:
    """Return a data set of one entry, and the entry."""
    import numpy
    import reasoning_gym

    random.seed(seed)
    numpy.random.seed(seed)
    config = {} if level is None else levels.level_config(task, level)
    dataset = reasoning_gym.create_dataset(task, size=1, seed=seed, **config)
    entry = dataset[0]
    if task == "propositional_logic":  # its right answers are those of the completed question
        entry = corrected(task, entry) or entry
    return dataset, entry


def scored(
    task: str, answer: str, seed: int = 0, level: float | None = None, strict: bool = True
) -> float:
    """Return the better score of both forms of an answer, as a worker computes it."""
    dataset, entry = made(task, seed, level)
    problems = ProblemMaker(strict=strict)
    reply = score_answer(lambda text: problems.score(task, dataset, entry, text), task, answer)
    return max(reply.get("raw") or 0.0, reply.get("tagged") or 0.0)


def right_answer(task: str, entry: Any) -> str | None:
    """Return a right answer, from the metadata if the entry has no reference answer."""
    metadata = entry["metadata"]
    if task == "graph_color":
        return json.dumps(metadata["possible_answer"])
    if task == "propositional_logic":
        return str(metadata["example_answer"])
    answer = metadata["example_correct_answer"] if task == "rubiks_cube" else entry["answer"]
    return answer or None


def answered(task: str, seeds: int, level: float | None = None) -> Iterator[tuple[int, str]]:
    """Yield the seeds of entries that have a right answer, each with that answer."""
    for seed in range(seeds):
        dataset, entry = made(task, seed, level)
        answer = right_answer(task, entry)
        if answer is None or corrected(task, entry) is None or "Integral" in answer:
            continue
        # the library gives less than 1.0 to a conclusion that is a single variable
        if task == "propositional_logic" or dataset.score_answer(answer, entry) >= 1.0:
            yield seed, answer
