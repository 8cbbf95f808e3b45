"""rgenv/tasks/answers/lines.py: numbers and bullets come off, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.answers.lines import lines

WORDS = st.lists(st.text("abc ", min_size=1).map(str.strip).filter(bool), min_size=2)


@given(WORDS, st.sampled_from(["{}", "{}.", "  {} ", "- {}", "* {};", "• {}"]))
def test_lines_keep_what_they_say(words: list[str], form: str) -> None:
    """Lines lose bullets, surrounding blanks and one sign at their ends."""
    assert lines("\n\n".join(map(form.format, words))) == words


NUMBERED = [
    *("{}. {}", "{}) {}", "{}:  {}", "({}) {}", "{}.) {}", "({}): {}", "{}：{}"),
    *("**{}.** {}", "**{}**. {}", "**({})** {}", "(**{}**) {}", "__{})__ {}"),
    *("Step {}: {}", "step {}. {}", "**Step {}:** {}", "**Step {}**: {}"),
]


@given(WORDS, st.sampled_from(NUMBERED), st.integers(0, 1))
def test_lines_lose_the_numbers_that_count_them(words: list[str], form: str, first: int) -> None:
    """Numbers come off if they count the lines from 0 or 1."""
    assert lines("\r\n".join(form.format(n, word) for n, word in enumerate(words, first))) == words


@pytest.mark.parametrize(
    "text",
    [
        *("2. a\n3. b", "1. a\n1. b", "1. a\nb", "- a\nb", "- a\n* b", "1.a"),
        *("(2) a\n(3) b", "(1) a\n(1) b", "(1) a\nb", "(1)a\n(2)b", "[1] a\n[2] b", "1 a\n2 b"),
        *("(1 a\n(2 b", "1/ a\n2/ b", "a (1)\nb (2)"),
    ],
)
def test_other_signs_stay(text: str) -> None:
    """Numbers that do not count the lines stay, and so do bullets that not all lines have."""
    assert lines(text) == text.splitlines()


def test_a_sign_can_be_excluded_after_numbers() -> None:
    """A colon after a number may be a part of what the line says."""
    assert lines("0: 1\n1: 2", colons=False) == ["0: 1", "1: 2"]
    assert lines("(1) 0: 1\n(2) 1: 2", colons=False) == ["0: 1", "1: 2"]
