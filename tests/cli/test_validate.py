"""rgenv/cli/validate.py: exit codes, what is printed, and signals."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pyarrow
import pytest
import reasoning_gym
from pyarrow import parquet

from rgenv.cli import validate
from rgenv.cli.entry import answer
from rgenv.export.columns import CONVENTIONS, problem_row
from rgenv.gym import settings
from rgenv.runtime import progress
from rgenv.types import Problem
from tests.support.altered_library import altered_library
from tests.support.dumps import group_row
from tests.support.own_tasks import WHOLE, write
from tests.support.paths import ROOT
from tests.support.polling import until
from tests.support.processes import descendants, ends_within

pytestmark = pytest.mark.slow


def run(*words: str) -> int | object:
    return answer(["validate", "--workers=1", *words])


def test_the_exit_code_says_whether_tasks_are_healthy(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--tasks=maze,knights*", "--levels=none,0.5", "--seeds=3") == 0
    out, err = capsys.readouterr()
    assert "maze" in out and "2/2 " in err and "2 tasks, 12 problems: 2 healthy" in out
    few = ("--levels=none", "--seeds=1")
    assert run("--tasks=maze", *few, "--problems=hardened") == 0
    assert "1 task, 1 problem, 1 of them hardened: 1 healthy" in capsys.readouterr().out
    assert run("--tasks=gcd", *few, "--strict-verifiers=false") == 1
    assert "\ngcd: wrong at default: 1 of 1 problem" in capsys.readouterr().out


def test_tasks_of_another_source_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = altered_library(tmp_path)
    monkeypatch.setattr(validate, "is_measured", lambda: False)
    monkeypatch.setattr(settings, "checkout_path", lambda: str(folder))
    run("--tasks=gcd,lcm,doubling", "--levels=none,1", "--seeds=3")
    out = capsys.readouterr().out
    assert "gcd [changed]" in out and "doubling [new]" in out
    others = "doubling [new], gcd [changed], kakurasu [gone]"
    assert out.splitlines()[-1] == f"Covered: 1 of 3 tasks; others: {others}."
    levels = {line.split(" ")[0]: line for line in out.splitlines()}
    assert " default, 1 " in levels["lcm"]
    assert all(" default " in levels[task] for task in ("gcd", "doubling"))
    assert run("--tasks=kakurasu") == 2
    assert "'kakurasu'. The task is gone from this reasoning-gym" in capsys.readouterr().err


def test_a_dump_that_disagrees_is_a_failure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    talk = [[{"role": "assistant", "content": "<answer>156</answer>"}]]
    recipe = {"task": "chain_sum", "seed": 7, "config": {}, "level": None}
    path = tmp_path / "a.jsonl"
    with path.open("w") as file:
        for score in (1.0, 0.25):
            about = {"recipe": recipe, "verdicts": ["scored"], "raw_scores": [score]}
            print(json.dumps(group_row("chain_sum", talk, [score], metadata=about)), file=file)
    assert run("--dump", str(path)) == 1
    out, err = capsys.readouterr()
    assert "Scoring: 2 lines, " in err
    assert f"{path}:2: chain_sum, seed 7: saved 0.25, now 1 (scored" in out and "50.00 %" in out


def test_modules_that_can_not_be_loaded_are_named_and_others_are_checked(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    failing = WHOLE.replace("rng = Random", "raise KeyError; rng = Random")
    texts = ["def f(:", WHOLE, "X = 1", failing.replace('"backwards"', '"failing"')]
    words = [str(write(tmp_path, text, f"{n}.py")) for n, text in enumerate(texts)]
    few = ("--levels=none", "--seeds=2")
    with patch.object(progress, "LINE_SECONDS", 0.01):
        assert run(*few, "--task-modules", ",".join(words)) == 1
    assert "Scoring answers to backwards at level none: 0 s so far." in caplog.messages
    lines = capsys.readouterr().out.splitlines()
    assert "backwards  default " in "\n".join(lines)
    assert lines[-3].startswith("Not checked: ") and "0.py can't be imported" in lines[-3]
    assert "2.py registers no task" in lines[-3]
    assert lines[-1] == "Covered: 1 of 2 tasks; others: failing [not made]."
    assert run(*few, "--task-modules", f"{words[0]},{words[2]}") == 2
    assert "2.py registers no task" in capsys.readouterr().err
    assert run(*few, "--task-modules", "a.py,b.py") == 2
    assert "a.py does not exist. task_modules: b.py does" in capsys.readouterr().err


def test_ctrl_c_ends_the_command_cleanly() -> None:
    words = ["reasoning_gym_environment.py", "validate", "--tasks=arc_agi", "--seeds=500"]
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, *words], cwd=ROOT, **pipes) as run:
        try:
            asyncio.run(until(lambda: len(descendants(run.pid)) >= 7))
            started = descendants(run.pid)
            run.send_signal(signal.SIGINT)
            _, err = run.communicate(timeout=60)
        finally:
            run.kill()  # workers end with their parent
    messages = [line for line in err.splitlines() if not line.startswith("Validating: ")]
    assert run.returncode == 130 and len(messages) == 2, err
    assert messages[-1] == "Ended: signal SIGINT."
    assert all(ends_within(pid, 10) for pid in started)


@pytest.mark.soak
def test_every_task_is_healthy() -> None:
    assert answer(["validate"]) == 0


def test_rows_that_others_made_are_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = {"source_dataset": "spell_backward", "word": "ab", "word_len": 2}
    asked = "Spell this word backward (example: sun -> nus): ab"
    row = {"question": asked, "answer": "ba", "metadata": json.dumps(data)}
    right = {**row, "completions": ["<answer>ba</answer>"]}
    healthy, mixed = tmp_path / "healthy.parquet", tmp_path / "mixed.jsonl"
    parquet.write_table(pyarrow.Table.from_pylist([right] * 3), healthy)
    assert run("--rows", str(healthy)) == 0
    out = capsys.readouterr().out
    assert "3 rows: 0 with a wrong reference answer, 0 not judged; 3 texts" in out
    wrong = dict(reasoning_gym.create_dataset("family_relationships", size=6, seed=5)[5])
    answers = (wrong["answer"], "daughter-in-law")
    wrong["responses"] = [f"<answer>{one}</answer>" for one in answers]
    mixed.write_text(f"{json.dumps(right)}\n{{\n{json.dumps(wrong)}\n")
    assert run("--rows", str(healthy), str(mixed)) == 1
    not_judged, *others = capsys.readouterr().out.splitlines()
    assert not_judged == f"{mixed}:2: not judged: It is not JSON."
    place = f"{mixed}:3: family_relationships:"
    assert others == [
        f"{place} the reference answer 'father-in-law' is wrong; 'daughter-in-law' is right",
        f"{place} text 1: the library pays 'father-in-law', which is wrong",
        "6 rows: 1 with a wrong reference answer, 1 not judged; 6 texts: the library pays 1 that "
        "are wrong",
    ]


def test_rows_of_an_export_are_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = Problem("gcd", 7, None, {}, question="", answer="x")
    rows = [json.dumps(problem_row(columns, problem, "train", 0)) for columns in CONVENTIONS]
    (tmp_path / "a.jsonl").write_text("\n".join(rows))
    assert run("--rows", str(tmp_path / "a.jsonl")) == 1
    out = capsys.readouterr().out
    assert "4 rows: 4 with a wrong reference answer, 0 not judged" in out
