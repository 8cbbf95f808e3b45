"""Corrections for tasks on logic and on people, derived from the sentences of the question.

Example::

    aiw(entry)    # Matilda's colleagues in both circles, without Matilda

Each public function is the correction of one task: it returns the entry, a corrected copy, or None
(see the package). It may raise on a question in another form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from rgenv.worker.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of
from rgenv.worker.verifiers import logic

# --- propositional_logic ------------------------------------------------------------------------


def propositional_logic(entry: Entry) -> Entry | None:
    """Negate some variables, and replace the example answer with the shortest right conclusion.

    None if the premises together imply nothing that a single one does not imply. In the library's
    premises no variable is given as true by itself, and many as false.
    """
    entry = _with_signs(entry)
    metadata = entry["metadata"]
    tables = logic.variable_tables(metadata["variables"])
    premises = [logic.truth_table(logic.parse(text), tables) for text in metadata["premises"]]
    for text in _short_conclusions(metadata["variables"]):
        if logic.is_inferred(logic.parse(text), premises, tables):
            return {**entry, "metadata": {**metadata, "example_answer": text}}
    return None


def _with_signs(entry: Entry) -> Entry:
    """Return the entry with half of the variables negated wherever they stand."""
    metadata = entry["metadata"]
    rng = random_of(entry)
    negated = "".join(name for name in metadata["variables"] if rng.random() < 0.5)
    if not negated:
        return entry
    head, marker, question = entry["question"].partition("Given:\n")
    *shown, rest = question.split("\n.")
    lines, premises = (
        [re.sub(f"([{negated}])", r"¬\1", text).replace("¬¬", "") for text in texts]
        for texts in (shown, metadata["premises"])
    )
    question = head + marker + "\n.".join([*lines, rest])
    return {**entry, "question": question, "metadata": {**metadata, "premises": premises}}


def _short_conclusions(names: list[str]) -> Iterator[str]:
    """Yield every variable and its negation, then the disjunctions of two of them."""
    literals = [text for name in names for text in (name, f"¬{name}")]
    yield from literals
    for first, second in combinations(literals, 2):
        if first.strip("¬") != second.strip("¬"):
            yield f"({first} ∨ {second})"


# --- people -------------------------------------------------------------------------------------


def aiw(entry: Entry) -> Entry | None:
    """Count Matilda's colleagues in both circles; None for a brother who was not introduced."""
    question = entry["question"]
    counts = [int(number) for number in re.findall(r"\d+", question)]
    if "Matilda" in question:
        _, women_around_her_friend, _, women_around_him = counts
        # In the first circle the friend replaces Matilda; in the second Matilda is not counted.
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
"""Relation -> the word for a man and the word for a woman."""

MEN = frozenset(
    """James John Robert Michael William David Richard Joseph Thomas Charles Peter Daniel Matthew
    Christopher Andrew George Edward Benjamin Henry Samuel Alexander Oliver Jack Harry Jacob Noah
    Ethan Lucas Mason Logan Sebastian Theodore Owen Liam Aiden Jayden Zion Axel Ryder
    Finn""".split()  # a list of names is easier to read
)
WOMEN = frozenset(
    """Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Sarah Karen Emma Lisa Anna
    Margaret Victoria Charlotte Sophia Isabella Olivia Ava Mia Emily Abigail Amelia Eleanor Grace
    Alice Lucy Chloe Sophie Lily Hannah Zoe Luna Nova Aria Willow Aurora""".split()  # as above
)
"""The names that the library uses, without Kai, Phoenix, Atlas, Sage, River, Winter, Sky and Rain.
Those fit either sex, and a marriage does not tell which."""


def family_relationships(entry: Entry) -> Entry | None:
    """Give the word for the first person named; None if the name leaves that person's sex open."""
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
    if relation is None or one not in MEN | WOMEN:
        return None
    return {**entry, "answer": WORDS[relation][0 if one in MEN else 1]}


def _relation(
    one: str, other: str, parents: dict[str, tuple[str, str]], spouses: dict[str, str]
) -> str | None:
    """Return the relation of `one` to `other`, a key of `WORDS`; None if they have none."""

    def parents_of(name: str) -> set[str]:
        return set(parents.get(name, ()))

    def grandparents_of(name: str) -> set[str]:
        return {elder for parent in parents_of(name) for elder in parents_of(parent)}

    relations = {
        "parent": one in parents_of(other),
        "child": other in parents_of(one),
        "spouse": spouses.get(one) == other,
        "sibling": bool(parents_of(one) & parents_of(other)),
        "grandparent": one in grandparents_of(other),
        "grandchild": other in grandparents_of(one),
        "parent's sibling": bool(parents_of(one) & grandparents_of(other)),
        "sibling's child": bool(parents_of(other) & grandparents_of(one)),
        "spouse's parent": one in parents_of(spouses.get(other, "")),
        "child's spouse": other in parents_of(spouses.get(one, "")),
    }
    return next((relation for relation, holds in relations.items() if holds), None)


def needle_haystack(entry: Entry) -> Entry | None:
    """Return the entry; None if the story has two people do what the question asks for."""
    story, question = entry["question"].rsplit("\n", 1)
    doing = question.removeprefix("Who ").split("? Reply")[0]
    people = {
        sentence.removesuffix(f" {doing}")
        for sentence in story.strip().removesuffix(".").split(". ")
        if sentence.endswith(f" {doing}")
    }
    return entry if people == {entry["answer"]} else None
