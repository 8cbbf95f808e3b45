"""Operations counted by hand."""

from typing import Any

from tools.work import figures


def entry_of(**metadata: Any) -> dict[str, Any]:
    return {"question": "", "answer": "", "metadata": metadata}


def test_few_heads_are_as_easy_as_few_tails() -> None:
    """A binomial coefficient is computed from the nearer end."""
    counts = [
        figures.coin_flip(entry_of(num_trials=9, k_heads=heads, problem_type="exact"))
        for heads in range(10)
    ]
    assert counts == counts[::-1] and counts[0] == 1 and counts[4] == 9


def test_at_least_takes_the_shorter_sum() -> None:
    """At least 0 is certain; at least 9 of 9 is one outcome; those between need a sum."""
    counts = [
        figures.coin_flip(entry_of(num_trials=9, k_heads=heads, problem_type="at_least"))
        for heads in range(10)
    ]
    assert counts[0] == 1 and counts[9] == 4 and max(counts) == counts[5]


def test_each_side_is_an_angle_to_add() -> None:
    """A polygon's work is the number of its sides."""
    assert figures.simple_geometry(entry_of(n_sides=7)) == 7


def test_triangles_are_ordered_by_what_is_asked() -> None:
    """An angle takes less than the orthocenter, and that less than the circle within."""
    kinds = ("angle_measure", "orthocenter", "incircle_radius")
    counts = [figures.advanced_geometry(entry_of(task_type=kind)) for kind in kinds]
    assert counts == sorted(counts)
