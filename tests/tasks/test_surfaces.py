"""What can be counted in a question does not tell its answer.

The library's generators leave traces: a largest island on a grid with more land, a path of rounds
in which the last card was added before. Corrections make such problems again. Each row below is a
trace that a policy found or may find: a table from the trace to the most frequent answer, made of
all problems, may be right for a share of them that is hardly more than what the best constant has.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from decimal import localcontext
from functools import cache
from itertools import groupby
from typing import Any

import pytest
import reasoning_gym

from rgenv.worker.levels import level_config
from rgenv.worker.problem_maker import corrected, hardened

Entry = dict[str, Any]


@cache
def served(task: str, level: float | None, count: int) -> tuple[Entry, ...]:
    """Return the hardened problems, and the library's where a task has none."""
    config = {} if level is None else level_config(task, level)
    dataset = reasoning_gym.create_dataset(task, size=count, seed=1000, **config)
    with localcontext():  # decimal_arithmetic changes it
        entries = [{**dataset[n], "seed": 1000 + n, "config": config} for n in range(count)]
        made = [hardened(task, entry) or corrected(task, entry) for entry in entries]
    return tuple(entry for entry in made if entry is not None)


def letter_and_words(entry: Entry) -> tuple[str, list[str]]:
    match = re.search(r'letter "(.)" appear in the text: "(.*)"', entry["question"])
    assert match is not None
    return match[1], match[2].split(" ")


def words_with_the_letter(entry: Entry) -> Hashable:
    letter, words = letter_and_words(entry)
    return sum(letter in word.lower() for word in words)


def prerequisites(entry: Entry) -> Hashable:
    return len(re.findall(r"\(\d+, \d+\)", entry["question"])) // 3


def useful_letters(entry: Entry) -> Hashable:
    note, magazine = (entry["metadata"][name] for name in ("ransom_note", "magazine"))
    return (sum(letter in note for letter in magazine) - len(note)) // 2


def frequencies(entry: Entry) -> Hashable:
    first, second = entry["question"].strip().rpartition("\n")[2].split()
    return sorted(Counter(first).values()) == sorted(Counter(second).values())


TELLS: list[tuple[str, float | None, int, Callable[[Entry], Hashable], float]] = [
    ("letter_counting", None, 300, words_with_the_letter, 0.55),
    ("course_schedule", 0.5, 200, prerequisites, 0.7),
    ("ransom_note", None, 300, useful_letters, 0.65),
    ("isomorphic_strings", None, 400, frequencies, 0.72),
]
"""Task, level, number of problems, trace, and the most that it may tell."""


@pytest.mark.parametrize(("task", "level", "count", "trace", "most"), TELLS)
def test_a_trace_does_not_tell_the_answer(
    task: str, level: float | None, count: int, trace: Callable[[Entry], Hashable], most: float
) -> None:
    """The best answer to each trace is seldom right; there are not too few problems."""
    entries, answers = served(task, level, count), defaultdict[Hashable, Counter[str]](Counter)
    for entry in entries:
        answers[trace(entry)][entry["answer"]] += 1
    assert len(entries) > 0.3 * count
    assert sum(max(each.values()) for each in answers.values()) < most * len(entries)


def neighbours(entry: Entry) -> str:
    """Compare each letter with those one, two and three places on."""
    first, second = entry["metadata"]["words"]
    far = [(i, i + n) for n in (1, 2, 3) for i in range(len(first) - n)]
    return str(all((first[i] == first[j]) == (second[i] == second[j]) for i, j in far))


def one_insertion(entry: Entry) -> str:
    """Insert a letter behind the first pattern."""
    string = entry["metadata"]["string"]
    return re.sub("ABCD|BCDE|CDEA|DEAB|EABC", lambda found: found[0] + found[0][0], string, count=1)


def unlike_neighbours(entry: Entry) -> str:
    """Put words together that stand beside each other and have the same letters."""
    runs = groupby(entry["metadata"]["words"], key=sorted)
    return json.dumps(sorted(sorted(run) for _, run in runs))


def circuit_output(entry: Entry, gates: slice, inputs: slice) -> str:
    """Return the output of some gates of a circuit, each with some of its inputs."""
    bits, output = entry["metadata"]["assignments"], 0
    for term in entry["metadata"]["term_strings"][gates]:
        ones = [bits[name.rstrip("'")] ^ name.endswith("'") for name in re.split("[&↑⊕]", term)]
        ones = ones[inputs]
        output ^= sum(ones) % 2 if "⊕" in term else all(ones) == ("&" in term)
    return str(int(output))


def no_last_gate(entry: Entry) -> str:
    return circuit_output(entry, slice(-1), slice(None))


def no_last_inputs(entry: Entry) -> str:
    return circuit_output(entry, slice(None), slice(-1))


def first_arm(entry: Entry) -> str:
    edges = re.findall(r"(\d+) (\d+)", entry["question"].split("task:")[1].split("/")[0])
    following, path = dict(edges[::-1]), [str(entry["metadata"]["center"])]
    while path[-1] in following:
        path.append(following[path[-1]])
    return " ".join(path)


@pytest.mark.parametrize("level", [None, 0.5, 1.0])
@pytest.mark.parametrize(
    ("task", "rule", "most"),
    [
        ("isomorphic_strings", neighbours, 0.75),
        ("string_insertion", one_insertion, 0.05),
        ("group_anagrams", unlike_neighbours, 0.05),
        ("circuit_logic", no_last_gate, 0.7),
        ("circuit_logic", no_last_inputs, 0.7),
        ("path_star", first_arm, 0.25),
    ],
)
def test_no_part_of_the_question_is_decoration(
    task: str, rule: Callable[[Entry], str], most: float, level: float | None
) -> None:
    """Whoever leaves out a part, such as letters far away, brackets or a gate, is seldom right."""
    entries = served(task, level, 100)
    assert len(entries) > 60
    assert sum(rule(entry) == entry["answer"] for entry in entries) < most * len(entries)
