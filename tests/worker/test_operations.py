"""rgenv/worker/operations.py: a worker answers requests to make, score and solve problems."""

from pathlib import Path

import pytest

from rgenv.errors import MakeFailed
from rgenv.pool.pool import WorkerPool
from rgenv.worker.protocol import WorkerSettings

pytestmark = pytest.mark.slow


async def test_limits_hold_for_the_parts_of_a_composite(pool: WorkerPool) -> None:
    config = {"datasets": [{"name": "rush_hour"}]}
    problem = await pool.make("composite", 3, config=config)
    [verdict] = await pool.score(problem, ["A+999999999"])
    assert verdict.kind == "rejected"


async def test_an_exception_in_one_form_is_reported() -> None:
    """If the verifier raises on the tagged form, the raw form's score counts."""
    async with WorkerPool(workers=1, settings=WorkerSettings(strict=False)) as pool:
        problem = await pool.make("prime_factorization", 3)
        [verdict] = await pool.score(problem, [str(problem.answer)])
        coins = await pool.make("coin_flip", 3)
        assert coins.question.endswith("?")  # no sentence is added
    assert (verdict.score, verdict.kind) == (1.0, "scored")
    assert verdict.tagged is None and "tagged: ValueError" in verdict.detail


async def test_a_parameter_reads_no_file_of_the_user(pool: WorkerPool, tmp_path: Path) -> None:
    """It is the only one that names a file; the library reads whatever that leads to."""
    path = tmp_path / "words.txt"
    path.write_text("some words of a user\n")
    for name in (str(path), f"{'../' * 12}{path}"):
        with pytest.raises(MakeFailed, match="a worker may not read files but the library's"):
            await pool.make("spell_backward", 1, config={"data_file": name})
    assert await pool.make("spell_backward", 1, config={"data_file": "words3to10.txt"})
