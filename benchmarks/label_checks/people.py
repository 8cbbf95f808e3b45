"""Checks of riddles about people, from what the story says.

Example::

    family_relationships(entry)    # False: "What is Sarah to Elizabeth?", "mother-in-law"

Not here: zebra_puzzles, whose generator proves that there is one solution.
"""

from __future__ import annotations

import re

from benchmarks.label_checks.shared import Entry, Verdict, find, naturals

WORDS = [
    "mother father",
    "sister brother",
    "daughter son",
    "wife husband",
    "grandmother grandfather",
    "granddaughter grandson",
    "aunt uncle",
    "niece nephew",
    "mother-in-law father-in-law",
    "daughter-in-law son-in-law",
]
"""For each relation, the word for a woman and the word for a man."""


def aiw(entry: Entry) -> Verdict:
    """Count the women around the person asked about; None for a man who was not introduced."""
    question, answer = entry["question"], int(entry["answer"])
    numbers = naturals(question)
    if "Matilda" in question:
        # In the first circle the friend replaces Matilda; in the second Matilda is not counted.
        return answer == numbers[1] + numbers[3] - 1
    if "friends" in question:
        return answer == numbers[1] + 1
    asked = re.search(r"How many sisters does (\w+)'s brother have", question)
    if asked is None or not question.startswith(f"{asked[1]} has"):
        return None
    return answer == numbers[1] + 1


def family_relationships(entry: Entry) -> Verdict:
    """Derive the relation from the story; the first person's sex decides which word names it.

    None if the reference answer is an unknown word, or the two people have no known relation.
    """
    story, question = entry["question"].split("\n\n")
    match = find(r"(?:is|relation is|How is) (\w+) (?:related )?to (\w+)\?", question)
    parents: dict[str, set[str]] = {}
    spouse: dict[str, str] = {}
    for a, b, children in re.findall(
        r"(\w+) is married to (\w+)\.(?: They have (?:a child|children) called ([^.]*)\.)?", story
    ):
        spouse |= {a: b, b: a}
        for child in re.findall(r"\w+", children.replace(" and ", " ")):
            parents[child] = {a, b}
    words = next((pair.split() for pair in WORDS if entry["answer"] in pair.split()), [])
    relation = _relation(match[1], match[2], parents, spouse)
    if relation is None or not words:
        return None
    return relation == words[0] and entry["answer"] == words[match[1] in MEN]


def _relation(
    one: str, other: str, parents: dict[str, set[str]], spouse: dict[str, str]
) -> str | None:
    """Return the relation of `one` to `other`, as the word for a woman."""
    of_one, of_other = parents.get(one, set()), parents.get(other, set())
    grand_one = {g for p in of_one for g in parents.get(p, set())}
    grand_other = {g for p in of_other for g in parents.get(p, set())}
    married = parents.get(spouse.get(one, ""), set())
    married_other = parents.get(spouse.get(other, ""), set())
    relations = {
        "mother": one in of_other,
        "daughter": other in of_one,
        "wife": spouse.get(one) == other,
        "sister": bool(of_one) and of_one == of_other,
        "grandmother": one in grand_other,
        "granddaughter": other in grand_one,
        "aunt": bool(of_one & grand_other),
        "niece": bool(of_other & grand_one),
        "daughter-in-law": other in married,
        "mother-in-law": one in married_other,
    }
    return next((relation for relation, holds in relations.items() if holds), None)


MEN = set(
    """James John Robert Michael William David Richard Joseph Thomas Charles Peter Daniel Matthew
    Christopher Andrew George Edward Benjamin Henry Samuel Alexander Oliver Jack Harry Jacob Noah
    Ethan Lucas Mason Logan Sebastian Theodore Owen Liam Aiden Kai Jayden Zion Phoenix Atlas Axel
    Ryder Finn""".split()  # a table of names is easier to read
)
