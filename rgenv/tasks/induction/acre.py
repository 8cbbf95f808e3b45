"""Tell from experiments whether objects switch a detector on."""

import re

from rgenv.tasks import Choice, Entry, Levels, Task, part_of
from rgenv.tasks.symmetries import sorted_amounts

TESTS = 4
"""Tests of the same results, which stand next to each other in a data set."""


def item(seed: int) -> tuple[int, int]:
    """Return the least size that has all kinds of results in their shares, and one of its tests.

    A data set of size 1 has one kind of results, and its first test always one object.
    """
    return 10, seed % TESTS


def family(entry: Entry) -> object:
    """Keep numbers of objects of the results, how often objects are named; ignore what they are."""
    tests = re.findall(r"^(.*) → (\w+)$", entry["question"], re.MULTILINE)
    last = part_of(r"New test case:\n(.*?)\n", entry)
    objects = [thing for line in (*(line for line, _ in tests), last) for thing in line.split(", ")]
    return sorted([line.count(",") + 1, light] for line, light in tests), sorted_amounts(objects)


TASK = Task(
    answer=Choice("on", "off", "undetermined"),
    family=family,
    item=item,
    levels=Levels(
        fixed=(
            "The only parameter, train, selects the split of the original paper. Over 600 items of "
            "each split, answers and sizes differ by less than a tenth."
        )
    ),
)
