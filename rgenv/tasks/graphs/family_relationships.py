"""Tell how two members of a family are related."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations
from random import Random

from rgenv.tasks import Choice, Entry, Forms, Task, changed, moving, random_of

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
    "sibling by marriage": ("brother-in-law", "sister-in-law", "in-law"),
    "great-grandparent": ("great-grandfather", "great-grandmother", "three generations"),
    "great-grandchild": ("great-grandson", "great-granddaughter", "three generations"),
    "cousin": ("cousin", "cousin", "of two siblings"),
}
"""Relation -> the word for a man, the word for a woman, and what families of problems keep."""
_KEPT = {word: kept for *words, kept in WORDS.values() for word in words}
EVERYDAY_WORDS = {
    **dict.fromkeys(("mom", "mum", "mama", "mommy", "mummy"), "mother"),
    **dict.fromkeys(("dad", "papa", "daddy"), "father"),
    **dict.fromkeys(("grandma", "granny"), "grandmother"),
    **dict.fromkeys(("grandpa", "granddad"), "grandfather"),
    **dict.fromkeys(("great-grandma", "great-granny"), "great-grandmother"),
    **dict.fromkeys(("great-grandpa", "great-granddad"), "great-grandfather"),
}
_HYPHENS = re.compile(r"[\s‐‑–-]+")


class Relation(Choice):
    """A relation in any case, also by its everyday word: ``daughter in law``, ``mom``."""

    def __init__(self) -> None:
        super().__init__(*_KEPT)

    def read(self, text: str, entry: Entry) -> str | None:
        word = _HYPHENS.sub("-", text.strip()).casefold()
        return EVERYDAY_WORDS.get(word, word)

    def forms(self, reference: str, question: str) -> Forms:
        spaces = {"spaces for hyphens": reference.replace("-", " ")}
        return super().forms(reference, question) | spaces


OF_EITHER_SEX = set("Kai Phoenix Atlas Sage River Winter Sky Rain".split())
"""Names of the library that do not tell the sex, and a marriage does not tell which either."""
SMALL = 6
"""People of a family that has few relations, so that each is asked for as often."""
WEIGHTS = {"parent": 0.1, "child": 0.1, "spouse": 0.1, "sibling": 0.5}
"""How often relations are asked for in a larger family that few sentences state; others have 1."""
MARRIED = ("{} is married to {}.", "{} and {} are married.", "{} married {}.")
CHILDREN = (
    "{parents} have {a_child} called {children}.",
    "{children} {are_children} of {parents}.",
    "The parents of {children} are {parents}.",
)
PARENT = ("{parent} is a parent of {child}.", "{child} is a child of {parent}.")
MOST_CHILDREN = 4
MORE, MOST_ADDED = 5, 8
"""People more than the library's family has, and most of those with whom a family is completed."""
TRIES = 50
"""Families in which a relation is looked for; a small one has no grandparents, for example."""


Couple = tuple[int, int]


@dataclass
class Family:
    """People by number, and how they are related."""

    men: list[bool] = field(default_factory=list)
    couples: list[Couple] = field(default_factory=list)
    spouses: dict[int, int] = field(default_factory=dict)
    """Only of the couples whose marriage is told."""
    parents: dict[int, Couple] = field(default_factory=dict)

    def add(self, man: bool) -> int:
        """Add a person; return the person's number."""
        self.men.append(man)
        return len(self.men) - 1

    def children(self, couple: Couple) -> list[int]:
        """Return the children of a couple."""
        return [child for child, parents in self.parents.items() if parents == couple]

    def relation(self, one: int, other: int) -> str | None:
        """Return the relation of `one` to `other`, a key of `WORDS`; None if they have none."""
        ones, others = self._ancestors(one), self._ancestors(other)
        of_spouse, of_others_spouse = (
            set(self.parents.get(self.spouses.get(who, -1), ())) for who in (one, other)
        )
        relations = {
            "parent": one in others[0],
            "child": other in ones[0],
            "spouse": self.spouses.get(one) == other,
            "sibling": bool(ones[0] & others[0]),
            "grandparent": one in others[1],
            "grandchild": other in ones[1],
            "parent's sibling": bool(ones[0] & others[1]),
            "sibling's child": bool(others[0] & ones[1]),
            "spouse's parent": one in of_others_spouse,
            "child's spouse": other in of_spouse,
            "sibling by marriage": bool(of_spouse & others[0] or ones[0] & of_others_spouse),
            "great-grandparent": one in others[2],
            "great-grandchild": other in ones[2],
            "cousin": bool(ones[1] & others[1]),
        }
        return next((relation for relation, holds in relations.items() if holds), None)

    def _ancestors(self, who: int) -> list[set[int]]:
        """Return the parents, grandparents and great-grandparents of a person."""
        generations = [set(self.parents.get(who, ()))]
        for _ in range(2):
            above = (self.parents.get(elder, ()) for elder in generations[-1])
            generations.append({elder for couple in above for elder in couple})
        return generations


def correct(entry: Entry) -> Entry:
    """Tell of another family with a few people more, and ask for a relation in it."""
    # A release may lack it.
    from reasoning_gym.graphs.family_relationships import FamilyRelationshipsConfig as Config

    rng = random_of(entry)
    family, one, other, relation = _asked(rng, entry["metadata"]["family_size"])
    library = Config()
    known = [
        [name for name in names if name not in OF_EITHER_SEX]
        for names in (library.male_names, library.female_names)
    ]
    men, women = (iter(rng.sample(names, len(family.men))) for names in known)
    names = [next(men if man else women) for man in family.men]
    asked = entry["question"].rsplit("\n\n", 1)[1]
    before = re.findall(r"[A-Z]\w+", asked.split("?")[0])[-2:]
    for old, new in zip(before, ("{one}", "{other}"), strict=True):
        asked = re.sub(rf"\b{old}\b", new, asked)
    asked = asked.format(one=names[one], other=names[other])
    word = WORDS[relation][0 if family.men[one] else 1]
    people = {"person1": names[one], "person2": names[other], "family_size": len(names)}
    question = f"{_story(rng, family, names)}\n\n{asked}"
    return changed(entry, question, word, relationship=word, **people)


def _asked(rng: Random, size: int) -> tuple[Family, int, int, str]:
    """Return a family of `size` and `MORE` people, two of them, and their relation.

    Relations are equally frequent. In-laws are married, so most people who are asked about are. All
    families are as large, since it would tell the relation how many people complete it.
    """
    weights = [1.0 if size <= SMALL else WEIGHTS.get(name, 1.0) for name in WORDS]
    share = 0.5 if size < SMALL else 0.9
    size += MORE
    while True:
        (relation,) = rng.choices(list(WORDS), weights)
        married = (
            relation in ("spouse", "child's spouse") or rng.random() < share,
            relation in ("spouse", "spouse's parent") or rng.random() < share,
        )
        for _ in range(TRIES):
            family = Family()
            _grow(rng, family, rng.randint(size - MOST_ADDED, size))
            pairs = [
                (one, other)
                for one, other in permutations(range(len(family.men)), 2)
                if (one in family.spouses, other in family.spouses) == married
                and family.relation(one, other) == relation
            ]
            if pairs:
                one, other = rng.choice(pairs)
                for who in (one, other):
                    _complete(rng, family, who)
                if len(family.men) <= size:
                    _grow(rng, family, size)
                    return family, one, other, relation


def _complete(rng: Random, family: Family, who: int) -> None:
    """Add parents and a child of a person who has none."""
    if who not in family.parents:
        family.parents[who] = _new_couple(family)
        _tell_marriages(rng, family, [family.parents[who]])
    couples = [couple for couple in family.couples if who in couple]
    if not couples:
        couples.append(_add_spouse(family, who))
    if not family.children(couples[0]):
        family.parents[family.add(rng.random() < 0.5)] = couples[0]


def _grow(rng: Random, family: Family, size: int) -> None:
    """Add a couple, and then spouses, children and parents, until a family has `size` people.

    Those who were there before are related as before.
    """
    known = len(family.couples)
    if not family.couples:
        _new_couple(family)
    while (missing := size - len(family.men)) > 0:
        single = set(range(len(family.men))).difference(*family.couples)
        orphans = [who for who in range(len(family.men)) if who not in family.parents]
        step = rng.choice(["child"] * 2 + ["spouse"] * bool(single) + ["parents"] * (missing > 1))
        if step == "spouse":
            _add_spouse(family, rng.choice(sorted(single)))
        elif step == "parents":
            who = rng.choice(orphans)
            family.parents[who] = _new_couple(family)
        else:
            couple = rng.choice(family.couples)
            if len(family.children(couple)) < MOST_CHILDREN:
                family.parents[family.add(rng.random() < 0.5)] = couple
    _tell_marriages(rng, family, family.couples[known:])


def _add_spouse(family: Family, who: int) -> Couple:
    """Add the other half of a couple, a woman and a man."""
    spouse = family.add(not family.men[who])
    couple = (spouse, who) if family.men[who] else (who, spouse)
    family.couples.append(couple)
    return couple


def _new_couple(family: Family) -> Couple:
    return _add_spouse(family, family.add(False))


def _tell_marriages(rng: Random, family: Family, couples: list[Couple]) -> None:
    """Tell that couples are married: half of those with children, and all others."""
    for couple in couples:
        if not family.children(couple) or rng.random() < 0.5:
            family.spouses |= {couple[0]: couple[1], couple[1]: couple[0]}


def _story(rng: Random, family: Family, names: list[str]) -> str:
    """Return sentences that state each marriage and each child, in any order."""
    sentences = []
    for couple in family.couples:
        if couple[0] in family.spouses:
            sentences.append(rng.choice(MARRIED).format(*_shuffled(rng, couple, names)))
        children = family.children(couple)
        rng.shuffle(children)
        while children:
            told = [children.pop() for _ in range(min(len(children), rng.choice((1, 1, 2, 2))))]
            if len(told) == 1 and rng.random() < 0.4:
                for parent in couple:
                    form = rng.choice(PARENT)
                    sentences.append(form.format(parent=names[parent], child=names[told[0]]))
                continue
            several = len(told) > 1
            sentence = rng.choice(CHILDREN).format(
                parents=" and ".join(_shuffled(rng, couple, names)),
                children=" and ".join(_shuffled(rng, told, names)),
                a_child="children" if several else "a child",
                are_children="are children" if several else "is a child",
            )
            sentences.append(sentence)
    rng.shuffle(sentences)
    return " ".join(sentences)


def _shuffled(rng: Random, people: Sequence[int], names: list[str]) -> list[str]:
    return rng.sample([names[who] for who in people], len(people))


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
    correct=correct,
    family=family,
    salt=1210,
    # Larger families have more couples and longer relations between two people.
    levels=moving(family_size=[(6, 7), (8, 9), (10, 11), (12, 13), (14, 16)]),
)
