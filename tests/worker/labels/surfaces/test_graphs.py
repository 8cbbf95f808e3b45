"""Schedules that differ in nothing but their cycles."""

import ast
from collections import Counter

import pytest

from rgenv.tasks.graphs.course_schedule import correct as course_schedule
from rgenv.tasks.graphs.course_schedule import distance
from tests.worker.labels.surfaces.served import LEVELS, Entry, served, share


def prerequisites(entry: Entry) -> list[tuple[int, int]]:
    """Return the pairs that the question lists."""
    [line] = [line for line in entry["question"].split("\n") if line.startswith("[")]
    pairs: list[tuple[int, int]] = ast.literal_eval(line)
    return pairs


def can_finish(pairs: list[tuple[int, int]]) -> bool:
    """Take every course whose prerequisites have been taken, until nothing is left to take."""
    open_courses = {course for pair in pairs for course in pair}
    while open_courses:
        blocked = {course for course, before in pairs if before in open_courses}
        if open_courses <= blocked:
            return False
        open_courses &= blocked
    return True


@pytest.mark.parametrize("level", LEVELS)
def test_half_of_the_schedules_can_be_finished(level: float | None) -> None:
    """The answer is proven by taking the courses, and each answer is about equally frequent."""
    entries = served(course_schedule, "course_schedule", level, 100)
    # Five or six courses with few prerequisites can often have no circle of four or more.
    assert len(entries) >= 60 and 0.33 < share(entries, "True") < 0.67
    for entry in entries:
        pairs = prerequisites(entry)
        assert entry["answer"] == str(can_finish(pairs)) == str(entry["metadata"]["solution"])
        assert len(set(pairs)) == len(pairs) and all(a != b for a, b in pairs)


@pytest.mark.parametrize("level", LEVELS)
def test_no_cycle_is_closed_by_two_courses(level: float | None) -> None:
    """No two courses require each other, so one look at pairs does not find the cycle."""
    for entry in served(course_schedule, "course_schedule", level, 40):
        pairs = set(prerequisites(entry))
        assert not any((b, a) in pairs for a, b in pairs)


def test_cycles_add_no_prerequisites() -> None:
    """Schedules with and without a cycle have equally many prerequisites for as many courses."""
    by_answer: dict[str, Counter[str]] = {"True": Counter(), "False": Counter()}
    for entry in served(course_schedule, "course_schedule", 0.5, 400):
        pairs = prerequisites(entry)
        counts = by_answer[entry["answer"]]
        counts["pairs"] += len(pairs)
        counts["courses"] += len(entry["metadata"]["courses"])
        counts["without prerequisites"] += len(entry["metadata"]["courses"]) - len(
            {course for course, _ in pairs}
        )
        counts["entries"] += 1
    true, false = by_answer.values()
    for name in ("pairs", "courses", "without prerequisites"):
        ratio = (true[name] / true["entries"]) / (false[name] / false["entries"])
        assert 0.93 < ratio < 1.07, name


def test_distance_is_the_shortest() -> None:
    """The distance is the length of the shortest path, 0 to the start, None if there is none."""
    graph = {1: [2, 3], 2: [4], 4: [3]}
    assert [distance(graph, 1, goal) for goal in (1, 2, 3, 4, 5)] == [0, 1, 1, 2, None]
