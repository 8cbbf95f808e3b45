"""Faster versions of four tasks' searches for numbers.

They draw the same random numbers and return the same results as the functions that
fast_generators.py has them replace. basic_arithmetic's finds divisors by prime factors; the library
tries all numbers up to the root, which may have nine digits. puzzle24's computes with fractions
until a formula makes 24, and only then with sympy. quantum_lock's puts each number and light into
its queue once, and leaves out numbers from which the target is too far away. number_sequence's
discards a sequence at the first term that is too large, not after the last one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import gcd
from random import Random
from typing import Any

import sympy

# --- basic_arithmetic ---------------------------------------------------------------------------


def common_divisors(a: int, b: int) -> list[int]:
    """Return the divisors that two numbers have in common: 1 and the largest, then the next two."""
    greatest = gcd(a, b)
    divisors = sympy.divisors(greatest) if greatest else []
    pairs = ((small, greatest // small) for small in divisors if small**2 <= greatest)
    return [divisor for pair in pairs for divisor in dict.fromkeys(pair)]


# --- puzzle24 -----------------------------------------------------------------------------------


class Formula:
    """A formula over x0, x1, ..., applied from left to right; stands for a sympy expression.

    Args:
        signs: the operators before x1, x2, ...
        value: the value of the formula.
    """

    def __init__(self, signs: Sequence[str], value: Fraction) -> None:
        self._signs, self._value = signs, value

    def subs(self, _numbers: Mapping[Any, int]) -> Fraction:
        """Return the value, of the numbers that the formula was made for."""
        return self._value

    def __str__(self) -> str:
        """Return the formula as sympy writes it."""
        first, *others = sympy.symbols(f"x:{len(self._signs) + 1}")
        expression = first
        for sign, symbol in zip(self._signs, others, strict=True):
            expression = {
                "+": lambda a, b: a + b,
                "-": lambda a, b: a - b,
                "*": lambda a, b: a * b,
                "/": lambda a, b: a / b,
            }[sign](expression, symbol)
        return str(expression)


def puzzle24_candidate(
    dataset: Any, rng: Random, num_terms: int
) -> tuple[Formula, list[int], tuple[Any, ...]]:
    """Return a random formula, its numbers and its symbols."""
    config = dataset.config
    numbers = [rng.randint(config.min_value, config.max_value) for _ in range(num_terms)]
    value, signs = Fraction(numbers[0]), []
    for i in range(1, num_terms):
        sign = rng.choice(config.operators)
        if sign not in "+-*":
            sign = _division_or_difference(rng, numbers, i, int(value))
        signs.append(sign)
        match sign:
            case "+":
                value += numbers[i]
            case "-":
                value -= numbers[i]
            case "*":
                value *= numbers[i]
            case _:
                value /= numbers[i]
    return Formula(signs, value), numbers, sympy.symbols(f"x:{num_terms}")


def _division_or_difference(rng: Random, numbers: list[int], place: int, current: int) -> str:
    """Put a divisor of `current` at `place` and return "/", or "-" if no later number is one.

    All numbers are at least 1.
    """
    remaining = numbers[place:]
    rng.shuffle(remaining)
    for divisor in remaining:
        if current % divisor == 0:
            numbers[place] = divisor
            return "/"
    return "-"


# --- quantum_lock -------------------------------------------------------------------------------


def quantum_lock_puzzle(_self: Any, rng: Random, difficulty: int = 1) -> dict[str, Any]:
    """Return a puzzle that can be solved, with a shortest solution."""
    while True:
        buttons = _buttons(rng, difficulty)
        base_target = 5 + difficulty**1.5
        variance = rng.randint(-int(base_target * 0.2), int(base_target * 0.3))
        target = max(8, int(base_target + variance))
        max_steps = min(15, 6 + int(difficulty * 1.5))
        solution = _shortest_presses(buttons, target, max_steps)
        if solution is not None:
            return {
                "initial_value": 0,
                "initial_state": "red",
                "target_value": target,
                "buttons": buttons,
                "max_steps": max_steps,
                "solution": solution,
            }


def _buttons(rng: Random, difficulty: int) -> list[dict[str, Any]]:
    """Return three buttons with different effects."""
    steps = [2, 3] if difficulty >= 5 else [1, 2]
    operations = [
        ("add", steps),
        ("subtract", steps),
        ("multiply", [2, 3] if difficulty >= 7 else [2]),
    ]
    buttons: list[dict[str, Any]] = []
    used = set()
    while len(buttons) < 3:
        kind, values = rng.choice(operations)
        value = rng.choice(values)
        light = rng.choices(["any", "green", "red"], weights=[4, 2, 1], k=1)[0]
        if (kind, value, light) not in used:
            used.add((kind, value, light))
            name = chr(ord("A") + len(buttons))
            buttons.append({"name": name, "type": kind, "value": value, "active_state": light})
    return buttons


def _shortest_presses(
    buttons: Sequence[Mapping[str, Any]], target: int, max_steps: int
) -> list[str] | None:
    """Return the first of the shortest sequences of buttons, in their order; None without one."""
    start = (0, "red")
    came_from: dict[tuple[int, str], tuple[tuple[int, str], str] | None] = {start: None}
    depth = {start: 0}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        value, light = state
        if value == target:
            return _path(came_from, state)
        if depth[state] == max_steps:
            continue
        other = "green" if light == "red" else "red"
        # At most 3 is added or subtracted at a time, and a product is farther from 0.
        reach = 3 * (max_steps - depth[state] - 1)
        for button in buttons:
            if button["active_state"] not in (light, "any"):
                continue
            new = _pressed(button, value)
            moved = (new, other)
            if moved not in came_from and -reach <= new <= target + reach:
                came_from[moved] = state, button["name"]
                depth[moved] = depth[state] + 1
                queue.append(moved)
    return None


def _pressed(button: Mapping[str, Any], value: int) -> int:
    by = int(button["value"])
    return {"add": value + by, "subtract": value - by, "multiply": value * by}[button["type"]]


def _path(came_from: Mapping[Any, Any], state: Any) -> list[str]:
    names: list[str] = []
    while (step := came_from[state]) is not None:
        state, name = step
        names.append(name)
    return names[::-1]


# --- number_sequence ----------------------------------------------------------------------------

LARGE = 2**4000
"""No rule has operations enough to make a term from such a number that the library accepts."""


def number_sequence_term(rule: Any, sequence: list[int], position: int) -> int:
    """Return the term that a rule makes after the one at `position`.

    Raises:
        OverflowError: the term is too large; the library then discards the sequence.
    """
    result = sequence[position]
    for operation, parameter in zip(rule.operations, rule.parameters, strict=True):
        match operation.name:
            case "ADD":
                result += parameter
            case "MULTIPLY":
                result *= parameter
            case "SQUARE":
                result *= result
            case "DOUBLE":
                result *= 2
            case "HALF":
                result //= 2
            case "PREV_PLUS" if position > 0:
                result += sequence[position - 1]
        if abs(result) > LARGE:
            raise OverflowError("the term is too large")
    return result


REPLACEMENTS: Mapping[str, Mapping[str, Any]] = {
    "basic_arithmetic": {"arithmetic.basic_arithmetic:find_common_divisors": common_divisors},
    "number_sequence": {"cognition.number_sequences:PatternRule:apply": number_sequence_term},
    "puzzle24": {
        "games.puzzle24:Puzzle24Dataset:_generate_candidate_expression": puzzle24_candidate
    },
    "quantum_lock": {
        "graphs.quantum_lock:QuantumLockDataset:generate_quantum_puzzle": quantum_lock_puzzle
    },
}
"""Task -> ``module:class:function`` of reasoning-gym -> its replacement."""
