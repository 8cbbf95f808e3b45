"""rgenv/measured.py: what was measured of each task."""

from rgenv.measured import TASKS, Health, PromptTokens
from rgenv.task_names import COMPOSITE
from rgenv.worker.levels import is_fixed

TOKENS = PromptTokens(120, 140)
LEVELS = [None, 0.0, 0.25, 0.5, 0.75, 1.0]


def health(**faults: str | None) -> Health:
    """What `validate` found of a task with these faults."""
    return Health("binary", 40, TOKENS, {None: TOKENS, 0.25: TOKENS}, faults, {"work": "1 → 2"})


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
