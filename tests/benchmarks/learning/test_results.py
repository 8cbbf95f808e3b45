"""Results: one line for each complete run."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="arms need requirements-learn.txt")

from benchmarks.learning.arms import ARMS, stamp_of
from benchmarks.learning.results import append, code_of, is_done, primary, read

SIZE = {"budget": 100}
RUN = {"arm": "sec", "seed": 3, "fingerprint": "abc", "size": SIZE}


def test_a_run_that_was_killed_while_it_was_written_is_done_again(tmp_path: Path) -> None:
    """A line that was cut off is no result, and does not spoil the next one."""
    path = tmp_path / "results.jsonl"
    append(path, RUN)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:20])
    assert read(path) == [RUN]
    append(path, RUN | {"seed": 4})
    assert [run["seed"] for run in read(path)] == [3, 4]


def test_runs_of_other_code_are_not_done() -> None:
    """The fingerprint and the size are part of what a run is."""
    assert is_done([RUN], "sec", 3, "abc", SIZE)
    assert not is_done([RUN], "sec", 3, "abd", SIZE)
    assert not is_done([RUN], "sec", 4, "abc", SIZE)
    assert not is_done([RUN], "sec", 3, "abc", {"budget": 200})


def test_only_arms_of_one_module_share_a_fingerprint() -> None:
    """A change of one rule repeats the runs of that rule alone."""
    stamps = {name: stamp_of(name) for name in ARMS}
    assert stamps["sec"] != stamps["pac"]
    assert stamps["ours"] == stamps["ours_without_cost"]


def test_docstrings_do_not_determine_a_run(tmp_path: Path) -> None:
    """A module that says something else is the same code; one that does something else is not."""
    texts = [
        '"""One."""\nA = 1\n"""Of A."""\n\ndef f():\n    """Two\n    lines."""\n    return "x"\n',
        '"""Other."""\nA = 1\ndef f():\n    return "x"\n',
        '"""One."""\nA = 1\ndef f():\n    return "y"\n',
    ]
    paths = [tmp_path / f"{number}.py" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    one, other, changed = map(code_of, paths)
    assert one == other != changed
    data = tmp_path / "data.json"
    data.write_text('"text"\n')
    assert code_of(data) == '"text"\n'


def test_the_primary_measure_leaves_the_harder_level_out() -> None:
    """It is the mean over tasks and the three levels of training."""
    assert primary({"a": [1.0, 0.5, 0.0, 0.9], "b": [0.0, 0.0, 0.0, 0.9]}) == 0.25
