"""rgenv/runtime/preflight.py: checks of files and addresses at the start."""

import logging
import threading
from pathlib import Path

import pytest

from rgenv.errors import StartupError
from rgenv.runtime import progress
from rgenv.runtime.preflight import address_problem, require_in_time, require_writable


def test_an_address_has_a_scheme_and_a_host() -> None:
    for url in ("http://a:1", "https://b", "http://[::1]:80/v1"):
        assert address_problem(url) is None
    for url in ("", "localhost:8000", "ftp://a", "http://", "http://a:port", "http://a b"):
        assert "write http://HOST:PORT" in str(address_problem(url))
    assert "list several inference servers" in str(address_problem("http://a:1/v1,http://b:2"))


def test_a_folder_is_checked_by_a_file_that_leaves_no_trace(tmp_path: Path) -> None:
    require_writable(tmp_path / "a", "data_dumps_dir")
    assert list(tmp_path.rglob("*")) == []
    with pytest.raises(StartupError, match=r"directory\): set --env.data_dumps_dir to another pl"):
        require_writable(Path("/proc/x"), "data_dumps_dir")
    (tmp_path / "file").touch()
    with pytest.raises(StartupError, match="a part of the path is a file"):
        require_writable(tmp_path / "file", "data_dumps_dir")


def test_loading_that_hangs_or_fails_is_an_error(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.05)
    caplog.set_level(logging.INFO, logger="rgenv")
    end = threading.Event()
    with pytest.raises(StartupError, match=r"tokenizer: no answer in 0\.3 s"):
        require_in_time(end.wait, 0.3, "tokenizer: {why}", doing="Loading the tokenizer t")
    end.set()
    first, *more = [record.getMessage() for record in caplog.records]
    assert first == "Loading the tokenizer t."
    assert set(more) == {"Loading the tokenizer t: 0 s so far."}
    with pytest.raises(StartupError, match="tokenizer: ZeroDivisionError"):
        require_in_time(lambda: 1 / 0, 60, "tokenizer: {why}", doing="Loading")
    assert require_in_time(lambda: 7, 60, "{why}", doing="Loading") == 7
