"""rgenv/pages/evaluations.py and evaluation.js: the page of an evaluation."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from rgenv.evaluation.compare import EarlierRun, compare_runs
from rgenv.evaluation.eval_metrics import metrics
from rgenv.evaluation.evaluate import metrics_file
from rgenv.pages.evaluations import read_evaluation
from rgenv.pages.folder import Folder
from rgenv.types import Sample
from tests.support.browser import opened
from tests.support.samples import sample
from tests.support.viewed import page_data, write_lines

ABOUT = {"model": "m", "max_tokens": 64, "temperature": 0.1, "top_p": 0.9, "limit": None}


def saved(folder: Path, run: list[Sample], earlier: list[Sample] | None = None) -> Path:
    write_lines(folder / "samples.jsonl", *run)
    numbers = metrics_file(metrics(run), ABOUT, seconds=1)
    (folder / "metrics.json").write_text(json.dumps(numbers))
    (folder / "evaluation.json").write_text(json.dumps(ABOUT))
    if earlier is not None:
        before = EarlierRun("before", earlier, {**ABOUT, "model": "old"})
        changes = asdict(compare_runs(before, run, ABOUT))
        (folder / "comparison.json").write_text(json.dumps(changes))
    page = Folder([folder])
    page.read()
    page.write(folder / "report.html")
    return folder / "report.html"


def test_files_that_are_missing_or_damaged(tmp_path: Path) -> None:
    """Without numbers there is no evaluation; what else is missing is left out."""
    assert read_evaluation(tmp_path) is None
    path = saved(tmp_path, [sample()])
    [found] = page_data(path)[0]["evaluations"]
    assert found["numbers"]["accuracy"] == 1.0 and found["changes"] is None
    (tmp_path / "evaluation.json").write_text("{")
    found = read_evaluation(tmp_path)
    assert found is not None and found["about"] == {}


@pytest.mark.soak
def test_the_page_in_a_browser(started: Any, tmp_path: Path) -> None:
    tasks = ("gcd", "lcm", "maze")
    asked = [(task, n, level) for task in tasks for n in range(20) for level in (0, 1)]
    old = [sample(task, n, float(n % 2), level=level) for task, n, level in asked]
    new = [one | {"score": 1.0, "correct": True} if one["task"] == "gcd" else one for one in old]
    found = opened(started, saved(tmp_path, new, old), viewport={"width": 390, "height": 800})
    [lead] = found.texts(".lead")
    assert lead.startswith("66.7 % solved by m (95 % interval ")
    text = found.page.locator("#evaluation").inner_text()
    assert "Compared with before" in text and "▲ Better: accuracy +16.7 points" in text
    assert "Tasks that got better: gcd." in text and "model old, now m" in text
    rows = found.cells(".accuracy tbody tr")
    names = ["all problems", "arithmetic", "gcd", "lcm", "games", "maze"]
    assert [one[0] for one in rows] == names
    assert rows[2][1:3] == ["40", "100.0 %"] and rows[2][6:] == ["▲ +50.0", "100", "100"]
    found.page.locator("#list .rows .row").first.click()
    found.page.wait_for_selector("#detail .card")
    assert found.texts("#detail mark") == ["13"]
    assert found.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert found.trouble == []


@pytest.mark.soak
def test_an_evaluation_of_which_nothing_was_scored(started: Any, tmp_path: Path) -> None:
    found = opened(started, saved(tmp_path, [sample(score=None)]))
    assert found.texts(".lead") == ["No completion was scored."]
    assert found.texts("#list .rows .sign") == ["!"]
    assert found.trouble == []
