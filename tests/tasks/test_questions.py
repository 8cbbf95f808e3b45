"""Numbers of a question that problems of the contract seldom have."""

from rgenv.tasks.questions import integers_in


def test_integers_are_read() -> None:
    """A minus sign belongs to them, and numbers of many digits are left out."""
    assert integers_in("a-4 b5, then " + "9" * 50) == [-4, 5]
