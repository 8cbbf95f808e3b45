"""rgenv/cli/parsing.py: lists and mappings that are written as text."""

from typing import Any

import pytest

from rgenv.cli.parsing import parse_mapping, parse_request, split_words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("gcd,lcm", ["gcd", "lcm"]),
        (" gcd , lcm ,", ["gcd", "lcm"]),
        ("", []),
        (["gcd", "lcm"], ["gcd", "lcm"]),
        (None, []),
        ("none", []),
        (3, 3),
        ('["gcd", "lcm"]', ["gcd", "lcm"]),
        ("[a-c]*,lcm", ["[a-c]*", "lcm"]),
    ],
)
def test_words_are_split_at_commas(value: Any, words: Any) -> None:
    """None is no word; other values stay as they are."""
    assert split_words(value) == words


@pytest.mark.parametrize(
    ("value", "mapping"),
    [
        ("gcd=2, lcm = x", {"gcd": "2", "lcm": "x"}),
        ("none", {}),
        (' {"gcd": {"a": 1}}', {"gcd": {"a": 1}}),
        ({"gcd": 2}, {"gcd": 2}),
    ],
)
def test_mappings_come_as_json_or_as_pairs(value: Any, mapping: Any) -> None:
    """None is an empty mapping; other values stay as they are."""
    assert parse_mapping(value) == mapping


@pytest.mark.parametrize("text", ["gcd", "gcd=1,maze", "=1"])
def test_a_pair_without_a_name_or_a_sign_is_an_error(text: str) -> None:
    """The message says how pairs are written."""
    with pytest.raises(ValueError, match=r"write name=value,\.\.\. or JSON, not"):
        parse_mapping(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{gcd: 1", "this is not valid JSON"),
        ('{"a":' * 9999, "nested too deeply"),
        ('{"gcd": 1, "gcd": 2}', "'gcd' comes twice"),
        ("gcd=1,gcd=2", "'gcd' comes twice"),
        ('{"gcd": NaN}', "NaN is no number"),
        ("[1]", r"write name=value,\.\.\. or JSON, not '\[1\]'"),
    ],
)
def test_a_mapping_with_a_mistake_is_refused(text: str, message: str) -> None:
    """Text that starts with a brace has to be valid JSON, and no name may come twice."""
    with pytest.raises(ValueError, match=message):
        parse_mapping(text)


def test_values_of_requests_are_json_or_words() -> None:
    """So a number, true and null need no JSON object around them."""
    parsed = parse_request("temperature=null,stop=end,n_best=3")
    assert parsed == {"temperature": None, "stop": "end", "n_best": 3}
    assert parse_request(None) == {} and parse_request({"a": 1}) == {"a": 1}
