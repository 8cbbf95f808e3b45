"""Programs and generators are found by the question alone."""

from __future__ import annotations

import pytest

from rgenv.tasks.programs import source
from tests.support.library import make_entry


@pytest.mark.parametrize("seed", range(6))
def test_a_question_holds_a_program_of_the_library(seed: int) -> None:
    """The program of a question defines main_solution, and its generator is known."""
    code = source.code_of(make_entry("codeio", seed, {})[1]["question"])
    assert code is not None and "def main_solution(" in code
    assert "def generate_inputs(" in str(source.generator_of(code))


def test_questions_differ_in_what_they_ask_for() -> None:
    """A question that shows an input asks for the output, and the other way round."""
    for seed in range(12):
        question = make_entry("codeio", seed, {})[1]["question"]
        assert source.asks_for_input(question) == ("Given the following output:" in question)


def test_other_texts_have_no_program() -> None:
    """A question of another task has none, and no generator belongs to a new program."""
    assert source.code_of("What is 1 + 1?") is None
    assert source.generator_of("def main_solution(n): return n") is None
    assert not source.is_unreproducible("def main_solution(n): return n")
