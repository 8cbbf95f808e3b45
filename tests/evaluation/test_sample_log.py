import json
from pathlib import Path
from typing import Any

import pytest

from rgenv.errors import EvaluationMismatch
from rgenv.evaluation.sample_log import RESULTS, SampleLog, read
from tests.support import samples

ABOUT = {"set": "abc", "model": "m", "levels": [None, 0.5]}


def sample(number: int, **more: Any) -> dict[str, Any]:
    return samples.sample(seed=number, id=f"gcd/{number}", **more)


def test_the_next_run_continues(tmp_path: Path) -> None:
    first = SampleLog.open(tmp_path, ABOUT)
    for number in (1, 2):
        first.add(sample(number))
    first.add(sample(3, score=None))
    for start_over in (False, True):
        with pytest.raises(EvaluationMismatch, match=r"Process \d+ on .* evaluates in"):
            SampleLog.open(tmp_path, ABOUT, start_over=start_over)
    first.close()
    with (tmp_path / "samples.jsonl").open("ab") as file:
        file.write(b'{"id": "gcd/4", "sco')
    second = SampleLog.open(tmp_path, ABOUT)
    assert sorted(second.answered) == ["gcd/1", "gcd/2"]
    second.add(sample(4))
    second.close()
    assert [s["id"] for s in read(tmp_path / "samples.jsonl")] == ["gcd/1", "gcd/2", "gcd/4"]


def test_settings_may_change_until_there_is_an_answer(tmp_path: Path) -> None:
    log = SampleLog.open(tmp_path, ABOUT)
    log.add(sample(1, score=None))
    log.close()
    other = SampleLog.open(tmp_path, {**ABOUT, "model": "n"})
    other.close()
    assert other.answered == {} and read(tmp_path / "samples.jsonl") == []
    assert json.loads((tmp_path / "evaluation.json").read_text())["model"] == "n"


@pytest.mark.parametrize(
    ("about", "line"),
    [
        ("[", json.dumps(sample(1))),
        (None, json.dumps(sample(1))),
        (None, "{}"),
        ('{"seed": 1}', "{}"),
    ],
)
def test_samples_of_another_program_stay(tmp_path: Path, about: str | None, line: str) -> None:
    if about is not None:
        (tmp_path / "evaluation.json").write_text(about)
    (tmp_path / "samples.jsonl").write_text(line)
    with pytest.raises(EvaluationMismatch, match=r"(damaged|another evaluation).*--force"):
        SampleLog.open(tmp_path, ABOUT)
    assert (tmp_path / "samples.jsonl").read_text() == line
    SampleLog.open(tmp_path, ABOUT, start_over=True).close()


@pytest.mark.parametrize("name", RESULTS)
def test_results_of_another_program_stay(tmp_path: Path, name: str) -> None:
    """Many programs write metrics.json, and `profile` may be given a profile.yaml of the user."""
    (tmp_path / name).write_text("theirs")
    with pytest.raises(EvaluationMismatch, match=rf"{name} is of another program.*--force"):
        SampleLog.open(tmp_path, ABOUT)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_only_samples_are_read(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    assert read(path) == []
    lines = [[], {**sample(1), "score": float("nan")}, sample(1), sample(2, score=None)]
    path.write_text("\n".join([*map(json.dumps, lines), "[" * 10**5]))
    assert read(path) == [sample(1), sample(2, score=None)]
