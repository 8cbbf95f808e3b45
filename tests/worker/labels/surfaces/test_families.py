"""The order of a story does not tell a relation."""

import re
from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.entry import Entry
from rgenv.tasks.graphs.family_relationships import MEN, WOMEN
from rgenv.tasks.graphs.family_relationships import correct as family_relationships
from tests.worker.labels.surfaces.served import LEVELS, served

WORDS = {
    "d": "father mother",
    "u": "son daughter",
    "s": "husband wife",
    "ud": "brother sister",
    "dd": "grandfather grandmother",
    "uu": "grandson granddaughter",
    "udd": "uncle aunt",
    "uud": "nephew niece",
    "ds": "father-in-law mother-in-law",
    "su": "son-in-law daughter-in-law",
    "sud": "brother-in-law sister-in-law",
    "uds": "brother-in-law sister-in-law",
    "ddd": "great-grandfather great-grandmother",
    "uuu": "great-grandson great-granddaughter",
    "uudd": "cousin cousin",
}
"""The shortest way from one person to another, up, down or to a spouse -> the words for it."""


def links(story: str) -> dict[str, dict[str, str]]:
    """Return the parents, children and spouses of each person, as the sentences state them."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for sentence in re.findall(r"[^.]+\.", story):
        people = re.findall(r"\b(?!The\b)[A-Z]\w+", sentence)
        if "married" in sentence:
            one, other = people
            found[one][other] = found[other][one] = "s"
            continue
        cut = re.search(
            r" have | is a parent of | is a child of | are children of | are ", sentence
        )
        assert cut is not None, sentence
        before, after = (
            [name for name in people if name in re.findall(r"\w+", part)]
            for part in (sentence[: cut.start()], sentence[cut.end() :])
        )
        up = "have" in cut[0] or "parent" in cut[0]
        for parent in before if up else after:
            for child in after if up else before:
                found[parent][child], found[child][parent] = "d", "u"
    return found


def relation(entry: Entry) -> str:
    """Return the word for the shortest way between the two people, found step by step."""
    story, asked = entry["question"].split("\n\n")
    one, other = re.findall(r"[A-Z]\w+", asked.split("?")[0])[-2:]
    found, ways = links(story), [(one, "")]
    while not any(name == other for name, _ in ways):
        ways = [(to, way + link) for name, way in ways for to, link in found[name].items()]
    (words,) = {WORDS[way] for name, way in ways if name == other and way in WORDS}
    return words.split()[one in WOMEN]


@pytest.mark.parametrize("level", LEVELS)
def test_the_answer_is_the_shortest_way_between_two_people(level: float | None) -> None:
    """The story states all links that it needs, and both people are a parent and a child in it."""
    for entry in served(family_relationships, "family_relationships", level, 150):
        assert entry["answer"] == entry["metadata"]["relationship"] == relation(entry)
        people = links(entry["question"].split("\n\n")[0])
        assert len(people) == entry["metadata"]["family_size"]
        assert set(people) <= {*MEN, *WOMEN}
        for name in (entry["metadata"]["person1"], entry["metadata"]["person2"]):
            assert {"u", "d"} <= set(people[name].values())


@pytest.mark.parametrize("level", LEVELS)
def test_the_place_of_two_names_does_not_tell_a_relation(level: float | None) -> None:
    """Nor does the sex of the two, or the number of sentences that name them."""
    entries = served(family_relationships, "family_relationships", level, 500)
    told: dict[str, dict[object, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for entry in entries:
        story, asked = entry["question"].split("\n\n")
        pair = re.findall(r"[A-Z]\w+", asked.split("?")[0])[-2:]
        order = sorted(pair, key=lambda name: re.search(rf"\b{name}\b", story).start())  # type: ignore[union-attr]
        sexes = [name in WOMEN for name in pair]
        counts = [min(len(re.findall(rf"\b{name}\b", story)), 3) for name in pair]
        for name, key in {
            "order": (order == pair,),
            "counts": (counts[0] > counts[1], counts[0] == counts[1]),
            "sexes": tuple(sexes[1:]),
        }.items():
            told[name][(sexes[0], *key)][entry["answer"]] += 1
    for name, answers in told.items():
        right = sum(max(each.values()) for each in answers.values())
        assert right < 0.29 * len(entries), name


@given(st.integers(3, 20), st.text(max_size=5))
def test_families_of_any_size_are_told(size: int, seed: str) -> None:
    """A small one and a large one; five people are added, whatever the relation."""
    entry = {
        "question": f"{seed}\n\nHow is Ann related to Bob? Provide the relationship in one word.",
        "answer": "",
        "metadata": {"family_size": size},
    }
    result = family_relationships(entry)
    assert result == family_relationships(entry) and result["answer"] == relation(result)
    assert result["metadata"]["family_size"] == size + 5
