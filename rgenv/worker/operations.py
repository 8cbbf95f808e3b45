"""The child program: JSON requests in on stdin, JSON replies out on a private descriptor.

reasoning-gym runs here and nowhere else. One real exchange (replies marked ``<``)::

    < {"ready": true, "version": "0.1.25", "tasks": {"ab": "algorithmic", ...}, "layers": [...]}
    {"op": "make", "task": "chain_sum", "seed": 7, "level": null, "config": {}}
    < {"question": "State the ...", "answer": "156", "config": {}, "winnable": true}
    {"op": "score", "task": "chain_sum", "seed": 7, "config": {}, "answers": ["156", "7"]}
    < {"made": true}
    < {"raw": 1.0, "tagged": 0.15}
    < {"raw": 0.0, "tagged": 0.0}
    {"op": "solve", "task": "chain_sum", "seed": 7, "config": {}}
    < {"answer": "156"}

A problem is its recipe: the same (task, config, seed) gives the same problem in any worker, so the
cache below is a matter of speed alone. Limits of time are the parent's business: it kills.
"""

from __future__ import annotations

import decimal
import gc
import importlib.metadata
import json
import os
import random
import signal
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, BinaryIO

import numpy
import reasoning_gym
from reasoning_gym.composite import DatasetSpec
from reasoning_gym.factory import DATASETS

from rgenv.worker import fast_generators, guard, labels, levels, sandbox, solvers
from rgenv.worker.dataset_cache import DatasetCache
from rgenv.worker.protocol import FROM_CHECKOUT, WorkerSettings
from rgenv.worker.verifiers import verify

Reply = dict[str, Any]
Config = dict[str, Any]

MAX_ENTRIES = 1024
"""An entry holds a few kB. The data sets of all tasks together hold 45 MB."""

RELEASE = "0.1.25"
"""What shelf.py and fast_generators.py were written for; any other is left as it is."""


class Cache(OrderedDict[str, Any]):
    """Keeps the `size` values used last."""

    def __init__(self, size: int) -> None:
        super().__init__()
        self._size = size

    def get_or_make(self, key: str, make: Callable[[], Any]) -> Any:
        """The value under `key`, made if it is not there."""
        if key not in self:
            self[key] = make()
            if len(self) > self._size:
                self.popitem(last=False)
        self.move_to_end(key)
        return self[key]


class Problems:
    """Makes and scores problems; keeps the last entries, and one data set for each task.

    Args:
        strict: correct the library's labels, and judge by our verifiers where there are any.
        keep: use again what data sets prepare; see shelf.py.
    """

    def __init__(self, *, strict: bool = True, keep: bool = True) -> None:
        self.strict = strict
        self._shelf = DatasetCache(_create) if keep else DatasetCache(_create, {})
        self._entries = Cache(MAX_ENTRIES)
        self._datasets: dict[str, tuple[str, Any]] = {}

    def make(self, task: str, seed: int, config: Config) -> Any:
        """The entry of a recipe: reasoning-gym's dict of question, answer and metadata."""
        return self._made(task, seed, config)[0]

    def trusted(self, task: str, seed: int, config: Config) -> bool:
        """Whether the answer of that entry is known to be right, or not known to be wrong."""
        return self._made(task, seed, config)[1]

    def _made(self, task: str, seed: int, config: Config) -> tuple[Any, bool]:
        key = f"{_key(task, config)} {seed}"
        made: tuple[Any, bool] = self._entries.get_or_make(
            key, lambda: self._new_entry(task, seed, config)
        )
        return made

    def _new_entry(self, task: str, seed: int, config: Config) -> tuple[Any, bool]:
        entry = self._new_dataset(task, seed, config)[0]
        if not self.strict:
            return entry, True
        mended = labels.corrected(source(task, entry), entry)
        return (entry, False) if mended is None else (mended, True)

    def score(self, task: str, dataset: Any, entry: Any, answer: str) -> float:
        """What the verifier in charge gives for one text; raises what it raises."""

        def library(text: str) -> float:
            return float(dataset.score_answer(answer=text, entry=entry))

        return verify(task, answer, entry, library) if self.strict else library(answer)

    def dataset(self, task: str, seed: int, config: Config) -> Any:
        """A data set that can score entries of `task` made with `config`, whatever their seed."""
        key, dataset = self._datasets.get(task, ("", None))
        return dataset if key == _key(task, config) else self._new_dataset(task, seed, config)

    def _new_dataset(self, task: str, seed: int, config: Config) -> Any:
        """Its entry must be taken at once: codeio's data is its class's, the last one made wins."""
        _seed_globals(task, seed)
        dataset = self._shelf.dataset(task, seed, config)
        self._datasets[task] = _key(task, config), dataset
        return dataset


def source(task: str, entry: Any) -> str:
    """The task an entry is of: for composite, that of the part it was drawn from."""
    return str(entry["metadata"]["source_dataset"]) if task == "composite" else task


def _key(task: str, config: Config) -> str:
    return f"{task} {json.dumps(config, sort_keys=True)}"


def _seed_globals(task: str, seed: int) -> None:
    """codeio and list_functions draw from the global generators, pool_matrix reseeds numpy's, and
    decimal_arithmetic leaves its precision to whoever computes with decimals next."""
    decimal.setcontext(decimal.Context())
    random.seed(f"{task} {seed}")
    numpy.random.seed(random.getrandbits(32))


def _create(task: str, seed: int, config: Mapping[str, Any]) -> Any:
    parameters = dict(config)
    if task == "composite":
        parameters["datasets"] = [
            DatasetSpec(**{"weight": 1.0, "config": {}, **spec})
            for spec in config.get("datasets", [])
        ]
    return reasoning_gym.create_dataset(task, size=1, seed=seed, **parameters)


def make(problems: Problems, request: Reply) -> Iterator[Reply]:
    """Answer a make request with the problem."""
    task, seed, config = request["task"], request["seed"], request["config"]
    if request["level"] is not None:
        config = _at_level(task, request["level"], config)
    entry = problems.make(task, seed, config)
    answer = entry["answer"]
    yield {
        "question": str(entry["question"]),
        "answer": answer if answer is None else str(answer),
        "config": config,
        "winnable": answer != ""  # an empty answer is never a right one
        and problems.trusted(task, seed, config)
        and levels.winnable(task, problems.dataset(task, seed, config), entry),
    }


def _at_level(task: str, level: float, config: Config) -> Config:
    """The level's parameters under those that were configured; composite's parts get them each."""
    if task != "composite":
        return {**levels.level_config(task, level), **config}
    parts = [
        {**part, "config": _at_level(part["name"], level, part.get("config", {}))}
        for part in config.get("datasets", [])
    ]
    return {**config, "datasets": parts}


def score(problems: Problems, request: Reply) -> Iterator[Reply]:
    """Answer a score request: one reply when the problem is at hand, then one for each answer."""
    task, seed, config = request["task"], request["seed"], request["config"]
    entry = problems.make(task, seed, config)
    dataset = problems.dataset(task, seed, config)
    decimal.setcontext(decimal.Context())
    yield {"made": True}
    task = source(task, entry)  # what the guard and our verifiers have to know
    for answer in request["answers"]:
        yield score_answer(lambda text: problems.score(task, dataset, entry, text), task, answer)


def solve(problems: Problems, request: Reply) -> Iterator[Reply]:
    """Answer a solve request with an answer that is known to be right, if there is one."""
    task = request["task"]
    entry = problems.make(task, request["seed"], request["config"])
    yield {"answer": solvers.right_answer(source(task, entry), entry)}


def score_answer(verifier: Callable[[str], float], task: str, answer: str) -> Reply:
    """Both forms of one answer through the verifier.

    Returns:
        ``raw`` and ``tagged``: a float, or None where that form raised; ``raw_error`` and
        ``tagged_error``: what was raised, where something was. Or ``rejected`` alone: why the guard
        turned the answer away.
    """
    forms = {"raw": answer, "tagged": f"<answer>{answer}</answer>"}
    reply: Reply = {"raw": None, "tagged": None}
    for form, text in forms.items():
        guard.take_rejection()
        reason = guard.rejection(task, text)
        if reason is None:
            reply.update(_ask(verifier, form, text))
            reason = guard.take_rejection()
        if reason is not None and form == "raw":
            return {"rejected": reason}
    return reply


def _ask(verifier: Callable[[str], float], form: str, text: str) -> Reply:
    try:
        value = float(verifier(text))
    except BaseException as error:  # foreign code: quit() in an answer raises SystemExit
        return {form: None, f"{form}_error": f"{type(error).__name__}: {error}"[:300]}
    if value != value:
        return {form: None, f"{form}_error": "the verifier returned NaN"}
    return {form: min(1.0, max(0.0, value))}


def task_categories() -> dict[str, str] | None:
    """Name -> category of every registered task; None when the registry is not as known."""
    try:
        return {name: classes[0].__module__.split(".")[1] for name, classes in DATASETS.items()}
    except Exception:  # foreign registry: the parent has a list to fall back on
        return None


def _version(import_path: str | None) -> str:
    """The release; `__version__` of the library lags behind its package."""
    if import_path is not None and str(reasoning_gym.__file__).startswith(import_path):
        return FROM_CHECKOUT
    return importlib.metadata.version("reasoning-gym")


def serve(requests: BinaryIO, replies: BinaryIO, settings: WorkerSettings, *, known: bool) -> None:
    """Answer requests until EOF; `known` says whether the library is `RELEASE`."""
    problems = Problems(strict=settings.strict, keep=known)
    operations = {"make": make, "score": score, "solve": solve}
    for line in requests:
        request = json.loads(line)
        sandbox.allow_cpu_seconds(settings.request_cpu_seconds)
        try:
            for reply in operations[request["op"]](problems, request):
                _send(replies, reply)
                sandbox.allow_cpu_seconds(settings.request_cpu_seconds)
        except BaseException as error:  # foreign code: a generator that fails costs its item only
            _send(replies, {"failed": f"{type(error).__name__}: {error}"[:300]})


def _send(replies: BinaryIO, reply: Reply) -> None:
    replies.write(json.dumps(reply).encode() + b"\n")
    replies.flush()


def private_stdout() -> BinaryIO:
    """Keep the reply pipe for ourselves and send what others print to nowhere."""
    replies = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return replies


def main() -> None:
    """Run the worker: settings on the command line, requests on stdin."""
    settings = WorkerSettings(**json.loads(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    replies = private_stdout()
    os.nice(settings.niceness)
    guard.install()
    version = _version(settings.import_path)
    known = version == RELEASE
    if known:
        fast_generators.install()
    gc.collect()
    gc.freeze()  # a full collection over sympy's heap would cost an answer 100 ms
    layers = sandbox.lock(memory_limit_mb=settings.memory_limit_mb)
    _send(
        replies,
        {
            "ready": True,
            "version": version,
            "tasks": task_categories(),
            "layers": layers,
        },
    )
    serve(sys.stdin.buffer, replies, settings, known=known)
