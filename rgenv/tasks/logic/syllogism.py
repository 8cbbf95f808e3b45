"""Tell whether a statement follows from two others."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product

from rgenv.tasks import Choice, Entry, Levels, Task, changed, random_of

_STATEMENT = re.compile(r"^(?:\d\. )?(All|No|Some) (.+?) are (not )?(.+?)\??$", re.MULTILINE)
"""Quantifier, subject, negation and predicate."""
Statement = tuple[str, int, int]
"""A quantifier (All, No, Some, or Not for "Some ... are not ..."), and two of three terms."""


ALLOWED = {"All": "allow_all", "No": "allow_no", "Some": "allow_some", "Not": "allow_some_not"}
"""Quantifier -> the parameter that allows it."""
WEIGHTS = {"All": 0.0, "No": 1.0, "Some": 1.0, "Not": 2.0}
PAIRS = (0, 1), (1, 2), (0, 2)
"""The terms of the premises and of the conclusion."""


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


def harden(entry: Entry) -> Entry | None:
    """Turn statements round: quantifiers tell .92 of the library's answers, and .56 of these.

    With these quantifiers a syllogism may be valid or not, and a coin decides which. Quantifiers
    of the library that allow one answer only are replaced.
    """
    rng, config = random_of(entry), entry["config"]
    if {"invalid_ratio", "inversion_probability"} & config.keys():
        return None
    statements, terms = _read(entry["question"])
    allowed = [word for word, parameter in ALLOWED.items() if config.get(parameter, True)]
    others = rng.sample(_both_ways(), len(_both_ways()))
    for words in (tuple(word for word, *_ in statements), *others):
        if words in _both_ways() and {*words} <= {*allowed}:
            break
    else:
        return None
    valid = rng.random() < 0.5
    made = rng.choice([each for each in _turned(words) if _is_valid(each) == valid])
    rng.shuffle(terms)
    one, two, three = (
        f"{word.replace('Not', 'Some')} {terms[one]} are {'not ' * (word == 'Not')}{terms[other]}"
        for word, one, other in made
    )
    lines = entry["question"].split("\n")
    lines[1], lines[2], lines[5] = f"1. {one}", f"2. {two}", f"{three}?"
    return changed(entry, "\n".join(lines), "Yes" if valid else "No", is_valid=valid)


@cache
def _both_ways() -> list[tuple[str, ...]]:
    """Return the quantifiers with which some syllogisms are valid, and others are not."""
    return [
        words
        for words in product(ALLOWED, repeat=3)
        if {True, False} <= {_is_valid(each) for each in _turned(words)}
    ]


def _turned(words: Sequence[str]) -> Iterator[list[Statement]]:
    """Yield the syllogisms with some quantifiers: each statement is turned round or not."""
    for turns in product((False, True), repeat=3):
        yield [
            (word, other, one) if turn else (word, one, other)
            for word, (one, other), turn in zip(words, PAIRS, turns, strict=True)
        ]


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
    harden=harden,
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
