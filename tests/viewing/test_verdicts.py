"""rgenv/viewing/verdicts.py: what verdicts mean."""

from rgenv.types import KINDS
from rgenv.viewing.verdicts import VERDICTS


def test_every_verdict_is_explained() -> None:
    """Each kind of verdict has a sentence, and so have samples that were never scored."""
    assert set(VERDICTS) == {*KINDS, "failed"}
    assert all(text[0].isupper() and text.endswith(".") for text in VERDICTS.values())
