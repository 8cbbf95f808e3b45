"""Checks of the logic tasks, by trying every case.

Entries of propositional_logic have no reference answer; the example in their metadata is checked.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy

from tests.labels.shared import Verdict, find

_FORM = re.compile(r"(All|No|Some) (\w+) are (not )?(\w+)")


def syllogism(question: str, answer: str) -> Verdict:
    """Try every small population; None if the answer depends on whether the things exist.

    Populations of up to six are enough. Two premises and a denied conclusion require at most
    three individuals, and three more give every term a member. Removing all others keeps every
    statement about "all" and "no" true.
    """
    forms = _FORM.findall(question)
    terms = sorted({term for _, subject, _, other in forms for term in (subject, other)})
    if len(forms) != 3 or len(terms) > 3:
        return None
    kinds = list(itertools.product([False, True], repeat=len(terms)))
    follows = {True: True, False: True}  # keys: whether every term must have a member
    for population in _populations(kinds):
        members = [dict(zip(terms, kind, strict=True)) for kind in population]
        if [_holds(form, members) for form in forms] == [True, True, False]:
            follows[False] = False
            if all(any(member[term] for member in members) for term in terms):
                follows[True] = False
    if follows[True] != follows[False]:
        return None
    return answer == ("Yes" if follows[True] else "No")


def _populations(kinds: Sequence[tuple[bool, ...]]) -> Iterator[tuple[tuple[bool, ...], ...]]:
    for size in range(min(6, len(kinds)) + 1):
        yield from itertools.combinations(kinds, size)


def _holds(form: tuple[str, str, str, str], members: list[dict[str, bool]]) -> bool:
    quantifier, subject, negated, other = form
    found = [member[other] != bool(negated) for member in members if member[subject]]
    return {"All": all(found), "No": not any(found), "Some": any(found)}[quantifier]


def acre(question: str, answer: str) -> Verdict:
    """Try every set of objects that switch the detector on."""
    results, _, rest = question.partition("experimental results:\n")[2].partition("\n\n")
    lights = [line.rsplit(" → ", 1) for line in results.split("\n")]
    shown = [(frozenset(things.split(", ")), light == "on") for things, light in lights]
    test = frozenset(find(r"New test case:\n(.*)", rest)[1].split(", "))
    objects = sorted(test.union(*(things for things, _ in shown)))
    found = set()
    for bits in itertools.product((False, True), repeat=len(objects)):
        blickets = {thing for thing, bit in zip(objects, bits, strict=True) if bit}
        if all(bool(things & blickets) == light for things, light in shown):
            found.add(bool(test & blickets))
    return answer == ("undetermined" if len(found) > 1 else "on" if True in found else "off")


def propositional_logic(question: str, metadata: dict[str, Any]) -> Verdict:
    """Test that the example follows and is no tautology.

    None if the premises contradict each other or are tautologies.
    """
    premises = re.findall(r"^\.?\d+\. (.+)$", question, re.MULTILINE)
    formulas = [text.translate(_SIGNS) for text in (*premises, metadata["example_answer"])]
    cases = _cases(sorted(set(re.findall("[A-Z]", " ".join(formulas)))))
    *known, example = (eval(formula, {}, cases) for formula in formulas)
    are_open = numpy.logical_and.reduce(known)
    if are_open.all() or not are_open.any():
        return None
    return bool(example[are_open].all() and not example.all())


_SIGNS = str.maketrans({"¬": "~", "∧": "&", "∨": "|", "→": "<=", "↔": "=="})
"""What the signs are in Python; each formula has all brackets."""


def _cases(names: Sequence[str]) -> dict[str, Any]:
    """Return the truth of each name in every assignment, as an array."""
    values = numpy.array([*itertools.product([False, True], repeat=len(names))])
    return dict(zip(names, values.T, strict=True))


def knights_knaves(question: str, answer: str) -> Verdict:
    """Test that the answer is the only assignment in which exactly the knights tell the truth."""
    roles = find(r"inhabited only by (\w+)s and (\w+)s\. ", question)
    head = find(r"You meet \d+ inhabitants: (.*?)\. (?=\S)", question)
    names = re.findall(r"[A-Z]\w+", head[1])
    body = question[head.end() : question.index(" So who is a")]
    cases = _cases(names)
    claims = {name: _formula(text, roles[1]) for name, text in _quotes(body, names).items()}
    fit = [eval(claims[name], {}, cases) == cases[name] for name in names]
    places = numpy.flatnonzero(numpy.logical_and.reduce(fit))
    answer = dict(re.findall(r"(\w+) is an? (\w+)", answer))
    return len(places) == 1 and answer == {
        name: roles[1 if cases[name][places[0]] else 2] for name in names
    }


_QUOTATIONS = (
    r"{0} (?:said that|told you that|expressed that) (?P<a>[^\".]+)\.(?= |$)",
    r"(?:{0} (?:said|stated|remarked|commented|noted|was heard saying),|{0} asserted:"
    r"|According to {0},|In {0}'s words:|As {0} put it,|In a statement by {0}:)"
    r' "(?P<b>[^"]+?)\.?"\.?(?= |$)',
    r'"(?P<c>[^"]+?),?" (?:{0} (?:declared|mentioned|claimed)|- {0})\.(?= |$)',
)


def _quotes(body: str, names: list[str]) -> dict[str, str]:
    """Return each speaker's words; raise ValueError if some text is left over."""
    quotes = {}
    for name in names:
        matches = (re.match(pattern.format(name), body) for pattern in _QUOTATIONS)
        match = next(filter(None, matches), None)
        if match is None:
            raise ValueError(body)
        quotes[name] = next(filter(None, match.groupdict().values()))
        body = body[match.end() :].strip()
    if body:
        raise ValueError(body)
    return quotes


def _formula(text: str, knight: str) -> str:
    """Write a statement about who is a knight in Python; `knight` is the word for one."""
    text = re.sub(r"(\w+) is an? (\w+)", lambda m: f"({'~' * (m[2] != knight)}{m[1]})", text)
    for words, sign in (
        ("it is not the case that ", "~"),
        (" if and only if ", " == "),
        ("if ", ""),
        (" then ", " <= "),
        (" and ", " & "),
        (" or ", " | "),
    ):
        text = text.replace(words, sign)
    return text


_GATES: dict[str, Callable[[list[int]], int]] = {
    "AND": lambda bits: int(all(bits)),
    "NAND": lambda bits: int(not all(bits)),
    "OR": lambda bits: int(any(bits)),
    "NOR": lambda bits: int(not any(bits)),
    "XOR": lambda bits: sum(bits) % 2,
}


def circuit_logic(question: str, answer: str) -> Verdict:
    """Follow every wire of the drawing from its gate back to its input.

    The last gate joins all others, and the order of its inputs makes no difference. What has one
    input only has no gate.
    """
    legend = re.findall(r"^(\S)\1: (\w+)$", question, re.MULTILINE)
    drawing = question.split("\n\n")[1].split("\n")
    bits = {name: int(bit) for name, bit in re.findall(r"^  (\w+) = ([01])$", question, re.M)}
    inputs = {}  # column of a vertical wire -> name of the input
    for row in drawing[: len(bits)]:
        inputs[row.index("┐")] = row.split(":")[0]
    left = max(inputs) + 1  # column of the inverters
    results: list[int] = []
    values: list[int] = []
    gate = ""
    for row in [*drawing[len(bits) :], ""]:
        row = row.ljust(left + 8)
        column = max(row.rfind("├", 0, left), row.rfind("└", 0, left))
        if column >= 0:
            gate = dict(legend).get(row[left + 5], "OR")
            values.append(bits[inputs[column]] ^ (row[left + 1 : left + 3] == ">o"))
        elif values:
            results.append(_GATES[gate](values))
            values = []
    output = results[0] if len(results) == 1 else _GATES[legend[-1][1]](results)
    return answer == str(output)


def self_reference(question: str, answer: str) -> Verdict:
    """Count the assignments of true and false to the seven statements that make them so."""
    numbers = re.findall(r"'(?:At least|At most|Exactly) (\d+) of these 7", question)
    a, b, c, d = map(int, numbers)
    count = 0
    for case in itertools.product([False, True], repeat=7):
        true = sum(case)
        false = 7 - true
        claims = (true >= a, false <= b, true == c, false == d, case[2] ^ case[3])
        count += case == (*claims, true in (2, 3, 5, 7), false in (4, 6))
    return answer == str(count)
