"""Run a program of codeio within bounds, and without effects on anything else.

Three bounds hold a run. Its loops and calls count steps, so the same run ends at the same step on
any machine. A timer of CPU time ends what takes long without counting, such as a search for a
regular expression; it can't interrupt a single long call of native code, which the parent's limit
ends. The worker's limits on memory and recursion hold as for any code. A run sees only builtins
that permissions.py lists, and imports only modules that it lists. It gets the state of the global
random generators and of decimal arithmetic as it is in a new process, and puts back what it found.
"""

import ast
import builtins
import contextlib
import decimal
import random
import signal
import threading
import types
import warnings
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy

from rgenv.tasks.programs.permissions import BUILTINS, LIMITED_MODULES, MODULES

MAX_STEPS = 1_000_000
"""Loop passes and calls of a run, about a second. One in a hundred of the items needs more."""
MAX_SECONDS = 3.0
"""CPU time of a run, in the program and in the system calls that it causes."""
_AGAIN = 0.05
"""Seconds between two signals, in case the program catches what the first one raises."""
_STEP = "__step__"


class ProgramFailed(Exception):
    """The program raised an exception, or exceeded a bound."""


class _Exceeded(BaseException):
    """Ends a run; no Exception, because programs catch those."""


Code = types.CodeType


@lru_cache(maxsize=32)
def compiled(source: str) -> Code:
    """Return the code object of a program that counts its steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in strings of the library's programs
        tree = ast.fix_missing_locations(_CountSteps().visit(ast.parse(source)))
        return compile(tree, "<program>", "exec")


def run(code: Code, function: str, /, *args: Any, **kwargs: Any) -> Any:
    """Return what a function of a compiled program returns, or raise ProgramFailed.

    It may change its arguments.
    """
    with _global_state_kept(), _cpu_limit(MAX_SECONDS):
        names = _new_names()
        exec(code, names)  # code of the library: only arguments come from elsewhere
        return names[function](*args, **kwargs)


def run_freely(source: str, function: str, /, **kwargs: Any) -> Any:
    """Return what a function of the library's program returns for an input of the library.

    As when the library makes an item, nothing limits it but the worker.
    """
    names: dict[str, Any] = {"Random": random.Random, "print": _print_nothing}
    with _global_state_kept():
        exec(source, names)  # code and input of the library, which ran when the item was made
        return names[function](**kwargs)


def _new_names() -> dict[str, Any]:
    left = MAX_STEPS

    def step() -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise _Exceeded("too many steps")
        return True

    return {"__builtins__": {**_BUILTINS, _STEP: step}, "Random": random.Random}


def _import(name: str, *args: Any, **kwargs: Any) -> Any:
    """Import a module; native code of a module uses this function, too."""
    is_native = name.startswith("numpy.") or name == "_strptime"
    if not (name in MODULES or name in LIMITED_MODULES or is_native):
        raise ImportError(f"a program may not import {name}")
    return builtins.__import__(name, *args, **kwargs)


def _print_nothing(*args: Any, **kwargs: Any) -> None:
    pass


_BUILTINS = {
    **{name: getattr(builtins, name) for name in BUILTINS},
    "__build_class__": builtins.__build_class__,
    "__import__": _import,
    "__name__": "builtins",  # what the library's programs see, too
    "print": _print_nothing,
}


class _CountSteps(ast.NodeTransformer):
    """Puts a call of the counter into each function, loop and comprehension."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        call = ast.Call(ast.Name(_STEP, ast.Load()), [], [])
        match node:
            case ast.FunctionDef(body=[ast.Expr(value=ast.Constant()), *_]):  # a docstring
                node.body.insert(1, ast.Expr(call))
            case ast.FunctionDef() | ast.For() | ast.While():
                node.body.insert(0, ast.Expr(call))
            case ast.Lambda():
                node.body = ast.BoolOp(ast.And(), [call, node.body])
            case ast.comprehension():
                node.ifs.insert(0, call)
        return node


@contextlib.contextmanager
def _global_state_kept() -> Iterator[None]:
    """Give a run the global state of a new process, and put back the state from before."""
    state, numpy_state, context = random.getstate(), numpy.random.get_state(), decimal.getcontext()
    random.seed(0)
    numpy.random.seed(0)
    decimal.setcontext(decimal.Context())
    try:
        with warnings.catch_warnings(), numpy.errstate(), numpy.printoptions():
            warnings.simplefilter("ignore")
            yield
    except (Exception, _Exceeded, SystemExit) as error:  # foreign code raises anything
        raise ProgramFailed(f"{type(error).__name__}: {error}"[:200]) from None
    finally:
        random.setstate(state)
        numpy.random.set_state(numpy_state)
        decimal.setcontext(context)


@contextlib.contextmanager
def _cpu_limit(seconds: float) -> Iterator[None]:
    """Raise `_Exceeded` in this thread after CPU time; in other threads than the main one never."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: Any) -> None:
        if is_running:
            raise _Exceeded("too much time")

    is_running = True
    previous = signal.signal(signal.SIGPROF, end)
    signal.setitimer(signal.ITIMER_PROF, seconds, _AGAIN)
    try:
        yield
    finally:
        is_running = False
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, previous)
