"""Cut a string into palindromes, in every way."""

from rgenv.tasks import Task, by_library, moving
from rgenv.tasks.answers.grids import Groups
from rgenv.tasks.symmetries import last_string


class Partitions(Groups):
    """All the ways to divide a word."""


def partitions(_: object, text: str) -> list[list[str]]:
    """Return the ways to cut a string into palindromes, in the library's order."""
    ways: list[list[list[str]]] = [[[]]]
    for start in reversed(range(len(text))):
        found = []
        for end in range(start + 1, len(text) + 1):
            if text[start] == text[end - 1] and (piece := text[start:end]) == piece[::-1]:
                found += [[piece, *rest] for rest in ways[len(text) - end]]
        ways.append(found)
    return ways[-1] if text else []


TASK = Task(
    answer=Partitions(),
    also_right="any order of the partitions",
    verify=by_library,
    clarify=(("", "Answer with all possible partitions."),),
    family=last_string,
    # Strings of fewer than four letters have one partition; the last lengths keep within the
    # length budget.
    levels=moving(
        string_len=[(4, 6), (6, 8), (9, 11), (11, 13), (14, 15)],
        substring_palindrome_len=[(2, 4), (2, 5), (3, 6), (3, 7), (4, 8)],
    ),
    faster={
        "algorithmic.palindrome_partitioning:PalindromePartitioningDataset"
        ":_palindrome_partitioning": partitions
    },
)
