"""The line about the layers of the workers, and workers that lack one (rgenv/pool/factory.py)."""

import os
from pathlib import Path

import pytest

from rgenv.errors import PoolBroken
from rgenv.pool.pool import WorkerPool
from tests.support.worker_programs import scripted

FILTER_MISSING = {"seccomp": ("missing", "install libseccomp")}
NO_LANDLOCK = {"landlock": ("absent", "this kernel has none")}


@pytest.mark.parametrize(
    ("missing", "level", "line"),
    [
        ({}, "INFO", "Workers are confined by rlimits."),
        (
            NO_LANDLOCK,
            "INFO",
            "Workers are confined by rlimits, without landlock (this kernel has none).",
        ),
        (
            NO_LANDLOCK | FILTER_MISSING,
            "WARNING",
            "Workers are confined by rlimits only, without seccomp (install libseccomp).",
        ),
    ],
)
async def test_the_layers_are_said_at_the_start(
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    missing: dict[str, tuple[str, str]],
    level: str,
    line: str,
) -> None:
    """One line names the layers; it is a warning with the remedy where one could be had."""
    caplog.set_level("INFO", logger="rgenv.pool")
    async with WorkerPool(workers=1, settings=scripted(tmp_path, missing=missing)):
        pass
    [record] = [record for record in caplog.records if "confined" in record.message]
    assert (record.levelname, record.message) == (level, line)


async def test_a_worker_without_a_layer_is_refused_on_demand(tmp_path: Path) -> None:
    settings = scripted(tmp_path, missing=FILTER_MISSING)
    pool = WorkerPool(workers=1, settings=settings, require_wall=True)
    with pytest.raises(PoolBroken) as raised:
        await pool.start()
    assert str(raised.value) == (
        "--env.require_wall demands all layers around the workers, and they run without seccomp "
        "(install libseccomp)."
    )
    await pool.close()


async def test_what_a_machine_cannot_have_is_not_demanded(tmp_path: Path) -> None:
    settings = scripted(tmp_path, missing=NO_LANDLOCK)
    async with WorkerPool(workers=1, settings=settings, require_wall=True) as pool:
        assert pool.version == "0"


async def test_a_real_worker_without_a_filter_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyseccomp.py").write_text("raise RuntimeError('Unable to find libseccomp')")
    paths = [str(tmp_path), os.environ.get("PYTHONPATH")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in paths if path))
    pool = WorkerPool(workers=1, require_wall=True)
    with pytest.raises(PoolBroken, match=r"without seccomp \(Unable to find libseccomp: "):
        await pool.start()
    await pool.close()
