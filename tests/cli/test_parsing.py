"""rgenv/cli/parsing.py: lists and mappings that are written as text."""

import pytest

from rgenv.cli.parsing import parse_mapping


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
