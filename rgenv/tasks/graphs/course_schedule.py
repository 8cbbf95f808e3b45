"""Tell whether courses can be taken in some order."""

import re
from collections import Counter
from random import Random

from rgenv.tasks import Choice, Entry, Task, moving, random_of, replaced, with_solution

Edge = tuple[int, int]
"""A course, and one that has to be taken before it."""
LONG = 4
"""The least length of a cycle that is looked for first: one of three is easily seen."""
TRIES = 200
"""Exchanges that are tried before an entry is given up."""


def harden(entry: Entry) -> Entry | None:
    """Exchange prerequisites: numbers of them tell .92 of the library's answers, .63 of these.

    The library adds a cycle to a schedule. Here a schedule without a cycle is changed so that each
    course has as many prerequisites as before, and is one as often; a coin decides whether there is
    a cycle then.
    """
    rng, config, known = random_of(entry), entry["config"], entry["metadata"]
    edges = _schedule(rng, known["courses"], known["prerequisites"])
    solvable = rng.random() < config.get("p_solvable", 0.5)
    least, most = (config.get(f"{end}_cycle_length", 0) for end in ("min", "max"))
    for attempt in range(TRIES):
        made = _exchanged(rng, edges)
        length = _shortest_cycle(made)
        shortest = least or LONG - attempt * 2 // TRIES
        if length == 0 if solvable else shortest <= length <= (most or len(edges)):
            rng.shuffle(made)
            question = replaced(entry["question"], str(known["prerequisites"]), str(made))
            return with_solution(entry, question, solvable, prerequisites=made, solvable=solvable)
    return None


def _schedule(rng: Random, courses: list[int], library: list[Edge]) -> list[Edge]:
    """Return a schedule without a cycle; prerequisites stand near by, so that chains are long."""
    edges = list[Edge]()
    place = {course: n for n, course in enumerate(courses)}
    for n, course in enumerate(courses):
        count = sum(one == course and place[other] < n for one, other in library)
        near = courses[max(0, n - count - 2) : n]
        edges += [(course, before) for before in rng.sample(near, count)]
    return edges


def _exchanged(rng: Random, edges: list[Edge]) -> list[Edge]:
    """Return a schedule in which pairs of courses have exchanged a prerequisite."""
    made = edges.copy()
    for _ in range(rng.randint(1, 3)):
        one, other = rng.sample(range(len(made)), 2)
        (a, b), (c, d) = made[one], made[other]
        if a != d and c != b and (a, d) not in made and (c, b) not in made:
            made[one], made[other] = (a, d), (c, b)
    return made


def _shortest_cycle(edges: list[Edge]) -> int:
    """Return the number of courses of the shortest cycle; 0 if there is none."""
    before: dict[int, set[int]] = {}
    for course, other in edges:
        before.setdefault(course, set()).add(other)
    shortest = 0
    for start in before:
        reached, seen, length = {start}, set[int](), 0
        while reached and (length < shortest or not shortest):
            length += 1
            reached = set[int]().union(*(before.get(course, ()) for course in reached)) - seen
            seen |= reached
            if start in reached:
                shortest = length
                break
    return shortest


def family(entry: Entry) -> object:
    """Keep numbers of prerequisites and followers of each course; ignore names of courses, order of
    the prerequisites.
    """
    edges = re.findall(r"\((\d+), (\d+)\)", entry["question"])
    before, after = (Counter(edge[side] for edge in edges) for side in (0, 1))
    return sorted([before[course], after[course]] for course in before | after)


TASK = Task(
    answer=Choice("True", "False"),
    harden=harden,
    family=family,
    # The chain of prerequisites is what has to be followed; it grows with courses and
    # prerequisites. 100 courses are long rather than deep.
    levels=moving(
        num_courses=[(8, 10), (10, 13), (14, 18), (20, 26), (28, 36)],
        num_prerequisites=[(1, 2), (1, 2), (1, 3), (2, 3), (2, 4)],
        cycle_length=[(3, 5), (4, 6), (5, 7), (6, 9), (7, 12)],
    ),
    accepted={"shortcut": "the library's cycles add prerequisites to what would be a schedule"},
)
