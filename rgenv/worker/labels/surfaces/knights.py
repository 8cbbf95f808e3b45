"""Riddles about two knights or knaves whose words do not say how many of them lie.

Example::

    knights_knaves(entry)    # a riddle of an "and" and an "if", with any solution
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from typing import Any, ClassVar

from rgenv.tasks.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of

Statement = tuple[Any, ...]
"""As in the library: ("telling-truth", person), ("lying", person) or (connective, *statements)."""
Riddle = tuple[Statement, Statement]
"""What each of two people says."""
Solution = tuple[bool, bool]
"""Who tells the truth."""


def knights_knaves(entry: Entry) -> Entry | None:
    """Replace a riddle on two people; how many knights there are is independent of its words.

    In the library's riddles, connectives and the words for liars give it away. More people say more
    than a count of words can use, so their riddles stay.
    """
    meta = entry["metadata"]
    if len(meta["statements"]) != 2:
        return entry
    rng = random_of(entry)
    by_solution = rng.choice(riddles())
    solution = rng.choice(sorted(by_solution))
    riddle = rng.choice(by_solution[solution])
    question = _with_statements(entry["question"], meta, riddle)
    terms = meta["knight_knave_terms"]
    roles = [terms["a_knight" if honest else "a_knave"] for honest in solution]
    parts = [f"{name} is {role}" for name, role in zip(meta["names"], roles, strict=True)]
    metadata = {**meta, "statements": riddle, "solution": solution}
    return {
        **entry,
        "question": question,
        "answer": ", and ".join(parts) + ".",
        "metadata": metadata,
    }


def _with_statements(question: str, meta: Mapping[str, Any], riddle: Riddle) -> str:
    """Put other words into the mouths of both people."""
    done = ""
    for old, new in zip(meta["statements"], riddle, strict=True):
        said = _content(meta["names"], meta["knight_knave_terms"], old)
        before, _, question = question.partition(said)
        if not question:
            raise ValueError(f"nobody says {said!r}")
        done += before + _content(meta["names"], meta["knight_knave_terms"], new)
    return done + question


def _content(names: Sequence[str], terms: Mapping[str, str], statement: Any) -> str:
    """Return a statement in the library's words."""
    return str(_formatter()._format_statement(names, terms, statement))


@cache
def _formatter() -> Any:
    from reasoning_gym.logic.knights_knaves import KKProblemFormatter  # another release may lack it

    return KKProblemFormatter(0, {})


@cache
def riddles() -> Sequence[Mapping[Solution, list[Riddle]]]:
    """Return groups of riddles that have the same words, each by solution.

    Each riddle has one solution, and each group has riddles with any of the four. Words include the
    brackets and quotation marks that touch them.
    """
    plain = [_Said(statement) for statement in [*CLAIMS, *_joined(CLAIMS, CLAIMS)]]
    denied = [_Said(("not", said.statement)) for said in plain if len(said.statement) > 2]
    pairs = _joined(CLAIMS, CLAIMS)
    nested = [_Said(x) for x in [*_joined(CLAIMS, pairs), *_joined(pairs, CLAIMS)]]
    groups: dict[int, dict[Solution, list[Riddle]]] = {}
    for said in (
        *product(plain + denied, repeat=2),
        *product(plain, nested),
        *product(nested, plain),
    ):
        one, other = said
        # A statement is true if and only if the person who makes it tells the truth.
        consistent = ~(one.true_in ^ HONEST[0]) & ~(other.true_in ^ HONEST[1]) & 15
        if consistent.bit_count() == 1:
            group = groups.setdefault(one.words + other.words, {})
            solution = SOLUTIONS[consistent.bit_length() - 1]
            group.setdefault(solution, []).append((one.statement, other.statement))
    return [group for group in groups.values() if len(group) == len(SOLUTIONS)]


PEOPLE = (0, 1)
CLAIMS: list[Statement] = list(product(("telling-truth", "lying"), PEOPLE))
SOLUTIONS: list[Solution] = list(product((True, False), (True, False)))
HONEST = [sum(solution[who] << i for i, solution in enumerate(SOLUTIONS)) for who in PEOPLE]
"""In which solutions each person tells the truth, as bits."""


def _joined(ones: Sequence[Statement], others: Sequence[Statement]) -> list[Statement]:
    """Join statements, but not two claims about the same person."""
    return [
        (connective, one, other)
        for connective in ("and", "or", "->", "<=>")
        for one, other in product(ones, others)
        if one[1] != other[1]
    ]


class _Said:
    """A statement, the solutions in which it is true, as bits, and a number for its words."""

    _places: ClassVar[dict[str, int]] = {}

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        self.true_in = sum(is_true(statement, s) << i for i, s in enumerate(SOLUTIONS))
        terms = {"a_knight": "a knight", "a_knave": "a knave"}
        text = f'"{_content(["A", "B"], terms, statement)}"'
        # The count of each word is a digit of its own.
        self.words = sum(
            100 ** self._places.setdefault(word, len(self._places)) for word in text.split()
        )


def is_true(statement: Statement, solution: Sequence[bool]) -> bool:
    """Return whether a statement is true if those with True in `solution` tell the truth."""
    kind, *parts = statement
    if kind in ("telling-truth", "lying"):
        return bool(solution[parts[0]]) is (kind == "telling-truth")
    values = [is_true(part, solution) for part in parts]
    one, other = values[0], values[-1]
    outcomes: dict[str, bool] = {
        "not": not one,
        "and": one and other,
        "or": one or other,
        "->": other or not one,
        "<=>": one == other,
    }
    return outcomes[str(kind)]
