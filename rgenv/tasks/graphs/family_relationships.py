"""Tell how two members of a family are related."""

import re

from rgenv.tasks import Choice, Entry, Task, moving, random_of

WORDS = {
    "parent": ("father", "mother", "parent and child"),
    "child": ("son", "daughter", "parent and child"),
    "spouse": ("husband", "wife", "married"),
    "sibling": ("brother", "sister", "siblings"),
    "grandparent": ("grandfather", "grandmother", "two generations"),
    "grandchild": ("grandson", "granddaughter", "two generations"),
    "parent's sibling": ("uncle", "aunt", "beside the parents"),
    "sibling's child": ("nephew", "niece", "beside the parents"),
    "spouse's parent": ("father-in-law", "mother-in-law", "in-law"),
    "child's spouse": ("son-in-law", "daughter-in-law", "in-law"),
}
"""Relation -> the word for a man, the word for a woman, and what families of problems keep."""
_KEPT = {word: kept for *words, kept in WORDS.values() for word in words}
EVERYDAY_WORDS = {
    **dict.fromkeys(("mom", "mum", "mama", "mommy", "mummy"), "mother"),
    **dict.fromkeys(("dad", "papa", "daddy"), "father"),
    **dict.fromkeys(("grandma", "granny"), "grandmother"),
    **dict.fromkeys(("grandpa", "granddad"), "grandfather"),
}
_HYPHENS = re.compile(r"[\s‐‑–-]+")


class Relation(Choice):
    """A relation in any case, also by its everyday word: ``daughter in law``, ``mom``."""

    def __init__(self) -> None:
        super().__init__(*_KEPT)

    def read(self, text: str, entry: Entry) -> str | None:
        word = _HYPHENS.sub("-", text.strip()).casefold()
        return EVERYDAY_WORDS.get(word, word)


OF_EITHER_SEX = set("Kai Phoenix Atlas Sage River Winter Sky Rain".split())
"""Names of the library that do not tell the sex, and a marriage does not tell which either."""
MARRIED = ("{} is married to {}.", "{} and {} are married.", "{} married {}.")
CHILD = (
    "{parents} have a child called {child}.",
    "{child} is a child of {parents}.",
    "The parents of {child} are {parents}.",
)
_COUPLE = re.compile(
    r"(\w+) is married to (\w+)\.(?: They have (?:a child|children) called ([^.]+)\.)?"
)


def correct(entry: Entry) -> Entry | None:
    """Give the word for the first person named; None if the name leaves that person's sex open.

    The library says what the second person is to the first for in-laws, and goes by the second
    person's sex for nieces and nephews.
    """
    # A release may lack it.
    from reasoning_gym.graphs.family_relationships import FamilyRelationshipsConfig as Config

    names = vars(Config()) | entry.get("config", {})
    story, asked = entry["question"].split("\n\n")
    one, other = re.findall(r"[A-Z]\w+", asked.split("?")[0])[-2:]
    is_man, is_woman = one in names["male_names"], one in names["female_names"]
    relation = _relation(story, one, other)
    if relation is None or is_man == is_woman or one in OF_EITHER_SEX or "None" in story:
        return None
    word = WORDS[relation][0 if is_man else 1]
    return {**entry, "answer": word, "metadata": {**entry["metadata"], "relationship": word}}


def harden(entry: Entry) -> Entry | None:
    """Tell of the family in any order: places of names tell .69 of the library's answers, .26 here.

    The library names the oldest first, and siblings together.
    """
    known = correct(entry)
    if known is None:
        return None
    rng, sentences = random_of(entry), list[str]()
    story, asked = entry["question"].split("\n\n")
    for a, b, children in _COUPLE.findall(story):
        sentences.append(rng.choice(MARRIED).format(*rng.sample((a, b), 2)))
        for child in re.findall(r"[A-Z]\w+", children):
            parents = " and ".join(rng.sample((a, b), 2))
            sentences.append(rng.choice(CHILD).format(child=child, parents=parents))
    rng.shuffle(sentences)
    return {**known, "question": f"{' '.join(sentences)}\n\n{asked}"}


def _relation(story: str, one: str, other: str) -> str | None:
    """Return the relation of one person to the other, a key of `WORDS`; None if they have none."""
    spouses: dict[str, str] = {}
    parents: dict[str, set[str]] = {}
    for a, b, children in _COUPLE.findall(story):
        spouses |= {a: b, b: a}
        parents |= {child: {a, b} for child in re.findall(r"[A-Z]\w+", children)}

    def above(people: set[str]) -> set[str]:
        return set[str]().union(*(parents.get(name, ()) for name in people))

    ones, others = above({one}), above({other})
    relations = {
        "parent": one in others,
        "child": other in ones,
        "spouse": spouses.get(one) == other,
        "sibling": bool(ones & others),
        "grandparent": one in above(others),
        "grandchild": other in above(ones),
        "parent's sibling": bool(ones & above(others)),
        "sibling's child": bool(others & above(ones)),
        "spouse's parent": one in above({spouses.get(other, "")}),
        "child's spouse": other in above({spouses.get(one, "")}),
    }
    return next((relation for relation, holds in relations.items() if holds), None)


def family(entry: Entry) -> object:
    """Keep numbers of people and of marriages, and the kind of relationship; ignore names of
    people, men and women, who of the two is older, order and wording of sentences, who has which
    children.
    """
    story, _, _ = entry["question"].partition("\n\n")
    people = set(re.findall(r"\b[A-Z]\w+", story)) - {"They", "The"}
    return len(people), story.count(" married"), _KEPT[entry["answer"]]


TASK = Task(
    answer=Relation(),
    also_right="everyday words: mom, dad, grandma, grandpa",
    correct=correct,
    harden=harden,
    family=family,
    salt=2622,
    # Larger families have more couples and longer relations between two people.
    levels=moving(family_size=[(4, 5), (6, 7), (8, 9), (10, 11), (12, 14)]),
)
