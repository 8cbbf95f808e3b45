"""rgenv/runtime/progress.py: what a terminal and a log file show."""

import io
import sys

import pytest
from tqdm import tqdm

from rgenv.runtime import progress
from rgenv.runtime.progress import Progress


@pytest.fixture(autouse=True)
def _every_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 1e-6)
    monkeypatch.setattr(progress, "TERMINAL_SECONDS", 0.0)


def test_a_log_has_a_line_for_each_state(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("Learning", total=10, unit="steps", initial=4) as shown:
        shown.advance(note="loss 2")
        shown.write("saved")
        shown.show("waiting")
    first, own, second, last = capsys.readouterr().err.splitlines()
    assert first.startswith("Learning: 5/10 steps, loss 2, ") and first.endswith("left")
    assert own == "saved" and second.startswith("Learning: 5/10 steps, waiting, ")
    assert "steps/s, took 00:0" in last


def test_in_a_terminal_the_line_is_written_anew(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It fits the terminal and ends in one line break, also beside a bar of another library, and
    after a run of ours in which nothing was counted."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    with Progress("Nothing", total=2) as nothing:
        nothing.show("no answer yet")
    capsys.readouterr()
    with (
        tqdm(total=1, disable=False, file=io.StringIO()),
        Progress("Asking", total=2, unit="samples") as shown,
    ):
        shown.advance(note="accuracy 1.000")
        shown.show("no answer yet " + "…" * 500)
    first, second, last = capsys.readouterr().err.split("\r")[1:]
    assert first.startswith("Asking: 1/2 samples, accuracy 1.000") and "\n" not in first + second
    assert len(second.rstrip()) < 80 and last.endswith("\n")


def test_a_brief_run_says_something_only_if_it_takes_long(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for seconds, lines in ((60.0, 0), (1e-6, 2)):
        monkeypatch.setattr(progress, "LINE_SECONDS", seconds)
        with Progress("Making", total=2, brief=True) as shown:
            shown.advance(2)
        assert capsys.readouterr().err.count("Making: 2/2 items") == lines
