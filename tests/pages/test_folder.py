"""rgenv/pages/folder.py: a run as a page."""

from pathlib import Path
from typing import Any

from rgenv.pages.folder import Folder
from tests.support.samples import sample
from tests.support.viewed import DUMP, FAILED, page_data, report, row, trainer_group, write_lines


def index_of(folder: Path, *, most: int = 100) -> dict[str, Any]:
    found = Folder([folder], most=most)
    found.read()
    found.write(folder / "view.html")
    return page_data(folder / "view.html")[0]


def test_all_kinds_of_files_are_one_page(tmp_path: Path) -> None:
    write_lines(tmp_path / "dumps" / DUMP, row("a"))
    write_lines(tmp_path / "dumps" / FAILED, row("b", [0.0, 0.0]))
    write_lines(tmp_path / "groups.jsonl", trainer_group("c"))
    write_lines(tmp_path / "evals" / "samples.jsonl", sample("lcm", 1), sample("lcm", 2, None))
    write_lines(tmp_path / "metrics.jsonl", report(1, 1.5, train__accuracy=0.5))
    index = index_of(tmp_path)
    assert index["total"] == 5
    runs = ["all failed, run 5f1c2a7e", "rollouts, run 5f1c2a7e"]
    assert index["sources"] == [*runs, "evaluation evals", "groups.jsonl"]
    assert index["tasks"] == ["gcd", "lcm"]
    assert [run["steps"] for run in index["runs"]] == [[1]]
    assert index["notes"] == []


def test_groups_have_the_step_of_their_report(tmp_path: Path) -> None:
    """Time leads to the step of the group's run; a group of `process` has that of its line."""
    write_lines(tmp_path / DUMP, row("b", time=150.0), row("a", time=50.0), row("c", time=999.0))
    write_lines(tmp_path / "metrics.jsonl", report(7, 100.5), report(8, 200.5))
    write_lines(tmp_path / "groups.jsonl", trainer_group("d"))
    write_lines(tmp_path / "of_no_run.jsonl", row("e", time=60.0, run=""))
    groups = index_of(tmp_path)["groups"]
    steps = dict(zip(groups["id"], groups["step"], strict=True))
    assert steps == {"a": 7, "b": 8, "c": None, "d": 1, "e": None}
    assert groups["id"] == ["d", "a", "e", "b", "c"]
