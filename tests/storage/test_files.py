"""rgenv/storage/files.py: files that lie are refused; what is created is private."""

import os
import socket
import tracemalloc
from pathlib import Path

import pytest

from rgenv.errors import UnsafeFile
from rgenv.storage.files import (
    create_file,
    make_folder,
    open_file,
    parse_json,
    read_file,
    read_lines,
    require_own_folders,
)

NOBODY = 65534

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture(autouse=True)
def _working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret").write_text("secret")


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    """Nothing else is followed or waited for, and the error says what is there."""
    os.mkfifo(tmp_path / "a pipe")
    (tmp_path / "a symbolic link").symlink_to(tmp_path / "secret")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("a socket")  # the path of a socket has at most 107 bytes
    for name in ("a pipe", "a symbolic link", "a socket"):
        with pytest.raises(UnsafeFile, match=f"it is {name}"):
            open_file(tmp_path / name, os.O_RDWR, create=True)
    with pytest.raises(UnsafeFile, match="it is a folder"):
        open_file(tmp_path)


@pytest.mark.parametrize("name", ["zero", "null", "tty"])
def test_devices_are_not_opened(name: str) -> None:
    """Reading one may never end, and opening one may have an effect."""
    with pytest.raises(UnsafeFile, match="a device"):
        read_file(Path("/dev", name))
    with pytest.raises(UnsafeFile, match="a device"):
        read_file(Path("/dev", name), at_most=100, is_chosen=True)


def test_a_link_that_replaces_a_file_meanwhile_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system refuses it, whatever was there a moment ago."""
    (tmp_path / "a").symlink_to(tmp_path / "secret")
    monkeypatch.setattr(Path, "lstat", Path.stat)
    with pytest.raises(UnsafeFile, match="a symbolic link"):
        open_file(tmp_path / "a")


@needs_root
def test_files_of_others_are_refused(tmp_path: Path) -> None:
    """Unless they own the folder, too, where they could put anything anyway."""
    folder = tmp_path / "shared"
    folder.mkdir()
    (folder / "a").write_text("theirs")
    os.chown(folder / "a", NOBODY, NOBODY)
    with pytest.raises(UnsafeFile, match=f"another user, of id {NOBODY}"):
        read_file(folder / "a")
    os.chown(folder, NOBODY, NOBODY)
    assert read_file(folder / "a") == b"theirs"


def test_a_file_with_a_second_name_is_read_but_not_written(tmp_path: Path) -> None:
    """The other name may be that of a file outside."""
    (tmp_path / "a").hardlink_to(tmp_path / "secret")
    assert read_file(tmp_path / "a") == b"secret"
    with pytest.raises(UnsafeFile, match="second name"):
        open_file(tmp_path / "a", os.O_WRONLY | os.O_APPEND)


def test_what_is_created_is_private(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o775)
    folder = tmp_path / "open" / "run" / "deep"
    make_folder(folder)
    os.close(create_file(folder / "a"))
    os.close(open_file(folder / "b", os.O_WRONLY, create=True))
    modes = [path.stat().st_mode & 0o777 for path in (folder, folder.parent, folder / "a")]
    assert modes == [0o700, 0o700, 0o600] and (folder / "b").stat().st_mode & 0o777 == 0o600
    assert folder.parent.parent.stat().st_mode & 0o777 == 0o775


def test_a_new_file_replaces_nothing(tmp_path: Path) -> None:
    """Not even a link that leads nowhere, whose target would be created."""
    (tmp_path / "a").symlink_to(tmp_path / "outside")
    for name in ("a", "secret"):
        with pytest.raises(FileExistsError):
            create_file(tmp_path / name)
    assert not (tmp_path / "outside").exists()


def test_a_file_where_a_folder_is_needed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError) as refused:
        make_folder(tmp_path / "secret" / "run")
    assert refused.value.filename == str(tmp_path / "secret")


def test_links_below_a_chosen_folder_are_refused(tmp_path: Path) -> None:
    """The chosen folder itself may be a link, and what is missing is fine."""
    (tmp_path / "real" / "run").mkdir(parents=True)
    chosen = tmp_path / "chosen"
    chosen.symlink_to(tmp_path / "real")
    require_own_folders(chosen / "run" / "deep", below=chosen)
    (chosen / "other").symlink_to(tmp_path)
    with pytest.raises(UnsafeFile, match="a symbolic link"):
        require_own_folders(chosen / "other" / "deep", below=chosen)


@needs_root
def test_folders_of_others_below_a_chosen_folder_are_refused(tmp_path: Path) -> None:
    """They could exchange what is in them at any time."""
    (tmp_path / "run").mkdir()
    os.chown(tmp_path / "run", NOBODY, NOBODY)
    with pytest.raises(UnsafeFile, match="another user"):
        require_own_folders(tmp_path / "run", below=tmp_path)


def test_sizes_are_limited(tmp_path: Path) -> None:
    """A file of a terabyte of zeros, which takes no room on disk, is refused at once."""
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(UnsafeFile, match="more than 1024 MB"):
        read_file(tmp_path / "huge")
    with pytest.raises(UnsafeFile, match="more than 10 kB"):
        read_file(tmp_path / "huge", at_most=10 << 10, is_chosen=True)
    with pytest.raises(UnsafeFile, match="a line of more than 1 MB"):
        next(iter(read_lines(tmp_path / "huge", at_most=1 << 20)))


@pytest.mark.parametrize("content", [b"[" * 10**6, b'{"a":' * 10**6, b"{", b"\xff", b"1" * 10**5])
def test_bad_json_is_one_kind_of_error(content: bytes) -> None:
    """Depth, encoding and size of numbers included."""
    with pytest.raises(ValueError):
        parse_json(content)


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    """However much may be read; a file of the system has no size that is known before."""
    (tmp_path / "small").write_bytes(b"x" * 100)
    tracemalloc.start()
    read_file(tmp_path / "small")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 20
    assert read_file(Path("/proc/self/status"), is_chosen=True)
