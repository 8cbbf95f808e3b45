"""Find who lives where from clues about houses."""

from __future__ import annotations

import random
import re

from rgenv.tasks.answers.kind import Forms
from rgenv.tasks.answers.words import Word
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import Answers, Levels, Task
from rgenv.tasks.symmetries import part_of
from rgenv.tasks.verifying import exact


def _names(question: str) -> list[str]:
    listed = re.search(r"unique name: (.*)", question)
    return listed[1].strip().split(", ") if listed else []


class Person(Word):
    """The name of a person."""

    def misses(self, reference: str, question: str, rng: random.Random) -> Forms:
        others = [name for name in _names(question) if name != reference]
        return {f"other {number}": name for number, name in enumerate(others, 1)}


def correct(entry: Entry) -> Entry:
    """Give another name to the child that is called Alice: one of the people is, too."""
    question = re.sub(r"(their child: .*)\balice\b", r"\1hannah", entry["question"])
    question = question.replace("child is named Alice", "child is named Hannah")
    return {**entry, "question": question}


def shortcuts(question: str) -> Answers:
    """Pick a name by how often it is named, or by the clues about the first house."""
    names = _names(question)
    clues = question.split("\n\n1. ", 1)[1].lower()
    counts = {name: clues.count(name.strip()) for name in names}
    told = [name for name in names if f"{name} is in the first house" in clues]
    for holder in re.findall(r"^(?:\d+\. )?(.+) is in the first house\.$", clues, re.MULTILINE):
        told += [name for name in names if f"{name} is {holder}." in clues]
        told += [name for name in names if f"{holder} is {name}." in clues]
    later = r"\b{0} is in the (?!first)\w+ house|left of {0}\."
    left = [name for name in names if not re.search(later.format(name), clues)] or names
    beside = [name for name in left if f"{name} is directly left of" in clues] or left
    return {
        **({"what two clues tell about the first house": told[0]} if told else {}),  # .43
        "not said elsewhere, directly left of one, used most": (  # .47
            max(beside, key=lambda name: counts[name])
        ),
        "the name that is used least": min(names, key=lambda name: counts[name]),  # .50
    }


def family(entry: Entry) -> object:
    """Keep words for places in the clues, number of houses; ignore names and characteristics."""
    places = "next to|directly left|directly right|between|first|second|third|fourth|fifth|sixth"
    return sorted(re.findall(places, entry["question"])), part_of(r"There are (\d+) houses", entry)


TASK = Task(
    answer=Person(),
    correct=correct,
    verify=exact,
    shortcuts=shortcuts,
    kept={
        "not said elsewhere, directly left of one, used most": 0.45,
        "the name that is used least": 0.5,
    },
    family=family,
    salt=51,
    slow=True,
    # Two people have two answers. 6 people with 5 characteristics take up to 4 s.
    levels=Levels(knots={"num_people": [3, 4, 4, 5, 5], "num_characteristics": [2, 2, 4, 4, 5]}),
)
