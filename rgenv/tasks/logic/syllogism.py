"""Tell whether a statement follows from two others."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import permutations, product

from rgenv.tasks import Choice, Entry, Levels, Task, random_of
from rgenv.tasks.symmetries import order_of_appearance

Quantifiers = tuple[str, ...]
"""Of the two premises and of the conclusion: All, No, Some, or Not for "Some ... are not ..."."""
Turns = tuple[bool, bool, bool]
"""Whether the subject and the predicate of each statement change places."""
PAIRS = ((0, 1), (1, 2), (0, 2))
"""The terms of the premises and of the conclusion."""
_STATEMENT = re.compile(r"^(?:\d\. )?(All|No|Some) (.+?) are (not )?(.+?)\??$", re.MULTILINE)
"""Quantifier, subject, negation and predicate."""


def correct(entry: Entry) -> Entry | None:
    """Replace the statements by those of a syllogism; a coin decides whether it is valid.

    It has quantifiers with which some syllogisms are valid and others are not: where each term
    stands decides it. The library's have quantifiers that give the answer away, such as No after
    two premises with All.
    """
    rng = random_of(entry)
    statements = _STATEMENT.findall(entry["question"])
    given = tuple("Not" if negation else word for word, _, negation, _ in statements)
    terms = sorted(set(_terms(statements)))
    if len(terms) != 3:
        return None
    quantifiers = given
    if given not in figures():
        quantifiers = rng.choice([names for names in figures() if {*names} <= {*given, "All"}])
    rng.shuffle(terms)
    valid = rng.random() < 0.5
    turns = rng.choice(rng.choice(figures()[quantifiers])[valid])
    first, second, conclusion = (
        f"{word.replace('Not', 'Some')} {terms[one]} are {'not ' * (word == 'Not')}{terms[other]}"
        for (one, other), word in zip(_turned(turns), quantifiers, strict=True)
    )
    lines = entry["question"].split("\n")
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


def _terms(statements: Sequence[Sequence[str]]) -> list[str]:
    return [term for _, one, _, other in statements for term in (one, other)]


def _turned(turns: Turns) -> list[tuple[int, int]]:
    return [pair[::-1] if turn else pair for pair, turn in zip(PAIRS, turns, strict=True)]


def _turned_round(statements: Sequence[tuple[object, object]]) -> int:
    """Return how many premises differ in order from "A are B, B are C, so A are C"."""
    first, second, (subject, other) = statements
    return (subject in (first[1], second[0])) + (first[0] == other or second[1] != other)


@cache
def figures() -> Mapping[Quantifiers, Sequence[Mapping[bool, Sequence[Turns]]]]:
    """Return, by quantifiers, groups of turns that make a syllogism valid and that do not.

    Each group has both, and in all of its syllogisms as many statements have to be turned round: so
    none of the answers is the harder one. What depends on whether there are things of each kind is
    neither valid nor invalid.
    """
    # A thing has a bit for each term that applies to it, a world one for each kind of thing in it.
    with_term = [sum(1 << kind for kind in range(8) if kind >> term & 1) for term in range(3)]
    worlds = range(1 << 8)
    populated = {world for world in worlds if all(world & things for things in with_term)}
    true: dict[tuple[str, tuple[int, int]], set[int]] = {}
    for pair in permutations(range(3), 2):
        subject, predicate = (with_term[term] for term in pair)
        both, only = subject & predicate, subject & ~predicate
        true["All", pair] = {world for world in worlds if not world & only}
        true["No", pair] = {world for world in worlds if not world & both}
        true["Some", pair] = {world for world in worlds if world & both}
        true["Not", pair] = {world for world in worlds if world & only}
    found: dict[Quantifiers, list[dict[bool, list[Turns]]]] = {}
    for quantifiers in product(("All", "No", "Some", "Not"), repeat=3):
        groups: list[dict[bool, list[Turns]]] = [{True: [], False: []} for _ in range(3)]
        for turns in product((False, True), (False, True), (False, True)):
            pairs = _turned(turns)
            one, two, three = (true[each] for each in zip(quantifiers, pairs, strict=True))
            against = (one & two) - three
            if not against or against & populated:
                groups[_turned_round(pairs)][not against].append(turns)
        if both_answers := [group for group in groups if all(group.values())]:
            found[quantifiers] = both_answers
    return found


def family(entry: Entry) -> object:
    """Keep quantifiers, and which terms are equal; ignore terms, order of the premises."""
    *premises, conclusion = _STATEMENT.findall(entry["question"])
    return min(
        [[(word, negation) for word, _, negation, _ in each], order_of_appearance(_terms(each))]
        for each in ([*premises, conclusion], [*premises[::-1], conclusion])
    )


def work(entry: Entry) -> float:
    """Count the premises that are needed, other quantifiers than All, and statements to turn round.

    Nothing has to be turned round in "A are B, B are C, so A are C".
    """
    statements = _STATEMENT.findall(entry["question"])
    first, second, conclusion = pairs = [(one, other) for _, one, _, other in statements]
    needed = 1 if {*conclusion} in ({*first}, {*second}) else 2
    return float(needed + sum(word != "All" for word, *_ in statements) + _turned_round(pairs))


TASK = Task(
    answer=Choice("Yes", "No"),
    correct=correct,
    labels={"Yes": 0.5, "No": 0.5},
    family=family,
    salt=137,
    work=work,
    # The quantifiers allowed do not decide how hard a syllogism is. So problems are chosen by
    # their quantifiers and by the statements that have to be turned round.
    levels=Levels(
        work=[(4, 4), (4, 5), (5, 5), (5, 6), (6, 8)],
        fixed=(
            "The parameters allow quantifiers; what makes a syllogism hard is where its terms "
            "stand."
        ),
    ),
)
