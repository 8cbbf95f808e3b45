"""rgenv/export/problem_set.py: new problems as a data set, by `export --problems`."""

import json
from pathlib import Path
from typing import Any

import pytest

from rgenv import ReasoningGym
from rgenv.cli.entry import answer
from rgenv.cli.export_problems import LOCK
from rgenv.export import problem_set
from rgenv.export.columns import card
from rgenv.runtime.owned_lock import OwnedLock
from rgenv.secrets import remember_words
from rgenv.types import SOLVED

WORDS = ["--tasks", "gcd,maze,spell_backward", "--levels", "none,0.5", "--held-out", "3"]


def export(folder: Path, *words: str) -> dict[str, bytes]:
    assert answer(["export", "--problems", "60", str(folder), *WORDS, *words]) == 0
    return content(folder)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "data").iterdir())}


def rows(folder: Path, split: str) -> list[dict[str, Any]]:
    files = sorted(folder.glob(f"data/{split}-*.jsonl"))
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "\udcff"  # a byte that is no UTF-8
    export(folder, "--force")
    return folder


@pytest.mark.slow
def test_each_row_makes_its_problem_again(exported: Path) -> None:
    train, held_out = rows(exported, "train"), rows(exported, "held_out")
    assert len(train) == 60 and len(held_out) == 3 * 2 * 3
    assert {row["task"] for row in train} == {"gcd", "maze", "spell_backward"}
    assert {row["level"] for row in train} == {"none", "0.5"}
    with ReasoningGym() as gym:
        for row in train[:20] + held_out:
            problem = gym.make(**json.loads(row["recipe"]))
            assert problem.messages == row["prompt"] and problem.held_out == (row in held_out)
            [score] = gym.score(row["recipe"], [f"<answer>{row['answer']}</answer>"])
            assert score >= SOLVED and row["source"] == problem.source
    page = (exported / "README.md").read_text()
    assert "path: data/train-*.jsonl" in page and "--force" not in page


@pytest.mark.slow
def test_files_do_not_depend_on_workers_or_interruptions(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker, several files, a lost file and another seed: the problems follow the settings."""
    monkeypatch.setattr(problem_set, "ROWS_IN_A_FILE", 20)
    parts = export(tmp_path / "parts", "--workers", "1")
    assert rows(tmp_path / "parts", "train") == rows(exported, "train")
    lost = tmp_path / "parts" / "data" / "train-00001-of-00003.jsonl"
    first = lost.with_name("train-00000-of-00003.jsonl")
    written = first.stat().st_mtime_ns
    lost.unlink()
    assert export(tmp_path / "parts") == parts and first.stat().st_mtime_ns == written
    other = export(tmp_path / "other", "--seed", "43")
    assert other["held_out-00000-of-00001.jsonl"] == parts["held_out-00000-of-00001.jsonl"]
    assert rows(tmp_path / "other", "train") != rows(exported, "train")


def test_the_card_has_no_password() -> None:
    command = "export --ray ray://me:pa55word@cluster"
    remember_words(command.split())  # as the command line does
    assert "pa55word" not in card({}, ending=".jsonl", command=command, version="1")


@pytest.mark.slow
def test_a_folder_is_written_by_one_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second one removes nothing of the first while that lives, and then what a kill left."""
    words = ["export", "--problems", "5", str(tmp_path), "--tasks", "gcd", "--split", "train"]
    assert answer(words) == 0
    first = content(tmp_path)
    temporary = tmp_path / "data" / f"{next(iter(first))}.{'0' * 16}.tmp"
    temporary.touch()
    lock = OwnedLock(tmp_path / LOCK)
    assert lock.acquire() and answer(words) == 1
    assert f"writes {tmp_path}: wait for it" in capsys.readouterr().err and temporary.exists()
    lock.release()
    assert answer(words) == 0
    assert capsys.readouterr().out == f"{tmp_path}: 5 in train.\n"
    assert content(tmp_path) == first
