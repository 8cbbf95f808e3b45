"""rgenv/validation/cli.py: exit codes, output files, progress and signals."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rgenv.rollouts.dump import group_row
from rgenv.validation import cli
from rgenv.validation.cli import main
from tests.support.altered_library import altered_library
from tests.support.paths import ROOT
from tests.support.polling import until
from tests.support.processes import descendants, ends_within

pytestmark = pytest.mark.slow

RUN = [sys.executable, "-c", "import sys; from rgenv.validation.cli import main; sys.exit(main())"]


def openenv_checks(path: Path) -> dict[str, str]:
    """Return the status of each check of a file in OpenEnv's form, and the verdict over all."""
    found = json.loads(path.read_text())
    assert found["report_schema_version"] == "1" and found["policy_version"] == "v1"
    checks = {result["check_id"]: result["status"] for result in found["results"]}
    assert {"semantic.oracle_max", "semantic.floor_gap"} <= checks.keys()
    return {**checks, "verdict": found["verdict"]}


def test_healthy_tasks_are_a_success(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Healthy tasks exit with 0, a table, a line for each task, and what was left out."""
    words = ["--tasks", "dice,knights*", "--levels", "none,0.5", "--seeds", "3", "--drawn", "0"]
    path = tmp_path / "report.json"
    assert main([*words, "--workers", "1", "--openenv", str(path)]) == 0
    out, err = capsys.readouterr()
    assert "dice" in out and "1/2 " in err and "2/2 " in err
    assert "2 tasks, 12 problems: 2 healthy" in out
    assert "Left out: levels 0, 0.25, 0.75, 1.\n" in out
    assert "Left out: problems: 3 of each level instead of 10, and 0 instead of 150" in out
    assert ": junk: " not in out
    checks = openenv_checks(path)
    assert checks["verdict"] == checks["semantic.canary_floor"] == "pass"


def test_a_verifier_that_pays_junk_is_unhealthy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library's own verifier pays junk; without the packages for fitting that is measured, too.

    One line names the missing package.
    """
    monkeypatch.setattr(cli, "FITTING", ("sklearn", "no_such_package"))
    words = "--tasks gcd --levels none --seeds 2 --drawn 0 --workers 1".split()
    path = tmp_path / "report.json"
    assert main([*words, "--strict-verifiers", "false", "--openenv", str(path)]) == 1
    checks = openenv_checks(path)
    assert checks["verdict"] == checks["semantic.canary_floor"] == "fail"
    out = capsys.readouterr().out
    assert "gcd: junk: " in out
    assert "Left out: programs that are fitted; they need no_such_package: run `pip" in out


def test_tasks_of_another_source_are_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """With another release of the library, each task is served, and the last line says how."""
    folder = altered_library(tmp_path)
    monkeypatch.setattr(cli, "checkout_path", lambda: str(folder))
    words = ["--tasks", "gcd,lcm,doubling", "--levels", "none,1", "--seeds", "3", "--drawn", "0"]
    main([*words, "--workers", "1"])
    out, err = capsys.readouterr()
    assert "gcd [changed]: " in err and "doubling [new]: " in err and "lcm: " in err
    assert out.splitlines()[-1] == (
        "Covered: 1 of 3 tasks; with another source: gcd; new: doubling; "
        "gone from the library: kakurasu."
    )
    levels = {line.split("  ")[0].strip(): line for line in out.splitlines()}
    assert levels["lcm"].split("  ")[1:] and " default, 1 " in levels["lcm"]
    assert all(" default " in levels[task] for task in ("gcd", "doubling"))
    assert main(["--tasks", "kakurasu"]) == 2
    assert "'kakurasu'. The task is gone from this reasoning-gym" in capsys.readouterr().err


def dump(path: Path, *scores: float) -> Path:
    """Write a group of one right answer for each score that it is saved with."""
    talk = [[{"role": "assistant", "content": "<answer>156</answer>"}]]
    recipe = {"task": "chain_sum", "seed": 7, "config": {}, "level": None}
    meta = {"recipe": recipe, "verdicts": ["scored"]}
    rows = [
        group_row("chain_sum", talk, [raw], metadata={**meta, "raw_scores": [raw]})
        for raw in scores
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_dump_that_disagrees_is_a_failure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A dump that disagrees exits with 1 and names the line of the disagreement."""
    path = dump(tmp_path / "a.jsonl", 1.0, 0.25)
    assert main(["--dump", str(path)]) == 1
    out = capsys.readouterr().out
    assert f"{path}:2: chain_sum, seed 7: saved 0.25, now 1 (scored" in out and "50.00 %" in out


async def test_ctrl_c_ends_the_command_cleanly() -> None:
    """It ends with its exit code and the name of the signal, and leaves no worker behind."""
    words = [*RUN, "--tasks", "arc_agi", "--seeds", "500"]
    run = await asyncio.create_subprocess_exec(
        *words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        await until(lambda: len(descendants(run.pid)) >= 7)
        started = descendants(run.pid)
        run.send_signal(signal.SIGINT)
        _, output = await asyncio.wait_for(run.communicate(), 60)
    except BaseException:
        run.kill()  # workers end with their parent
        raise
    err = output.decode()
    messages = [line for line in err.splitlines() if not line.startswith("Validating: ")]
    assert run.returncode == 130 and len(messages) == 2, err
    assert messages[-1] == "Ended: signal SIGINT."
    assert all(ends_within(pid, 10) for pid in started)


@pytest.mark.soak
def test_every_task_is_healthy() -> None:
    """Every fault of all tasks, at all levels, has a known reason."""
    assert main([]) == 0
