"""Checks of the logic tasks, by trying every case.

Entries of propositional_logic have no reference answer; the example in their metadata is checked.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tests.labels.shared import Verdict, find

Formula = Callable[[dict[str, bool]], bool]
"""Maps the truth of the variables to the truth of a formula."""


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
        if (
            _holds(forms[0], members)
            and _holds(forms[1], members)
            and not _holds(forms[2], members)
        ):
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
    example_answer = metadata["example_answer"]
    premises = re.findall(r"^\.?\d+\. (.+)$", question, re.MULTILINE)
    names = sorted(set(re.findall("[A-Z]", " ".join([*premises, example_answer]))))
    formulas = [_parse_formula(premise) for premise in premises]
    cases = _assignments(names)
    open_cases = [case for case in cases if all(formula(case) for formula in formulas)]
    if len(open_cases) in (0, len(cases)):
        return None
    example = _parse_formula(example_answer)
    return all(map(example, open_cases)) and not all(map(example, cases))


def _assignments(names: Sequence[str]) -> list[dict[str, bool]]:
    values = itertools.product([False, True], repeat=len(names))
    return [dict(zip(names, case, strict=True)) for case in values]


def _parse_formula(text: str) -> Formula:
    """Parse a formula with all brackets, so that one operator at most is at each depth."""
    text = text.strip()
    if text.startswith("¬"):
        inner = _parse_formula(text[1:])
        return lambda case: not inner(case)
    if not text.startswith("("):
        return lambda case: bool(case[text])
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 1 and sign in "∧∨→↔":
            sides = text[1:place], text[place + 1 : -1]
            return _connect(sign, [_parse_formula(side) for side in sides])
    return _parse_formula(text[1:-1])


_CONNECTED: dict[str, Callable[[list[bool]], bool]] = {
    "∧": all,
    "∨": any,
    "→": lambda truths: not truths[0] or truths[1],
    "↔": lambda truths: len(set(truths)) == 1,
}


def _connect(sign: str, formulas: list[Formula]) -> Formula:
    return lambda case: _CONNECTED[sign]([formula(case) for formula in formulas])


def knights_knaves(question: str, answer: str) -> Verdict:
    """Test that the answer is the only assignment in which exactly the knights tell the truth."""
    roles = find(r"inhabited only by (\w+)s and (\w+)s\. ", question)
    head = find(r"You meet \d+ inhabitants: (.*?)\. (?=\S)", question)
    names = re.findall(r"[A-Z]\w+", head[1])
    body = question[head.end() : question.index(" So who is a")]
    claims = {name: _parse_claim(text, roles[1]) for name, text in _quotes(body, names).items()}
    cases = [
        case
        for case in _assignments(names)
        if all(claims[name](case) == case[name] for name in names)
    ]
    answer = dict(re.findall(r"(\w+) is an? (\w+)", answer))
    return len(cases) == 1 and answer == {n: roles[2 - v] for n, v in cases[0].items()}


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


def _parse_claim(text: str, knight: str) -> Formula:
    """Parse a statement about who is a knight; `knight` is the word for one."""
    text = _strip_brackets(text)
    if text.startswith("it is not the case that "):
        inner = _parse_claim(text[24:], knight)
        return lambda case: not inner(case)
    if text.startswith("if "):
        return _connect("→", [_parse_claim(part, knight) for part in _split(text[3:], " then ")])
    for word, sign in ((" if and only if ", "↔"), (" and ", "∧"), (" or ", "∨")):
        parts = _split(text, word)
        if len(parts) > 1:
            return _connect(sign, [_parse_claim(part, knight) for part in parts])
    match = find(r"^(\w+) is an? (\w+)$", text)
    return lambda case: case[match[1]] == (match[2] == knight)


def _strip_brackets(text: str) -> str:
    """Remove brackets around the whole text."""
    while text.startswith("(") and _depths(text).index(0) == len(text) - 1:
        text = text[1:-1]
    return text


def _depths(text: str) -> list[int]:
    """Return the number of open brackets after each character."""
    return list(itertools.accumulate((c == "(") - (c == ")") for c in text))


def _split(text: str, word: str) -> list[str]:
    """Split a text at the occurrences of `word` that are in no brackets."""
    depths = _depths(text)
    cuts = [m for m in re.finditer(re.escape(word), text) if depths[m.start()] == 0]
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(text)]
    return [text[a:b] for a, b in zip(starts, ends, strict=True)]


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
