"""Harder problems: neither a part of the method nor what can be counted in a question solves them.

tests/worker/test_parameters.py has the parameters that they obey.
"""

import ast
import itertools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import reasoning_gym

from rgenv.tasks.questions import rows_written
from rgenv.tasks.registry import record_of
from rgenv.worker.levels import level_config
from rgenv.worker.problem_maker import rewritten
from tests.labels import CHECKS
from tests.support.library import corrected
from tests.support.records import field

Entry = dict[str, Any]


@cache
def served(task: str, level: float | None, count: int = 100) -> tuple[Entry, ...]:
    """Return the hardened problems, and the library's where a task has none."""
    config = {} if level is None else level_config(task, level)
    dataset = reasoning_gym.create_dataset(task, size=count, seed=1000, **config)
    with localcontext():  # decimal_arithmetic changes it
        entries = [{**dataset[n], "seed": 1000 + n, "config": config} for n in range(count)]
        harden = record_of(task).harden
        made = [(harden and rewritten(harden, one)) or corrected(task, one) for one in entries]
    return tuple(entry for entry in made if entry is not None)


def listed(entry: Entry) -> list[str]:
    """Return the listed numbers, without what follows them."""
    tail = entry["question"].split("\n")[0].rpartition(": ")[2]
    return re.findall(r"-?\d+(?:\.\d+)?", tail)


def candidates(entry: Entry) -> list[str]:
    return entry["question"].replace(",", "").rpartition("candidates:")[2].split()


def expression(entry: Entry) -> str:
    return re.findall(r"[-(]*\d[-\d\s.+*/()]*\b\)?", entry["question"].rpartition("\n")[2])[0]


def value(text: str) -> Fraction:
    return eval(re.sub(r"[\d.]+", r"Fraction('\g<0>')", text), {"Fraction": Fraction})


def up_to_ten(entry: Entry) -> str:
    found = list(map(int, listed(entry)))
    return str(max(n for n in range(1, 11) if not any(number % n for number in found)))


def sorted_by_whole_parts(entry: Entry) -> str:
    downwards = entry["metadata"]["direction"] == "descending"
    return str(sorted(listed(entry), key=lambda n: int(float(n)), reverse=downwards))


def divided_by_two_three_and_five(entry: Entry) -> str:
    [rest], found = map(int, re.findall(r"of (\d+)\.", entry["question"])), []
    for prime in (2, 3, 5):
        while rest % prime == 0:
            found.append(prime)
            rest //= prime
    return " × ".join(map(str, [*found, rest] if rest > 1 else found))


def without_exponents(entry: Entry) -> str:
    choose = max if entry["metadata"]["size"] == "largest" else min
    chosen = choose(candidates(entry), key=lambda text: float(text.split("e")[0]))
    return f"{Decimal(chosen):f}"


def without_brackets(entry: Entry) -> str:
    found = value(re.sub("[()]", "", expression(entry)))
    digits = re.findall(r"maximum of (\d+) significant", entry["question"])
    if not digits:
        return str(round(found))
    return f"{Context(prec=int(digits[0])).divide(found.numerator, found.denominator):f}"


def sorted_by_first_letters(entry: Entry) -> str:
    meta = entry["metadata"]
    words, downwards = meta["transformed_words"], meta["direction"] == "descending"
    return ", ".join(sorted(words, key=lambda word: word[0], reverse=downwards))


def without_boxes(entry: Entry) -> str:
    """Put in each digit that row and column leave."""
    board = [list(row) for row in entry["metadata"]["puzzle"]]
    for _, y, x in itertools.product(range(16), range(4), range(4)):
        left = {1, 2, 3, 4} - {*board[y]} - {row[x] for row in board}
        if not board[y][x] and len(left) == 1:
            board[y][x] = left.pop()
    return rows_written(board)


def one_insertion(entry: Entry) -> str:
    """Insert a letter behind the first pattern."""
    string = entry["metadata"]["string"]
    return re.sub("ABCD|BCDE|CDEA|DEAB|EABC", lambda found: found[0] + found[0][0], string, count=1)


def unlike_neighbours(entry: Entry) -> str:
    """Put words together that stand beside each other and have the same letters."""
    runs = itertools.groupby(entry["metadata"]["words"], key=sorted)
    return json.dumps(sorted(sorted(run) for _, run in runs))


def first_arm(entry: Entry) -> str:
    edges = re.findall(r"(\d+) (\d+)", entry["question"].split("task:")[1].split("/")[0])
    following, path = dict(edges[::-1]), [str(entry["metadata"]["center"])]
    while path[-1] in following:
        path.append(following[path[-1]])
    return " ".join(path)


RULES: list[tuple[str, Callable[[Entry], str], float]] = [
    ("basic_arithmetic", without_brackets, 0.3),
    ("decimal_arithmetic", without_brackets, 0.3),
    ("gcd", up_to_ten, 0.3),
    ("group_anagrams", unlike_neighbours, 0.05),
    ("mini_sudoku", without_boxes, 0.3),
    ("number_format", without_exponents, 0.3),
    ("number_sorting", sorted_by_whole_parts, 0.3),
    ("path_star", first_arm, 0.25),
    ("prime_factorization", divided_by_two_three_and_five, 0.3),
    ("string_insertion", one_insertion, 0.05),
    ("word_sorting", sorted_by_first_letters, 0.3),
]
"""Task, what a cheap program answers, and the most problems that it may solve."""


@pytest.mark.parametrize("level", [None, 0.5, 1.0])
@pytest.mark.parametrize(("task", "rule", "most"), RULES)
def test_a_part_of_the_method_is_not_enough(
    task: str, rule: Callable[[Entry], str], most: float, level: float | None
) -> None:
    entries = served(task, level)
    assert len(entries) > 60
    solved = [CHECKS[task]({**entry, "answer": rule(entry)}) for entry in entries]
    assert solved.count(True) < most * len(entries)


HARDENED = sorted(task for task, harden in field("harden").items() if harden and task in CHECKS)


@pytest.mark.parametrize("level", [None, 0.5, 1.0])
@pytest.mark.parametrize("task", HARDENED)
def test_the_answers_to_hardened_problems_are_right(task: str, level: float | None) -> None:
    entries = served(task, level, 100 if task in {rule[0] for rule in RULES} else 5)
    undecided = {None} if task in ("letter_counting", "rectangle_count") else set()
    assert {CHECKS[task](entry) for entry in entries} - undecided == {True}


def test_a_filter_keeps_the_list_of_the_question() -> None:
    for entry in served("number_filtering", None):
        listed = re.findall(r"\[.*\]", entry["question"])[0]
        assert ast.literal_eval(listed) == entry["metadata"]["original_numbers"]


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
