"""The line about the layers of the workers, and workers that lack one (rgenv/pool/workers.py)."""

import os
from pathlib import Path

import pytest

from rgenv.errors import PoolBroken
from rgenv.pool.pool import WorkerPool
from tests.support.worker_programs import scripted

NO_LANDLOCK = {"landlock": ("absent", "this kernel has none")}
NO_FILTER = NO_LANDLOCK | {"seccomp": ("missing", "install libseccomp")}


@pytest.mark.parametrize(
    ("missing", "level", "line"),
    [
        ({}, "INFO", "."),
        (NO_LANDLOCK, "INFO", ", without landlock (this kernel has none)."),
        (NO_FILTER, "WARNING", " only, without seccomp (install libseccomp)."),
    ],
)
async def test_the_layers_are_said_at_the_start(
    caplog: pytest.LogCaptureFixture,
    tmp_path: Path,
    missing: dict[str, tuple[str, str]],
    level: str,
    line: str,
) -> None:
    """It is a warning with the remedy where one could be had; else no wall can demand more."""
    caplog.set_level("INFO", logger="rgenv.pool")
    settings, wall = scripted(tmp_path, missing=missing), level == "INFO"
    async with WorkerPool(workers=1, settings=settings, require_wall=wall):
        pass
    [record] = [record for record in caplog.records if "confined" in record.message]
    assert (record.levelname, record.message) == (level, f"Workers are confined by rlimits{line}")


async def test_a_worker_without_a_layer_is_refused_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyseccomp.py").write_text("raise RuntimeError('Unable to find libseccomp')")
    paths = [str(tmp_path), os.environ.get("PYTHONPATH")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in paths if path))
    pool = WorkerPool(workers=1, require_wall=True)
    with pytest.raises(PoolBroken) as raised:
        await pool.start()
    assert str(raised.value).startswith(
        "--env.require_wall demands all layers around the workers, and they run without seccomp "
        "(Unable to find libseccomp: "
    )
