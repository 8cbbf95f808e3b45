"""The protocol between parent and worker; the only module of this package that the parent imports.

Requests and replies are JSON objects, one a line; the replies are the classes below. A real
exchange, with replies marked ``<``::

    < {"reply": "Greeting", "version": "0.1.25", "tasks": {"ab": "algorithmic", ...},
       "fixed": [...], "hardened": [...], "sources": {"ab": "4fe6eab2681c6b55", ...},
       "differences": {"changed": [], "new": [], "gone": []}, "own": {}}
    < {"reply": "Confined", "layers": [...], "missing": {}}
    {"op": "make", "task": "chain_sum", "seed": 7, "level": null, "config": {}, "select": false,
       "problems": "library"}
    < {"reply": "Drawn", "question": "State the ...", "answer": "156", "seed": 7, "config": {},
       "winnable": true, "hardened": false, "family": 1812090939454638, "held_out": false}
    {"op": "score", "task": "chain_sum", "seed": 7, "config": {}, "answers": ["156", "7"]}
    < {"reply": "Ready"}
    < {"reply": "Scored", "raw": 1.0, "tagged": 0.0}
    < {"reply": "Scored", "raw": 0.0, "tagged": 0.0}
    {"op": "inspect", "task": "chain_sum", "seed": 7, "config": {}}
    < {"reply": "Inspected", "answer": "156", "shortcuts": {}, "work": null, "accepted": {}}
    {"op": "attempt", "task": "chain_sum", "level": 0.5}
    < {"reply": "Tried", "fault": null}

``seconds`` of a request limits the processor time of its first reply, and of each further one. The
key ``row`` has the entry of a row that others made, in place of the problem of a recipe. A request
that fails gets ``Failed`` in place of its next reply, and no more. ``python -m rgenv.worker
SETTINGS`` is a worker, with `WorkerSettings` as a JSON object, until the end of its stdin; if that
is a socket, it is the template that forks workers (template.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Union

from msgspec import Meta, Struct

from rgenv.measured import TASKS

EVAL_SEEDS = 1 << 52
"""The first evaluation seed; training seeds are smaller."""

FROM_CHECKOUT = "from a checkout"
"""The version reported for a reasoning-gym that is a folder, whose content may change any time."""

OWN = "own"
"""The category of a user's own tasks. Their source is ``own:`` and a hash."""


def first_evaluation_seed(task: str) -> int:
    """Return the seed from which on selected problems of a task are held out.

    That is `EVAL_SEEDS`, or where seeds are short the upper half of them.
    """
    bits = TASKS[task].seed_bits if task in TASKS else None
    return EVAL_SEEDS if bits is None else 1 << bits - 1


@dataclass(frozen=True)
class TaskModule:
    """A module that registers a user's own tasks.

    Attributes:
        word: as the user wrote it, for messages.
        path: the absolute path of its file.
        name: the name under which it is imported; empty if it is only a file.
    """

    word: str
    path: str
    name: str = ""


@dataclass(frozen=True)
class WorkerSettings:
    """The settings that a worker gets on its command line.

    Attributes:
        strict: use our verifiers and reference answers where the library's are proven wrong, and
            select problems (selection.py).
        balance_labels: select problems by their reference answer, where a task has few.
        import_path: folder to import reasoning-gym from; None for the installed package.
    """

    strict: bool = True
    balance_labels: bool = True
    import_path: str | None = None
    task_modules: tuple[TaskModule, ...] = ()


class Reply(Struct, forbid_unknown_fields=True, omit_defaults=True, tag=True, tag_field="reply"):
    """What a worker sends; a line that is none of the classes below ends it."""


class Greeting(Reply):
    """What a worker knows after its imports.

    Attributes:
        tasks: task -> category.
        fixed: tasks whose problems are alike at every level.
        sources, differences: see rgenv/pool/coverage.py.
        own: a user's own tasks: name -> what it asks for.
    """

    version: str
    tasks: dict[str, str]
    fixed: list[str]
    hardened: list[str]
    sources: dict[str, str]
    differences: dict[str, list[str]]
    own: dict[str, str]


class Refused(Reply):
    """Modules can't be loaded; sent in place of a greeting, before the end."""

    message: str
    traceback: str
    modules: list[str]


class Confined(Reply):
    """The layers of the sandbox that hold, and state and remedy of each other one."""

    layers: list[str]
    missing: dict[str, tuple[str, str]]


class Failed(Reply):
    """The worker could not do the request, and can do the next one."""

    reason: str


class Drawn(Reply):
    """A problem, and the seed that was drawn for it."""

    question: str
    answer: str | None
    seed: Annotated[int, Meta(ge=0)]
    config: dict[str, Any]
    winnable: bool
    hardened: bool
    family: int
    held_out: bool


class Ready(Reply):
    """The problem whose answers are to be scored is made, or a task is prepared."""


Score = Annotated[float, Meta(ge=0.0, le=1.0)]


class Scored(Reply):
    """The scores of an answer as it is, and in answer tags; None where that failed.

    Neither scores nor errors: its wrappers, such as quotes, hold nothing.

    Attributes:
        raw_error, tagged_error: how the verifier failed.
        rejected: why the guard refused the answer as it is; then nothing was scored.
    """

    raw: Score | None
    tagged: Score | None
    raw_error: str | None = None
    tagged_error: str | None = None
    rejected: str | None = None


class Inspected(Reply):
    """What is known of a problem: a right answer, and the fields of `rgenv.types.Inspection`."""

    answer: str | None
    shortcuts: dict[str, str]
    work: float | None
    accepted: dict[str, str]


class Tried(Reply):
    """What is wrong with a task at a level, or None."""

    fault: str | None


class Forked(Reply):
    """The process id of a new worker."""

    pid: int


class Ended(Reply):
    """The exit status of a worker."""

    status: int


REPLIES: Any = Union[tuple(Reply.__subclasses__())]  # noqa: UP007
