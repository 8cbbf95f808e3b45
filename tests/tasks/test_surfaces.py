"""What can be counted in a question does not tell its answer.

The library's generators leave traces: a largest island on a grid with more land, a path of rounds
in which the last card was added before. Corrections make such problems again. Each row below is a
trace that a policy found or may find: a table from the trace to the most frequent answer, made of
all problems, may be right for a share of them that is hardly more than what the best constant has.
"""

import ast
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal, localcontext
from functools import cache
from typing import Any

import pytest
import reasoning_gym

from rgenv.tasks.algorithmic.manipulate_matrix import KINDS, carried_out
from rgenv.tasks.exact_numbers import decimal_context, exact_value
from rgenv.tasks.questions import rows_written
from rgenv.worker.levels import level_config
from rgenv.worker.problem_maker import corrected, hardened

Entry = dict[str, Any]


@cache
def served(task: str, level: float | None, count: int) -> tuple[Entry, ...]:
    """Return the hardened problems, and the library's where a task has none."""
    config = {} if level is None else level_config(task, level)
    dataset = reasoning_gym.create_dataset(task, size=count, seed=1000, **config)
    with localcontext():  # decimal_arithmetic changes it
        entries = ({**dataset[n], "seed": 1000 + n, "config": config} for n in range(count))
        made = [hardened(task, entry) or corrected(task, entry) for entry in entries]
    return tuple(entry for entry in made if entry is not None)


def integers(entry: Entry) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", entry["question"])]


def small_primes(entry: Entry) -> Hashable:
    return tuple(all(n % p == 0 for n in integers(entry)) for p in (2, 3, 5, 7))


def land(entry: Entry) -> Hashable:
    return sum(map(sum, entry["metadata"]["grid"])), len(entry["metadata"]["grid"])


def copies(entry: Entry) -> Hashable:
    """Return how often the last card was dealt or added before."""
    dealt = re.findall(r"initial cards ([A-Z]+), what", entry["question"])[0]
    added = re.findall(r"Add an? (\w) card", entry["question"])
    return [*dealt, *added].count(added[-1])


def turned(entry: Entry) -> tuple[str, str, str]:
    metadata = entry["metadata"]
    return metadata["rotations"][0], metadata["rotations"][-1], metadata["target_side"]


def letter_and_words(entry: Entry) -> tuple[str, list[str]]:
    match = re.search(r'letter "(.)" appear in the text: "(.*)"', entry["question"])
    assert match is not None
    return match[1], match[2].split(" ")


def words_with_the_letter(entry: Entry) -> Hashable:
    letter, words = letter_and_words(entry)
    return sum(letter in word.lower() for word in words)


def quantifiers(entry: Entry) -> Hashable:
    return tuple(re.findall(r"\b(All|No|Some|not)\b", entry["question"].partition(")")[0]))


def prerequisites(entry: Entry) -> Hashable:
    return len(re.findall(r"\(\d+, \d+\)", entry["question"])) // 3


def useful_letters(entry: Entry) -> Hashable:
    note, magazine = (entry["metadata"][name] for name in ("ransom_note", "magazine"))
    return (sum(letter in note for letter in magazine) - len(note)) // 2


def frequencies(entry: Entry) -> Hashable:
    first, second = entry["question"].strip().rpartition("\n")[2].split()
    return sorted(Counter(first).values()) == sorted(Counter(second).values())


def first_digits(entry: Entry) -> Hashable:
    digits = entry["question"].split()[-1]
    return digits[0] == digits[1], len(digits)


def source_side(entry: Entry) -> str:
    colours = entry["metadata"]["initial_state"].items()
    return next(side for side, colour in colours if colour == entry["answer"])


# fmt: off
TELLS: list[tuple[str, float | None, int, Callable[[Entry], Hashable], float]] = [
    ("gcd", None, 400, small_primes, 0.55),
    ("gcd", 1.0, 400, small_primes, 0.55),
    ("largest_island", None, 200, land, 0.5),
    ("largest_island", 1.0, 100, land, 0.5),
    ("mahjong_puzzle", None, 300, copies, 0.57),
    ("letter_counting", None, 300, words_with_the_letter, 0.36),
    ("syllogism", None, 400, quantifiers, 0.62),
    ("course_schedule", 0.5, 200, prerequisites, 0.7),
    ("ransom_note", None, 300, useful_letters, 0.65),
    ("isomorphic_strings", None, 400, frequencies, 0.72),
    ("binary_alternation", 0.0, 400, first_digits, 0.45),
]
# fmt: on
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


@pytest.mark.parametrize("place", [0, 1, 2])
def test_no_turn_tells_where_a_colour_came_from(place: int) -> None:
    """A table of the first or the last turn, or of the asked side, is right in a quarter."""
    sources = defaultdict[str, Counter[str]](Counter)
    for entry in served("color_cube_rotation", None, 1000):
        sources[turned(entry)[place]][source_side(entry)] += 1
    assert sum(max(each.values()) for each in sources.values()) < 260


def test_words_and_numbers_have_to_be_read_to_the_end() -> None:
    """Lists to sort begin alike."""
    decided = whole = 0
    for entry in served("word_sorting", None, 60):
        words = entry["question"].strip().rpartition(": ")[2].split(", ")
        decided += len({word[:8] for word in words}) == len(words)
    for entry in served("number_sorting", None, 60):
        numbers = entry["question"].split("order: ")[1].split("\n")[0].split(", ")
        parts = Counter(number.split(".")[0].lstrip("-") for number in numbers)
        whole += len(parts) > max(1, len(numbers) // 5)
    assert decided < 3 and whole == 0


@pytest.mark.parametrize(
    "look",
    [
        lambda letters: (len(letters), letters[:4]),
        lambda letters: (len(letters), letters[-4:]),
        lambda letters: (len(letters), letters[:2], letters[-2:]),
        lambda letters: (len(letters), frozenset(letters)),
        lambda letters: (len(letters), re.sub("[aeiou]", "", letters)),
        lambda letters: (re.sub("[^aeiou]", "", letters), sum(map(ord, letters))),
        lambda letters: (len(letters), *map(letters.count, "aeiourstln")),
    ],
)
def test_a_part_of_the_letters_does_not_group_anagrams(look: Callable[[str], Hashable]) -> None:
    """Of nine groups, two look alike in each respect: each look tells all apart in a few only."""
    told = 0
    for entry in served("group_anagrams", None, 60):
        groups = json.loads(entry["answer"])
        told += len({look("".join(sorted(group[0]))) for group in groups}) == len(groups)
    assert told < 18


def neighbours(entry: Entry) -> str:
    """Compare each letter with those one, two and three places on."""
    first, second = entry["metadata"]["words"]
    far = [(i, i + n) for n in (1, 2, 3) for i in range(len(first) - n)]
    return str(all((first[i] == first[j]) == (second[i] == second[j]) for i, j in far))


def whole_numbers(entry: Entry) -> str:
    """Compare what stands before the point."""
    meta = entry["metadata"]
    limit = int(float(meta["filter_value"]))
    action, size = meta["operation"].split("_")
    larger = size == "larger"
    kept = [
        n
        for n in ast.literal_eval(re.findall(r"\[.*\]", entry["question"])[0])
        if (int(float(n)) > limit if larger else int(float(n)) < limit) == (action == "keep")
    ]
    return str(kept)


def no_brackets(entry: Entry) -> str:
    return str(exact_value(re.sub(r"[()]", "", entry["metadata"]["expression"])))


def no_brackets_of_decimals(entry: Entry) -> str:
    head, _, line = entry["question"].removesuffix("= ?").rpartition("\n")
    value = exact_value(re.sub(r"[()]", "", line))
    digits = int(re.findall(r"maximum of (\d+)", head)[0])
    return f"{decimal_context(digits).divide(Decimal(value.numerator), value.denominator):f}"


def no_smallest(entry: Entry) -> str:
    return str(math.lcm(*sorted(entry["metadata"]["numbers"])[1:]))


def circuit_output(entry: Entry, gates: slice, inputs: slice) -> str:
    """Return the output of some gates of a circuit, each with some of its inputs."""
    bits, output = entry["metadata"]["assignments"], 0
    for term in entry["metadata"]["term_strings"][gates]:
        ones = [bits[name.rstrip("'")] ^ name.endswith("'") for name in re.split("[&↑⊕]", term)]
        ones = ones[inputs]
        output ^= sum(ones) % 2 if "⊕" in term else all(ones) == ("&" in term)
    return str(int(output))


def small_primes_only(entry: Entry) -> str:
    number, factors = entry["metadata"]["number"], list[int]()
    for prime in (2, 3, 5):
        while number % prime == 0:
            number //= prime
            factors.append(prime)
    return " × ".join(map(str, [*factors, *[number] * (number > 1)]))


def no_last_gate(entry: Entry) -> str:
    return circuit_output(entry, slice(-1), slice(None))


def no_last_inputs(entry: Entry) -> str:
    return circuit_output(entry, slice(None), slice(-1))


def any_two_neighbours(entry: Entry) -> str:
    """Take any two different neighbours of the last card for a sequence with it."""
    rounds = entry["metadata"]["rounds"]
    hand = Counter(re.findall(r"initial cards ([A-Z]+), what", entry["question"])[0])
    for each in rounds[:-1]:
        hand += Counter(each["add"])
        hand -= Counter(each["remove"])
    last = rounds[-1]["add"]
    if hand[last] >= 2:
        return "Peng"
    near = sum(chr(ord(last) + step) in hand for step in (-2, -1, 1, 2))
    return "Chi" if near >= 2 else "Pass"


def no_exponents(entry: Entry) -> str:
    """Compare the candidates by what stands before the e."""
    shown = entry["question"].rpartition("candidates:")[2].split()
    sign = 1 if "pick the largest number of" in entry["question"] else -1
    best = max(shown, key=lambda text: sign * Decimal(text.replace(",", "").split("e")[0]))
    return str(Decimal(best.replace(",", "")).quantize(Decimal("0.001")))


def whole_decimals(text: str) -> tuple[int, int]:
    """Return both sides of the point as whole numbers: as if 40.4 were smaller than 40.13."""
    whole, _, decimals = text.removeprefix("-").partition(".")
    sign = -1 if text.startswith("-") else 1
    return sign * int(whole), sign * int(decimals or 0)


def sorted_by_whole_decimals(entry: Entry) -> str:
    numbers = entry["question"].split("order: ")[1].split("\n")[0].split(", ")
    downwards = "descending" in entry["question"]
    return str(sorted(numbers, key=whole_decimals, reverse=downwards))


def filtered_by_whole_decimals(entry: Entry) -> str:
    found = re.search(r"(Keep|Remove) all numbers (larger|smaller) than (\S+)", entry["question"])
    assert found is not None
    action, size, limit = found.groups()
    numbers = re.findall(r"'([^']+)'", entry["question"])
    sides = {
        number: (whole_decimals(number) > whole_decimals(limit)) == (size == "larger")
        for number in numbers
    }
    return str([number for number in numbers if sides[number] == (action == "Keep")])


def without(kind: Sequence[str]) -> Callable[[Entry], str]:
    """Return a rule that carries out all operations but those of a kind."""

    def rule(entry: Entry) -> str:
        operations = entry["metadata"]["operations"]
        kept = [op for op in operations if op["transform"] not in kind]
        return rows_written(carried_out(entry["metadata"]["matrix"], kept))

    return rule


def first_arm(entry: Entry) -> str:
    edges = re.findall(r"(\d+) (\d+)", entry["question"].split("task:")[1].split("/")[0])
    following, path = dict(edges[::-1]), [str(entry["metadata"]["center"])]
    while path[-1] in following:
        path.append(following[path[-1]])
    return " ".join(path)


def one_outcome(entry: Entry) -> str:
    heads, *_, flips = map(int, re.findall(r"\d+", entry["question"]))
    return f"{math.comb(flips, heads) / 2**flips:.10g}"


@pytest.mark.parametrize("level", [None, 0.5, 1.0])
@pytest.mark.parametrize(
    ("task", "rule", "most"),
    [
        ("isomorphic_strings", neighbours, 0.75),
        ("number_filtering", whole_numbers, 0.05),
        ("number_filtering", filtered_by_whole_decimals, 0.05),
        ("number_sorting", sorted_by_whole_decimals, 0.05),
        ("basic_arithmetic", no_brackets, 0.1),
        ("decimal_arithmetic", no_brackets_of_decimals, 0.05),
        ("lcm", no_smallest, 0.05),
        ("coin_flip", one_outcome, 0.25),
        ("prime_factorization", small_primes_only, 0.25),
        ("circuit_logic", no_last_gate, 0.7),
        ("circuit_logic", no_last_inputs, 0.7),
        ("mahjong_puzzle", any_two_neighbours, 0.65),
        ("number_format", no_exponents, 0.25),
        ("manipulate_matrix", without(KINDS[0]), 0.25),
        ("manipulate_matrix", without(KINDS[1]), 0.25),
        ("manipulate_matrix", without(KINDS[2]), 0.25),
        ("manipulate_matrix", without(KINDS[3]), 0.25),
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
