"""rgenv/catalog/measured.py: what the package carries of a validation."""

from pathlib import Path

from rgenv.catalog.measured import Measured, PromptTokens, Table, health, read, written
from rgenv.task_names import COMPOSITE, KNOWN_TASKS, RELEASE


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Levels, None among them, and reasons keep their values; each task has a line of its own."""
    tokens = PromptTokens(120, 140)
    task = Measured("binary", tokens, {None: tokens, 0.25: tokens}, {"near": "why", "tell": None})
    table = Table("0.1.25", {"one": task, "two": Measured("partial", tokens, {None: tokens}, {})})
    path = tmp_path / "measured.json"
    path.write_text(written(table))
    assert read(path) == table
    assert [line.startswith('  "') for line in path.read_text().splitlines()].count(True) == 2


def test_health_names_the_rules() -> None:
    """A fault without a reason makes a task unhealthy."""
    assert health({}) == "healthy"
    assert health({"near": "why", "tell": "why"}) == "known: near, tell"
    assert health({"near": "why", "wrong": None}) == "UNHEALTHY: near, wrong"


def test_prompts_are_measured_by_median_and_maximum() -> None:
    """One long prompt raises the longest only."""
    assert str(PromptTokens.of([10, 11, 90])) == "11-90"


def test_every_task_was_measured() -> None:
    """The package carries the measures of every task of the release but composite."""
    table = read()
    assert table.release == RELEASE
    assert table.tasks.keys() == KNOWN_TASKS.keys() - {COMPOSITE}
    for task, measured in table.tasks.items():
        assert None in measured.levels, task
        assert 100 < measured.prompt_tokens.typical <= measured.prompt_tokens.longest < 16384, task
