"""rgenv/labels.py: labels that the library gets wrong."""

from rgenv.labels import corrected


def test_a_task_without_a_correction_keeps_its_entry() -> None:
    """What is not known to be wrong stays as the library made it."""
    entry = {"question": "?", "answer": "1", "metadata": {}}
    assert corrected("gcd", entry) is entry
