"""rgenv/catalog/showing.py: problems and verdicts as text."""

import pytest

from rgenv.catalog import answers
from rgenv.catalog.problems import Scored
from rgenv.catalog.showing import problem_text, verdict_text
from rgenv.catalog.terminal import Layout
from rgenv.types import Problem, Verdict

HOSTILE = "\x1b]0;title\x07\x9b31m\u202e'$(id)`id`\r\x00\ud800"
PROBLEM = Problem("gcd", 7, 0.5, {"n": HOSTILE}, f"\nLine 1\n  line 2 {HOSTILE}\n", f"4\n{HOSTILE}")


def test_no_text_reaches_the_terminal_as_a_command() -> None:
    """Lines and blanks stay; what a terminal would obey is escaped, in every part."""
    scored = Scored(answers.read(HOSTILE), Verdict(0.0, "error", detail=HOSTILE))
    for text in (problem_text(PROBLEM, Layout()), verdict_text(scored, Layout())):
        assert all(one.isprintable() or one == "\n" for one in text)
        assert "\\x1b]0;title\\x07" in text
    assert "Line 1\n  line 2 " in problem_text(PROBLEM, Layout())


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        (Problem("gcd", 7, None, {}, "Why?", "4"), "the defaults of the library\n"),
        (Problem("acre", 7, 0.5, {}, "Why?", "on"), "the task has no levels\n"),
        (Problem("gcd", 7, None, {"n": [1, 2]}, "Why?", "4"), "Parameters: n=[1, 2]\n"),
        (Problem("gcd", 7, None, {}, "Why?", None), "(none: the verifier checks any answer)"),
        (Problem("gcd", 7, None, {}, "Why?", "4", winnable=False), "never served"),
        (Problem("gcd", 7, None, {}, "Why?", "4", clarification="Be brief."), "Why?\n\nBe brief."),
    ],
)
def test_what_is_special_is_said(problem: Problem, said: str) -> None:
    """A problem without levels, parameters, answer, or hope says so."""
    assert said in problem_text(problem, Layout())


def test_a_verdict_is_explained() -> None:
    """It says how the text was read, what was extracted, the score, and why."""
    verdict = Verdict(0.0, "no_answer", detail="2 answers")
    scored = Scored(answers.read("<answer>1</answer><answer>2</answer>"), verdict)
    assert verdict_text(scored, Layout()).splitlines() == [
        "Your answer:",
        "read as  a completion",
        "answer   (none)",
        "score    0",
        "verdict  no_answer: The completion has no answer in the required format.",
        "reason   2 answers",
    ]
    grid = Scored(answers.read("1 2\n3 4"), Verdict(1.0, "scored", 1.0, 1.0))
    assert "answer   \n1 2\n3 4\nscore    1\n" in verdict_text(grid, Layout())
