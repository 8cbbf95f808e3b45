"""Work in logic: statements, operators and gates to evaluate."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from rgenv.tasks.entry import Entry

AIW_FACTS: Mapping[str, int] = {"siblings": 2, "friends": 3, "colleagues": 5}
"""Kind of riddle -> the facts to combine: who is counted, who is not, and which circles meet."""


def aiw(entry: Entry) -> float:
    """Count the facts that have to be combined."""
    return float(AIW_FACTS[entry["metadata"]["task_type"]])


def circuit_logic(entry: Entry) -> float:
    """Count the inputs of gates, the negations and the gates."""
    terms = entry["metadata"]["term_strings"]
    inputs = sum(len(re.findall(r"[A-Z]+", term)) for term in terms)
    negations = sum(term.count("'") for term in terms)
    return float(inputs + negations + len(terms) + 1)


def knights_knaves(entry: Entry) -> float:
    """Count the parts of all statements, once for each person whose role is unknown."""
    statements = entry["metadata"]["statements"]
    return float(len(statements) * sum(map(parts, statements)))


def parts(statement: Any) -> int:
    """Count the operators and the claims about one person in a statement."""
    return isinstance(statement, (tuple, list)) and 1 + sum(map(parts, statement[1:]))


def propositional_logic(entry: Entry) -> float:
    """Count the variables and connectives of all premises."""
    return float(sum(len(re.findall(r"[A-Z¬∧∨→↔]", p)) for p in entry["metadata"]["premises"]))


def zebra_puzzles(entry: Entry) -> float:
    """Count the values to place in houses, and the clues."""
    values = sum(line.count(",") + 1 for line in re.findall(r"^ - .*$", entry["question"], re.M))
    return float(values + len(re.findall(r"^\d+\. ", entry["question"], re.M)))


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "aiw": aiw,
    "circuit_logic": circuit_logic,
    "knights_knaves": knights_knaves,
    "propositional_logic": propositional_logic,
    "zebra_puzzles": zebra_puzzles,
}
