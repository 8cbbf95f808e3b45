"""Rules for tasks of algebra, arithmetic, geometry and probability."""

import pytest

from tests.support.records import RULES


@pytest.mark.parametrize(
    ("task", "question", "rule", "answer"),
    [
        ("lcm", "Find the LCM of these numbers: 4, 6", "half of the product", "12"),
        ("lcm", "Find the LCM of these numbers: 3, 6", "the largest number", "6"),
        (
            "gcd",
            "Find the GCD of these numbers: 14, 49. Give",
            "the largest divisor up to ten",
            "7",
        ),
        ("simple_equations", "Solve for a: 10*a + 3 = 74", "divide, off by 0", "7"),
        ("simple_equations", "Solve for a: 10*a - 13 = 77", "divide, off by 1", "9"),
        ("prime_factorization", "Find the factors of 7. Write", "the number itself", "7"),
        ("prime_factorization", "Find the factors of 22. Write", "divide once", "2 × 11"),
        ("fraction_simplification", "Simplify 6/15 to", "divide once by 3", "2/5"),
        (
            "fraction_simplification",
            "Simplify $\\frac{6}{15}$ to",
            "divide once by 3",
            "$\\frac{2}{5}$",
        ),
        ("time_intervals", "from 01:10 to 03:05", "subtract field by field", "02:05"),
        ("coin_flip", "exactly 3 heads in 3 fair coin flips", "one outcome", "0.125"),
        ("leg_counting", "in total if you have 2 cows, 3 dogs?", "4 legs each", "20"),
        ("decimal_chain_sum", "State the answer: 2.25 - 0.5 =", "add all", "2.75"),
        ("calendar_arithmetic", "Is 1999 a leap year?", "an odd year is no leap year", "No"),
    ],
)
def test_rules_combine_numbers(task: str, question: str, rule: str, answer: str) -> None:
    """Each rule reads the numbers of its question and does little with them."""
    assert RULES[task](question)[rule] == answer


def test_odd_numbers_tell_nothing_about_a_common_factor() -> None:
    """Digits are an answer only if they show a common factor."""
    divisor = "the largest divisor up to ten"
    assert divisor not in RULES["gcd"]("Find the GCD of these numbers: 15, 32. Give")
