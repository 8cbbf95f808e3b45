"""Other forms of words, relations and intervals."""

import pytest

from rgenv.validation.form_writers import WRITERS


@pytest.mark.parametrize(
    ("task", "reference", "question", "texts"),
    [
        ("syllogism", "Yes", "", {"yes", "YES"}),
        ("family_relationships", "son-in-law", "", {"son in law", "Son-in-law"}),
        ("time_intervals", "1 days, 05:00:00", "", {"1 day, 05:00:00", "1 days,05:00:00"}),
    ],
)
def test_forms_that_people_write(task: str, reference: str, question: str, texts: set[str]) -> None:
    """They are among those of the task."""
    assert texts <= set(WRITERS[task](reference, question).values())
