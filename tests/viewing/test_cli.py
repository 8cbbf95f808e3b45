"""rgenv/viewing/cli.py: the command `view`."""

from pathlib import Path

import pytest

from rgenv.viewing.cli import main
from tests.support.viewed import DUMP, page_data, row, write_lines


def test_the_page_is_in_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command says what is in view.html. One file of any name is enough, and so is another
    name for the page."""
    write_lines(tmp_path / DUMP, row("a"), row("b"))
    assert main([str(tmp_path)]) == 0
    assert page_data(tmp_path / "view.html")[0]["total"] == 2
    assert f"2 groups in {tmp_path / 'view.html'} (0." in capsys.readouterr().out
    path = write_lines(tmp_path / "groups.txt", row("a"))
    assert main([str(path), "--output", str(tmp_path / "page.html"), "--most", "5"]) == 0
    assert (tmp_path / "page.html").exists()


def test_a_folder_that_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that can't be written is one sentence and exit code 1."""
    write_lines(tmp_path / DUMP, row("a"))
    (tmp_path / "file").write_text("")
    output = tmp_path / (f"{'x' * 300}.html")
    assert main([str(tmp_path), "--output", str(output)]) == 1
    assert "File name too long" in capsys.readouterr().err
