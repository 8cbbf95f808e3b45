"""Other forms of lists, JSON values and assignments."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.validation.form_writers import WRITERS


@pytest.mark.parametrize(
    ("task", "reference", "question", "texts"),
    [
        ("word_sorting", "a, b", "", {"a,b", '["a", "b"]', "a\nb", "['a', 'b']"}),
        ("list_functions", "[1, 2]", "", {"[1,2]", "1, 2", "[ 1, 2 ]"}),
        ("number_sorting", "['2.0', '1.5']", "", {'["2.0", "1.5"]', "[2.0, 1.5]", "['2', '1.5']"}),
        ("cryptarithm", "A=1,B=2", "", {"A = 1, B = 2", "B=2,A=1"}),
    ],
)
def test_forms_that_people_write(task: str, reference: str, question: str, texts: set[str]) -> None:
    """They are among those of the task."""
    assert texts <= set(WRITERS[task](reference, question).values())


@given(st.lists(st.integers(-99, 99), min_size=1, max_size=8))
def test_json_forms_of_a_list_have_its_items(values: list[int]) -> None:
    """JSON forms of a list that is separated by spaces are that list."""
    written = WRITERS["spiral_matrix"](" ".join(map(str, values)), "")
    for name in ("JSON", "JSON without spaces", "JSON on lines"):
        assert json.loads(written[name]) == values
