"""rgenv/validation/report.py: the table shows the reports, whatever is in them."""

from dataclasses import replace

import pytest

from rgenv.validation import health, report
from rgenv.validation.health import Attempt, LevelReport, ProblemReport, TaskReport
from rgenv.validation.measures import Constant, Share, Work
from rgenv.validation.programs import Program


def task(
    name: str, *, score: float = 1.0, question: str = "Why?", answer: str = "12"
) -> TaskReport:
    """Return the report of a task of one problem whose reference answer earns `score`."""
    problem = ProblemReport(
        seed=0,
        prompt_tokens=100,
        make_seconds=0.25,
        remade=True,
        reference=answer,
        reference_score=score,
        score_seconds=0.5,
        forms=(*[Attempt("boxed", "12", 1.0)] * 99, Attempt("boxed", "12", 0.0)),
        wrong=(Attempt("other", "13", 0.3),),
    )
    level = LevelReport(
        None,
        (problem,),
        constant=Constant("a|`b", 0.25, 0.2),
        programs=(Program("constant", "a|`b", Share(1, 4)), Program("rule", "copy", Share(1, 2))),
        work=Work(3.0, 0.5),
    )
    return TaskReport(name, "toys", (level, LevelReport(0.5, (problem,))), question, answer)


def test_few_tasks_are_all_in_the_table() -> None:
    """The table has a row of measurements for each task, and the summary is the last line."""
    lines = report.terminal_table([task("one"), task("two")]).splitlines()
    assert " ".join(lines[2].split()) == (
        "one default, 0.5 partial 0.25 +0.25 100-100 0.250 0.5000 UNHEALTHY: blind"
    )
    assert "one: copy solves 0.50 of 2 problems (0.09 to 0.91)" in "\n".join(lines)
    assert lines[-1] == (
        "2 tasks, 4 problems: 0 healthy (0 of them with known faults), 2 unhealthy; "
        "rewards: 2 partial"
    )


def test_tasks_that_are_not_covered_are_named() -> None:
    """The line of a task and the last line say to which tasks our corrections apply."""
    changed, new = (replace(task(name), coverage=name) for name in ("changed", "new"))
    assert report.task_line(changed).startswith("changed [changed]: ")
    assert report.coverage_line([task("one"), changed, new], ["maze"]) == (
        "Covered: 1 of 3 tasks; with another source: changed; new: new; "
        "gone from the library: maze."
    )
    assert report.coverage_line([task("one")], []) == "Covered: 1 of 1 tasks."


def test_of_many_tasks_only_those_with_faults_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Healthy tasks are counted in the last line."""
    monkeypatch.setattr(health, "MAX_EXCESS", 1.0)
    many = [task(f"healthy{n}") for n in range(report.MAX_LISTED)] + [task("faulty", score=0.5)]
    text = report.terminal_table(many)
    assert "healthy3" not in text and "faulty" in text and "20 healthy" in text
