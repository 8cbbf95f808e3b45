"""Work on graphs and on grids as graphs: cells, edges and rounds of a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rgenv.tasks.entry import Entry
from tools.work.moves import flood


def course_schedule(entry: Entry) -> float:
    """Return the longest chain of prerequisites that a depth-first search follows."""
    needed: dict[int, list[int]] = {}
    for course, prerequisite in entry["metadata"]["prerequisites"]:
        needed.setdefault(course, []).append(prerequisite)
    depths: dict[int, int] = {}

    def depth(course: int, above: frozenset[int]) -> int:
        """Return the length of the chain below a course; a cycle ends it."""
        if course not in depths and course not in above:
            chain = above | {course}
            below = [1 + depth(other, chain) for other in needed.get(course, ())]
            depths[course] = max(below, default=0)
        return depths.get(course, 0)

    return float(max(depth(course, frozenset()) for course in entry["metadata"]["courses"]))


KINSHIP_STEPS: Mapping[str, int] = {
    **dict.fromkeys(("father", "mother", "son", "daughter", "husband", "wife"), 1),
    **dict.fromkeys(("brother", "sister", "grandfather", "grandmother", "grandson"), 2),
    **dict.fromkeys(("granddaughter", "father-in-law", "mother-in-law", "son-in-law"), 2),
    **dict.fromkeys(("daughter-in-law",), 2),
    **dict.fromkeys(("uncle", "aunt", "nephew", "niece", "brother-in-law", "sister-in-law"), 3),
    **dict.fromkeys(("great-grandfather", "great-grandmother", "great-grandson"), 3),
    **dict.fromkeys(("great-granddaughter",), 3),
    "cousin": 4,
}
"""Relation -> the links to a parent, a child or a spouse that it consists of."""


def family_relationships(entry: Entry) -> float:
    """Count the people of the story, and the links between the two that are asked about."""
    return float(entry["metadata"]["family_size"] + KINSHIP_STEPS[entry["answer"]])


def largest_island(entry: Entry) -> float:
    """Count the cells of land: a flood fill visits each of them once."""
    return float(sum(map(sum, entry["metadata"]["grid"])))


def path_star(entry: Entry) -> float:
    """Count the edges: a search from the start may follow each of them."""
    return float(entry["question"].rsplit("\n", 2)[-2].count("|"))


def rotten_oranges(entry: Entry) -> float:
    """Return the minutes until no more oranges rot."""
    matrix = entry["metadata"]["matrix"]
    cells = {(r, c): kind for r, row in enumerate(matrix) for c, kind in enumerate(row)}
    rotten = [cell for cell, kind in cells.items() if kind == 2]
    fresh = {cell for cell, kind in cells.items() if kind == 1}
    return float(max(flood(rotten, fresh).values(), default=0))


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "course_schedule": course_schedule,
    "family_relationships": family_relationships,
    "largest_island": largest_island,
    "path_star": path_star,
    "rotten_oranges": rotten_oranges,
}
