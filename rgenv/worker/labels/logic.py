"""What follows from a question's sentences, for the tasks of logic and of people.

::

    syllogism(entry)    # "Does it follow that ...?": Yes or No by every possible world

Each function takes an entry and gives it back with the proven answer, or None to make another; on
an entry of another form it may raise. See labels.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from rgenv.worker.verifiers import logic

Entry = dict[str, Any]

# --- syllogism ----------------------------------------------------------------------------------

STATEMENT = re.compile(r"(All|No|Some) (\S+) are (not )?([^\s?]+)\??")


def syllogism(entry: Entry) -> Entry | None:
    """None where the answer depends on whether all of the things spoken of exist.

    "All A are B" says to a logician of today nothing about there being any A, and to Aristotle
    that there are some. The question does not say which of the two it means.
    """
    lines = [STATEMENT.fullmatch(re.sub(r"^\d\. ", "", x)) for x in entry["question"].split("\n")]
    forms = [line.groups() for line in lines if line]
    terms = sorted({term for _, subject, _, other in forms for term in (subject, other)})
    if len(forms) != 3 or len(terms) > 4:
        return None
    worlds = range(1 << (1 << len(terms)))  # a world: which kinds of things there are, a bit each
    possible = [w for w in worlds if all(_true(w, form, terms) for form in forms[:2])]
    follows = all(_true(w, forms[2], terms) for w in possible)
    kinds = [_kinds(term, terms) for term in terms]
    peopled = [w for w in possible if all(w & kind for kind in kinds)]
    if follows != all(_true(w, forms[2], terms) for w in peopled):
        return None
    metadata = {**entry["metadata"], "is_valid": follows}
    return {**entry, "answer": "Yes" if follows else "No", "metadata": metadata}


def _kinds(term: str, terms: list[str]) -> int:
    """The kinds of things that are `term`, as bits."""
    place = 1 << terms.index(term)
    return sum(1 << kind for kind in range(1 << len(terms)) if kind & place)


def _true(world: int, form: tuple[str, ...], terms: list[str]) -> bool:
    quantifier, subject, negated, other = form
    of_subject, of_other = _kinds(subject, terms), _kinds(other, terms)
    inside, outside = world & of_subject & of_other, world & of_subject & ~of_other
    if negated:
        inside, outside = outside, inside
    return {"All": not outside, "No": not inside, "Some": bool(inside)}[quantifier]


# --- propositional_logic ------------------------------------------------------------------------


def propositional_logic(entry: Entry) -> Entry | None:
    """None where the premises together say nothing that one of them does not say alone.

    Otherwise the example becomes the shortest conclusion that has to be inferred.
    """
    metadata = entry["metadata"]
    tables = logic.variable_tables(metadata["variables"])
    premises = [logic.table(logic.parsed(text), tables) for text in metadata["premises"]]
    for text in _short_conclusions(metadata["variables"]):
        if logic.inferred(logic.parsed(text), premises, tables):
            return {**entry, "metadata": {**metadata, "example_answer": text}}
    return None


def _short_conclusions(names: list[str]) -> Iterator[str]:
    """Every variable and its negation, then what two of them have to do with each other."""
    literals = [text for name in names for text in (name, f"¬{name}")]
    yield from literals
    for first, second in combinations(literals, 2):
        if first.strip("¬") != second.strip("¬"):
            yield f"({first} ∨ {second})"
    for one, other in combinations(names, 2):
        yield from (f"({one} ↔ {other})", f"({one} ↔ ¬{other})")


# --- people -------------------------------------------------------------------------------------


def aiw(entry: Entry) -> Entry | None:
    """Matilda's colleagues are those of both circles; William's sisters are anybody's guess."""
    question = entry["question"]
    counts = [int(number) for number in re.findall(r"\d+", question)]
    if "Matilda" in question:
        _, women_around_her_friend, _, women_around_him = counts
        # The friend counts where she herself does not; of his she alone is told already.
        women = women_around_her_friend + women_around_him - 1
        return {**entry, "answer": str(women)}
    asked = re.search(r"How many sisters does (\w+)'s brother have\?$", question)
    if asked and not question.startswith(f"{asked[1]} has "):
        return None
    return entry


WORDS = {
    "parent": ("father", "mother"),
    "child": ("son", "daughter"),
    "spouse": ("husband", "wife"),
    "sibling": ("brother", "sister"),
    "grandparent": ("grandfather", "grandmother"),
    "grandchild": ("grandson", "granddaughter"),
    "parent's sibling": ("uncle", "aunt"),
    "sibling's child": ("nephew", "niece"),
    "spouse's parent": ("father-in-law", "mother-in-law"),
    "child's spouse": ("son-in-law", "daughter-in-law"),
}
"""For a man and for a woman."""

MEN = frozenset(
    """James John Robert Michael William David Richard Joseph Thomas Charles Peter Daniel Matthew
    Christopher Andrew George Edward Benjamin Henry Samuel Alexander Oliver Jack Harry Jacob Noah
    Ethan Lucas Mason Logan Sebastian Theodore Owen Liam Aiden Jayden Zion Axel Ryder
    Finn""".split()  # noqa: SIM905  # a list of names is easier to read
)
WOMEN = frozenset(
    """Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Emma Lisa Anna
    Margaret Victoria Charlotte Sophia Isabella Olivia Ava Mia Emily Abigail Amelia Eleanor Grace
    Alice Lucy Chloe Sophie Lily Hannah Zoe Luna Nova Aria Willow Aurora""".split()  # noqa: SIM905  # as above
)
"""The library's names but Kai, Phoenix, Atlas, Sage, River, Winter, Sky and Rain, which tell of no
sex: it is known where their spouse's name tells of it."""


def family_relationships(entry: Entry) -> Entry | None:
    """The word for the first person asked about; None where the names leave the sex open."""
    story, question = entry["question"].split("\n\n")
    one, other = re.findall(r"[A-Z]\w+", question.split("?")[0])[-2:]
    spouses: dict[str, str] = {}
    parents: dict[str, tuple[str, str]] = {}
    for a, b, children in re.findall(
        r"(\w+) is married to (\w+)\.(?: They have (?:a child|children) called ([^.]+)\.)?", story
    ):
        spouses |= {a: b, b: a}
        parents |= {child: (a, b) for child in re.split(r", | and ", children) if child}
    relation = _relation(one, other, parents, spouses)
    man = _is_man(one, spouses)
    if relation is None or man is None:
        return None
    return {**entry, "answer": WORDS[relation][0 if man else 1]}


def _is_man(name: str, spouses: dict[str, str]) -> bool | None:
    if name in MEN or name in WOMEN:
        return name in MEN
    spouse = spouses.get(name)
    return spouse in WOMEN if spouse in MEN | WOMEN else None


def _relation(
    one: str, other: str, parents: dict[str, tuple[str, str]], spouses: dict[str, str]
) -> str | None:
    """What `one` is to `other`."""

    def over(name: str) -> set[str]:
        return set(parents.get(name, ()))

    def above(name: str) -> set[str]:
        return {elder for parent in over(name) for elder in over(parent)}

    relations = {
        "parent": one in over(other),
        "child": other in over(one),
        "spouse": spouses.get(one) == other,
        "sibling": bool(over(one) & over(other)),
        "grandparent": one in above(other),
        "grandchild": other in above(one),
        "parent's sibling": bool(over(one) & above(other)),
        "sibling's child": bool(over(other) & above(one)),
        "spouse's parent": one in over(spouses.get(other, "")),
        "child's spouse": other in over(spouses.get(one, "")),
    }
    return next((relation for relation, holds in relations.items() if holds), None)


def needle_haystack(entry: Entry) -> Entry | None:
    """None where two people are said to do what is asked for."""
    story, question = entry["question"].rsplit("\n", 1)
    doing = question.removeprefix("Who ").split("? Reply")[0]
    people = {
        sentence.removesuffix(f" {doing}")
        for sentence in story.strip().removesuffix(".").split(". ")
        if sentence.endswith(f" {doing}")
    }
    return entry if people == {entry["answer"]} else None
