"""Labels of riddles about people, from what the story says and nothing else.

    family_relationships(entry)    # False: "What is Sarah to Elizabeth?", "mother-in-law"

Not covered: zebra_puzzles, whose generator proves that there is one solution.
"""

from __future__ import annotations

import re
from typing import Any

Entry = dict[str, Any]

PAIRS = [
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


def aiw(entry: Entry) -> bool | None:
    """Counts the women around the person asked about; None for a man nobody has introduced."""
    question, answer = entry["question"], int(entry["answer"])
    numbers = [int(n) for n in re.findall(r"\d+", question)]
    if "Matilda" in question:
        # One of the women around her, who counts instead; and those around him but for herself.
        return answer == numbers[1] + numbers[3] - 1
    if "friends" in question:
        return answer == numbers[1] + 1
    asked = re.search(r"How many sisters does (\w+)'s brother have", question)
    if asked is None or not question.startswith(f"{asked[1]} has"):
        return None
    return answer == numbers[1] + 1


def family_relationships(entry: Entry) -> bool | None:
    """Which of the two words it is goes by the name of the person who is asked about."""
    story, question = entry["question"].split("\n\n")
    match = re.search(r"(?:is|relation is|How is) (\w+) (?:related )?to (\w+)\?", question)
    if match is None:
        return None
    parents: dict[str, set[str]] = {}
    spouse: dict[str, str] = {}
    for a, b, children in re.findall(
        r"(\w+) is married to (\w+)\.(?: They have (?:a child|children) called ([^.]*)\.)?", story
    ):
        spouse |= {a: b, b: a}
        for child in re.findall(r"\w+", children.replace(" and ", " ")):
            parents[child] = {a, b}
    pair = next((p.split() for p in PAIRS if entry["answer"] in p.split()), [])
    kind = _kind(match[1], match[2], parents, spouse)
    if kind is None or not pair:
        return None
    return kind == pair[0] and entry["answer"] == pair[match[1] in MEN]


def _kind(one: str, other: str, parents: dict[str, set[str]], spouse: dict[str, str]) -> str | None:
    """What `one` is to `other`, in the word for a woman."""
    of_one, of_other = parents.get(one, set()), parents.get(other, set())
    grand_one = {g for p in of_one for g in parents.get(p, set())}
    grand_other = {g for p in of_other for g in parents.get(p, set())}
    married = parents.get(spouse.get(one, ""), set())
    married_other = parents.get(spouse.get(other, ""), set())
    kinds = {
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
    return next((kind for kind, holds in kinds.items() if holds), None)


MEN = set(
    """James John Robert Michael William David Richard Joseph Thomas Charles Peter Daniel Matthew
    Christopher Andrew George Edward Benjamin Henry Samuel Alexander Oliver Jack Harry Jacob Noah
    Ethan Lucas Mason Logan Sebastian Theodore Owen Liam Aiden Kai Jayden Zion Phoenix Atlas Axel
    Ryder Finn""".split()  # noqa: SIM905  # a list of names is easier to read
)
