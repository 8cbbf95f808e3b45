"""The whole training loop while its servers fail, and while the environment is killed."""

import asyncio
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from benchmarks.faults import (
    TIMEOUT,
    FaultySystem,
    acknowledged,
    end,
    run_faults,
    run_kills,
    scored,
    until,
)

pytestmark = pytest.mark.soak


async def check_faults(folder: Path, seconds: float) -> None:
    result = await run_faults(folder, seconds)
    assert nothing_lost(result), result
    assert result["lost_on_disk"] == result["duplicated_on_disk"] == 0
    assert result["groups_scored"] == result["groups_delivered"] == result["groups_on_disk"] > 50
    assert result["exit_code"] == 143 and result["tracebacks"] == 0
    assert result["registered_again"] >= 1
    assert sum(result["injected"].values()) > 30


async def check_kills(folder: Path, kills: int) -> None:
    result = await run_kills(folder, kills)
    assert nothing_lost(result), result
    assert result["groups_acknowledged"] >= 2 * kills and result["exit_code"] == 143
    assert result["written_but_not_yet_said"] <= kills


def nothing_lost(result: dict[str, Any]) -> bool:
    return not any(result[name] for name in ("lost", "duplicated"))


async def test_no_group_is_lost_during_long_faults(tmp_path: Path) -> None:
    """Each scored group arrives once when every fault lasts for eight seconds."""
    await check_faults(tmp_path, seconds=8)


async def test_kill_9_thirty_times_loses_no_saved_group(tmp_path: Path) -> None:
    """An environment killed and restarted thirty times in one folder keeps every saved group."""
    await check_kills(tmp_path, kills=30)


async def test_an_api_that_stays_away_ends_the_run_with_everything_saved(tmp_path: Path) -> None:
    """After outage_patience the run exits with 1, and names the API."""
    async with FaultySystem(tmp_path) as system:
        env = await system.start_environment(outage_patience=3)
        await system.children.while_alive(system.until_delivered(4))
        await system.api.go_down()
        async with asyncio.timeout(TIMEOUT):
            assert await env.process.wait() == 1
        log = env.log.read_text()
        ended = log.splitlines()[-1]
        assert "Traceback" not in log and "Ended: " in ended and str(system.api.port) in ended
        assert sum(system.groups_on_disk().values()) == scored(log) == acknowledged(log)


async def test_inference_that_stays_away_ends_process_with_everything_saved(
    tmp_path: Path,
) -> None:
    """After outage_patience `process` exits with 1, and its file has every scored group."""
    async with FaultySystem(tmp_path) as system:
        out = tmp_path / "groups.jsonl"
        env = await system.start_environment(
            "process", data_path_to_save_groups=out, outage_patience=3, total_steps=10**6
        )
        await until(lambda: out.exists() and out.read_text().count("\n") >= 3)
        await system.inference.go_down()
        async with asyncio.timeout(TIMEOUT):
            assert await env.process.wait() == 1
        log = env.log.read_text()
        assert "Traceback" not in log and "Ended: No " in log and "inference" in log
        assert len(out.read_text().splitlines()) == scored(log)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
async def test_what_process_has_scored_is_in_its_file(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """A terminated `process` saves every scored group; a killed one all but the last."""
    async with FaultySystem(tmp_path) as system:
        out = tmp_path / "groups.jsonl"
        env = await system.start_environment(
            "process", data_path_to_save_groups=out, total_steps=10**6
        )
        await until(lambda: out.exists() and out.read_text().count("\n") >= 5)
        assert await end(env, number) == code
        lines = out.read_text().splitlines(keepends=True)
        whole = [json.loads(line) for line in lines if line.endswith("\n")]
        assert len(lines) - len(whole) <= (0 if number == signal.SIGTERM else 1)
        missing = scored(env.log.read_text()) - len(whole)
        assert missing == 0 if number == signal.SIGTERM else missing in (0, 1)
        assert all(messages[-1]["role"] == "assistant" for g in whole for messages in g["messages"])


async def test_evaluate_can_be_stopped(tmp_path: Path) -> None:
    """SIGTERM during an evaluation closes it and the exit code is 143."""
    async with FaultySystem(tmp_path) as system:
        system.inference.rates = {"hang": 1.0}
        env = await system.start_environment("evaluate", num_eval_tasks=0)
        await until(lambda: system.inference.injected["hang"] > 0)
        assert await end(env) == 143
        assert "Traceback" not in env.log.read_text()
