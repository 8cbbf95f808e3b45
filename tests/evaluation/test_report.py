"""Tests of rgenv/evaluation/report.py."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

from rgenv.evaluation.compare import EarlierRun
from rgenv.evaluation.metrics import metrics
from rgenv.evaluation.report import earlier_run, write
from rgenv.types import Sample
from tests.support.samples import sample

ABOUT = {"model": "m", "set": "abc"}


def save_run(
    folder: Path, samples: Sequence[Sample], *, age: float = 0, about: str = '{"model": "m"}'
) -> None:
    """Save a finished evaluation that ended `age` seconds ago."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(sample) + "\n" for sample in samples]
    (folder / "samples.jsonl").write_text("".join(lines))
    (folder / "metrics.json").write_text("{}")
    (folder / "evaluation.json").write_text(about)
    os.utime(folder / "metrics.json", (1e9 - age, 1e9 - age))


def test_the_earlier_run_is_the_newest_finished_one_with_common_samples(tmp_path: Path) -> None:
    """The run itself, runs of other problems, of other environments and unfinished ones do not
    count."""
    one, two, three = (sample(seed=seed) for seed in (1, 2, 3))
    now = tmp_path / "now"
    save_run(tmp_path / "old", [one, two], age=300)
    save_run(tmp_path / "newer", [two, three], age=200)
    save_run(tmp_path / "others", [sample(seed=8)], age=100)
    save_run(tmp_path / "foreign", [{"score": 1.0}], age=50)
    save_run(now, [one, two, three])
    save_run(tmp_path / "unfinished", [one])
    (tmp_path / "unfinished" / "metrics.json").unlink()
    assert earlier_run(now, {s["id"] for s in (one, two, three)}) == EarlierRun(
        "newer", [two, three], {"model": "m"}
    )
    assert earlier_run(now, {"gcd/77/none/0"}) is None


def test_an_earlier_run_with_a_damaged_definition_has_unknown_settings(tmp_path: Path) -> None:
    """So it counts as scored with other verifiers, and no change is marked."""
    old = [sample(seed=seed, score=0.0) for seed in range(40)]
    new = [sample(seed=seed) for seed in range(40)]
    save_run(tmp_path / "old", old, about="{")
    save_run(tmp_path / "new", new)
    write(tmp_path / "new", new, metrics(new), {"model": "m", "verifiers": "5f1c"})
    page = (tmp_path / "new" / "report.html").read_text()
    assert "No change is marked" in page and "verifiers" in page and "▲ Better" not in page


def test_report_and_plots_are_written(tmp_path: Path) -> None:
    """The second report compares its run with the first."""
    samples = [sample(seed=seed, score=float(seed % 3 > 0)) for seed in range(12)]
    for name in ("run-one", "run-two"):
        save_run(tmp_path / name, samples)
        (tmp_path / name / "metrics.json").unlink()
        write(tmp_path / name, samples, metrics(samples), ABOUT)
        (tmp_path / name / "metrics.json").touch()
    pages = [(tmp_path / name / "report.html").read_text() for name in ("run-one", "run-two")]
    assert all(page.startswith('<!DOCTYPE html>\n<html lang="en">\n') for page in pages)
    assert all(page.endswith("</html>") for page in pages)
    assert "Comparison with run-one" in pages[1] and "Comparison" not in pages[0]
    plots = {path.name for path in (tmp_path / "run-two").glob("*.png")}
    assert plots == {"categories.png", "lengths.png"}
