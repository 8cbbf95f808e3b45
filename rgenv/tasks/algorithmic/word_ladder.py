"""Change a word into another, a letter at a time."""

import re
from collections import defaultdict
from itertools import pairwise
from typing import Any

from rgenv.tasks import Answer, Answers, Entry, LibraryVerifier, Task, moving
from rgenv.tasks.answers.lists import joined_items, word
from rgenv.tasks.symmetries import words_after
from rgenv.tasks.verifying import MAX_TEXT
from rgenv.tasks.word_lists import is_word


def _changes_a_letter_each(words: list[str]) -> bool:
    return all(
        len(a) == len(b) and sum(x != y for x, y in zip(a, b, strict=True)) == 1
        for a, b in pairwise(words)
    )


class Ladder(Answer):
    """Words of any case in any form of a list."""

    name = "list"

    def read(self, text: str, entry: Entry) -> str | None:
        found = joined_items(text, word, ",")
        return found and found.upper()


def verify(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for any ladder of words, of any length, from the first word to the last.

    The library knows half of the words of five letters, and gives 0.5 to a ladder with one letter
    sequence that is not a word.
    """
    words = answer[:MAX_TEXT].upper().split(",")
    ends = entry["metadata"]["start_word"], entry["metadata"]["end_word"]
    return float(
        len(words) > 1
        and (words[0], words[-1]) == ends
        and _changes_a_letter_each(words)
        and all(step in ends or is_word(step) for step in words)
    )


def shortcuts(question: str) -> Answers:
    """Change the letters one after another, from either end, whether or not they make words."""
    start, end = re.findall(r"'(\w+)'", question)[:2]
    answers = {}
    for name, step in (("left to right", 1), ("right to left", -1)):  # .67 .63
        path = [start]
        for place in range(len(end))[::step]:
            if start[place] != end[place]:
                path.append(path[-1][:place] + end[place] + path[-1][place + 1 :])
        answers[f"change {name}"] = ",".join(path)
    return answers


def shortest_ladder(dataset: Any, start: str, end: str, words: set[str]) -> list[str] | None:
    """Return the first of the shortest ladders; None if it has not as many words as it should.

    It replaces a function of the library, and goes through neighbors in the same order, but no
    further than a ladder may lead.
    """
    if end in dataset._get_neighbors(start, words):
        return [start, end]
    longest = dataset.config.max_chain_length
    before, reached, length = {start: ""}, [start], 1
    while reached and end not in before and length != longest:
        following = []
        for current in reached:
            for neighbor in dataset._get_neighbors(current, words):
                if neighbor not in before:
                    before[neighbor] = current
                    following.append(neighbor)
        reached, length = following, length + 1
    if end not in before or not dataset.config.is_valid_path_length(length):
        return None
    ladder = [end]
    while ladder[-1] != start:
        ladder.append(before[ladder[-1]])
    return ladder[::-1]


def word_graph(dataset: Any, length: int) -> dict[str, set[str]]:
    """Return the neighbours of each word, in sets that are filled in the library's order."""
    words = dataset.word_sets[length]
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for one in sorted(words):
        for i in range(length):
            alike[f"{one[:i]} {one[i + 1 :]}"].append(one)
    graph = {
        one: {
            other
            for i in range(length)
            for other in alike[f"{one[:i]} {one[i + 1 :]}"]
            if other != one
        }
        for one in words
    }
    dataset.word_graphs[length] = graph
    return graph


TASK = Task(
    answer=Ladder(),
    also_right="any ladder between the words, of any length",
    verify=verify,
    clarify=(("", "Begin with the first word and end with the last one."),),
    shortcuts=shortcuts,
    family=words_after(r"word ladder ('\w+' to '\w+')"),
    # The curriculum moves the length of words only; the chain between them is what takes steps.
    levels=moving(
        word_length=[(3, 4), (3, 4), (4, 4), (4, 4), (4, 5)],
        chain_length=[(3, 4), (5, 5), (6, 7), (8, 8), (9, 12)],
    ),
    prepared=("min_word_length", "max_word_length"),
    faster={
        "algorithmic.word_ladder:WordLadderDataset:_find_path": shortest_ladder,
        "algorithmic.word_ladder:WordLadderDataset:_build_word_graph": word_graph,
    },
)
