"""rgenv/measured.py: what was measured of each task."""

from pathlib import Path

from rgenv.measured import TASKS, Health, Measured, PromptTokens, read
from rgenv.task_names import COMPOSITE
from rgenv.worker.levels import is_fixed
from tools.measure import plain, written

TOKENS = PromptTokens(120, 140)
LEVELS = [None, 0.0, 0.25, 0.5, 0.75, 1.0]


def health(**faults: str | None) -> Health:
    """What `validate` found of a task with these faults."""
    return Health("binary", 40, TOKENS, {None: TOKENS, 0.25: TOKENS}, faults, {"work": "1 → 2"})


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Levels, None among them, and reasons keep their values."""
    found = health(blind="why", tell=None)
    plainly = {"category": "games", "source": "ab", "blind": {"null": 0.1, "0.5": 0.2}}
    content = {
        "one": {**plainly, "costs": {"seconds": 0.5}, "health": plain(found)},
        "composite": {"category": "composite", "source": "cd"},
    }
    path = tmp_path / "measured.json"
    path.write_text(written({"release": "0.1.25", "tasks": content}))
    assert read(path) == (
        "0.1.25",
        {
            "one": Measured("games", "ab", {"seconds": 0.5}, {None: 0.1, 0.5: 0.2}, found),
            "composite": Measured("composite", "cd"),
        },
    )


def test_health_names_the_rules() -> None:
    """A fault without a reason makes a task unhealthy."""
    assert str(health()) == "healthy"
    assert str(health(blind="why", tell="why")) == "known: blind, tell"
    assert str(health(blind="why", wrong=None)) == "UNHEALTHY: blind, wrong"


def test_prompts_are_measured_by_median_and_maximum() -> None:
    """One long prompt raises the longest only."""
    assert str(PromptTokens.of([10, 11, 90])) == "11-90"


def test_everything_was_measured_of_every_task() -> None:
    """Each task has all measures, at each of its levels; composite has none of its own."""
    assert TASKS[COMPOSITE].costs is TASKS[COMPOSITE].blind is TASKS[COMPOSITE].health is None
    for task in TASKS.keys() - {COMPOSITE}:
        found, levels = TASKS[task], [None] if is_fixed(task) else LEVELS
        assert found.costs and found.costs["items"] > 20 and found.health, task
        assert list(found.health.levels) == levels, task
        assert found.blind == {} or list(found.blind or ()) == levels, task
        tokens = found.health.prompt_tokens
        assert 100 < tokens.typical <= tokens.longest < 16384, task
