"""Which groups of two sides stand beside each other: those of one problem.

Where no problem is in both, groups of the same task and about the same level do.
"""

from collections.abc import Hashable, Sequence

from rgenv.pages.collection import Kept

BAND = 0.1
"""Levels that differ by less count as the same where other problems are compared."""


def matched(groups: Sequence[Kept]) -> tuple[str, dict[str, int]]:
    """Return by what groups match, ``recipe`` or ``level``, and id -> number of each that does.

    Groups with equal numbers stand beside each other. Of a problem that a side has several times,
    as in several evaluations, the last one counts. Without any match the mapping is empty.
    """
    last = {(group.place.side, group.problem): group for group in groups}
    numbers = _numbered([(g, g.problem) for g in groups if last[g.place.side, g.problem] is g])
    if numbers:
        return "recipe", numbers
    kinds: dict[int, str] = {}
    for kind in ("samples", "groups", "rollouts"):  # training counts, where a side has it
        kinds |= {group.place.side: kind for group in groups if group.saved.kind == kind}
    return "level", _numbered(
        [(g, _cell(g)) for g in groups if g.saved.kind == kinds[g.place.side]]
    )


def _cell(group: Kept) -> Hashable:
    level = group.saved.level
    return group.saved.task, None if level is None else round(level / BAND)


def _numbered(groups: Sequence[tuple[Kept, Hashable]]) -> dict[str, int]:
    """Return the ids whose key both sides have, numbered by key."""
    here, there = ({key for group, key in groups if group.place.side == side} for side in (0, 1))
    common = dict.fromkeys(key for _, key in groups if key in here & there)
    numbers = {key: number for number, key in enumerate(common)}
    return {group.saved.group: numbers[key] for group, key in groups if key in numbers}
