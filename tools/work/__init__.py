"""How much work a problem takes: a proxy for each task, measured from the entry.

    arithmetic.py    operations on digits, divisions, terms
    algebra.py       terms, rules and roots
    figures.py       geometry and chance
    strings.py       words, letters and lists
    matrices.py      grids of numbers
    moves.py         puzzles that are solved by moves
    boards.py        values that are possible on a board
    search.py        what is tried or read before the right one
    graphs.py        cells, edges and rounds of a search
    logic.py         statements, operators and gates
    patterns.py      objects, letters, and operations behind a pattern
    rewriting.py     rules to apply, cells to move or combine
    words.py         letters and words to put in order

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

from rgenv.tasks.entry import Entry
from rgenv.tasks.registry import records
from tools.work import (
    algebra,
    arithmetic,
    boards,
    figures,
    graphs,
    logic,
    matrices,
    moves,
    patterns,
    rewriting,
    search,
    strings,
    words,
)

Proxy = Callable[[Entry], float]
"""Returns the work of a problem, at least 0. It may raise on an entry in an unknown form."""

WORK: Mapping[str, Proxy] = {
    **algebra.PROXIES,
    **arithmetic.PROXIES,
    **boards.PROXIES,
    **figures.PROXIES,
    **graphs.PROXIES,
    **logic.PROXIES,
    **matrices.PROXIES,
    **moves.PROXIES,
    **patterns.PROXIES,
    **rewriting.PROXIES,
    **search.PROXIES,
    **strings.PROXIES,
    **words.PROXIES,
    **{task: record.work for task, record in records().items() if record.work is not None},
}


def work(task: str, entry: Entry) -> float | None:
    """Return the work that a problem takes; None if that is unknown."""
    proxy = WORK.get(task)
    if proxy is None:
        return None
    try:
        amount = float(proxy(entry))
    except Exception:  # a question in a form unknown to the proxy; any parsing step may fail
        return None
    return amount if amount >= 0 else None
