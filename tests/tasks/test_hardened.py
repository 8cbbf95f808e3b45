"""Harder problems: what a part of the method solves there, and which parameters they obey."""

import ast
import itertools
import math
import random
import re
from collections.abc import Callable, Iterator
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import pytest
import reasoning_gym
from reasoning_gym.algorithmic.word_sorting import TextTransformation

from rgenv.tasks.questions import rows_written
from rgenv.worker.levels import level_config
from rgenv.worker.problem_maker import hardened
from tests.labels import CHECKS

Entry = dict[str, Any]


def made(task: str, config: dict[str, Any], count: int = 100) -> Iterator[Entry]:
    dataset = reasoning_gym.create_dataset(task, size=count, seed=1000, **config)
    for n in range(count):
        if (entry := hardened(task, {**dataset[n], "config": config})) is not None:
            yield entry


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


def filtered_by_whole_parts(entry: Entry) -> str:
    action, size = entry["metadata"]["operation"].split("_")
    limit = int(float(entry["metadata"]["filter_value"]))
    sign = 1 if size == "larger" else -1
    kept = [n for n in listed(entry) if (sign * int(float(n)) > sign * limit) == (action == "keep")]
    return str(kept)


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


def largest_where_most_is_missing(entry: Entry) -> str:
    """Fill lines with one blank, else put the largest number where most is missing."""
    board = [list(row) for row in entry["metadata"]["puzzle"]]
    left, size = sorted(entry["metadata"]["candidate_numbers"]), len(board) - 1

    def lines(y: int, x: int) -> list[list[int]]:
        return [board[y], [row[x] for row in board]]

    while left:
        blanks = [(y, x) for y in range(size) for x in range(size) if not board[y][x]]
        means = {
            cell: [(2 * line[-1] - sum(line)) / line.count(0) for line in lines(*cell)]
            for cell in blanks
        }
        forced = [
            (*cell, mean)
            for cell in blanks
            for line, mean in zip(lines(*cell), means[cell], strict=True)
            if line.count(0) == 1
        ]
        y, x = max(blanks, key=lambda cell: sum(means[cell]))
        y, x, number = forced[0] if forced else (y, x, left[-1])
        if number not in left:
            break
        board[y][x] = int(number)
        left.remove(int(number))
    return rows_written(board)


def without_boxes(entry: Entry) -> str:
    """Put in each digit that row and column leave."""
    board = [list(row) for row in entry["metadata"]["puzzle"]]
    for _, y, x in itertools.product(range(16), range(4), range(4)):
        left = {1, 2, 3, 4} - {*board[y]} - {row[x] for row in board}
        if not board[y][x] and len(left) == 1:
            board[y][x] = left.pop()
    return rows_written(board)


RULES: dict[str, Callable[[Entry], str]] = {
    "basic_arithmetic": without_brackets,
    "decimal_arithmetic": without_brackets,
    "gcd": up_to_ten,
    "mini_sudoku": without_boxes,
    "number_filtering": filtered_by_whole_parts,
    "number_format": without_exponents,
    "number_sorting": sorted_by_whole_parts,
    "prime_factorization": divided_by_two_three_and_five,
    "survo": largest_where_most_is_missing,
    "word_sorting": sorted_by_first_letters,
}


@pytest.mark.parametrize("level", [None, 0.5, 1.0])
@pytest.mark.parametrize("task", RULES)
def test_a_part_of_the_method_is_not_enough(task: str, level: float | None) -> None:
    """It solves most problems of the library; the answers here are right."""
    entries = list(made(task, {} if level is None else level_config(task, level), 60))
    assert len(entries) > 50 and all(CHECKS[task](entry) for entry in entries)
    solved = [CHECKS[task]({**entry, "answer": RULES[task](entry)}) for entry in entries]
    assert solved.count(True) < 0.3 * len(entries)


def test_numbers_have_the_parameters_that_were_asked_for() -> None:
    """Count, range and decimals."""
    lists = {"min_numbers": 4, "max_numbers": 5, "min_value": -3.0, "max_value": 1.5}
    for task in ("number_filtering", "number_sorting"):
        entries = list(made(task, {**lists, "min_decimals": 1, "max_decimals": 2}))
        shown = [listed(entry) for entry in entries]
        assert len(entries) > 50 and {len(each) for each in shown} == {4, 5}
        assert all(re.fullmatch(r"-?\d\.\d\d?", number) for each in shown for number in each)
        assert all(-3 <= float(number) <= 1.5 for each in shown for number in each)
        assert not list(made(task, {**lists, "min_decimals": 0, "max_decimals": 0}))
    three = list(made("gcd", {"min_numbers": 3, "max_numbers": 3, "min_value": 50}))
    assert len(three) > 90
    for entry in three:
        found = list(map(int, listed(entry)))
        assert len(found) == 3 and min(found) >= 50 and max(found) <= 1000
        assert math.gcd(*found) == int(entry["answer"])
    assert not list(made("gcd", {"max_value": 8}))
    for entry in made("prime_factorization", {"min_value": 300, "max_value": 400}):
        assert 300 <= entry["metadata"]["number"] <= 400


@pytest.mark.parametrize("seed", range(4))
def test_candidates_and_words_obey(seed: int) -> None:
    rng = random.Random(seed)
    least, delta, low = rng.randint(2, 9), rng.uniform(0.5, 20), rng.uniform(1, 1000)
    counts = {"min_num_candidates": least, "max_num_candidates": least + rng.randint(0, 2)}
    config = {**counts, "min_n": low, "max_n": low + 10, "max_delta": delta}
    for entry in made("number_format", config):
        shown = list(map(float, candidates(entry)))
        assert least <= len(shown) <= counts["max_num_candidates"]
        assert low - delta - 0.01 <= min(shown) and max(shown) <= low + 10 + delta + 0.01
        assert max(shown) - min(shown) <= 2 * delta + 0.01
    shortest = rng.randint(1, 6)
    lengths = {"min_word_length": shortest, "max_word_length": shortest + rng.randint(0, 4)}
    for entry in made("word_sorting", {"min_words": least, "max_words": least + 1, **lengths}):
        words = entry["answer"].split(", ")
        assert len({*words}) == len(words) and least <= len(words) <= least + 1
        assert all(shortest <= len(word) <= lengths["max_word_length"] for word in words)
    assert not list(made("word_sorting", {"transformation": TextTransformation.LOWERCASE}))


@pytest.mark.parametrize("seed", range(4))
def test_expressions_obey(seed: int) -> None:
    rng = random.Random(seed)
    terms, size = rng.randint(3, 6), rng.randint(1, 4)
    limits = {"min_terms": terms, "max_terms": terms}
    digits = {"min_digits": size, "max_digits": size}
    signs = rng.sample("+-*/", rng.randint(2, 4))
    spaces = rng.choice(["no_space", "single"])
    config = {**limits, **digits, "operators": signs, "whitespace": spaces}
    for entry in made("basic_arithmetic", config, 30):
        shown = expression(entry)
        assert len(re.findall(r"\d+", shown)) == terms == entry["metadata"]["num_terms"]
        assert all(len(number) <= size for number in re.findall(r"\d+", shown))
        assert {*re.findall(r"(?<=[\d)]) ?([-+*/])", shown)} <= {*signs}
        assert (" " in shown) == (spaces == "single")
    places = {"min_num_decimal_places": size, "max_num_decimal_places": size + 1}
    for entry in made("decimal_arithmetic", {**limits, **places}, 30):
        shown = re.findall(r"\d+\.(\d+)", expression(entry))
        assert len(shown) == terms and {len(each) for each in shown} <= {size, size + 1}
    assert not list(made("basic_arithmetic", {"allow_parentheses": False}))
    assert not list(made("basic_arithmetic", {"operators": ["+"]}, 3))
    assert not list(made("decimal_arithmetic", {"max_terms": 2}, 3))


@pytest.mark.parametrize("seed", range(4))
def test_boards_obey(seed: int) -> None:
    rng = random.Random(seed)
    empty = rng.randint(3, 12)
    sums = {"min_empty": empty, "max_empty": empty + 2, "min_num": 3, "max_num": 5}
    for entry in made("survo", {**sums, "min_board_size": 5, "max_board_size": 6}, 10):
        puzzle, solution = entry["metadata"]["puzzle"], entry["metadata"]["solution"]
        assert len(puzzle) in (5, 6) and rows_written(puzzle) in entry["question"]
        assert empty <= sum(row.count(0) for row in puzzle) <= empty + 2
        assert {cell for row in solution[:-1] for cell in row[:-1]} <= {3, 4, 5}
    for entry in made("mini_sudoku", {"min_empty": 3, "max_empty": empty}, 10):
        assert entry["question"].count("_") <= empty
    assert not list(made("mini_sudoku", {"min_empty": 1, "max_empty": 3}, 3))


def test_a_filter_keeps_the_list_of_the_question() -> None:
    for entry in made("number_filtering", {}):
        listed = re.findall(r"\[.*\]", entry["question"])[0]
        assert ast.literal_eval(listed) == entry["metadata"]["original_numbers"]
