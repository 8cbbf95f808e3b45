"""rgenv/rollouts/saved_lines.py: finding saved lines, and what they say."""

import json
from pathlib import Path
from typing import Any

import pytest

from rgenv.rollouts.group import scored_data
from rgenv.rollouts.saved_lines import SavedGroup, read_line
from rgenv.runtime.json_lines import Reader, found_files
from tests.support import rollouts
from tests.support.samples import sample


@pytest.mark.parametrize("hardened", [False, True])
def test_a_group_of_the_trainer_says_what_makes_its_problem_again(hardened: bool) -> None:
    problem = rollouts.problem(hardened=hardened)
    line = scored_data(rollouts.group(problem, [1.0, 0.0]))
    found = read_line(json.dumps(line).encode(), "here")
    assert isinstance(found, SavedGroup)
    assert found.recipe.items() <= problem.recipe.items()
    assert found.recipe.get("problems") == problem.recipe.get("problems")


@pytest.mark.parametrize(
    "line",
    [
        7,
        {"rollouts": []},
        {"rollouts": [{"conversation": [], "score": "1"}]},
        {"rollouts": [{"score": 1.0}], "metadata": {"raw_scores": [1.0, 2.0]}},
        {"scores": [1.0], "masks": 3},
        {"step": "1", "time": 2.0},
        {name: value for name, value in sample().items() if name != "score"},
        sample() | {"score": 2.0},
        sample() | {"messages": []},
        sample() | {"messages": ["text"]},
        sample() | {"verdict": "perfect"},
    ],
)
def test_a_line_with_other_types_is_damaged(line: Any) -> None:
    assert read_line(json.dumps(line).encode(), "here") is None


def test_files_are_found_at_any_depth(tmp_path: Path) -> None:
    """A file with two names is read once; an incomplete last line is read, too."""
    names = ["a.jsonl", "b/c.jsonl", ".git/x.jsonl", "d.jsonl.tmp", "b/d.json"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"1\n2")
    found = [path.relative_to(tmp_path).as_posix() for path in found_files([tmp_path])]
    assert found == ["a.jsonl", "b/c.jsonl"]
    (tmp_path / "z.txt").hardlink_to(tmp_path / "a.jsonl")
    lines = list(Reader([tmp_path / "z.txt", tmp_path / "a.jsonl"]).lines())
    assert [(line.number, line.content, line.offset) for line in lines] == [
        (1, b"1\n", 0),
        (2, b"2", 2),
    ]
