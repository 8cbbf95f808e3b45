"""An independent way to the answer of each task, to check the library's reference answers.

Example::

    CHECKS["gcd"](entry)    # True: the reference answer is right; False: wrong; None: undecided

Every public function of the eight modules below checks the task of its name. It gets the question
and the answer of an entry, or what its parameters name, and raises if it does not understand the
question. The checks were written without looking at rgenv/tasks/, whose corrections they check.
"""

from collections.abc import Callable, Mapping
from inspect import signature
from types import FunctionType
from typing import Any

from tests.labels import arithmetic, graphs, grids, logic, people, puzzles, strings, times
from tests.labels.shared import Verdict

Check = Callable[[Mapping[str, Any]], Verdict]


def _of_entry(check: FunctionType) -> Check:
    names = list(signature(check).parameters)
    return lambda entry: check(*(entry[name] for name in names))


CHECKS: Mapping[str, Check] = dict(
    sorted(
        (name, _of_entry(check))
        for module in (arithmetic, graphs, grids, logic, people, puzzles, strings, times)
        for name, check in vars(module).items()
        if isinstance(check, FunctionType)
        and check.__module__ == module.__name__
        and not name.startswith("_")
    )
)
"""The check of each task, in the order of the tasks' names."""
