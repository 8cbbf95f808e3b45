"""How much work a problem takes: a proxy for each task, measured from the entry.

    arithmetic.py    operations on digits, divisions, terms
    algebra.py       terms, rules and roots
    figures.py       geometry and chance
    programs.py      statements that run in bf and codeio
    strings.py       words, letters and lists
    matrices.py      grids of numbers

Example::

    work("gcd", entry)    # 7.0: divisions of Euclid's algorithm

A proxy counts what a person or a solver does: moves, operations, unknowns, depth, nodes of a
search. It never counts the length of the text, nor the size of numbers alone. Its unit is its own,
so only problems of one task can be compared. levels.json is fitted so that the mean of each proxy
rises with the level; a task that is ``fixed`` there need not have a proxy.

Not here: the parameters of a level (levels.py), and what a model finds hard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rgenv.worker.verifiers.shared import Entry
from rgenv.worker.work import algebra, arithmetic, figures, matrices, programs, strings

Proxy = Callable[[Entry], float]
"""Returns the work of a problem, at least 0. It may raise on an entry in an unknown form."""

WORK: Mapping[str, Proxy] = {
    **algebra.PROXIES,
    **arithmetic.PROXIES,
    **figures.PROXIES,
    **matrices.PROXIES,
    **programs.PROXIES,
    **strings.PROXIES,
}


def work(task: str, entry: Entry) -> float | None:
    """Return the work that a problem takes; None if that is unknown."""
    proxy = WORK.get(task)
    if proxy is None:
        return None
    try:
        return float(proxy(entry))
    except Exception:  # a question in a form unknown to the proxy; any parsing step may fail
        return None
