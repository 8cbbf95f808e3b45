"""Tell whether a statement follows from two others."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from random import Random

from rgenv.tasks.answers.words import Choice
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Levels, Task
from rgenv.tasks.rewriting import random_of
from rgenv.tasks.symmetries import order_of_appearance
from rgenv.tasks.verifying import exact

Quantifiers = tuple[str, str, str]
"""Of the two premises and of the conclusion: All, No, Some, or Not for "Some ... are not ..."."""
Turns = tuple[bool, bool, bool]
"""Whether the subject and the predicate of each statement change places."""
PAIRS = ((0, 1), (1, 2), (0, 2))
"""The terms of the premises and of the conclusion."""
STATEMENT = re.compile(r"(All|No|Some) (.+) are (not )?(.+?)\??")


def correct(entry: Entry) -> Entry | None:
    """Replace the statements by those of a syllogism; a coin decides whether it is valid.

    It has quantifiers with which some syllogisms are valid and others are not: where each term
    stands decides it. The library's have quantifiers that give the answer away, such as No after
    two premises with All.
    """
    rng = random_of(entry)
    lines = entry["question"].split("\n")
    forms = [STATEMENT.fullmatch(lines[i].removeprefix(f"{i}. ")) for i in (1, 2, 5)]
    given = tuple("Not" if form and form[3] else form[1] if form else "" for form in forms)
    terms = sorted({form[i] for form in forms if form for i in (2, 4)})
    if len(terms) != 3:
        return None
    quantifiers = _decisive_quantifiers(rng, given)
    rng.shuffle(terms)
    valid = rng.random() < 0.5
    turns = rng.choice(rng.choice(figures()[quantifiers])[valid])
    first, second, conclusion = (
        _sentence(quantifier, *(terms[i] for i in (pair[::-1] if turn else pair)))
        for quantifier, pair, turn in zip(quantifiers, PAIRS, turns, strict=True)
    )
    lines[1], lines[2], lines[5] = f"1. {first}", f"2. {second}", f"{conclusion}?"
    metadata = {
        **{key: value for key, value in entry["metadata"].items() if key != "selected_premise"},
        "premise1": first,
        "premise2": second,
        "conclusion": conclusion,
        "is_valid": valid,
        "type": "syllogism",
    }
    answer = "Yes" if valid else "No"
    return {**entry, "question": "\n".join(lines), "answer": answer, "metadata": metadata}


def _decisive_quantifiers(rng: Random, given: Sequence[str]) -> Quantifiers:
    """Return three quantifiers that do not decide validity, if possible the given ones."""
    for decisive in figures():
        if decisive == given:
            return decisive
    return rng.choice([names for names in figures() if set(names) <= {*given, "All"}])


def _sentence(quantifier: str, subject: str, predicate: str) -> str:
    if quantifier == "Not":
        return f"Some {subject} are not {predicate}"
    return f"{quantifier} {subject} are {predicate}"


def _turned_round(turns: Turns) -> int:
    """Return how many premises differ in order from "A are B, B are C, so A are C"."""
    first, second, (subject, other) = (
        pair[::-1] if turn else pair for pair, turn in zip(PAIRS, turns, strict=True)
    )
    return (subject in (first[1], second[0])) + (first[0] == other or second[1] != other)


@cache
def figures() -> Mapping[Quantifiers, Sequence[Mapping[bool, Sequence[Turns]]]]:
    """Return, by quantifiers, groups of turns that make a syllogism valid and that do not.

    Each group has both, and in all of its syllogisms as many statements have to be turned round: so
    none of the answers is the harder one. What depends on whether there are things of each kind is
    neither valid nor invalid.
    """
    kinds = range(8)  # a thing has a bit for each term that applies to it
    worlds = range(1 << 8)  # a world has a bit for each kind of thing in it

    def true_in(quantifier: str, subject: int, predicate: int) -> set[int]:
        both = sum(1 << k for k in kinds if k >> subject & 1 and k >> predicate & 1)
        only = sum(1 << k for k in kinds if k >> subject & 1 and not k >> predicate & 1)
        some, against = {"All": (0, only), "No": (0, both), "Some": (both, 0), "Not": (only, 0)}[
            quantifier
        ]
        return {w for w in worlds if not w & against and (w & some or not some)}

    def holds(quantifier: str, pair: tuple[int, int], turn: bool) -> set[int]:
        return true[(quantifier, *(pair[::-1] if turn else pair))]

    names = ("All", "No", "Some", "Not")
    true = {(q, a, b): true_in(q, a, b) for q in names for a in range(3) for b in range(3)}
    of_term = [sum(1 << k for k in kinds if k >> term & 1) for term in range(3)]
    populated = {w for w in worlds if all(w & kinds_of for kinds_of in of_term)}
    found: dict[Quantifiers, list[dict[bool, list[Turns]]]] = {}
    for first, second, last in product(names, repeat=3):
        groups: list[dict[bool, list[Turns]]] = [{True: [], False: []} for _ in range(3)]
        for turns in product((False, True), (False, True), (False, True)):
            possible = holds(first, PAIRS[0], turns[0]) & holds(second, PAIRS[1], turns[1])
            against = possible - holds(last, PAIRS[2], turns[2])
            if not against or against & populated:
                groups[_turned_round(turns)][not against].append(turns)
        if both := [group for group in groups if all(group.values())]:
            found[first, second, last] = both
    return found


def family(entry: Entry) -> object:
    """Keep quantifiers, and which terms are equal; ignore terms, order of the premises."""
    found = re.findall(
        r"^(?:\d\. )?(All|No|Some) (.+?) are (not )?(.+?)\??$", entry["question"], re.MULTILINE
    )
    *premises, conclusion = found
    return min(
        [[(word, negated) for word, _, negated, _ in each], order_of_appearance(_terms(each))]
        for each in ([*premises, conclusion], [*premises[::-1], conclusion])
    )


def _terms(statements: list[tuple[str, str, str, str]]) -> list[str]:
    return [term for _, one, _, other in statements for term in (one, other)]


def work(entry: Entry) -> float:
    """Count the premises that are needed, other quantifiers than All, and statements to turn round.

    Nothing has to be turned round in "A are B, B are C, so A are C".
    """
    found = re.findall(r"(All|No|Some) (\S+) are (?:not )?([^\s?]+)", entry["question"])
    first, second, (_, subject, other) = found
    needed = 1 if {subject, other} in ({*first[1:]}, {*second[1:]}) else 2
    turned = second[1] == subject or first[2] == subject, first[1] == other or second[2] != other
    return float(needed + sum(name != "All" for name, *_ in found) + sum(turned))


TASK = Task(
    answer=Choice("Yes", "No"),
    correct=correct,
    verify=exact,
    labels={"Yes": 0.5, "No": 0.5},
    family=family,
    salt=137,
    work=work,
    # The quantifiers allowed do not decide how hard a syllogism is. So problems are chosen by
    # their quantifiers and by the statements that have to be turned round.
    levels=Levels(
        work=[(4, 4), (4, 5), (5, 5), (5, 6), (6, 8)],
        fixed=(
            "The parameters allow quantifiers; what makes a syllogism hard is where "
            "its terms stand."
        ),
    ),
)
