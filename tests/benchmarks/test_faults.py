"""The whole loop while everything around the environment fails, and while it is killed itself."""

import asyncio
import json
import signal
from pathlib import Path

import pytest

from benchmarks.faults import Storm, acknowledged, end, run_kills, run_weather, scored, until

pytestmark = pytest.mark.slow


def all_is_there(result: dict) -> bool:
    return not any(result[name] for name in ("lost", "duplicated"))


async def weathered(folder: Path, seconds: float) -> None:
    result = await run_weather(folder, seconds)
    assert all_is_there(result), result
    assert result["lost_on_disk"] == result["duplicated_on_disk"] == 0
    assert result["groups_scored"] == result["groups_delivered"] == result["groups_on_disk"] > 50
    assert result["exit_code"] == 143 and result["tracebacks"] == 0
    assert result["registered_again"] >= 1
    assert sum(result["injected"].values()) > 30


async def survived(folder: Path, kills: int) -> None:
    result = await run_kills(folder, kills)
    assert all_is_there(result), result
    assert result["groups_acknowledged"] >= 2 * kills and result["exit_code"] == 143
    assert result["written_but_not_yet_said"] <= kills
    assert result["unfinished_files"] == 0


async def test_no_group_is_lost_or_sent_twice_whatever_fails(tmp_path: Path) -> None:
    """Every fault of both servers, outages, and a restarted API: each scored group arrives once."""
    await weathered(tmp_path, seconds=0.7)


async def test_kill_9_of_the_environment_loses_no_saved_group(tmp_path: Path) -> None:
    """Three times killed, three times started again in the same folder."""
    await survived(tmp_path, kills=3)


@pytest.mark.soak
async def test_no_group_is_lost_in_long_bad_weather(tmp_path: Path) -> None:
    """Eight seconds of each fault."""
    await weathered(tmp_path, seconds=8)


@pytest.mark.soak
async def test_kill_9_thirty_times_loses_no_saved_group(tmp_path: Path) -> None:
    """Thirty times killed."""
    await survived(tmp_path, kills=30)


async def test_an_api_that_stays_away_ends_the_run_with_everything_saved(tmp_path: Path) -> None:
    """After outage_patience: one sentence that names it, exit code 1, nothing unfinished."""
    async with Storm(tmp_path) as storm:
        env = await storm.start_environment(outage_patience=3, shutdown_grace=1)
        await storm.children.while_alive(storm.until_delivered(4))
        await storm.api.go_down()
        async with asyncio.timeout(60):
            assert await env.process.wait() == 1
        log = env.log.read_text()
        assert "Traceback" not in log and f"error: Asking {storm.api.url}" in log
        assert sum(storm.ids_on_disk().values()) == scored(log) == acknowledged(log)
        assert not list(tmp_path.glob("dumps/*.partial"))


async def test_inference_that_stays_away_ends_process_with_everything_saved(
    tmp_path: Path,
) -> None:
    """`process` neither loops nor waits for ever, and its file has every group."""
    async with Storm(tmp_path) as storm:
        out = tmp_path / "groups.jsonl"
        env = await storm.start_environment(
            "process", data_path_to_save_groups=out, outage_patience=3, total_steps=10**6
        )
        await until(lambda: out.exists() and out.read_text().count("\n") >= 3)
        await storm.inference.go_down()
        async with asyncio.timeout(60):
            assert await env.process.wait() == 1
        log = env.log.read_text()
        assert "Traceback" not in log and "\nerror: " in log and "inference" in log
        assert len(out.read_text().splitlines()) == scored(log)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
async def test_what_process_has_scored_is_in_its_file(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """A stopped `process` leaves every group it scored, a killed one whole lines up to the last."""
    async with Storm(tmp_path) as storm:
        out = tmp_path / "groups.jsonl"
        env = await storm.start_environment(
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
    """SIGTERM in the middle of an evaluation closes and exits with 143."""
    async with Storm(tmp_path) as storm:
        storm.inference.rates = {"hang": 1.0}
        env = await storm.start_environment("evaluate", num_eval_tasks=0)
        await until(lambda: storm.inference.injected["hang"] > 0)
        assert await end(env) == 143
        assert "Traceback" not in env.log.read_text()
