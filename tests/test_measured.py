"""rgenv/measured.py: what was measured of each task."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from rgenv import measured
from rgenv.measured import TASKS, Health, Measured, PromptTokens, beyond_blind, blind_share, read
from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.worker.levels import is_fixed
from tests.support.records import LABELS
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


FINE = [None, *(step / 20 for step in range(21))]


def test_every_share_is_a_share_of_a_known_task() -> None:
    """Shares are in [0, 1) at every level, so luck can be subtracted from any accuracy."""
    assert all(0 <= blind_share(task, level) < 0.9 for task in KNOWN_TASKS for level in FINE)


@pytest.mark.parametrize(("task", "labels"), LABELS.items())
def test_the_share_is_at_least_that_of_the_wanted_labels(
    task: str, labels: Mapping[str, float]
) -> None:
    """A constant earns what selection gives its label, less the noise of the measurement."""
    levels = [None] if is_fixed(task) else [None, 0.0, 0.5, 1.0]
    assert all(blind_share(task, level) >= max(labels.values()) - 0.08 for level in levels)


def test_a_task_with_many_answers_has_no_blind_share() -> None:
    """No constant is right for a sum of large numbers, and composite has no problems of its own."""
    assert blind_share("chain_sum", 1.0) == blind_share("composite", 0.3) == 0.0


def test_shares_between_measured_levels_are_interpolated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two levels the share changes linearly; a fixed task has one share at any level."""
    shares = {"gcd": {None: 0.3, 0.0: 0.4, 0.5: 0.2, 1.0: 0.1}, "acre": {None: 0.5}}
    tasks = {task: Measured("", "", blind=each) for task, each in shares.items()}
    monkeypatch.setattr(measured, "TASKS", tasks)
    levels = [None, 0.0, 0.25, 0.5, 0.9, 1.0]
    expected = [0.3, 0.4, 0.3, 0.2, 0.12, 0.1]
    assert [blind_share("gcd", level) for level in levels] == pytest.approx(expected)
    assert blind_share("acre", 0.7) == blind_share("acre", None) == 0.5


def test_luck_is_subtracted_and_the_scale_kept() -> None:
    """A blind policy has 0, a perfect one 1, and one that knows half and guesses the rest 0.5."""
    assert beyond_blind(0.5, blind=0.5) == 0
    assert beyond_blind(1.0, blind=0.5) == 1
    assert beyond_blind(0.5 + 0.5 * 0.3, blind=0.3) == pytest.approx(0.5)
    assert beyond_blind(0.0, blind=0.5) < 0
