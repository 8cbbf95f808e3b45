"""rgenv/validation/cli.py: words in, exit code out; files are written, signals end it cleanly."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rgenv.validation.cli import main
from tests.support.paths import ROOT

RUN = [sys.executable, "-c", "import sys; from rgenv.validation.cli import main; sys.exit(main())"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--tasks chain_sun", "Did you mean chain_sum"),
        ("--tasks gcd,composite", "made of other tasks"),
        ("--levels 0,2", "[0, 1]"),
        ("--levels easy", "[0, 1]"),
        ("--levels ,", "[0, 1]"),
        ("--seeds 0", "from 1 on"),
        ("--seeds -3", "from 1 on"),
        ("--strict-verifiers perhaps", "neither true nor false"),
        ("--seed 3", "--seed 3"),
        ("--json /proc/no/such/folder.json", "another path"),
        ("--dump /no/such/dump.jsonl", "name a file"),
    ],
)
def test_bad_usage_is_one_sentence(
    capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    """Exit code 2, one line on stderr that names the remedy, nothing on stdout."""
    assert main(words.split()) == 2
    out, err = capsys.readouterr()
    assert said in err and err.count("\n") == 1 and err.startswith("error: ") and out == ""


def test_help_lists_the_options(capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` is not an error."""
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0 and "--strict-verifiers" in capsys.readouterr().out


def test_healthy_tasks_are_a_success(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Exit code 0, a table, a line of progress for each task, and both files."""
    data, page = tmp_path / "new" / "all.json", tmp_path / "TASKS.md"
    words = ["--tasks", "dice,knights*", "--levels", "none,0.5", "--seeds", "3", "--seed-base", "9"]
    assert main([*words, "--json", str(data), "--markdown", str(page)]) == 0
    out, err = capsys.readouterr()
    assert "dice" in out and "1/2 " in err and "2/2 " in err
    content = json.loads(data.read_text())
    assert content["healthy"] and content["seeds"] == 3 and content["levels"] == [None, 0.5]
    items = content["tasks"]["dice"]["levels"][1]["items"]
    assert [item["seed"] for item in items] == [9, 10, 11]
    assert all(item["remade"] for item in items)
    text = page.read_text()
    assert "| `dice` | arithmetic |" in text and str(tmp_path) not in text
    assert "validate --tasks dice,knights* --levels" not in text  # quoted for a shell
    assert "'dice,knights*'" in text


def test_an_unhealthy_task_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    """The library's own verifier of game_of_life_halting takes any text: exit code 1."""
    words = ["--tasks", "game_of_life_halting", "--levels", "none", "--seeds", "4"]
    assert main([*words, "--strict-verifiers", "false"]) == 1
    assert "game_of_life_halting: junk: " in capsys.readouterr().out


def dump(path: Path, *, score: float) -> Path:
    """Two groups of one right answer each, the second saved with `score`."""
    from rgenv.rollouts.dump import group_row

    talk = [[{"role": "assistant", "content": "<answer>156</answer>"}]]
    meta = {
        "task": "chain_sum",
        "seed": 7,
        "config": {},
        "level": None,
        "extracted": ["156"],
        "verdicts": ["scored"],
    }
    rows = [
        group_row("chain_sum", talk, [raw], metadata={**meta, "raw_scores": [raw]})
        for raw in (1.0, score)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_dump_that_agrees_is_a_success(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A whole folder at once, one line of result."""
    dump(tmp_path / "a.jsonl", score=1.0)
    assert main(["--dump", str(tmp_path)]) == 0
    assert "2 groups, 2 rollouts: 100.00 %" in capsys.readouterr().out


def test_a_dump_that_disagrees_is_a_failure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Exit code 1, and where the difference is."""
    path = dump(tmp_path / "a.jsonl", score=0.25)
    assert main(["--dump", str(path)]) == 1
    out = capsys.readouterr().out
    assert f"{path}:2: chain_sum, seed 7: saved 0.25, now 1 (scored" in out and "50.00 %" in out


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "term"]
)
def test_a_signal_ends_it_cleanly(number: int, code: int) -> None:
    """In the middle of the work: the exit code, one word, no traceback and no worker left."""
    run = subprocess.Popen(
        [*RUN, "--tasks", "arc_agi", "--seeds", "500"],
        cwd=ROOT,
        env=os.environ,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        deadline = time.monotonic() + 60
        while len(children(run.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        workers = children(run.pid)
        time.sleep(0.5)
        os.kill(run.pid, number)
        _, err = run.communicate(timeout=30)
    finally:
        run.kill()  # workers end with their parent
    assert run.returncode == code and "Traceback" not in err and err.count("\n") == 1, err
    assert workers and not any(Path(f"/proc/{pid}").exists() for pid in workers)


def children(pid: int) -> list[str]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return listed.read_text().split() if listed.exists() else []


@pytest.mark.soak
def test_every_task_is_healthy() -> None:
    """All tasks at four levels, twenty seeds each: every fault has a reason."""
    assert main([]) == 0
