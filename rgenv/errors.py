"""The exceptions that callers of rgenv may see, and the exit code for each.

Each message is one sentence that says what is wrong and how to fix it.
"""

import importlib.util
from collections.abc import Callable, Iterable
from typing import Any

from rgenv.secrets import hide

DONE, FAILED, BAD_USAGE = 0, 1, 2
"""Exit codes of every command. After a signal the code is 128 plus its number, such as 143."""


class BadUsage(ValueError):
    """A command line, configuration or argument that makes no sense."""


class UnknownTask(BadUsage):
    """A word that matches no task, category or pattern; the message suggests similar names."""


class EvaluationMismatch(BadUsage):
    """The output folder holds answers to another evaluation; the message says what differs."""


class StartupError(RuntimeError):
    """Something outside this process is missing or unusable."""


class MissingReasoningGym(StartupError):
    """Neither the submodule `reasoning-gym/` nor the installed package was found."""


class MissingExtra(StartupError):
    """A part of the package needs libraries that are installed with one of its extras."""


class PoolBroken(RuntimeError):
    """Workers die faster than they can be replaced, or the worker pool is not running here."""


class InferenceUnavailable(RuntimeError):
    """The inference server answers no request of an evaluation; the samples so far are saved."""


class RolloutsLost(RuntimeError):
    """The disk refused rollouts that were to be saved; the message says how many."""


class RequestFailed(RuntimeError):
    """A request to an inference server failed; the message, which may be saved, hides secrets."""

    def __init__(self, message: str) -> None:
        super().__init__(hide(message))


class RequestRefused(RequestFailed):
    """An inference server refuses a request, and would refuse it again.

    Attributes:
        final: whether it would refuse any other request, too.
        status: the HTTP status of the refusal; 0: it has none.
    """

    def __init__(self, message: str, *, final: bool, status: int = 0) -> None:
        super().__init__(message)
        self.final, self.status = final, status


class PromptFailed(RequestFailed):
    """Requests for a prompt keep failing while an inference server completes another prompt."""


class ServerAway(RequestFailed):
    """An inference server gives no answer, or says that it can't work now."""


class ServerHangs(ServerAway):
    """An inference server did not answer in time."""


class RateLimited(RequestFailed):
    """An inference server has too many requests of this account; it says to `wait` some seconds."""

    def __init__(self, message: str, wait: float = 0.0) -> None:
        super().__init__(message)
        self.wait = wait


class PromptTooLong(ValueError):
    """A prompt that leaves no token for a completion; the message names the option to raise."""


class MakeFailed(RuntimeError):
    """A recipe makes no problem: ``timeout``, ``crashed``, ``error`` or ``unanswerable``."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(kind, detail)  # by which Ray and multiprocessing make it again
        self.kind = kind

    def __str__(self) -> str:
        return ": ".join(self.args)


def joined(*errors: Exception | None) -> Exception:
    """Return one error for all that is wrong, of the class of the first; at least one is given."""
    first, *others = [error for error in errors if error is not None]
    sentences = dict.fromkeys(map(str, (first, *others)))
    return type(first)(" ".join(sentences)) if others else first


def check_all(*checks: Callable[[], Any]) -> list[Any]:
    """Return what all checks return; raise one BadUsage that says all that is wrong."""
    found, wrong = [], []
    for check in checks:
        try:
            found.append(check())
        except BadUsage as error:
            wrong.append(error)
    if wrong:
        raise joined(*wrong)
    return found


def exit_code(error: BaseException) -> int:
    """Return the exit code of a command that ends with `error`: 2 for bad usage, else 1."""
    return BAD_USAGE if isinstance(error, BadUsage) else FAILED


def require_extra(extra: str, modules: Iterable[str], what: str) -> None:
    """Check, without imports, that the modules of an extra are here, or raise MissingExtra."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(
            f'{what} needs {" and ".join(missing)}: run `pip install ".[{extra}]"` in the checkout.'
        )
