"""rgenv/cli/export_problems.py: new problems as a data set, by `export --problems`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rgenv import ReasoningGym
from rgenv.cli import export_problems
from rgenv.cli.export import main
from rgenv.cli.export_problems import LOCK
from rgenv.export.columns import card, problem_row
from rgenv.runtime.owned_lock import OwnedLock
from rgenv.secrets import remember_words
from rgenv.types import SOLVED, Problem

WORDS = ["--tasks", "gcd,maze,spell_backward", "--levels", "none,0.5", "--held-out", "3"]


def export(folder: Path, *words: str, problems: int = 60) -> dict[str, bytes]:
    """Run the command; return the files of the data."""
    assert main(["--problems", str(problems), str(folder), *WORDS, *words]) == 0
    return content(folder)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "data").iterdir())}


def rows(folder: Path, split: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted(folder.glob(f"data/{split}-*.jsonl"))
        for line in path.read_text().splitlines()
    ]


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data set of three tasks."""
    folder = tmp_path_factory.mktemp("exported") / "\udcff"  # a byte that is no UTF-8
    export(folder)
    yield folder


@pytest.mark.slow
def test_each_row_makes_its_problem_again(exported: Path) -> None:
    """Recipes make the prompts, reference answers score, and no problem of training is held out."""
    train, held_out = rows(exported, "train"), rows(exported, "held_out")
    assert len(train) == 60 and len(held_out) == 3 * 2 * 3
    assert {row["task"] for row in train} == {"gcd", "maze", "spell_backward"}
    assert {row["level"] for row in train} == {"none", "0.5"}
    with ReasoningGym() as gym:
        for row in train[:20] + held_out:
            problem = gym.make(**json.loads(row["recipe"]))
            assert problem.messages == row["prompt"] and problem.held_out == (row in held_out)
            [score] = gym.score(row["recipe"], [f"<answer>{row['answer']}</answer>"])
            assert score >= SOLVED
            assert row["source"] == problem.source
    page = (exported / "README.md").read_text()
    assert "rl-environment" in page and "path: data/train-*.jsonl" in page


@pytest.mark.slow
def test_files_do_not_depend_on_workers_or_interruptions(
    exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One worker, several files, a lost file and another seed: the problems follow the settings."""
    assert export(tmp_path / "one", "--workers", "1") == content(exported)
    monkeypatch.setattr(export_problems, "ROWS_IN_A_FILE", 20)
    parts = export(tmp_path / "parts")
    assert rows(tmp_path / "parts", "train") == rows(exported, "train")
    lost = tmp_path / "parts" / "data" / "train-00001-of-00003.jsonl"
    times = {path: path.stat().st_mtime_ns for path in lost.parent.iterdir() if path != lost}
    lost.unlink()
    assert export(tmp_path / "parts") == parts
    kept = {path for path, time in times.items() if path.stat().st_mtime_ns == time}
    assert {path.name for path in kept} >= {"train-00000-of-00003.jsonl"}
    other = export(tmp_path / "other", "--seed", "43")
    assert other["held_out-00000-of-00001.jsonl"] == parts["held_out-00000-of-00001.jsonl"]
    assert rows(tmp_path / "other", "train") != rows(exported, "train")


@pytest.mark.parametrize("columns", ["verl", "skyrl", "nemo_gym"])
def test_rows_of_trainers_have_prompt_and_recipe(columns: str) -> None:
    """Each convention has the conversation and the recipe where its trainer looks for them."""
    problem = Problem("gcd", 7, 0.5, {}, "What?", "4")
    row = problem_row(columns, problem, "train", 3)
    prompt = row["prompt"] if "prompt" in row else row["responses_create_params"]["input"]
    place = {"verl": "reward_model", "skyrl": "reward_spec"}.get(columns)
    recipe = row[place]["ground_truth"] if place else row["recipe"]
    assert prompt == problem.messages and json.loads(recipe) == problem.recipe


def test_the_card_has_no_password() -> None:
    """It is published, and has the command."""
    command = "export --ray ray://me:pa55word@cluster"
    remember_words(command.split())  # as the command line does
    assert "pa55word" not in card({}, ending=".jsonl", command=command, version="1")


@pytest.mark.slow
def test_a_folder_is_written_by_one_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A second one removes nothing of the first while that lives, and then what a kill left."""
    words = ["--problems", "5", str(tmp_path), "--tasks", "gcd", "--split", "train"]
    assert main(words) == 0
    [rows] = (tmp_path / "data").iterdir()
    temporary = rows.with_name(f"{rows.name}.{'0' * 16}.tmp")
    temporary.touch()
    lock = OwnedLock(tmp_path / LOCK)
    assert lock.acquire() and main(words) == 1
    assert f"writes {tmp_path}: wait for it" in capsys.readouterr().err and temporary.exists()
    lock.release()
    first, before = rows.read_bytes(), sorted(tmp_path.iterdir())
    assert main(words) == 0
    assert capsys.readouterr().out == f"{tmp_path}: 5 in train.\n"
    assert rows.read_bytes() == first and sorted(tmp_path.iterdir()) == before
    assert not temporary.exists()
