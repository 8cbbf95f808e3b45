"""Tell whether courses can be taken in some order."""

import re
from collections import Counter
from random import Random

from rgenv.tasks import Choice, Entry, Task, moving, random_of, replaced, with_solution

Edge = tuple[int, int]
"""A course, and one that has to be taken before it."""
MAX_SCHEDULES, MAX_EXCHANGES = 40, 30
"""Schedules to begin with, and exchanges to try in each, before an entry is given up."""
LONG = 4
"""The least number of courses in a cycle: two lines of a program see any three in a circle, and if
problems with such circles were left out later, those with few prerequisites would all be solvable.
"""
NEAR = 3
"""How many places before a course its prerequisites are at most, so that chains are long."""
MANY_EDGES = 40
"""From here on a single exchange suffices: most close a cycle or leave none, as is wanted."""


def correct(entry: Entry) -> Entry | None:
    """Replace the prerequisites; a coin decides whether they have a cycle.

    Two schedules come from one without a cycle, where courses exchange prerequisites: one has a
    cycle afterwards, and one has none. Nobody's number of prerequisites differs between them, nor
    how often a course is one. The coin chooses one of the two.
    """
    rng = random_of(entry)
    meta = entry["metadata"]
    courses = list(range(len(meta["courses"])))
    limits = meta["difficulty"]["num_prerequisites"]
    least = min(LONG, len(courses))
    longest = min(max(LONG, rng.randint(*meta["difficulty"]["cycle_length"])), len(courses))
    for attempt in range(MAX_SCHEDULES):
        rng.shuffle(courses)
        edges = [
            (course, before)
            for place, course in enumerate(courses)
            for before in _earlier(rng, courses[:place], rng.randint(*limits))
        ]
        # Long cycles are rare, so a shorter one has to do.
        cyclic = _exchanged(rng, edges, max(least, longest - attempt // 6))
        acyclic = cyclic and _exchanged(rng, edges, 0)
        if cyclic and acyclic:
            solvable = rng.random() < 0.5
            edges = acyclic if solvable else cyclic
            rng.shuffle(edges)
            question = replaced(entry["question"], str(meta["prerequisites"]), str(edges))
            return with_solution(entry, question, solvable, prerequisites=edges, solvable=solvable)
    return None


def _earlier(rng: Random, courses: list[int], count: int) -> list[int]:
    """Return some of the last courses, so that chains are long."""
    near = courses[-max(NEAR, count) :]
    return rng.sample(near, min(count, len(near)))


def _exchanged(rng: Random, edges: list[Edge], length: int) -> list[Edge] | None:
    """Let two courses exchange a prerequisite, up to three times if there are few courses.

    None if no exchange is found that closes a cycle of at least `length`, or none if that is 0.
    """
    if len(edges) < 2:
        return None
    before = [0] * (1 + max(map(max, edges)))
    for course, other in edges:
        before[course] |= 1 << other
    for _ in range(MAX_EXCHANGES):
        changed, new = before.copy(), set[int]()
        for _ in range(rng.randint(1, 3) if len(edges) < MANY_EDGES else 1):
            (a, b), (c, d) = _two_of(rng, edges)
            old = changed[a] >> b & changed[c] >> d & 1
            if a != d and c != b and old and not (changed[a] >> d | changed[c] >> b) & 1:
                changed[a] ^= 1 << b | 1 << d
                changed[c] ^= 1 << b | 1 << d
                new |= {a, c}
        added = [
            (course, bit) for course in new for bit in _bits(changed[course] & ~before[course])
        ]
        if added and _cycles_fit(changed, added, length):
            return [(course, bit) for course, bits in enumerate(changed) for bit in _bits(bits)]
    return None


def _two_of(rng: Random, edges: list[Edge]) -> tuple[Edge, Edge]:
    """Return what `rng.sample(edges, 2)` does, without its checks."""
    below, size = rng._randbelow, len(edges)  # type: ignore[attr-defined]
    one = below(size)
    if size <= 21:
        other = below(size - 1)
        return edges[one], edges[other if other != one else -1]
    while (other := below(size)) == one:
        pass
    return edges[one], edges[other]


def _bits(number: int) -> list[int]:
    return [place for place in range(number.bit_length()) if number >> place & 1]


def _cycles_fit(before: list[int], added: list[Edge], length: int) -> bool:
    """Return whether there is a cycle and none is shorter than `length`; if that is 0, no cycle.

    `before` has the prerequisites of each course as bits. Each cycle has an edge in `added`.
    """
    closed = False
    for course, other in added:
        steps = distance(before, other, course)
        if steps is not None:
            if not steps + 1 >= length > 0:
                return False
            closed = True
    return closed == bool(length)


def distance(before: list[int], start: int, goal: int) -> int | None:
    """Return the number of edges of the shortest path; None if there is none."""
    seen = frontier = 1 << start
    steps = 0
    while frontier:
        if frontier >> goal & 1:
            return steps
        reached = 0
        while frontier:
            course = frontier & -frontier
            frontier ^= course
            reached |= before[course.bit_length() - 1]
        frontier = reached & ~seen
        seen |= frontier
        steps += 1
    return None


def family(entry: Entry) -> object:
    """Keep numbers of prerequisites and followers of each course; ignore names of courses, order of
    the prerequisites.
    """
    edges = re.findall(r"\((\d+), (\d+)\)", entry["question"])
    before, after = (Counter(edge[side] for edge in edges) for side in (0, 1))
    return sorted([before[course], after[course]] for course in before | after)


TASK = Task(
    answer=Choice("True", "False"),
    correct=correct,
    labels={"True": 0.5, "False": 0.5},
    family=family,
    # The chain of prerequisites is what has to be followed; it grows with courses and
    # prerequisites. 100 courses are long rather than deep.
    levels=moving(
        num_courses=[(8, 10), (10, 13), (14, 18), (20, 26), (28, 36)],
        num_prerequisites=[(1, 2), (1, 2), (1, 3), (2, 3), (2, 4)],
        cycle_length=[(4, 6), (4, 7), (5, 8), (6, 10), (7, 12)],
    ),
)
