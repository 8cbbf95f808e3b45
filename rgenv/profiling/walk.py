"""Which cell of a task is asked next, and what its verdicts say about the others.

::

    next_level({0.0: Cell(), 0.5: Cell(), 1.0: Cell()})             # (0.5,)
    inferred({0.0: "dead"}, [0.0, 0.5, 1.0])                        # {0.5: ("dead", 0.0), ...}

The assumption is that a model is right less often as the level rises. So the levels above a dead
one are dead, those below a mastered one are mastered, and those between two learnable ones are
learnable; nothing is asked there. No order is assumed between the levels and the task's default
parameters.

Of the open levels that follow each other, the middle comes first, or the end that is further from
a learnable one, with one stage of completions. If hardly any is right, the lowest of them follows:
a verdict of dead there holds for all. If nearly all are right, the highest one follows.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from rgenv.dataset.blind import beyond_blind
from rgenv.profiling.verdicts import HOPELESS, Counts, Verdict

Level = float | None

FEW = 0.125
"""The share of completions, beyond luck, that counts as hardly any."""


@dataclass(frozen=True)
class Cell:
    """What is known of a task at a level.

    Attributes:
        blind: what a blind guess earns.
        verdict: None: completions are still asked for.
    """

    counts: Counts = field(default_factory=Counts)
    blind: float = 0.0
    verdict: Verdict | None = None


def inferred(cells: Mapping[Level, Cell]) -> dict[Level, tuple[Verdict, float]]:
    """Return what the verdicts on some levels say about others.

    Returns:
        level -> verdict and the level that it follows from. A level about which two verdicts
        disagree is not among them.
    """
    known = {x: c.verdict for x, c in cells.items() if x is not None and c.verdict is not None}
    answers: dict[Level, tuple[Verdict, float]] = {}
    for level in cells:
        if level is None or known.get(level, "undecided") != "undecided":
            continue
        hopeless = [x for x, verdict in known.items() if x < level and verdict in HOPELESS]
        mastered = [x for x, verdict in known.items() if x > level and verdict == "mastered"]
        learnable = [x for x, verdict in known.items() if verdict == "learnable"]
        if hopeless and not mastered:
            nearest = max(hopeless)
            answers[level] = known[nearest], nearest
        elif mastered and not hopeless:
            answers[level] = "mastered", min(mastered)
        elif not hopeless and learnable and min(learnable) < level < max(learnable):
            answers[level] = "learnable", max(x for x in learnable if x < level)
    return answers


def settled(cells: Mapping[Level, Cell]) -> dict[Level, Verdict]:
    """Return the verdict on each level that has one, or about which others say it."""
    found = {level: cell.verdict for level, cell in cells.items() if cell.verdict is not None}
    return found | {level: verdict for level, (verdict, _) in inferred(cells).items()}


def next_level(cells: Mapping[Level, Cell]) -> tuple[Level] | None:
    """Return the level of the next stage of completions, in a tuple; None if all are settled."""
    verdicts = settled(cells)
    levels = sorted(level for level in cells if level is not None)
    run = _first_run(levels, verdicts)
    if not run:
        return (None,) if None in cells and None not in verdicts else None
    before, after = levels.index(run[0]) - 1, levels.index(run[-1]) + 1
    if after < len(levels) and verdicts[levels[after]] == "learnable":
        best = run[0]
    elif before >= 0 and verdicts[levels[before]] == "learnable":
        best = run[-1]
    else:
        best = run[(len(run) - 1) // 2]
    cell = cells[best]
    if not cell.counts.trials:
        return (best,)
    beyond_luck = beyond_blind(cell.counts.share, blind=cell.blind)
    if beyond_luck <= FEW:
        return (run[0],)
    return (run[-1] if beyond_luck >= 1 - FEW else best,)


def _first_run(levels: list[float], verdicts: Container[Level]) -> list[float]:
    """Return the first levels without a verdict that follow each other."""
    run: list[float] = []
    for level in levels:
        if level not in verdicts:
            run.append(level)
        elif run:
            break
    return run
