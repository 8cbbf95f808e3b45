"""Keep model text from being executed by the library's verifiers.

reasoning-gym's verifiers call ``eval`` and sympy's ``parse_expr`` on answers. `Task.guarded` of
each record names the functions that are replaced. An example::

    >>> install()
    >>> board = reasoning_gym.create_dataset("n_queens", seed=0, size=1)
    >>> board.score_answer("__import__('os').system('reboot')", board[0])
    0.0
    >>> take_rejection()
    'Call where a literal is expected'

Honest answers, right or wrong, keep exactly the score that the library gives them. While the
verifier of a task that is not covered (coverage.py) runs, `nothing_executed` refuses every text
that is executed, so a verifier that needs that accepts no answer.
"""

import ast
import contextlib
import functools
import importlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

from rgenv.task_names import KNOWN_TASKS
from rgenv.tasks.coverage import covered
from rgenv.tasks.registry import records
from rgenv.tasks.safe_parse import Rejected


def install() -> None:
    """Install the replacements of all records; idempotent.

    In modules of tasks that are not covered, what does not exist is not replaced.

    Raises:
        RuntimeError: reasoning-gym has another layout than the records, so verifiers would run
            unguarded.
    """
    for task, record in records().items():
        for target, replacement in record.guarded.items():
            try:
                module = importlib.import_module(f"reasoning_gym.{KNOWN_TASKS[task]}.{task}")
                _replace(module, target, _recording(replacement))
            except (ImportError, AttributeError) as error:
                if covered(task):
                    raise RuntimeError(
                        f"the guard does not fit this reasoning-gym ({error})"
                    ) from error


def nothing_executed(task: str) -> contextlib.AbstractContextManager[None]:
    """Return a context in which every text that is executed is refused, unless `task` is covered.

    What is executed raises `Rejected`, and `take_rejection` returns the reason.
    """
    return contextlib.nullcontext() if covered(task) else _watched()


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    global _watching
    _watch()
    _watching = True
    try:
        yield
    finally:
        _watching = False


@functools.cache
def _watch() -> None:
    """Add the hook, which can't be removed; a worker of covered tasks never has it."""
    sys.addaudithook(_refuse_execution)


_EXECUTING = {
    "code.__new__",
    "compile",
    "cpython.PyInterpreterState_New",
    "exec",
    "function.__new__",
    "marshal.load",
    "marshal.loads",
    "pickle.find_class",
}
"""Audit events of all that makes code of a text, or runs it."""

_PARSE = ast.parse.__code__
_IMPORT = importlib._bootstrap._find_and_load.__code__  # type: ignore[attr-defined]


def _refuse_execution(event: str, _arguments: tuple[Any, ...]) -> None:
    """Refuse what makes or runs code, except to read a text as syntax, or to import a module."""
    global _reason
    if not _watching or event not in _EXECUTING:
        return
    caller: types.FrameType | None = sys._getframe(1)
    if event == "compile" and caller is not None and caller.f_code is _PARSE:
        return
    while caller is not None:
        if caller.f_code is _IMPORT:
            return
        caller = caller.f_back
    _reason = "text that the verifier would execute"
    raise Rejected(_reason)


def take_rejection() -> str | None:
    """Return and clear the reason why a replacement last refused a text; None if none did.

    Verifiers swallow exceptions, so a caller cannot learn of a refusal in any other way.
    """
    global _reason
    reason, _reason = _reason, None
    return reason


_reason: str | None = None
_watching = False


def _recording(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `function` so that `take_rejection` returns what it rejects."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        global _reason
        try:
            return function(*args, **kwargs)
        except Rejected as error:
            _reason = str(error)
            raise

    return call


def _replace(module: types.ModuleType, target: str, replacement: Callable[..., Any]) -> None:
    """Replace a global of `module`, or for ``library.name`` what it sees under that name."""
    library, dot, name = target.rpartition(".")
    if not dot:
        if name != "eval":  # a builtin: a global of the same name shadows it
            getattr(module, name)
        setattr(module, name, replacement)
        return
    seen = getattr(module, library)
    getattr(seen, name)
    if not isinstance(seen, _LibraryView):
        seen = _LibraryView(seen)
        setattr(module, library, seen)
    setattr(seen, name, replacement)


class _LibraryView(types.ModuleType):
    """Stands in for a library in one module; has the library's names except those set here."""

    def __init__(self, library: Any) -> None:
        super().__init__(library.__name__)
        self._library = library

    def __getattr__(self, name: str) -> Any:
        return getattr(self._library, name)
