"""Conclusions and assignments: what follows has to be inferred, not copied.

From ``Q`` and ``(Q → P)`` follow ``P`` and ``(Q ∧ P)``. So do ``(Q ∧ (Q → P))`` and ``(Q ∨ R)``,
but they say nothing that a single premise does not say. The library pays 0.93 for ``(p ∧ p)``,
p being the first premise, and at least half for one of two knights called rightly.

Not covered: a conclusion that is weaker than it might be; premises multiplied out by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rgenv.worker.verifiers.shared import Entry, Library, beyond_half

Formula = str | tuple["Formula", ...]
"""A variable, ``("¬", formula)`` or ``("→", formula, formula)``."""
Table = int
"""The truth of a formula: one bit for each assignment of its variables."""

MAX_CONNECTIVES = 100
MAX_VARIABLES = 12
_BINDING = {"↔": 1, "→": 2, "∨": 3, "∧": 4, "¬": 5}
_TOKEN = re.compile(r"\S")


def propositional_logic(answer: str, entry: Entry, library: Library) -> float:
    """1.0 for what follows from the premises together; the library paid 0.93 for ``(p ∧ p)``.

    Entries whose premises have no such conclusion are not asked (rgenv/worker/labels/logic.py).
    """
    metadata = entry["metadata"]
    tables = variable_tables(metadata["variables"])
    try:
        conclusion = parsed(answer)
        premises = [table(parsed(premise), tables) for premise in metadata["premises"]]
        return float(inferred(conclusion, premises, tables))
    except (ValueError, KeyError):
        return 0.0


def inferred(conclusion: Formula, premises: list[Table], tables: Mapping[str, Table]) -> bool:
    """Whether it follows from all premises, and is more than what single ones settle.

    From premises that contradict each other anything follows, so nothing is worth inferring.
    """
    everywhere = tables[""]
    together = everywhere
    for premise in premises:
        together &= premise
    if not together or together & ~table(conclusion, tables):
        return False
    return table(conclusion, tables, premises) != everywhere


def variable_tables(names: list[str]) -> dict[str, Table]:
    """The truth table of each variable; under the empty name, that of truth itself."""
    rows = 2 ** min(len(names), MAX_VARIABLES)
    tables = {"": (1 << rows) - 1}
    for place, name in enumerate(names[:MAX_VARIABLES]):
        tables[name] = sum(1 << row for row in range(rows) if row >> place & 1)
    return tables


def table(formula: Formula, tables: Mapping[str, Table], settled: list[Table] | None = None) -> int:
    """The truth table of `formula`; given `settled`, with every part that one of those formulas
    alone makes true or false put down as true or false."""
    everywhere = tables[""]
    match formula:
        case str():
            value = tables[formula]
        case ("¬", inner):
            value = everywhere & ~table(inner, tables, settled)
        case (sign, left, right):
            a, b = table(left, tables, settled), table(right, tables, settled)
            value = _joined(str(sign), a, b, everywhere)
    for premise in settled or ():
        own = table(formula, tables)
        if not premise & ~own:
            return everywhere
        if not premise & own:
            return 0
    return value


def _joined(sign: str, a: Table, b: Table, everywhere: Table) -> Table:
    if sign == "∧":
        return a & b
    if sign == "∨":
        return a | b
    return everywhere & ((~a | b) if sign == "→" else ~(a ^ b))


def parsed(text: str) -> Formula:
    """The formula that `text` is; equal connectives bind from the left, as in the library.

    Raises ValueError when it is none, or has over a hundred connectives.
    """
    if len(text) > 2_000 or sum(text.count(sign) for sign in _BINDING) > MAX_CONNECTIVES:
        raise ValueError("too long a formula")
    parts: list[Formula] = []
    waiting: list[str] = []
    operand = True  # what has to come next
    for token in _TOKEN.findall(text):
        if operand != (token in "¬(" or token.isalpha()):
            raise ValueError("not a formula")
        if token.isalpha():
            parts.append(token)
            operand = False
        elif token in "¬(":
            waiting.append(token)
        elif token == ")":
            _reduce(parts, waiting, 0)
            if not waiting:
                raise ValueError("a bracket that was never opened")
            waiting.pop()
        else:
            _reduce(parts, waiting, _BINDING[token])
            waiting.append(token)
            operand = True
    if operand:
        raise ValueError("not a whole formula")
    _reduce(parts, waiting, 0)
    if waiting:
        raise ValueError("a bracket that was never closed")
    return parts[0]


def _reduce(parts: list[Formula], waiting: list[str], binding: int) -> None:
    """Put together what binds at least as closely as `binding`, up to the last open bracket."""
    while waiting and waiting[-1] != "(" and _BINDING[waiting[-1]] >= binding:
        sign = waiting.pop()
        right = parts.pop()
        parts.append((sign, right) if sign == "¬" else (sign, parts.pop(), right))


def knights_knaves(answer: str, entry: Entry, library: Library) -> float:
    """Each inhabitant once, and nothing else; the library paid 0.65 for one of two."""
    right, given = (_roles(text) for text in (str(entry["answer"]), answer))
    if given.keys() != right.keys():
        return 0.0
    return beyond_half(sum(given[name] == role for name, role in right.items()) / len(right))


def _roles(text: str) -> dict[str, str]:
    """Name -> role; empty where the text says more, or something twice."""
    words = [word for word in re.split(r"[\s,.()]+", text.lower()) if word not in _FILLERS]
    roles = dict(zip(words[::2], words[1::2], strict=False))
    return roles if 2 * len(roles) == len(words) else {}


_FILLERS = frozenset(["", "is", "a", "an", "and"])
