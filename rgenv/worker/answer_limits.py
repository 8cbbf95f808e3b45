"""Refuse answers on which a verifier would spend too much time or memory.

Some verifiers do work in proportion to a number in the answer, or worse. `LIMITS` names what is
refused before a task's verifier runs::

    >>> rejection("rush_hour", "A+999999999")
    'moves that add up to 999999999 steps'

Not here: text that a verifier would execute (guard.py).
"""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Mapping

from rgenv.worker.safe_parse import bracket_depth

Rule = Callable[[str], str | None]
"""Returns the reason for refusing a text, or None."""


def rejection(task: str, answer: str) -> str | None:
    """Return the reason for keeping `answer` from the verifier of `task`, or None.

    Takes microseconds.
    """
    reasons = (rule(answer) for rule in LIMITS.get(task, ()))
    return next((reason for reason in reasons if reason is not None), None)


def _max_digits(limit: int) -> Rule:
    """Refuse numbers that overflow a float or take long to convert."""
    run = re.compile(rf"[\d_]{{{limit},}}")

    def rule(answer: str) -> str | None:
        found = run.search(answer)
        return f"a number of {len(found[0])} digits" if found else None

    return rule


def _max_decimal_exponent(limit: int) -> Rule:
    """Refuse numbers such as 1e999999999, all of whose digits ``Fraction`` writes out."""
    exponent = re.compile(r"[eE][-+]?([\d_]+)")

    def rule(answer: str) -> str | None:
        sizes = (_bounded_int(match[1]) for match in exponent.finditer(answer))
        return "too large a decimal exponent" if any(size > limit for size in sizes) else None

    return rule


def _max_count(text: str, limit: int) -> Rule:
    def rule(answer: str) -> str | None:
        found = answer.count(text)
        return f"{found} times {text}" if found > limit else None

    return rule


def _max_depth(limit: int) -> Rule:
    """Refuse deep nesting, which verifiers process with recursive functions."""

    def rule(answer: str) -> str | None:
        return "brackets nested too deep" if bracket_depth(answer) > limit else None

    return rule


def _max_length(limit: int) -> Rule:
    def rule(answer: str) -> str | None:
        return f"{len(answer)} characters" if len(answer) > limit else None

    return rule


_LONG_JSON_STRING = re.compile(r'"(?:[^"\\]|\\.){500}', re.DOTALL)


def _boxnet_action(answer: str) -> str | None:
    """boxnet matches an action with a pattern whose time grows with the square of its length."""
    return "an action of over 500 characters" if _LONG_JSON_STRING.search(answer) else None


_TURN = re.compile(r"(\D*)(\d*)")
_CUBE_MOVE = re.compile(r"[LRDUBFXYZMES]w?'?")


def _cube_turns(answer: str) -> str | None:
    """rubiks_cube expands ``R9`` to nine turns, whatever the number. It applies the turns only if
    all of them are moves."""
    tokens = [turn for turn in map(_TURN.fullmatch, answer.split()) if turn]
    turns = sum(_bounded_int(turn[2] or "1") for turn in tokens)
    if turns > 2_000 and (turns > 50_000 or all(_CUBE_MOVE.fullmatch(turn[1]) for turn in tokens)):
        return f"{turns} turns"
    return None


_CAR_MOVE = re.compile(r"[A-Z][+-](\d+)")


def _car_steps(answer: str) -> str | None:
    """rush_hour moves a car one step at a time, even through walls."""
    steps = sum(_bounded_int(match[1]) for match in _CAR_MOVE.finditer(answer))
    return f"moves that add up to {steps} steps" if steps > 20_000 else None


_CONNECTIVE = re.compile("[∧∨→↔¬]")


def _truth_table(answer: str) -> str | None:
    """propositional_logic tries every assignment to the variables, and takes any text between
    connectives for a variable."""
    atoms = {atom.strip(" ()\n\t") for atom in _CONNECTIVE.split(answer)} - {""}
    unusual = sum(not (len(atom) == 1 and atom.isupper()) for atom in atoms)
    if len(atoms) > 12 or unusual > 4:
        return f"a truth table of {len(atoms)} variables"
    return None


def _connectives(answer: str) -> str | None:
    """propositional_logic passes over the text once for each connective, and recurses."""
    number = len(_CONNECTIVE.findall(answer))
    return f"{number} connectives" if number > 100 else None


def _bounded_int(digits: str) -> int:
    """Convert `digits`, or return 10**9 for anything longer: all limits are far smaller."""
    plain = digits.replace("_", "").lstrip("0")
    return int(plain or "0") if len(plain) < 10 else 10**9


LIMITS: Mapping[str, tuple[Rule, ...]] = types.MappingProxyType(
    {
        "boxnet": (_boxnet_action,),
        "calendar_arithmetic": (_max_digits(300),),
        "codeio": (_max_depth(60), _max_digits(4_000)),
        "coin_flip": (_max_digits(300), _max_decimal_exponent(300)),
        "prime_factorization": (_max_count("×", 1_000), _max_digits(300)),
        "propositional_logic": (_max_length(2_000), _max_depth(40), _connectives, _truth_table),
        "rubiks_cube": (_cube_turns,),
        "rush_hour": (_car_steps,),
        "time_intervals": (_max_digits(300),),
    }
)
"""Task -> the rules that an answer has to pass before its verifier runs. Right answers need a tenth
of each limit or less, except that propositional_logic's have up to ten variables."""
