"""rgenv/validation/rules.py: every rule has a name in reports, and a remedy."""

from typing import get_args

from rgenv.validation.rules import CHECK_IDS, REMEDIES, Rule


def test_every_rule_has_a_check_id_and_a_remedy() -> None:
    """Reports in JSON name each rule and say what to do about it."""
    assert set(CHECK_IDS) == set(REMEDIES) == set(get_args(Rule))
    assert len(set(CHECK_IDS.values())) == len(CHECK_IDS)
