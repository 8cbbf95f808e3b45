"""Other forms of complex numbers, roots, coordinates and expressions."""

import pytest

from rgenv.validation.form_writers import WRITERS
from rgenv.validation.form_writers.algebra import angle_at_b


@pytest.mark.parametrize(
    ("task", "reference", "question", "texts"),
    [
        ("complex_arithmetic", "6.0 - 4.0i", "", {"6 - 4i", "6-4i", "-4i + 6", "6 - 4*i"}),
        ("polynomial_equations", "-1.5, 0.0", "", {"-1.5,0.0", "0.0, -1.5", "-1.5, 0"}),
        ("polynomial_multiplication", "-x**2 + 3*x", "", {"3*x - x**2", "-x**2+3*x"}),
    ],
)
def test_forms_that_people_write(task: str, reference: str, question: str, texts: set[str]) -> None:
    """They are among those of the task."""
    assert texts <= set(WRITERS[task](reference, question).values())


def test_angles_come_from_the_coordinates() -> None:
    """They have the three decimals that the question asks for, where the reference has two."""
    question = "A=(1, 0), B=(0, 0), and C=(0, 7), find the angle"
    assert angle_at_b(question) == pytest.approx(90)
    assert WRITERS["advanced_geometry"]("90.00°", question)["three decimals"] == "90.000°"
