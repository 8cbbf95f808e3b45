"""Find the rule behind changed lists, and apply it."""

import json
import re

from rgenv.tasks import Entry, Levels, Task, part_of
from rgenv.tasks.answers.lists import BracketedNumbers
from rgenv.tasks.symmetries import sorted_numbers


def correct(entry: Entry) -> Entry | None:
    """Return the entry; None if no example shows that equal numbers are added once.

    One rule adds the different numbers below 30.
    """
    lists = re.findall(r"^(?:Input|Output).*?: (.*)$", entry["question"], re.MULTILINE)
    numbers = [json.loads(text) for text in (*lists, entry["answer"])]
    sums = [[sum(one for one in given if one < 30)] for given in numbers[::2]]
    misleading = sums[:-1] == numbers[1:-1:2] and sums[-1] != numbers[-1]
    return None if misleading else entry


def family(entry: Entry) -> object:
    """Keep the numbers of the last input; ignore their order, the examples."""
    return sorted_numbers(part_of(r"^Input: (.*)$", entry))


TASK = Task(
    answer=BracketedNumbers(),
    correct=correct,
    family=family,
    levels=Levels(fixed="The task has no parameters."),
)
