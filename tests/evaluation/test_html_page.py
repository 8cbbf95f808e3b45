import re

from hypothesis import given
from hypothesis import strategies as st

from rgenv.evaluation.html_page import printable, shortened
from tests.support.untrusted import untrusted_text


@given(untrusted_text)
def test_printable_text_has_no_control_characters(text: str) -> None:
    """No lone surrogates or direction marks are left; letters and markup are unchanged."""
    out = printable(text)
    assert len(out) == len(text)
    out.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", out)
    assert all(a == b for a, b in zip(text, out, strict=True) if a.isalnum() or a in " \n\t<&")


@given(st.text(max_size=50), st.integers(0, 20), st.integers(0, 20))
def test_a_shortened_text_says_how_much_was_cut(text: str, head: int, tail: int) -> None:
    """Both ends are kept."""
    out = shortened(text, head=head, tail=tail)
    if len(text) <= head + tail:
        assert out == text
    else:
        assert out.startswith(text[:head]) and out.endswith(text[len(text) - tail :])
        assert f"[… {len(text) - head - tail} characters cut …]" in out
