"""Reference answers agree with those that a second solution of each task finds.

The checks share no code with rgenv/tasks/, whose corrections they check. What the library's own
answers are worth is in docs/upstream.md.
"""

import contextlib
import decimal
import io
import random
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy
import pytest
import reasoning_gym

from rgenv.worker.levels import level_config
from tests.labels import CHECKS
from tests.support.library import corrected


def entries(task: str, level: float | None, items: int) -> Iterator[Any]:
    """Yield entries, made as in a worker, from one data set with consecutive seeds."""
    random.seed(task)
    numpy.random.seed(random.getrandbits(32))
    decimal.setcontext(decimal.Context())  # decimal_arithmetic changes the context
    config = {} if level is None else level_config(task, level)
    with contextlib.redirect_stdout(io.StringIO()):
        dataset = reasoning_gym.create_dataset(task, size=items, seed=0, **config)
        yield from (dataset[index] for index in range(items))


@pytest.mark.soak
@pytest.mark.parametrize("level", [None, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("task", CHECKS)
def test_no_reference_answer_is_wrong(task: str, level: float | None) -> None:
    """Of hundreds; a check that does not understand a question raises.

    tests/tasks/test_contract.py has three problems of each task.
    """
    results, until = [], time.monotonic() + 60
    for entry in entries(task, level, 300):
        results.append(corrected(task, entry))
        if time.monotonic() > until:
            break
    found = Counter(CHECKS[task](entry) for entry in results if entry is not None)
    assert not found[False] and found[True] > found[None]


def test_the_library_has_wrong_answers() -> None:
    """The checks find them, so they can tell."""
    verdicts = [CHECKS["syllogism"](entry) for entry in entries("syllogism", None, 100)]
    assert False in verdicts
