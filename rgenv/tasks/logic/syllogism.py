"""Tell whether a statement follows from two others."""

import re
from collections.abc import Sequence
from functools import cache

from rgenv.tasks import Choice, Entry, Levels, Task

_STATEMENT = re.compile(r"^(?:\d\. )?(All|No|Some) (.+?) are (not )?(.+?)\??$", re.MULTILINE)
"""Quantifier, subject, negation and predicate."""
Statement = tuple[str, int, int]
"""A quantifier (All, No, Some, or Not for "Some ... are not ..."), and two of three terms."""


WEIGHTS = {"All": 0.0, "No": 1.0, "Some": 1.0, "Not": 2.0}


def _read(question: str) -> tuple[list[Statement], list[str]]:
    """Return the premises and the conclusion, and the terms in the order in which they appear."""
    found = _STATEMENT.findall(question)
    terms = list(dict.fromkeys(term for _, one, _, other in found for term in (one, other)))
    statements = [
        ("Not" if negation else word, terms.index(one), terms.index(other))
        for word, one, negation, other in found
    ]
    return statements, terms


def correct(entry: Entry) -> Entry | None:
    """Decide by all populations whether the conclusion follows; None if the question is open."""
    valid = _is_valid(_read(entry["question"])[0])
    if valid is None:
        return None
    metadata = {**entry["metadata"], "is_valid": valid}
    return {**entry, "answer": "Yes" if valid else "No", "metadata": metadata}


def _is_valid(statements: Sequence[Statement]) -> bool | None:
    """Return whether the last statement follows from the others.

    None if that depends on whether there are things of each kind: the question does not say so.
    """
    one, two, three = (_worlds(*statement) for statement in statements)
    against = one & two & ~three
    return None if against and not against & _POPULATED else not against


# A thing has a bit for each term that applies to it, a world one for each kind of thing in it.
_WITH_TERM = [sum(1 << kind for kind in range(8) if kind >> term & 1) for term in range(3)]
_POPULATED = sum(
    1 << world for world in range(1 << 8) if all(world & things for things in _WITH_TERM)
)
"""The worlds, as bits, with things of each kind."""


@cache
def _worlds(quantifier: str, one: int, other: int) -> int:
    """Return the worlds, as bits, in which a statement is true."""
    both, only = _WITH_TERM[one] & _WITH_TERM[other], _WITH_TERM[one] & ~_WITH_TERM[other]
    things, some = {
        "All": (only, False),
        "No": (both, False),
        "Some": (both, True),
        "Not": (only, True),
    }[quantifier]
    return sum(1 << world for world in range(1 << 8) if bool(world & things) == some)


def family(entry: Entry) -> object:
    """Keep quantifiers; ignore terms, where they stand, order of the premises.

    If it kept where terms stand, families would be so few that quantifiers tell the answers of the
    trained ones.
    """
    *premises, (conclusion, *_) = _read(entry["question"])[0]
    return sorted(word for word, *_ in premises), conclusion


def work(entry: Entry) -> float:
    """Count the premises that are needed, and what is negative or particular in the statements."""
    statements = _read(entry["question"])[0]
    *premises, conclusion = ({*terms} for _, *terms in statements)
    needed = 1 if conclusion in premises else 2
    return needed + sum(WEIGHTS[word] for word, *_ in statements)


TASK = Task(
    answer=Choice("Yes", "No"),
    correct=correct,
    labels={"Yes": 0.5, "No": 0.5},
    family=family,
    salt=414,
    work=work,
    # The quantifiers allowed do not decide how hard a syllogism is: problems are chosen by theirs.
    levels=Levels(
        work=[(2, 4), (2, 5), (3, 5), (3, 6), (4, 6)],
        fixed="The parameters allow quantifiers; which of them come together makes it hard.",
    ),
    accepted={"shortcut": "the library's terms stand at equal places, so quantifiers say most"},
)
