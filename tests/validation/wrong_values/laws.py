"""The law that the tests of all kinds of wrong values share."""

import random

from rgenv.validation.wrong_values import CHANGERS


def assert_changes_differ(task: str, reference: str, question: str, seed: int) -> None:
    """Assert that a right answer has changes, and that none gives it back."""
    changes = CHANGERS[task](reference, question, random.Random(seed))
    assert changes
    assert reference not in changes.values()
