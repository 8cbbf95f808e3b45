"""Syllogisms and circuits whose answer can't be seen in their quantifiers, gates and inputs.

Example::

    syllogism(entry)        # the same quantifiers, whether the conclusion follows or not
    circuit_logic(entry)    # the same circuit and as many ones, whether the output is 0 or 1
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from random import Random

from rgenv.tasks.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of

# --- syllogism ----------------------------------------------------------------------------------

Quantifiers = tuple[str, str, str]
"""Of the two premises and of the conclusion: All, No, Some, or Not for "Some ... are not ..."."""
Turns = tuple[bool, bool, bool]
"""Whether the subject and the predicate of each statement change places."""

PAIRS = ((0, 1), (1, 2), (0, 2))
"""The terms of the premises and of the conclusion."""
STATEMENT = re.compile(r"(All|No|Some) (.+) are (not )?(.+?)\??")


def syllogism(entry: Entry) -> Entry | None:
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


def _turned_round(turns: Turns) -> int:
    """Return how many premises differ in order from "A are B, B are C, so A are C"."""
    first, second, (subject, other) = (
        pair[::-1] if turn else pair for pair, turn in zip(PAIRS, turns, strict=True)
    )
    return (subject in (first[1], second[0])) + (first[0] == other or second[1] != other)


# --- circuit_logic ------------------------------------------------------------------------------

GATES = {"&": "AND", "↑": "NAND", "⊕": "XOR"}
Literal = tuple[str, int]
"""An input, and 1 if it is negated."""
Term = tuple[str, list[Literal]]
"""An inner gate and its inputs."""

MAX_STARTS, MAX_FLIPS = 5, 60
"""Assignments to begin with; in each, gates to put right, and pairs of inputs to exchange."""


def circuit_logic(entry: Entry) -> Entry | None:
    """Replace the values of the inputs; a coin decides the output.

    Two assignments that differ in a pair of inputs, one 0 and one 1, have different outputs. The
    coin chooses one of them, so neither the circuit nor the number of ones says which.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    terms = [_term(text) for text in meta["term_strings"]]
    names = list(meta["inputs"])
    for _ in range(MAX_STARTS):
        first = _rare_assignment(rng, terms, meta["final_gate"], names)
        second = first and _exchanged(rng, terms, meta["final_gate"], first)
        if first and second:
            return _with_inputs(entry, terms, rng.choice([first, second]))
    return None


def _with_inputs(entry: Entry, terms: list[Term], chosen: dict[str, int]) -> Entry | None:
    meta = entry["metadata"]
    head, marker, _ = entry["question"].rpartition("Given the following input assignments:\n")
    values = "".join(f"  {name} = {chosen[name]}\n" for name in meta["inputs"])
    question = f"{head}{marker}{values}\nWhat is the final output?"
    if len(question) != len(entry["question"]):
        return None
    answer = str(output(terms, meta["final_gate"], chosen))
    return {
        **entry,
        "question": question,
        "answer": answer,
        "metadata": {**meta, "assignments": chosen},
    }


def _term(text: str) -> Term:
    [sign] = set(text) & set(GATES)
    return GATES[sign], [(part.rstrip("'"), int("'" in part)) for part in text.split(sign)]


def output(terms: list[Term], final_gate: str, values: Mapping[str, int]) -> int:
    """Return the output of a circuit."""
    return _gate(final_gate, [_value(term, values) for term in terms])


def _value(term: Term, values: Mapping[str, int]) -> int:
    return _gate(term[0], [values[name] ^ negated for name, negated in term[1]])


def _gate(name: str, values: list[int]) -> int:
    if name == "XOR":
        return sum(values) % 2
    result = all(values) if name in ("AND", "NAND") else any(values)
    return int(result != (name in ("NAND", "NOR")))


def _rare_assignment(
    rng: Random, terms: list[Term], final_gate: str, names: list[str]
) -> dict[str, int] | None:
    """Return inputs for which all inner gates are as the rarer output demands; None if not found.

    Any inputs do for a final XOR, whose outputs are equally rare.
    """
    values = {name: rng.randint(0, 1) for name in names}
    if final_gate == "XOR":
        return values
    wanted = int(final_gate == "AND")
    # In these gates all inputs must be 1, in the others one that is changed suffices.
    strict = "AND" if wanted else "NAND"
    forced = {literal for gate, literals in terms if gate == strict for literal in literals}
    values.update((name, 1 - negated) for name, negated in forced)
    if any((name, 1 - negated) in forced for name, negated in forced):
        return None
    free = {name for name in names if (name, 0) not in forced and (name, 1) not in forced}
    for _ in range(MAX_FLIPS):
        wrong = [term for term in terms if _value(term, values) != wanted]
        if not wrong:
            return values
        flippable = [name for name, _ in rng.choice(wrong)[1] if name in free]
        if not flippable:
            return None
        name = rng.choice(flippable)
        values[name] = 1 - values[name]
    return None


def _exchanged(
    rng: Random, terms: list[Term], final_gate: str, values: Mapping[str, int]
) -> dict[str, int] | None:
    """Exchange a 0 and a 1 so that the output changes; None if no such pair is found."""
    ones = [name for name, value in values.items() if value]
    zeros = [name for name, value in values.items() if not value]
    pairs = list(product(ones, zeros))
    rng.shuffle(pairs)
    before = output(terms, final_gate, values)
    for one, zero in pairs[:MAX_FLIPS]:
        changed = {**values, one: 0, zero: 1}
        if output(terms, final_gate, changed) != before:
            return changed
    return None
