"""Randomness from a question, and changed entries."""

from rgenv.tasks.rewriting import random_of, with_solution


def test_randomness_depends_on_the_question_alone() -> None:
    """Equal questions give equal numbers, whatever else is in the entry; others do not."""
    one = {"question": "How many?", "answer": "1", "metadata": {}}
    same = {"question": "How many?", "answer": "2", "metadata": {"n": 1}}
    other = {**one, "question": "How much?"}
    drawn = [[random_of(entry).random() for _ in range(3)] for entry in (one, same, other)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert drawn[0] == [random_of(one).random()] * 3, "each call begins anew"


def test_a_solution_is_kept_as_text_and_as_value() -> None:
    """The answer is the solution's text, and the entry that was given stays as it was."""
    entry = {"question": "?", "answer": "1", "metadata": {"solution": 1, "n": 3}}
    changed = with_solution(entry, "??", False, n=4)
    assert changed == {"question": "??", "answer": "False", "metadata": {"solution": False, "n": 4}}
    assert entry == {"question": "?", "answer": "1", "metadata": {"solution": 1, "n": 3}}
