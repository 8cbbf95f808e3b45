"""Common divisors that small primes do not give away."""

import math
import re
from collections import Counter, defaultdict

import pytest

from rgenv.tasks.arithmetic.gcd import correct as gcd
from tests.worker.labels.surfaces.served import LEVELS, Entry, served


def numbers_of(entry: Entry) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", entry["question"])]


@pytest.mark.parametrize("level", LEVELS)
def test_the_answer_divides_all_numbers_and_no_larger_one_does(level: float | None) -> None:
    """The numbers shown lie in the range of the level, and have the answer in common."""
    for entry in served(gcd, "gcd", level, 200):
        numbers = numbers_of(entry)
        low, high = entry["metadata"]["difficulty"]["value"]
        assert all(low <= number <= high for number in numbers)
        assert entry["metadata"]["numbers"] == numbers
        assert entry["answer"] == str(entry["metadata"]["result"])
        answer = int(entry["answer"])
        quotients = [number // answer for number in numbers]
        assert [answer * quotient for quotient in quotients] == numbers
        primes = (n for n in range(2, 10_000) if all(quotient % n == 0 for quotient in quotients))
        assert next(primes, None) is None


@pytest.mark.parametrize("level", LEVELS)
def test_small_primes_say_little(level: float | None) -> None:
    """Who knows which of 2, 3, 5 and 7 divide both numbers can guess few of the answers but 1."""
    entries = served(gcd, "gcd", level, 800)
    by_primes: defaultdict[tuple[bool, ...], Counter[str]] = defaultdict(Counter)
    for entry in entries:
        divides = (all(n % p == 0 for n in numbers_of(entry)) for p in (2, 3, 5, 7))
        by_primes[tuple(divides)][entry["answer"]] += 1
    guessed = sum(max(answers.values()) for answers in by_primes.values())
    coprime = sum(answers["1"] for answers in by_primes.values())
    assert 0.3 < coprime / len(entries) < 0.4
    assert guessed - coprime < 0.15 * len(entries)


def test_narrow_ranges_keep_their_numbers() -> None:
    """Where no other numbers have the divisor, the entry is the library's."""
    numbers = [5, 5]
    entry = {
        "question": "Find the Greatest Common Divisor (GCD) of these numbers: 5, 5. Give only it.",
        "answer": "5",
        "metadata": {"numbers": numbers, "difficulty": {"value": (5, 5)}},
    }
    assert gcd(entry) is entry


def test_more_than_two_numbers_have_a_common_divisor() -> None:
    """The rule is the same for any amount of numbers."""
    entry = {
        "question": "Find the Greatest Common Divisor (GCD) of these numbers: 8, 12, 18. Give it.",
        "answer": "2",
        "metadata": {"numbers": [8, 12, 18], "difficulty": {"value": (5, 900)}},
    }
    result = gcd(entry)
    assert len(numbers_of(result)) == 3 and result["question"] != entry["question"]
    assert math.gcd(*numbers_of(result)) == int(result["answer"])
