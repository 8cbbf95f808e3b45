"""rgenv/cli/view.py: the command `view`."""

from pathlib import Path

import pytest

from rgenv.cli.entry import answer
from tests.support.samples import sample
from tests.support.viewed import DUMP, page_data, row, write_lines


def test_the_page_is_in_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lines(tmp_path / DUMP, row("a"), row("b"))
    assert answer(["view", str(tmp_path)]) == 0
    assert page_data(tmp_path / "view.html")[0]["total"] == 2
    assert f"2 groups in {tmp_path / 'view.html'} (" in capsys.readouterr().out
    path = write_lines(tmp_path / "groups.txt", row("a"))
    for name, code in (("page.html", 0), ("x" * 300 + ".html", 1)):
        words = ["view", str(path), "--output", str(tmp_path / name), "--most", "5"]
        assert answer(words) == code
    assert (tmp_path / "page.html").exists()
    assert "File name too long" in capsys.readouterr().err


def test_two_folders_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b, c = folders = [str(tmp_path / name) for name in ("a", "b", "c")]
    for folder, task in zip(folders, ("gcd", "gcd", "lcm"), strict=True):
        write_lines(Path(folder, "samples.jsonl"), sample(task, 1), sample(task, 2))
    assert answer(["view", a, b]) == 0
    assert "2 problems in common in" in capsys.readouterr().out
    assert page_data(tmp_path / "a" / "compare.html")[0]["sides"] == [a, b]
    assert answer(["view", a, c]) == answer(["view", a, b, c]) == 2
    err = capsys.readouterr().err
    assert "have no problem in common, and no task at the same level" in err
    assert "name the folder above them" in err
