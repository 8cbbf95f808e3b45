"""Invariants of tasks that are neither a text, a list of numbers nor one grid."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from rgenv.tasks.entry import Entry
from rgenv.worker.symmetries.grids import largest, turned
from rgenv.worker.symmetries.text import (
    amounts,
    numbers,
    order_of_appearance,
    part,
    pattern,
    words,
)

# Boards


def boxnet(entry: Entry) -> object:
    """Return how many boxes and targets each square has, and how many boxes each colour."""
    seen = re.findall(r"I can observe \[(.*?)\], I can do", entry["question"])
    squares = sorted([square.count("'box_"), square.count("'target_")] for square in seen)
    return squares, amounts(re.findall(r"'box_(\w+)'", " ".join(seen)))


def futoshiki(entry: Entry) -> object:
    """Return the board without its constraints, and their number."""
    text = part(r"puzzle:\n\n(.*?)\n\nEnsure", entry)
    rows = [re.findall(r"\d+|_", line) for line in text.splitlines()]
    return turned([row for row in rows if row]), len(re.findall("[<>∧∨]", text))


def knight_swap(entry: Entry) -> object:
    """Return the board, turned."""
    rows = re.findall(r"^\d+ \|(.*)\|$", entry["question"], re.MULTILINE)
    return turned([row.split("|") for row in rows])


def modulo_grid(entry: Entry) -> object:
    """Return the completed grid, turned: the holes of a problem do not matter."""
    return turned(entry["answer"].splitlines())


def rectangle_count(entry: Entry) -> object:
    """Return how many outlines cross each row and column, wherever the picture stands."""
    rows = part(r"grid below\?\n(.*)", entry).splitlines()
    width = max(map(len, rows))
    columns = zip(*(row.ljust(width) for row in rows), strict=True)
    crossed = [
        sorted([line.count("#"), line.count("█")] for line in map("".join, side) if line.strip())
        for side in (rows, columns)
    ]
    return sorted(crossed)


def rubiks_cube(entry: Entry) -> object:
    """Return the faces, each turned and with other colours, in any order."""
    rows = [row[0] for row in map(_colours, entry["question"].splitlines()) if row[0]]
    size = len(rows) // 3
    faces = [rows[:size], rows[-size:]]
    faces += [[row[i : i + size] for row in rows[size:-size]] for i in range(0, 4 * size, size)]
    return sorted(map(turned, faces))


def _colours(line: str) -> list[list[str]]:
    found = line.split()
    return [found] if found and all(re.fullmatch("[A-Z]", word) for word in found) else [[]]


def tsumego(entry: Entry) -> object:
    """Return the board, turned, without the names of rows and columns."""
    rows = re.findall(r"^ *\d+ ((?:[XO.] ?)+)$", entry["question"], re.MULTILINE)
    return turned([row.split() for row in rows])


# Graphs and moves


def course_schedule(entry: Entry) -> object:
    """Return how many prerequisites and followers each course has."""
    edges = _pairs(entry)
    before, after = (Counter(edge[side] for edge in edges) for side in (0, 1))
    return sorted([before[course], after[course]] for course in before | after)


def graph_color(entry: Entry) -> object:
    """Return the number of neighbours of each vertex, and the number of colours."""
    colours = numbers(part(r"colors: \[(.*?)\]", entry))
    return amounts(vertex for edge in _pairs(entry) for vertex in edge), len(colours)


def _pairs(entry: Entry) -> list[tuple[str, str]]:
    return re.findall(r"\((\d+), (\d+)\)", entry["question"])


def color_cube_rotation(entry: Entry) -> object:
    """Return which sides are named, however they are."""
    _, _, rotations = entry["question"].partition("\n\n")
    return sorted(re.findall("left|right|front|back|bottom", rotations))


def tower_of_hanoi(entry: Entry) -> object:
    """Return the numbers of disks and pegs, whichever the pegs are."""
    return sorted(re.findall(r"(\d+) (?:disks|pegs)", entry["question"]))


# Chance and cards


def coin_flip(entry: Entry) -> object:
    """Return the number of flips, and of the rarer side."""
    some, flips = map(int, re.findall(r"\d+", entry["question"]))
    return flips, min(some, flips - some)


def mahjong_puzzle(entry: Entry) -> object:
    """Return the amounts of equal cards, and the order of equal ones among the added."""
    added = re.findall(r"Add an? ([A-Z]) card", entry["question"])
    return amounts(part(r"initial cards ([A-Z]+)", entry)), order_of_appearance(added)


# Logic and induction


def acre(entry: Entry) -> object:
    """Return the results by their number of objects, and how often objects are named."""
    tests = re.findall(r"^(.*) → (\w+)$", entry["question"], re.MULTILINE)
    last = part(r"New test case:\n(.*?)\n", entry)
    objects = [thing for line in (*(line for line, _ in tests), last) for thing in line.split(", ")]
    return sorted([line.count(",") + 1, light] for line, light in tests), amounts(objects)


def circuit_logic(entry: Entry) -> object:
    """Return how often gates are drawn, and how many inputs are equal."""
    drawing, _, rest = entry["question"].partition("Legend")
    inputs = re.findall(r"^ +[A-Z]+ = ([01])$", rest, re.MULTILINE)
    return [drawing.count(gate) for gate in ("&&", "↑↑", "⊕⊕", "++", ">o")], amounts(inputs)


def family_relationships(entry: Entry) -> object:
    """Return how many people and couples there are, and the kind of relationship."""
    story, _, _ = entry["question"].partition("\n\n")
    people = set(re.findall(r"\b[A-Z]\w+", story)) - {"They", "The"}
    return len(people), story.count(" married"), _KINDS_OF_KIN.get(entry["answer"], "in-law")


_KINDS_OF_KIN = {
    name: kind
    for kind, names in {
        "married": "husband wife",
        "siblings": "brother sister",
        "parent and child": "father mother son daughter",
        "two generations": "grandfather grandmother grandson granddaughter",
        "three generations": "great-grandfather great-grandmother great-grandson "
        "great-granddaughter",
        "beside the parents": "uncle aunt nephew niece",
        "of two siblings": "cousin",
    }.items()
    for name in names.split()
}


def knights_knaves(entry: Entry) -> object:
    """Return the shapes of the statements, in any order and about any people."""
    return sorted(repr(_shape(statement)) for statement in entry["metadata"]["statements"])


def _shape(statement: Any) -> Any:
    operator, *parts = statement
    return [operator, *(_shape(each) for each in parts if isinstance(each, tuple))]


def propositional_logic(entry: Entry) -> object:
    """Return the shapes of the premises, and how often each variable appears."""
    premises = re.findall(r"^\.?\d+\. (.*)$", entry["question"], re.MULTILINE)
    shapes = sorted(re.sub("[A-Z]", "p", premise) for premise in premises)
    return shapes, amounts(re.findall("[A-Z]", "".join(premises)))


def self_reference(entry: Entry) -> object:
    """Return the words and numbers of all statements; true and false are one word."""
    text = re.sub("true|false", "so", entry["question"].casefold())
    return words(re.sub("[0-9]+", "", text)), numbers(text)


def syllogism(entry: Entry) -> object:
    """Return the quantifiers and the pattern of the terms, for any order of the premises."""
    found = re.findall(
        r"^(?:\d\. )?(All|No|Some) (.+?) are (not )?(.+?)\??$", entry["question"], re.MULTILINE
    )
    *premises, conclusion = found
    return min(
        [[(word, negated) for word, _, negated, _ in each], order_of_appearance(_terms(each))]
        for each in ([*premises, conclusion], [*premises[::-1], conclusion])
    )


def _terms(statements: list[tuple[str, str, str, str]]) -> list[str]:
    return [term for _, one, _, other in statements for term in (one, other)]


def zebra_puzzles(entry: Entry) -> object:
    """Return how often the clues name places, and how many houses there are."""
    places = "next to|directly left|directly right|between|first|second|third|fourth|fifth|sixth"
    return sorted(re.findall(places, entry["question"])), part(r"There are (\d+) houses", entry)


# Words and programs


def bf(entry: Entry) -> object:
    """Return how often each instruction is in the program."""
    return amounts(part(r"^([-+<>.,\[\]]+)$", entry))


def caesar_cipher(entry: Entry) -> object:
    """Return the pattern of each word, in any order."""
    return sorted(map(pattern, part(r"cipher text: (.*)\. Provide", entry).split()))


def codeio(entry: Entry) -> object:
    """Return the program: its inputs do not matter."""
    return words(part(r"Tip: Here is a reference code snippet(.*)", entry))


def cryptarithm(entry: Entry) -> object:
    """Return the lengths of the words, and how often each letter appears."""
    found = re.findall(r"^[ +]*([A-Z]+)$", entry["question"], re.MULTILINE)
    return sorted(map(len, found)), amounts("".join(found))


def isomorphic_strings(entry: Entry) -> object:
    """Return the patterns of both strings, in any order."""
    return sorted(map(pattern, part(r"^(\w+ \w+)$", entry).split()))


def ransom_note(entry: Entry) -> object:
    """Return how often each letter is in the note and in the magazine."""
    note, magazine = (Counter(part(rf"{name}: (\w+)", entry)) for name in ("note", "Magazine"))
    return sorted([note[letter], magazine[letter]] for letter in note | magazine)


def arc(entry: Entry) -> object:
    """Return the grid of the test, turned: the examples do not matter."""
    _, _, text = entry["question"].rpartition("Input:")
    return turned([line.split() for line in text.splitlines() if line.strip()])


def matrix(entry: Entry) -> object:
    """Return the largest grid of the question, turned."""
    return turned(largest(entry["question"]))
