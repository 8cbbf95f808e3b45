"""Operations that all matter."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.algorithmic.manipulate_matrix import carried_out, needed
from rgenv.tasks.algorithmic.manipulate_matrix import correct as manipulate_matrix
from tests.worker.labels.surfaces.served import LEVELS, made

operations = st.one_of(
    st.sampled_from(["hmirror", "vmirror", "dmirror", "cmirror"]).map(lambda t: {"transform": t}),
    st.sampled_from(["90", "180", "270", "360"]).map(
        lambda d: {"transform": "rotate", "degrees": d}
    ),
    st.builds(lambda a, b: {"transform": "map", "from": a, "to": b}, *[st.integers(0, 9)] * 2),
    st.integers(1, 9).map(lambda k: {"transform": "zero_divisible", "k": k}),
    st.integers(2, 5).map(lambda n: {"transform": "remove_every_nth_row", "n": n}),
    st.integers(2, 5).map(lambda n: {"transform": "remove_every_nth_col", "n": n}),
)
matrices = st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3), min_size=1, max_size=4)


@given(matrices, st.lists(operations, max_size=6))
def test_operations_that_are_left_out_change_nothing(
    matrix: list[list[int]], given_operations: list[dict[str, Any]]
) -> None:
    """The result is the same without them, and another one without any that is kept."""
    kept = needed(matrix, given_operations)
    result = carried_out(matrix, given_operations)
    assert carried_out(matrix, kept) == result
    for place in range(len(kept)):
        assert carried_out(matrix, kept[:place] + kept[place + 1 :]) != result


@pytest.mark.parametrize("level", LEVELS)
def test_the_question_lists_what_is_kept(level: float | None) -> None:
    """The operations have the library's result, and the question lists them in their order."""
    for before in made("manipulate_matrix", level, 60):
        metadata = before["metadata"]
        assert carried_out(metadata["matrix"], metadata["operations"]) == metadata["solution"]
        after = manipulate_matrix(before)
        if after is None:
            assert metadata["solution"] == metadata["matrix"]
            continue
        listed = after["question"].split("no change\n")[1].strip().split("\n")
        assert listed == [op["instruction"] for op in after["metadata"]["operations"]]
        assert after["answer"] == before["answer"]
