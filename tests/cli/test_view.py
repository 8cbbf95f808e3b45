"""rgenv/cli/view.py: the command `view`."""

from pathlib import Path

import pytest

from rgenv.cli.view import main
from tests.support.samples import sample
from tests.support.viewed import DUMP, page_data, row, write_lines


def test_the_page_is_in_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says what is in view.html. One file of any name is enough, and so is another
    name for the page."""
    write_lines(tmp_path / DUMP, row("a"), row("b"))
    assert main([str(tmp_path)]) == 0
    assert page_data(tmp_path / "view.html")[0]["total"] == 2
    assert f"2 groups in {tmp_path / 'view.html'} (" in capsys.readouterr().out
    path = write_lines(tmp_path / "groups.txt", row("a"))
    assert main([str(path), "--output", str(tmp_path / "page.html"), "--most", "5"]) == 0
    assert (tmp_path / "page.html").exists()


def test_two_folders_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Their page has another name; two without a common task, or three folders, are refused."""
    folders = [tmp_path / name for name in ("a", "b", "c")]
    for folder, task in zip(folders, ("gcd", "gcd", "lcm"), strict=True):
        write_lines(folder / "samples.jsonl", sample(task, 1), sample(task, 2))
    a, b, c = map(str, folders)
    assert main([a, b]) == 0
    assert "2 problems in common in" in capsys.readouterr().out
    assert page_data(tmp_path / "a" / "compare.html")[0]["sides"] == [a, b]
    assert main([a, c]) == 2
    assert "have no problem in common, and no task at the same level" in capsys.readouterr().err
    assert main([a, b, c]) == 2
    assert "name the folder above them" in capsys.readouterr().err


def test_a_folder_that_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that can't be written is one sentence and exit code 1."""
    write_lines(tmp_path / DUMP, row("a"))
    output = tmp_path / (f"{'x' * 300}.html")
    assert main([str(tmp_path), "--output", str(output)]) == 1
    assert "File name too long" in capsys.readouterr().err
