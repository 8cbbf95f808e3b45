"""The whole training loop while the environment is killed."""

import asyncio
import json
import random
import re
import signal
from pathlib import Path

import pytest

from tests.support.dumps import rows
from tests.support.faulty_system import FaultySystem, acknowledged, end, scored
from tests.support.polling import until

pytestmark = pytest.mark.soak


async def test_kill_9_thirty_times_loses_no_saved_group(tmp_path: Path) -> None:
    rng, kills, saved = random.Random(1), 30, 0
    async with FaultySystem(tmp_path, seed=1) as system:
        for number in range(kills + 1):
            env = await system.start_environment()
            await system.children.while_alive(system.until_delivered(2))
            if number < kills:
                await asyncio.sleep(rng.uniform(0.0, 1.5))
                await system.kill(env)
            else:
                assert await end(env) == 143
            saved += acknowledged(env.log.read_text())
        files = (tmp_path / "dumps").glob("*.jsonl")
        on_disk = [row["metadata"]["group_id"] for file in files for row in rows(file)]
        assert 2 * kills <= saved <= len(on_disk) <= saved + kills
        assert len(set(on_disk)) == len(on_disk)


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
