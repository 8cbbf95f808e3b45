"""rgenv/validation/measured.py: what the package carries of a validation."""

from rgenv.catalog.measured import PromptTokens
from rgenv.validation.health import LevelReport, ProblemReport, TaskReport
from rgenv.validation.measured import measured_table


def level(at: float | None, *tokens: int, failed: int = 0, score: float = 1.0) -> LevelReport:
    """Return the report of a level with a problem for each number of tokens."""
    problems = tuple(
        ProblemReport(seed, count, 0.1, True, reference="4", reference_score=score)
        for seed, count in enumerate(tokens)
    )
    return LevelReport(at, problems, ("seed 9: timeout",) * failed)


def test_a_report_becomes_what_is_carried() -> None:
    """Each level that works has its prompts, and each broken rule its reason, if it is known."""
    good = TaskReport("gcd", "arithmetic", (level(None, 10, 30), level(1.0, 50, 70)))
    ill = TaskReport("ill", "toys", (level(None, 10, score=0.5), level(1.0, failed=3)))
    none = TaskReport("none", "toys", (level(None, failed=3),))
    table = measured_table([good, ill, none], release="0.1.25")
    assert table.release == "0.1.25" and list(table.tasks) == ["gcd", "ill"]
    assert table.tasks["gcd"].levels == {None: PromptTokens(20, 30), 1.0: PromptTokens(60, 70)}
    assert table.tasks["gcd"].prompt_tokens == PromptTokens(40, 70)
    assert table.tasks["gcd"].faults == {}
    assert list(table.tasks["ill"].levels) == [None]
    assert table.tasks["ill"].faults == {"oracle": None, "made": None}
