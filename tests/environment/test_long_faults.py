"""The whole training loop while its servers fail, and while the environment is killed."""

import json
import re
import signal
from pathlib import Path

import pytest

from tests.support.faulty_system import FaultySystem, end, run_faults, run_kills, scored
from tests.support.polling import until

pytestmark = pytest.mark.soak


async def test_no_group_is_lost_during_long_faults(tmp_path: Path) -> None:
    """Each scored group arrives when every fault lasts for eight seconds."""
    result = await run_faults(tmp_path, seconds=8)
    assert not result["lost"], result
    assert result["lost_on_disk"] == result["duplicated_on_disk"] == 0
    assert result["groups_scored"] == result["groups_delivered"] == result["groups_on_disk"] > 50
    assert result["exit_code"] == 143 and result["tracebacks"] == 0
    assert result["registered_again"] >= 1
    assert sum(result["injected"].values()) > 30


async def test_kill_9_thirty_times_loses_no_saved_group(tmp_path: Path) -> None:
    """An environment killed and restarted thirty times in one folder keeps every saved group."""
    kills = 30
    result = await run_kills(tmp_path, kills)
    assert not (result["lost"] or result["duplicated"]), result
    assert result["groups_acknowledged"] >= 2 * kills and result["exit_code"] == 143
    assert result["written_but_not_yet_said"] <= kills


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGKILL, -9)])
async def test_what_process_has_scored_is_in_its_file(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """A terminated `process` saves every scored group; a killed one asks again for what waited
    for an earlier group. The same command goes on, and writes no problem twice.
    """
    async with FaultySystem(tmp_path) as system:
        out = tmp_path / "groups.jsonl"
        options = {"data_path_to_save_groups": out, "total_steps": 10**6}
        env = await system.start_environment("process", **options)
        await until(lambda: out.exists() and out.read_text().count("\n") >= 5)
        assert await end(env, number) == code
        lines = out.read_text().splitlines(keepends=True)
        whole = [json.loads(line) for line in lines if line.endswith("\n")]
        assert len(lines) - len(whole) <= (0 if number == signal.SIGTERM else 1)
        missing = scored(env.log.read_text()) - len(whole)
        assert missing == 0 if number == signal.SIGTERM else missing >= 0
        env = await system.start_environment("process", **options)
        await until(lambda: out.read_text().count("\n") >= len(lines) + 5)
        assert await end(env, signal.SIGTERM) == 143
        found = re.findall(r'"seed": (\d+)', out.read_text())
        assert len(found) == len(set(found)) > len(whole)
        assert all(messages[-1]["role"] == "assistant" for g in whole for messages in g["messages"])
