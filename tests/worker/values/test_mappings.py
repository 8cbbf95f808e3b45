"""rgenv/worker/values/mappings: each key has one value, whatever the form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.worker.values.mappings import KINDS, pairs
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
        "A=1. B=2",
    ],
)
def test_other_texts_are_no_mappings(text: str) -> None:
    """Repeated keys, prose and other keys or values are refused."""
    assert pairs(text, "[A-Z]", "[0-9]") is None


VERTICES = {"metadata": {"puzzle": {"vertices": [0, 1]}}}
TERMS = {"metadata": {"knight_knave_terms": {"knight": "angel", "knave": "devil"}}}


@pytest.mark.parametrize(
    ("task", "text", "entry", "form"),
    [
        ("cryptarithm", "{'A': 1, 'B': 2}", {}, "A=1,B=2"),
        ("cryptarithm", "A=1,A=2", {}, ""),
        ("graph_color", "0: 1\n1: 2", VERTICES, '{"0": 1, "1": 2}'),
        ("graph_color", "{0: 1}", VERTICES, ""),
        ("graph_color", '{"0": 1, "1": 2, "2": 1}', VERTICES, ""),
        ("graph_color", '{"0": 1, "0": 1, "1": 2}', VERTICES, ""),
        ("graph_color", '{"0": true, "1": 2}', VERTICES, ""),
        ("knights_knaves", "Zoe: Angel; Al = devil", TERMS, "Zoe is a angel, and Al is a devil."),
        ("knights_knaves", "Zoe is an angel and Al too", TERMS, None),
        ("knights_knaves", "Zoe is a knight", TERMS, None),
    ],
)
def test_mappings_are_written_as_the_library_does(
    task: str, text: str, entry: dict[str, object], form: str | None
) -> None:
    """A kind returns the library's form of the same mapping."""
    assert KINDS[task](text, entry) == form
