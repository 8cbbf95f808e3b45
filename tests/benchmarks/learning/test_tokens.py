"""The tokens of the learners."""

import pytest

from benchmarks.learning.tokens import END, WORDING, Tokens

TOKENS = Tokens(["spell_backward", "gcd"])


@pytest.mark.parametrize("text", ["<answer>nus</answer>", "A# #B B#", "2 × 3", "-1/2", "1 2\n3 4"])
def test_answers_survive_encoding(text: str) -> None:
    """What is decoded is what was encoded."""
    assert TOKENS.decode([*TOKENS.encode(text), END]) == text


def test_the_wording_of_a_question_is_one_token() -> None:
    """A prompt is the token of its task, the parts that differ, and an end."""
    prompt = TOKENS.prompt("spell_backward", "Spell this word backward (example: sun -> nus): car")
    assert len(prompt) == 5
    assert TOKENS.decode(prompt) == "car"


def test_a_question_without_the_wording_of_its_task_is_an_error() -> None:
    """Tokens never guess what a question says."""
    with pytest.raises(ValueError, match="misses"):
        TOKENS.prompt("spell_backward", "What is this?")


def test_every_task_has_a_wording() -> None:
    """The tasks of the benchmark can all be asked."""
    from benchmarks.learning.tasks import TASKS

    assert TASKS.keys() <= WORDING.keys()
