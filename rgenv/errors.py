"""Every exception that a caller may see, and the exit code that each one means.

A message is one sentence for the person who has to act on it: what is wrong, and the remedy.
"""

from __future__ import annotations

DONE, FAILED, BAD_USAGE = 0, 1, 2
"""Exit codes of every command. After a signal the code is 128 plus its number: 130 or 143."""


class BadUsage(ValueError):
    """A command line, configuration or argument that makes no sense."""


class UnknownTask(BadUsage):
    """A word that matches no task, category or pattern; the message suggests the nearest."""


class AnotherEvaluation(BadUsage):
    """The output folder holds answers to another evaluation; the message says what differs."""


class NoDump(BadUsage):
    """A word that names no rollout dump; the message says what was looked for."""


class StartupError(RuntimeError):
    """Something outside this process is missing or unusable."""


class MissingReasoningGym(StartupError):
    """Neither the reasoning-gym submodule nor the installed package was found."""


class PoolBroken(RuntimeError):
    """Workers die faster than they can be replaced, or the pool is closed."""


class NothingAnswers(RuntimeError):
    """The endpoint under evaluation is down; answers so far are saved."""


class NoRoom(ValueError):
    """A prompt that leaves no token for an answer; the message names the option to raise."""


class BadCheckpoint(ValueError):
    """A checkpoint file that is damaged, foreign, or of another schema; the message names it."""


class MakeFailed(RuntimeError):
    """A recipe that gives no problem.

    Attributes:
        kind: ``timeout``, ``crashed`` or ``error``.
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


def exit_code(error: BaseException) -> int:
    """The exit code of a command that ends with `error`: 2 for what the user wrote, else 1."""
    return BAD_USAGE if isinstance(error, BadUsage) else FAILED
