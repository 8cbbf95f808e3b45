"""Tasks that are known to break a rule, and why that is accepted.

Example::

    known_reason("gcd", "tell")    # "the answer is computed from the last digits and ..."
"""

from __future__ import annotations

from collections.abc import Mapping

from rgenv.validation.rules import Rule

COMPUTED: Mapping[str, str] = {
    "aiw": "the answer is a sum of small numbers in the question",
    "bf": "the answer is what the characters of the question print",
    "calendar_arithmetic": "the answer is computed from the dates in the question",
    "coin_flip": "the answer is computed from two numbers in the question",
    "count_bits": "the task is to count what the question shows",
    "dice": "the answer is computed from the dice in the question",
    "gcd": "the answer is computed from the last digits and sizes of two or three numbers",
    "leg_counting": "the answer is a sum over the animals in the question",
    "letter_counting": "the task is to count what the question shows",
    "modulo_grid": "the answer repeats the question's grid but for a few cells",
    "rectangle_count": "the task is to count what the question shows",
    "tower_of_hanoi": "the question names the pegs of all moves",
}
"""Task -> why a count of words or characters is a step towards the solution, not around it."""

KNOWN_FAULTS: Mapping[str, Mapping[Rule, str]] = {
    **{task: {"tell": reason} for task, reason in COMPUTED.items()},
    "propositional_logic": dict.fromkeys(
        ("blind", "wrong"),
        "several conclusions are right, so that one from other premises may follow from these, too",
    ),
    "tower_of_hanoi": {
        "tell": COMPUTED["tower_of_hanoi"],
        **dict.fromkeys(
            ("blind", "wrong"),
            "moves that solve another problem may solve this one, too, if not in the fewest moves; "
            "that earns part of the score",
        ),
    },
    "quantum_lock": dict.fromkeys(
        ("blind", "wrong"),
        "the answer to another problem may be a shortest sequence that the library does not count",
    ),
    "string_splitting": {
        "shortcut": "what is left depends on two parities; a formula that assumes them is right in "
        "half of the problems"
    },
    "rush_hour": {"wrong": "in the easiest problems a car may move one step further and still win"},
}
"""Task -> rule that it is known to break -> the reason why that is accepted."""


def known_reason(task: str, rule: Rule) -> str | None:
    """Return why `task` may break `rule`; None if it may not."""
    return KNOWN_FAULTS.get(task, {}).get(rule)
