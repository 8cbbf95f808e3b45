"""Verifiers for conclusions from premises, and for knights and knaves.

From ``Q`` and ``(Q → P)`` follows ``P``: it needs the two premises together. ``(Q ∨ R)`` follows
too, but only weakens a single premise. The library gives 0.93 on average to ``(p ∧ p)``, where p is
the first premise, and at least half to an answer with one of two inhabitants right.

A conclusion is one clause. What larger formulas repeat can't be told: from ``P`` and ``(P → Q)``
follows ``(P ∧ Q)``, which means the same as ``(P ∧ (P → Q))``, a copy of the premises.

Not here: whether a conclusion is the strongest one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rgenv.tasks.entry import Entry
from rgenv.worker.verifiers.shared import LibraryVerifier, credit_above_half

Formula = str | tuple["Formula", ...]
"""A variable, ``("¬", formula)`` or ``("→", formula, formula)``."""
TruthTable = int
"""The truth of a formula: one bit for each assignment of its variables."""

MAX_CONNECTIVES = 100
MAX_VARIABLES = 12
TRUE = ""
"""Key of the table that is true for every assignment."""
_PRECEDENCE = {"↔": 1, "→": 2, "∨": 3, "∧": 4, "¬": 5}
_TOKEN = re.compile(r"\S")
_ROLE = re.compile(r"(\w+) is an? (\w+)", re.IGNORECASE)


def propositional_logic(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return 1.0 for a clause that has to be inferred from the premises together.

    The library gives 0.93 on average to ``(p ∧ p)``. Entries whose premises allow no such
    conclusion are not used (rgenv/worker/labels/logic.py).
    """
    metadata = entry["metadata"]
    tables = variable_tables(metadata["variables"])
    try:
        conclusion = parse(answer)
        premises = [truth_table(parse(premise), tables) for premise in metadata["premises"]]
        return float(is_inferred(conclusion, premises, tables))
    except (ValueError, KeyError):
        return 0.0


def is_inferred(
    conclusion: Formula, premises: list[TruthTable], tables: Mapping[str, TruthTable]
) -> bool:
    """Return whether a conclusion is one clause that follows from all premises, but from no one.

    Contradictory premises imply everything, so no conclusion from them counts.
    """
    names = clause(conclusion)
    if names is None or len(names) > len(set(names)):
        return False
    together = tables[TRUE]
    for premise in premises:
        together &= premise
    against = tables[TRUE] & ~truth_table(conclusion, tables)
    return bool(together) and not together & against and all(p & against for p in premises)


def clause(formula: Formula, denied: bool = False) -> list[str] | None:
    """Return the variables of a formula that is written as one clause, or None.

    A clause is a disjunction of literals. ``((P ∧ Q) → R)`` is ``(¬P ∨ ¬Q ∨ R)``.

    Args:
        denied: whether the negation of `formula` is meant.
    """
    match formula:
        case str():
            return [formula]
        case ("¬", inner):
            return clause(inner, not denied)
        case ("∧" | "∨" | "→" as sign, left, right) if denied == (sign == "∧"):
            first, second = clause(left, denied != (sign == "→")), clause(right, denied)
            return None if first is None or second is None else first + second
    return None


def variable_tables(names: list[str]) -> dict[str, TruthTable]:
    """Return the truth table of each variable and of `TRUE`, for at most `MAX_VARIABLES` names."""
    rows = 2 ** min(len(names), MAX_VARIABLES)
    tables = {TRUE: (1 << rows) - 1}
    for place, name in enumerate(names[:MAX_VARIABLES]):
        tables[name] = sum(1 << row for row in range(rows) if row >> place & 1)
    return tables


def truth_table(formula: Formula, tables: Mapping[str, TruthTable]) -> TruthTable:
    """Return the truth table of `formula`.

    Args:
        tables: the tables of the variables, from `variable_tables`.

    Raises:
        KeyError: the formula has a variable that is not in `tables`.
    """
    match formula:
        case str():
            return tables[formula]
        case ("¬", inner):
            return tables[TRUE] & ~truth_table(inner, tables)
        case (sign, left, right):
            a, b = truth_table(left, tables), truth_table(right, tables)
            return _connect(str(sign), a, b, tables[TRUE])
    raise ValueError("not a formula")


def _connect(sign: str, a: TruthTable, b: TruthTable, everywhere: TruthTable) -> TruthTable:
    if sign == "∧":
        return a & b
    if sign == "∨":
        return a | b
    return everywhere & ((~a | b) if sign == "→" else ~(a ^ b))


def parse(text: str) -> Formula:
    """Parse a formula; connectives of equal precedence group to the left, as in the library.

    Raises:
        ValueError: the text is not a formula, or has more than `MAX_CONNECTIVES` connectives.
    """
    if len(text) > 2_000 or sum(text.count(sign) for sign in _PRECEDENCE) > MAX_CONNECTIVES:
        raise ValueError("the formula is too long")
    operands: list[Formula] = []
    operators: list[str] = []
    expects_operand = True
    for token in _TOKEN.findall(text):
        if expects_operand != (token in "¬(" or token.isalpha()):
            raise ValueError("not a formula")
        if token.isalpha():
            operands.append(token)
            expects_operand = False
        elif token in "¬(":
            operators.append(token)
        elif token == ")":
            _reduce(operands, operators, 0)
            if not operators:
                raise ValueError("a bracket was never opened")
            operators.pop()
        else:
            _reduce(operands, operators, _PRECEDENCE[token])
            operators.append(token)
            expects_operand = True
    if expects_operand:
        raise ValueError("the formula is incomplete")
    _reduce(operands, operators, 0)
    if operators:
        raise ValueError("a bracket was never closed")
    return operands[0]


def _reduce(operands: list[Formula], operators: list[str], precedence: int) -> None:
    """Apply the operators of at least `precedence` that follow the last open bracket."""
    while operators and operators[-1] != "(" and _PRECEDENCE[operators[-1]] >= precedence:
        sign = operators.pop()
        right = operands.pop()
        operands.append((sign, right) if sign == "¬" else (sign, operands.pop(), right))


def knights_knaves(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Give credit if more than half of the roles are right and each inhabitant is named once.

    The library gives 0.65 to one right role of two.
    """
    right, given = (_parse_roles(text) for text in (str(entry["answer"]), answer))
    if given.keys() != right.keys():
        return 0.0
    return credit_above_half(sum(given[name] == role for name, role in right.items()) / len(right))


def _parse_roles(text: str) -> dict[str, str]:
    """Return each name's role, or no roles if the text repeats a name or says anything else."""
    said = [_ROLE.fullmatch(part) for part in re.split(r",? and |, ", text.strip().rstrip("."))]
    roles = {match[1].lower(): match[2].lower() for match in said if match is not None}
    return roles if len(roles) == len(said) else {}
