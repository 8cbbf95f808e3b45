"""rgenv/tasks/answers/mappings.py: each key has one value, whatever the form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.answers.mappings import pairs
from tests.support.written_forms import mapping_forms

MAPPING = st.dictionaries(st.sampled_from("ABCDEFGH"), st.sampled_from("0123456789"), min_size=1)


@given(MAPPING, st.sampled_from(sorted(mapping_forms([("A", "1")]))))
def test_pairs_are_read_in_every_form(mapping: dict[str, str], name: str) -> None:
    """Order, separators, quotes, braces and bullets do not change what belongs to what."""
    assert pairs(mapping_forms(list(mapping.items()))[name], "[A-Z]", "[0-9]") == mapping


@pytest.mark.parametrize(
    "text",
    [
        "",
        "A",
        "A=",
        "A=1, A=1",
        "A=1, A=2",
        "A=1=2",
        "A=12",
        "a=1",
        "A=1, or B=2",
        "so A=1",
    ],
)
def test_other_texts_are_no_mappings(text: str) -> None:
    """Repeated keys, prose and other keys or values are refused."""
    assert pairs(text, "[A-Z]", "[0-9]") is None
