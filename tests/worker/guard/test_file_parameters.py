"""rgenv/worker/guard/file_parameters.py: no parameter of a task reads a file of the user."""

import dataclasses
import gc
import re
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from reasoning_gym.factory import DATASETS

from rgenv.worker.guard.file_parameters import require_data_files
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.records import FILE_PARAMETERS

ENDINGS = ("", ".flf", ".tlf", ".txt", ".json", ".jsonl", ".csv")
"""What libraries add to the name of a file."""

SECONDS = 3.0
"""More than the library takes until it opens a file."""

_opened: list[str] = []
_watched: list[int] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _watched == [threading.get_ident()]:
        _opened.append(str(arguments[0]))


def parameters() -> list[tuple[str, str]]:
    """Return each parameter that may hold a text, found in the library, not in a list of ours."""
    return [
        (task, field.name)
        for task, (_, config) in sorted(DATASETS.items())
        for field in dataclasses.fields(config)
        if "str" in (kind := str(field.type)) or not re.search("int|float|bool", kind)
    ]


def opened_by(maker: ProblemMaker, task: str, config: dict[str, Any], path: Path) -> list[str]:
    """Return the files below `path` that are opened, or looked for, while a problem is made."""
    _opened.clear()
    _watched.append(threading.get_ident())
    gc.disable()  # a callback of the collector would swallow the interruption
    signal.setitimer(signal.ITIMER_REAL, SECONDS)  # with some values, generators search for ever
    try:
        maker.make(task, 1, config)
    except Exception:  # most parameters refuse a path, in ways of their own
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.enable()
        _watched.clear()
    return [name for name in _opened if str(path) in name]


def _interrupt(*_: Any) -> None:
    raise TimeoutError


@pytest.fixture(scope="module", autouse=True)
def _audit() -> Iterator[None]:
    sys.addaudithook(_watch)  # stays until the process ends, and costs a comparison
    before = signal.signal(signal.SIGALRM, _interrupt)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """The beginning of the names of files that nobody may open."""
    for ending in ENDINGS:
        (tmp_path / f"canary{ending}").write_text("canary\n")
    return tmp_path / "canary"


@pytest.mark.slow
def test_no_parameter_reads_a_file(canary: Path) -> None:
    """Each parameter of each task that may hold a text gets a path, also in a list."""
    maker = ProblemMaker(strict=False, reuse_datasets=False)
    opened = {
        f"{task}.{name}": found
        for task, name in parameters()
        for value in (str(canary), [str(canary)])
        if (found := opened_by(maker, task, {name: value}, canary))
    }
    assert opened == {} and len(parameters()) >= 39


def test_the_library_would_read_it(canary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the check, each parameter of the list reads the file; so the test above can fail."""
    monkeypatch.setattr("rgenv.worker.problem_maker.require_data_files", lambda *_: None)
    maker = ProblemMaker(strict=False, reuse_datasets=False)
    for task, name in FILE_PARAMETERS.items():
        assert opened_by(maker, task, {name: str(canary)}, canary), task


@pytest.mark.parametrize("value", ["/etc/passwd", "../secret", "a/b", "..", "", "a\\b", 3, ["a"]])
@pytest.mark.parametrize(("task", "name"), FILE_PARAMETERS.items())
def test_a_name_that_leads_elsewhere_is_refused(task: str, name: str, value: Any) -> None:
    """The sentence names the parameter; inside composite, too."""
    specs = [{"name": "gcd"}, {"name": task, "config": {name: value}}]
    nested = [{"name": "composite", "config": {"datasets": specs}}]
    for where, config in ((task, {name: value}), ("composite", {"datasets": nested})):
        with pytest.raises(ValueError, match=rf"{task}\.{name} must be the name of a file"):
            require_data_files(where, config)


def test_files_of_the_library_are_read() -> None:
    """The default, and the names of other files that the library has."""
    maker = ProblemMaker()
    require_data_files("composite", {"datasets": [{"name": "gcd"}, 3, {"name": "spell_backward"}]})
    assert maker.make("spell_backward", 1, {"data_file": "words3to10.txt"})["answer"]
