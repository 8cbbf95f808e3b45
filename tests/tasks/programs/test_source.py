"""Programs and generators are found by the question alone."""

from __future__ import annotations

from rgenv.tasks.programs import source
from tests.support.library import make_entry


def test_a_question_holds_a_program_of_the_library() -> None:
    """Its generator is known; a question that shows an input asks for the output."""
    asked = set()
    for seed in range(4):
        question = make_entry("codeio", seed, {})[1]["question"]
        code = source.code_of(question)
        assert code is not None and "def main_solution(" in code
        assert "def generate_inputs(" in str(source.generator_of(code))
        asked.add(source.asks_for_input(question))
        assert source.asks_for_input(question) == ("Given the following output:" in question)
    assert len(asked) == 2
    assert source.code_of("What is 1 + 1?") is None
