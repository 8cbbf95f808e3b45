"""rgenv/evaluation/profile.py: what cells are called, where a task starts, and the files."""

from pathlib import Path
from typing import Any

import pytest

from rgenv.atropos.command_line import read
from rgenv.evaluation.profile import Cell, Level, Profile, TaskProfile, Verdict, config_text
from tests.support.samples import sample

SERVERS = [{"model_name": 'my "model": #1 é', "base_url": "http://h:1/v1", "server_type": "vllm"}]


def cell(
    right: int, of: int = 32, task: str = "countdown", level: Level = 1.0, **other: Any
) -> Cell:
    """Return a cell with some right completions; the others are wrong, or what `other` says."""
    rows = [sample(task, n, 1.0) if n < right else sample(task, n, 0.0, **other) for n in range(of)]
    return Cell.of(task, level, rows, group_size=8)


CUT = {"finish_reason": "length"}


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (cell(31), "mastered"),
        (cell(30), "learnable"),
        (cell(2), "learnable"),
        (cell(1), "dead"),
        (cell(12, task="syllogism"), "guessable"),
        (cell(0, task="syllogism"), "dead"),
        (cell(6, task="syllogism"), "guessable"),
        (cell(26, task="syllogism"), "learnable"),
        (cell(18, task="syllogism", verdict="no_answer"), "learnable"),
        (cell(8, task="syllogism", verdict="no_answer"), "learnable"),
        (cell(0, verdict="no_answer"), "broken format"),
        (cell(0, verdict="no_answer", **CUT), "too long"),
        (cell(8, verdict="no_answer"), "learnable"),
        (cell(10, verdict="timeout"), "failed"),
        (cell(20, verdict="timeout"), "mastered"),
        (cell(0, 0), "failed"),
    ],
)
def test_a_cell_is_called_by_what_its_completions_show(found: Cell, verdict: Verdict) -> None:
    """For groups of 8; what says nothing about the model is no trial."""
    assert found.verdict == verdict


def test_completions_are_counted_by_what_became_of_them() -> None:
    rows = [sample(), sample(score=0.5), sample(score=None), sample(**CUT)]
    rows += [sample(score=0.0, verdict=kind) for kind in ("no_answer", "timeout")]
    rows.append(sample(score=0.0, verdict="no_answer", **CUT))
    found = Cell.of("countdown", 1.0, rows, group_size=8)
    assert (found.trials, found.right, found.cut, found.broken) == (5, 1, 2, 1)
    assert (found.failed, found.tokens, found.share) == (2, 60, 0.2)


@pytest.mark.parametrize(
    ("cells", "verdict", "start"),
    [
        ({0.0: cell(32), 0.5: cell(16), 1.0: cell(0)}, "learnable", 0.3),
        ({0.0: cell(6), 0.5: cell(0), 1.0: cell(0)}, "learnable", 0.0),
        ({0.0: cell(32), 0.5: cell(29), 1.0: cell(28)}, "learnable", 1.0),
        ({0.0: cell(32), 0.5: cell(0), 1.0: cell(0)}, "learnable", 0.15),
        ({0.0: cell(0), 0.5: cell(0), 1.0: cell(0)}, "dead", None),
        ({0.0: cell(32), 0.5: cell(32), 1.0: cell(32)}, "mastered", None),
        ({0.0: cell(32), 0.5: cell(0, 0)}, "failed", None),
        ({0.0: cell(16), 0.5: cell(15, verdict="timeout")}, "learnable", 0.0),
        ({None: cell(16)}, "learnable", None),
        ({0.0: cell(0, verdict="no_answer"), 0.5: cell(0)}, "broken format", None),
    ],
)
def test_a_task_starts_where_the_target_is_reached(
    cells: dict[Level, Cell], verdict: Verdict, start: float | None
) -> None:
    found = TaskProfile.of(cells, target=0.7)
    assert (found.verdict, found.start_level) == (verdict, start)


def profile() -> Profile:
    tasks = {
        "gcd": TaskProfile.of({0.0: cell(24), 1.0: cell(0)}, 0.7),
        "maze": TaskProfile.of({0.0: cell(0), 1.0: cell(0)}, 0.7),
        "acre": TaskProfile.of({None: cell(16)}, 0.7),
    }
    return Profile({"model": "m\nenv: {force: true}"}, tasks, group_size=8)


def test_serve_takes_the_file_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "profile.yaml"
    path.write_text(config_text(profile(), {"group_size": 16}, SERVERS, date="2026-11-22 21:50"))
    request: Any = read("serve", ["--config", str(path)])
    config = request.config
    assert "# Train on 2 of 3 tasks. The others:\n# - hardly" in path.read_text()
    assert config.task_names == ["gcd", "acre"] and config.complexity_mode == "curriculum"
    assert config.start_levels == {"gcd": 0.05}
    assert config.group_size == 16 and not config.force
    assert [{name: getattr(one, name) for name in SERVERS[0]} for one in request.servers] == SERVERS
