"""tools/tasks_page.py: the page shows reports, whatever is in them."""

from collections.abc import Sequence

from rgenv.measured import PromptTokens
from rgenv.validation.health import LevelReport, ProblemReport, TaskReport
from tests.validation.test_report import task
from tools.tasks_page import health_of, markdown_page


def page_of(reports: Sequence[TaskReport]) -> str:
    """Return the page of some reports."""
    return markdown_page([(one, health_of(one)) for one in reports])


def test_the_page_has_a_line_and_an_example_for_each_task() -> None:
    """Every row has eleven cells, whatever characters the most frequent answer contains."""
    page = page_of([task("one"), task("two")])
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert [row.split("`")[1] for row in rows] == ["one", "two"]
    assert all(row.count(" | ") == 10 for row in rows)
    assert page.count("<details>") == page.count("</details>") == 2


def test_no_question_closes_its_code_block() -> None:
    """The fences of a block are longer than any in the text, and a long text is shortened."""
    text = "start ```` <b>\n" + "x" * 5000 + " end"
    page = page_of([task("one", question=text)])
    assert page.count("\n`````") == 2 and "start" in page and " end\n" in page
    assert len(page) < 3200 and "[…]" in page


def level(at: float | None, *tokens: int, failed: int = 0, score: float = 1.0) -> LevelReport:
    """Return the report of a level with a problem for each number of tokens."""
    problems = tuple(
        ProblemReport(seed, count, 0.1, True, reference="4", reference_score=score)
        for seed, count in enumerate(tokens)
    )
    return LevelReport(at, problems, ("seed 9: timeout",) * failed)


def test_a_report_becomes_what_is_carried() -> None:
    """Each level that works has its prompts, and each broken rule its reason, if it is known."""
    good = health_of(TaskReport("gcd", "arithmetic", (level(None, 10, 30), level(1.0, 50, 70))))
    assert good.levels == {None: PromptTokens(20, 30), 1.0: PromptTokens(60, 70)}
    assert (good.prompt_tokens, good.problems, good.faults) == (PromptTokens(40, 70), 4, {})
    ill = health_of(TaskReport("ill", "toys", (level(None, 10, score=0.5), level(1.0, failed=3))))
    assert list(ill.levels) == [None] and ill.faults == {"oracle": None, "made": None}
    assert health_of(TaskReport("none", "toys", (level(None, failed=3),))).levels == {}


def test_figures_are_those_of_the_worst_level() -> None:
    """Each has the level behind it; what was not measured has no figure."""
    assert health_of(task("one")).figures == {
        "forms": "0.990@d",
        "top answer": "0.25@d `a¦´b`",
        "shortcut": "0.50@d `copy`",
        "beyond": "+0.25",
    }
