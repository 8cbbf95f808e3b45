"""The protocol between parent and worker; the only module of this package that the parent imports.

``python -m rgenv.worker SETTINGS`` is a worker, with `WorkerSettings` as a JSON object, or with one
more argument the template that forks workers (template.py). Requests on stdin and replies on stdout
are JSON objects, one a line. A real exchange, with replies marked ``<``::

    < {"ready": true, "version": "0.1.25", "tasks": {"ab": "algorithmic", ...}, "fixed": [...],
       "layers": [...], "missing": {}, "differences": {"changed": [], "new": [], "gone": []},
       "sources": {"ab": "4fe6eab2681c6b55", ...}, "own": {}, "hardened": [...]}
    {"ids": ["4b"], "op": "make", "task": "chain_sum", "seed": 7, "level": null, "config": {},
       "select": false, "problems": "library"}
    < {"id": "4b", "question": "State the ...", "answer": "156", "seed": 7, "config": {},
       "winnable": true, "hardened": false, "family": 1812090939454638, "held_out": false}
    {"ids": ["e0", "17", "f2"], "op": "score", "task": "chain_sum", "seed": 7, "config": {},
       "answers": ["156", "7"]}
    < {"id": "e0", "made": true}
    < {"id": "17", "raw": 1.0, "tagged": 0.0}
    < {"id": "f2", "raw": 0.0, "tagged": 0.0}
    {"ids": ["71"], "op": "solve", "task": "chain_sum", "seed": 7, "config": {}}
    < {"id": "71", "answer": "156"}
    {"ids": ["c5"], "op": "inspect", "task": "chain_sum", "seed": 7, "config": {}}
    < {"id": "c5", "shortcuts": {}, "work": null, "accepted": {}}
    {"ids": ["0a"], "op": "attempt", "task": "chain_sum", "level": 0.5}
    < {"id": "0a", "fault": null}

The key ``problems`` of a request is that of a recipe; without it, the problem is the library's. A
request has an id for each of its replies, random and longer than here, and each reply repeats the
next one. So a line that nobody asked for, or that comes twice or too late, is taken for no other
reply. A request that fails gets ``{"failed": "..."}`` in place of its next reply, and no more. The
worker ends at the end of its stdin. One that can't load a user's own tasks greets with
``{"refused": "my_tasks.py registers no task: ...", "traceback": "..."}``, and ends at once. What
the parent accepts is in rgenv/pool/replies.py.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from rgenv.measured import TASKS

EVAL_SEEDS = 1 << 52
"""The first evaluation seed; training seeds are smaller."""


def first_evaluation_seed(task: str) -> int:
    """Return the seed from which on selected problems of a task are held out.

    That is `EVAL_SEEDS`, or where seeds are short the upper half of them.
    """
    bits = TASKS[task].seed_bits if task in TASKS else None
    return EVAL_SEEDS if bits is None else 1 << bits - 1


FROM_CHECKOUT = "from a checkout"
"""The version reported for a reasoning-gym that is a folder, whose content may change any time."""


OWN = "own"
"""The category of a user's own tasks. Their source is ``own:`` and a hash."""


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
        memory_limit_mb: address space of the process, in MiB.
        request_cpu_seconds: CPU time that one reply may take.
        niceness: added to the parent's niceness.
        strict: use our verifiers and reference answers where the library's are proven wrong, and
            select problems (selection.py).
        balance_labels: select problems by their reference answer, where a task has few.
        import_path: folder to import reasoning-gym from; None for the installed package.
        task_modules: modules with a user's own tasks, which are loaded before the sandbox closes.
    """

    memory_limit_mb: int = 3072
    request_cpu_seconds: float = 30.0
    niceness: int = 5
    strict: bool = True
    balance_labels: bool = True
    import_path: str | None = None
    task_modules: tuple[TaskModule, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "task_modules", tuple(self.task_modules))  # a list in JSON

    @classmethod
    def read(cls, text: str) -> WorkerSettings:
        """Return the settings that a JSON object holds."""
        values = json.loads(text)
        modules = tuple(TaskModule(**one) for one in values.pop("task_modules", ()))
        return cls(**values, task_modules=modules)
