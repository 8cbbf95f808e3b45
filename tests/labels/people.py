"""Checks of riddles about people, from what the story says."""

import re

from tests.labels.shared import Verdict, find, naturals

WORDS = [
    pair.split()
    for pair in """
    mother father, sister brother, daughter son, wife husband, aunt uncle, niece nephew,
    grandmother grandfather, granddaughter grandson, cousin cousin,
    mother-in-law father-in-law, daughter-in-law son-in-law, sister-in-law brother-in-law,
    great-grandmother great-grandfather, great-granddaughter great-grandson
    """.split(",")
]
"""For each relation, the word for a woman and the word for a man."""


def aiw(question: str, answer: str) -> Verdict:
    """Put the people of each circle into a list, and count those around the one asked about."""
    story, _, asked = question.partition("How many ")
    numbers = naturals(story)
    if "sister" in story:
        women, men = numbers if story.index("sisters") < story.index("brothers") else numbers[::-1]
        circles = [["man"] * men + ["woman"] * (women + 1)]
        one = "woman" if "'s sister" in asked else "man"
    elif "friends" in story:
        circles = [["man"] * numbers[0] + ["woman"] * (numbers[1] + 1)]
        one = "man"
    else:
        around_her = ["woman"] + ["man"] * numbers[0] + ["woman"] * numbers[1]
        around_him = ["man"] + ["man"] * numbers[2] + ["woman"] * numbers[3]
        circles, one = [around_her, around_him], "woman"  # Matilda is in both
    for circle in circles:
        circle.remove(one)
    people = [person for circle in circles for person in circle]
    wanted = {"female": "woman", "sisters": "woman", "male": "man", "brothers": "man"}
    kind = wanted.get(asked.split()[0])
    return answer == str(people.count(kind) if kind else len(people))


def family_relationships(question: str, answer: str) -> Verdict:
    """Derive the relation from the story; the first person's sex decides which word names it.

    None if the reference answer is an unknown word, or the two people have no known relation.
    """
    story, question = question.split("\n\n")
    match = find(r"(?:is|relation is|How is) (\w+) (?:related )?to (\w+)\?", question)
    parents, spouse = _told(story)
    words = next((pair for pair in WORDS if answer in pair), [])
    relation = _relation(match[1], match[2], parents, spouse)
    if relation is None or not words:
        return None
    return relation == words[0] and answer == words[match[1] in MEN]


SENTENCES = (
    r"(?P<a>\w+) (?:is married to|and|married) (?P<b>\w+)(?: are married)?",
    r"(?P<parents>.+) have (?:a child|children) called (?P<children>.+)",
    r"(?P<children>.+) (?:is a child|are children) of (?P<parents>.+)",
    r"The parents of (?P<children>.+) are (?P<parents>.+)",
    r"(?P<parents>.+) is a parent of (?P<children>.+)",
)


def _told(story: str) -> tuple[dict[str, set[str]], dict[str, str]]:
    """Return the parents of each child, and whom each person is married to."""
    parents: dict[str, set[str]] = {}
    spouse: dict[str, str] = {}
    couple = ""  # the last one that was told of
    for sentence in story.rstrip(".").split(". "):
        form = next(filter(None, (re.fullmatch(each, sentence) for each in SENTENCES)))
        said = form.groupdict()
        if "a" in said:
            spouse |= {said["a"]: said["b"], said["b"]: said["a"]}
            couple = f"{said['a']} {said['b']}"
        else:
            elders = couple if said["parents"] == "They" else said["parents"]
            for child in re.findall(r"[A-Z]\w+", said["children"]):
                parents.setdefault(child, set()).update(re.findall(r"[A-Z]\w+", elders))
    return parents, spouse


def _relation(
    one: str, other: str, parents: dict[str, set[str]], spouse: dict[str, str]
) -> str | None:
    """Return the relation of `one` to `other`, as the word for a woman."""

    def above(people: set[str]) -> set[str]:
        return {elder for person in people for elder in parents.get(person, set())}

    of_one, of_other = above({one}), above({other})
    grand_one, grand_other = above(of_one), above(of_other)
    married, married_other = (above({spouse.get(name, "")}) for name in (one, other))
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
        "sister-in-law": bool(of_one & married_other or of_other & married),
        "great-grandmother": one in above(grand_other),
        "great-granddaughter": other in above(grand_one),
        "cousin": bool(grand_one & grand_other),
    }
    return next((relation for relation, holds in relations.items() if holds), None)


MEN = set(
    """James John Robert Michael William David Richard Joseph Thomas Charles Peter Daniel Matthew
    Christopher Andrew George Edward Benjamin Henry Samuel Alexander Oliver Jack Harry Jacob Noah
    Ethan Lucas Mason Logan Sebastian Theodore Owen Liam Aiden Kai Jayden Zion Phoenix Atlas Axel
    Ryder Finn""".split()  # a table of names is easier to read
)
