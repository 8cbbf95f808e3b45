"""rgenv/worker/values/kind: the kind that changes nothing."""

from rgenv.worker.values.kind import plain_text


def test_plain_text_stays() -> None:
    """Plain text is its own form."""
    assert plain_text(" a  b\n", {}) == " a  b\n"
