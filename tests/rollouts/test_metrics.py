"""rgenv/rollouts/metrics.py: rates of groups, and metrics.jsonl."""

import json
import logging
import multiprocessing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rgenv.rollouts.metrics import MetricsFile, Outcomes, format_of, rates, total_rates
from rgenv.types import KINDS


def new_file(folder: Path) -> tuple[MetricsFile, Path]:
    return MetricsFile(lambda: folder), folder / "metrics.jsonl"


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_reports_are_appended(tmp_path: Path) -> None:
    """A second run in the same folder keeps the lines of the first; the folder is created."""
    for run in ("a", "b"):
        MetricsFile(lambda: tmp_path / "dumps").append({"run": run, "step": 1})
    assert rows(tmp_path / "dumps" / "metrics.jsonl") == [
        {"run": "a", "step": 1},
        {"run": "b", "step": 1},
    ]


def test_a_line_holds_texts_and_finite_numbers(tmp_path: Path) -> None:
    """Numbers have six digits; tables and NaN are left out."""
    file, path = new_file(tmp_path)
    file.append({"a": 1 / 3, "b": 12.0, "run": "x", "table": object(), "nan": float("nan")})
    assert rows(path) == [{"a": 0.333333, "b": 12, "run": "x"}]


def _write_many(folder: Path, name: str) -> None:
    file, _ = new_file(folder)
    for number in range(200):
        file.append({"run": name, "step": number, "text": name * 2000})


def test_runs_in_one_folder_write_whole_lines(tmp_path: Path) -> None:
    """Two processes that append at once do not mix their lines."""
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write_many, args=(tmp_path, name)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    found = rows(tmp_path / "metrics.jsonl")
    assert [row["step"] for row in found if row["run"] == "a"] == list(range(200))
    assert len(found) == 400


def test_a_folder_that_refuses_costs_only_the_file(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """One error names the path; the next report that can be written is."""
    blocker = tmp_path / "dumps"
    blocker.write_text("a file where the folder should be")
    file, path = new_file(blocker)
    with caplog.at_level(logging.ERROR):
        file.append({"step": 1})
        file.append({"step": 2})
    assert caplog.text.count(f"Metrics can't be written to {path}") == 1
    blocker.unlink()
    file.append({"step": 3})
    assert rows(path) == [{"step": 3}]


def outcomes(
    rewards: Sequence[float],
    *,
    scores: Sequence[float] | None = None,
    cut: Sequence[int] = (),
    tokens: Sequence[int] | None = None,
    kinds: Sequence[str] | None = None,
    mask: bool = True,
) -> Outcomes:
    """A group; `cut` has the indices of its truncated completions."""
    truncated = [index in cut for index in range(len(rewards))]
    return Outcomes(
        scores=list(rewards if scores is None else scores),
        rewards=list(rewards),
        kinds=list(kinds or ["scored"] * len(rewards)),
        truncated=truncated,
        masked=[each and mask for each in truncated],
        tokens=list(tokens or [1] * len(rewards)),
    )


@given(st.sampled_from(KINDS), st.booleans())
def test_each_completion_has_one_format(kind: str, cut: bool) -> None:
    """The four shares of formats add up to 1."""
    group = outcomes([0.0, 1.0], kinds=[kind, "scored"], cut=[0] if cut else [])
    shares = (
        rates([group])["format_rate"],
        *(total_rates([group])[f"format_{name}_rate"] for name in ("cut", "rejected", "broken")),
    )
    assert sum(shares) == pytest.approx(1.0)


def test_a_cut_completion_with_an_answer_kept_the_format() -> None:
    """What counts is whether the verifier could read an answer."""
    assert format_of("scored", truncated=True) == "kept"
    assert format_of("timeout", truncated=False) == "kept"
    assert format_of("too_large", truncated=True) == "rejected"


def test_each_problem_has_the_same_weight() -> None:
    """Accuracy is a mean over groups of their means, also where they differ in size."""
    groups = [outcomes([1.0]), outcomes([0.0, 0.0, 0.0])]
    assert rates(groups)["accuracy"] == 0.5
