"""Labels of the logic tasks, checked against every case there is.

    knights_knaves(entry)    # True: the answer is the one assignment that the statements allow

Everything is read from the question; only propositional_logic, whose entries have no answer, is
checked by the example in its metadata. Not covered: acre.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

Entry = dict[str, Any]
Formula = Callable[[dict[str, bool]], bool]


# --- syllogism: every population of up to three individuals -------------------------------------

_FORM = re.compile(r"(All|No|Some) (\w+) are (not )?(\w+)")


def syllogism(entry: Entry) -> bool | None:
    """None where the answer depends on whether there are any lions at all.

    Two premises and a denied conclusion ask for at most three witnesses, and taking the others
    out of a population keeps what is said about all of it: larger ones show nothing new. That
    every term has a member takes three witnesses more.
    """
    forms = _FORM.findall(entry["question"])
    terms = sorted({term for _, subject, _, other in forms for term in (subject, other)})
    if len(forms) != 3 or len(terms) > 3:
        return None
    kinds = list(itertools.product([False, True], repeat=len(terms)))
    follows = {True: True, False: True}  # key: whether every term has a member
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
    return bool(entry["answer"] == ("Yes" if follows[True] else "No"))


def _populations(kinds: Sequence[Any]) -> itertools.chain[tuple[Any, ...]]:
    return itertools.chain.from_iterable(
        itertools.combinations(kinds, size) for size in range(min(6, len(kinds)) + 1)
    )


def _holds(form: tuple[str, str, str, str], members: list[dict[str, bool]]) -> bool:
    quantifier, subject, negated, other = form
    found = [member[other] != bool(negated) for member in members if member[subject]]
    return {"All": all(found), "No": not any(found), "Some": any(found)}[quantifier]


# --- formulas in the notation of propositional_logic --------------------------------------------


def propositional_logic(entry: Entry) -> bool | None:
    """Whether the example follows and is worth saying; None if any answer or none would do."""
    meta = entry["metadata"]
    premises = re.findall(r"^\.?\d+\. (.+)$", entry["question"], re.MULTILINE)
    names = sorted(set(re.findall("[A-Z]", " ".join([*premises, meta["example_answer"]]))))
    said = [_formula(premise) for premise in premises]
    cases = [dict(zip(names, c, strict=True)) for c in itertools.product((0, 1), repeat=len(names))]
    open_cases = [case for case in cases if all(premise(case) for premise in said)]
    if len(open_cases) in (0, len(cases)):
        return None
    example = _formula(meta["example_answer"])
    return all(map(example, open_cases)) and not all(map(example, cases))


def _formula(text: str) -> Formula:
    """Fully bracketed, so that an operator is the only one at its depth."""
    text = text.strip()
    if text.startswith("¬"):
        inner = _formula(text[1:])
        return lambda case: not inner(case)
    if not text.startswith("("):
        return lambda case: bool(case[text])
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 1 and sign in "∧∨→↔":
            return _joined(sign, _formula(text[1:place]), _formula(text[place + 1 : -1]))
    return _formula(text[1:-1])


def _joined(sign: str, left: Formula, right: Formula) -> Formula:
    return {
        "∧": lambda case: left(case) and right(case),
        "∨": lambda case: left(case) or right(case),
        "→": lambda case: not left(case) or right(case),
        "↔": lambda case: left(case) == right(case),
    }[sign]


# --- knights_knaves: the statements as they are quoted ------------------------------------------


def knights_knaves(entry: Entry) -> bool | None:
    """Whether the answer is the only assignment that makes each knight's words true alone."""
    question = entry["question"]
    roles = re.search(r"inhabited only by (\w+)s and (\w+)s\. ", question)
    head = re.search(r"You meet \d+ inhabitants: (.*?)\. (?=\S)", question)
    if roles is None or head is None:
        return None
    names = re.findall(r"[A-Z]\w+", head[1])
    body = question[head.end() : question.index(" So who is a")]
    claims = _claims(body, names)
    if claims is None:
        return None
    said = {name: _claim(text, roles[1]) for name, text in claims.items()}
    cases = [
        case
        for values in itertools.product([True, False], repeat=len(names))
        for case in [dict(zip(names, values, strict=True))]
        if all(said[name](case) == case[name] for name in names)
    ]
    told = dict(re.findall(r"(\w+) is an? (\w+)", entry["answer"]))
    return len(cases) == 1 and told == {n: roles[2 - v] for n, v in cases[0].items()}


_SAYING = (
    r"{0} (?:said that|told you that|expressed that) (?P<a>[^\".]+)\.(?= |$)",
    r"(?:{0} (?:said|stated|remarked|commented|noted|was heard saying),|{0} asserted:"
    r"|According to {0},|In {0}'s words:|As {0} put it,|In a statement by {0}:)"
    r' "(?P<b>[^"]+?)\.?"\.?(?= |$)',
    r'"(?P<c>[^"]+?),?" (?:{0} (?:declared|mentioned|claimed)|- {0})\.(?= |$)',
)


def _claims(body: str, names: list[str]) -> dict[str, str] | None:
    """Each speaker's words; None if something is left over."""
    claims = {}
    for name in names:
        match = next(filter(None, (re.match(p.format(name), body) for p in _SAYING)), None)
        if match is None:
            return None
        claims[name] = next(filter(None, match.groupdict().values()))
        body = body[match.end() :].strip()
    return None if body else claims


def _claim(text: str, knight: str) -> Formula:
    text = _unwrapped(text)
    if text.startswith("it is not the case that "):
        inner = _claim(text[24:], knight)
        return lambda case: not inner(case)
    if text.startswith("if "):
        left, right = _split(text[3:], " then ")
        return _joined("→", _claim(left, knight), _claim(right, knight))
    for word, sign in ((" if and only if ", "↔"), (" and ", "∧"), (" or ", "∨")):
        parts = _split(text, word)
        if len(parts) > 1:
            claims = [_claim(part, knight) for part in parts]
            return lambda case, claims=claims, sign=sign: {
                "∧": all(c(case) for c in claims),
                "∨": any(c(case) for c in claims),
                "↔": len({c(case) for c in claims}) == 1,
            }[sign]
    name, role = re.fullmatch(r"(\w+) is an? (\w+)", text).groups()
    return lambda case: case[name] == (role == knight)


def _unwrapped(text: str) -> str:
    while text.startswith("(") and _depths(text).index(0) == len(text) - 1:
        text = text[1:-1]
    return text


def _depths(text: str) -> list[int]:
    return list(itertools.accumulate((c == "(") - (c == ")") for c in text))


def _split(text: str, word: str) -> list[str]:
    """`text` in the parts between occurrences of `word` that are in no brackets."""
    depths = _depths(text)
    cuts = [m for m in re.finditer(re.escape(word), text) if depths[m.start()] == 0]
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(text)]
    return [text[a:b] for a, b in zip(starts, ends, strict=True)]


# --- circuit_logic: the drawing itself ----------------------------------------------------------

_GATES: dict[str, Callable[[list[int]], int]] = {
    "AND": lambda bits: int(all(bits)),
    "NAND": lambda bits: int(not all(bits)),
    "OR": lambda bits: int(any(bits)),
    "NOR": lambda bits: int(not any(bits)),
    "XOR": lambda bits: sum(bits) % 2,
}


def circuit_logic(entry: Entry) -> bool | None:
    """Follows every wire from its gate back to its input.

    The last gate joins all of the others: which wire enters it where makes no difference.
    """
    question = entry["question"]
    legend = re.findall(r"^(\S)\1: (\w+)$", question, re.MULTILINE)
    drawing = question.split("\n\n")[1].split("\n")
    bits = {name: int(bit) for name, bit in re.findall(r"^  (\w+) = ([01])$", question, re.M)}
    inputs = {}  # column of the vertical wire -> input
    for row in drawing[: len(bits)]:
        inputs[row.index("┐")] = row.split(":")[0]
    left = max(inputs) + 1  # where the inverters stand
    results, gate, values = [], "", []
    for row in [*drawing[len(bits) :], ""]:
        row = row.ljust(left + 8)
        if row[left + 5] in dict(legend) and row[left + 5] == row[left + 6]:
            column = max(row.rfind("├", 0, left), row.rfind("└", 0, left))
            gate = dict(legend)[row[left + 5]]
            values.append(bits[inputs[column]] ^ (row[left + 1 : left + 3] == ">o"))
        elif values:
            results.append(_GATES[gate](values))
            values = []
    return bool(entry["answer"] == str(_GATES[legend[-1][1]](results)))


# --- self_reference -----------------------------------------------------------------------------


def self_reference(entry: Entry) -> bool | None:
    """Counts the ways to call the seven statements true or false that agree with them."""
    question = entry["question"]
    numbers = re.findall(r"'(?:At least|At most|Exactly) (\d+) of these 7", question)
    if len(numbers) != 4:
        return None
    a, b, c, d = map(int, numbers)
    count = 0
    for case in itertools.product([False, True], repeat=7):
        true = sum(case)
        false = 7 - true
        claims = (true >= a, false <= b, true == c, false == d, case[2] ^ case[3])
        count += case == (*claims, true in (2, 3, 5, 7), false in (4, 6))
    return bool(entry["answer"] == str(count))
