"""rgenv/cli/tasks.py: the command `tasks`."""

import io
import json
from pathlib import Path

import pytest

from rgenv.cli import tasks
from rgenv.cli.entry import answer
from rgenv.gym import settings
from rgenv.task_names import KNOWN_TASKS
from tests.support.altered_library import altered_library

pytestmark = pytest.mark.slow


def shown(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert answer(["tasks", *words]) == 0
    return capsys.readouterr().out


def test_names_and_patterns_select(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = shown(capsys, "number_sorting,word_sorting", "probability")
    assert all(f"\n{task} " in out for task in ("coin_flip", "number_sorting", "word_sorting"))
    assert "\ngcd " not in out
    monkeypatch.delattr(tasks, "_asked")  # the measured release needs no worker
    out = shown(capsys)
    assert all(f"\n{task} " in out for task in KNOWN_TASKS)
    remarks = {line.split()[0]: line.partition("[")[2] for line in out.splitlines() if "[" in line}
    assert (remarks["acre"], remarks["string_splitting"]) == ("no levels]", "known: shortcut]")
    lines = shown(capsys, "string_splitting").splitlines()
    rows = [line.split()[0] for line in lines if line.startswith(("d", "0", "1"))]
    assert rows == ["default", "0", "0.25", "0.5", "0.75", "1"]
    [file] = [line.split()[1] for line in lines if line.startswith("file ")]
    assert Path(file).name == "string_splitting.py" and Path(file).is_file()


def test_another_release_is_listed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = str(altered_library(tmp_path))
    monkeypatch.setattr(tasks, "is_measured", lambda: False)
    monkeypatch.setattr(settings, "checkout_path", lambda: folder)
    assert answer(["tasks"]) == 0
    out, err = capsys.readouterr()
    assert "\ndoubling " in out and "[not checked: a new task]" in out and "\nkakurasu " not in out
    [gcd] = [line for line in out.splitlines() if line.startswith("gcd ")]
    assert "[not checked: another source]" in gcd
    assert "is installed; 0.1.25 was measured." in err


def test_problems_are_shown_and_an_answer_is_scored(capsys: pytest.CaptureFixture[str]) -> None:
    out = shown(capsys, *"gcd --level 0.5 --seed 3 --show 2 --answer -5".split())
    assert out.count("Reference answer:") == 2
    assert "gcd, level 0.5, seed 3 (draws " in out and "gcd, level 0.5, seed 4" in out
    assert "Parameters: min_numbers=" in out and "never served" not in out
    verdict = "answer   -5\nscore    0\nverdict  scored"
    assert verdict in out and out.index("score") < out.index("seed 4")


def test_a_recipe_is_shown_and_scored(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = {"datasets": [{"name": "gcd", "weight": 1}]}
    recipe = {"task": "composite", "seed": 3, "level": None, "config": config}
    monkeypatch.setattr("sys.stdin", io.StringIO("<think>?</think><answer>0</answer>\n"))
    out = shown(capsys, "--recipe", json.dumps(recipe), "--answer", "-")
    assert "Greatest Common Divisor" in out
    assert "read as  a completion\nanswer   0\nscore    0\n" in out


def test_a_problem_that_cannot_be_made_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    recipe = {"task": "gcd", "seed": 1, "config": {"min_numbers": 9, "max_numbers": 1}}
    assert answer(["tasks", "--recipe", json.dumps(recipe), "--answer", "1"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("error: tasks: gcd, seed 1: no problem (error: ")
