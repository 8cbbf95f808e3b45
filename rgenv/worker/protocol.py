"""What parent and worker agree on; the one file of this folder that the parent imports.

A worker is started as ``python -m rgenv.worker SETTINGS`` with its settings as JSON. Requests and
replies are JSON lines. One real exchange, replies marked ``<``::

    < {"ready": true, "version": "0.1.25", "tasks": {"ab": "algorithmic", ...}, "layers": [...]}
    {"op": "make", "task": "chain_sum", "seed": 7, "level": null, "config": {}}
    < {"question": "State the ...", "answer": "156", "config": {}, "winnable": true}
    {"op": "score", "task": "chain_sum", "seed": 7, "config": {}, "answers": ["156", "7"]}
    < {"made": true}
    < {"raw": 1.0, "tagged": 0.15}
    < {"raw": 0.0, "tagged": 0.0}
    {"op": "solve", "task": "chain_sum", "seed": 7, "config": {}}
    < {"answer": "156"}

A request that fails has the one reply ``{"failed": "..."}``.
"""

from __future__ import annotations

from dataclasses import dataclass

FROM_CHECKOUT = "from a checkout"
"""The version of a reasoning-gym that is a folder, whose content may change at any time."""


@dataclass(frozen=True)
class WorkerSettings:
    """What a worker is told on its command line.

    Attributes:
        memory_limit_mb: address space of the process, in MiB.
        request_cpu_seconds: processor time that one request may take.
        niceness: added to the parent's.
        strict: judge by our verifiers and labels where the library's are proven wrong.
        import_path: folder to import reasoning-gym from; None for the installed package.
    """

    memory_limit_mb: int = 3072
    request_cpu_seconds: float = 30.0
    niceness: int = 5
    strict: bool = True
    import_path: str | None = None
