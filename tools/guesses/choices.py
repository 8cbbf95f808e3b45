"""Guesses at one of a few answers: a fixed one, a name at a place, a part of what decides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType

from tools.guesses.numeric import after

Answers = dict[str, str]


def circuit_logic(question: str) -> Answers:
    """Go by the inputs alone."""
    inputs = re.findall(r"= ([01])", question)
    return {"the most frequent input": Counter(inputs).most_common(1)[0][0]}


def knights_knaves(question: str) -> Answers:
    """Say that all are honest, or that none is, or that every second one is."""
    shape = question.rsplit('like: "', 1)[1].rsplit('"', 1)[0]

    def said(lies: Callable[[int], bool]) -> str:
        parts = enumerate(shape.split(","))
        return ",".join(re.sub(r"(\w+)/(\w+)", rf"\{1 + lies(n)}", part) for n, part in parts) + "."

    return {
        "all honest": said(lambda n: False),
        "no one honest": said(lambda n: True),
        "in turns": said(lambda n: n % 2 == 1),
        "in turns, the first lies": said(lambda n: n % 2 == 0),
    }


def mahjong_puzzle(question: str) -> Answers:
    """Go by the last ten cards that were dealt or added, whichever were removed."""
    dealt = question.rsplit("initial cards ", 1)[1].split(",", 1)[0]
    added = re.findall(r"Add an? (\w) card", question)
    hand, card = (dealt + "".join(added[:-1]))[-10:], added[-1]
    around = [chr(ord(card) + step) in hand for step in (-2, -1, 1, 2)]
    is_chi = any(one and two for one, two in pairwise(around))
    announced = "Peng" if hand.count(card) >= 2 else "Chi" if is_chi else "Pass"
    return {"as if the last ten cards were the hand": announced}


def needle_haystack(question: str) -> Answers:
    """Pick the name of a sentence at a fixed place."""
    story = question.rsplit("\nWho ", 1)[0]
    names = re.findall(r"(?:^|\. )([A-Z][\w'-]*)", story)
    places = {"first": 0, "second": 1, "middle": len(names) // 2, "last but one": -2, "last": -1}
    return {f"the {name} name": names[place] for name, place in places.items()}


def path_star(question: str) -> Answers:
    """Follow an arm of the star from the start."""
    edges, _, ends = after(":\n", question).strip("|= ").rpartition("/")
    start = ends.split()[0]
    pairs = re.findall(r"([^\s|]+) ([^\s|]+)", edges)
    following: dict[str, str] = dict(pairs)
    answers = {}
    arms = [end for begin, end in pairs if begin == start]
    for name, node in (("first", arms[0]), ("last", arms[-1])):
        path = [start, node]
        while path[-1] in following and len(path) < 100:
            path.append(following[path[-1]])
        answers[f"the {name} arm"] = " ".join(path)
    return answers


def propositional_logic(question: str) -> Answers:
    """Answer with one of the first two variables, or with both, joined by or."""
    premises = " ".join(re.findall(r"\d+\. (.+)", question.split("Given:", 1)[1]))
    variables = sorted(set(re.findall(r"\b[P-Z]\b", premises)))
    answers = {f"the variable {name}": name for name in variables[:2]}
    if len(variables) > 1:
        answers["join two variables by or"] = f"({variables[0]} ∨ {variables[1]})"
    return answers


def ransom_note(question: str) -> Answers:
    """Count one letter."""
    note = question.split("Ransom note: ", 1)[1].split("\n", 1)[0]
    magazine = question.split("Magazine: ", 1)[1].strip()
    letters = {
        "the note's most frequent letter": max(note, key=note.count),
        "the magazine's rarest letter": min(note, key=magazine.count),
    }
    return {
        f"enough of {name}": str(magazine.count(letter) >= note.count(letter))
        for name, letter in letters.items()
    }


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "circuit_logic": circuit_logic,
        "knights_knaves": knights_knaves,
        "mahjong_puzzle": mahjong_puzzle,
        "needle_haystack": needle_haystack,
        "path_star": path_star,
        "propositional_logic": propositional_logic,
        "ransom_note": ransom_note,
    }
)
