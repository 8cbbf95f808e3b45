"""Answer the parent's requests: make a problem, score answers to it, solve it, inspect it.

protocol.py shows the requests and replies. reasoning-gym runs in this process and nowhere else.
Time limits are the parent's business: it kills a worker that takes too long.
"""

from __future__ import annotations

import decimal
import gc
import importlib.metadata
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import reasoning_gym
from reasoning_gym.factory import DATASETS

from rgenv.worker import (
    answer_limits,
    coverage,
    fast_generators,
    guard,
    held_files,
    levels,
    sandbox,
    selection,
    shortcuts,
    solvers,
)
from rgenv.worker.clarifications import clarification
from rgenv.worker.problem_maker import Config, ProblemMaker, source_task
from rgenv.worker.protocol import FROM_CHECKOUT, WorkerSettings
from rgenv.worker.symmetries import family, is_held_out
from rgenv.worker.work import work

Request = dict[str, Any]
Reply = dict[str, Any]


def main() -> None:
    """Run the worker: settings on the command line, requests on stdin, replies on stdout."""
    settings = WorkerSettings(**json.loads(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    replies = _detach_stdout()
    os.nice(settings.niceness)
    guard.install()
    fast_generators.install()
    gc.collect()
    library = {
        "version": _version(settings.import_path),
        "sources": coverage.sources(),
        "differences": coverage.differences(),
    }
    held_files.hold()
    gc.freeze()  # a full collection over sympy's objects would delay an answer by 100 ms
    layers = sandbox.lock(memory_limit_mb=settings.memory_limit_mb)
    _send(
        replies,
        {
            "ready": True,
            **library,
            "tasks": _task_categories(),
            "fixed": levels.fixed_tasks(),
            "layers": [layer.name for layer in layers if layer.state == "holds"],
            "missing": {
                layer.name: [layer.state, layer.remedy]
                for layer in layers
                if layer.state != "holds"
            },
        },
    )
    maker = ProblemMaker(strict=settings.strict, balance_labels=settings.balance_labels)
    serve(sys.stdin.buffer, replies, maker, cpu_seconds=settings.request_cpu_seconds)


def serve(
    requests: BinaryIO, replies: BinaryIO, maker: ProblemMaker, *, cpu_seconds: float
) -> None:
    """Answer requests until the end of the stream; each reply may take `cpu_seconds` of CPU.

    Each reply repeats the next id of its request, which has one for every reply.
    """
    operations = {"make": make, "score": score, "solve": solve, "inspect": inspect}
    for line in requests:
        request = json.loads(line)
        ids = iter(request["ids"])
        sandbox.allow_cpu_seconds(cpu_seconds)
        try:
            for reply in operations[request["op"]](maker, request):
                _send(replies, reply, ids)
                sandbox.allow_cpu_seconds(cpu_seconds)
        except BaseException as error:  # foreign code: a failing generator costs its problem only
            _send(replies, {"failed": _described(error)}, ids)


def make(maker: ProblemMaker, request: Request) -> Iterator[Reply]:
    """Answer a make request with the problem, its family, and the seed that was drawn for it."""
    task, seed, config = request["task"], request["seed"], request["config"]
    if request["level"] is not None:
        config = _with_level(task, request["level"], config)
    if request["select"] and maker.strict:
        seed = selection.draw(maker, task, seed, config, request["level"])
    entry = maker.make(task, seed, config)
    answer, source = entry["answer"], source_task(task, entry)
    relatives = family(source, entry)
    yield {
        "question": str(entry["question"]),
        "answer": answer if answer is None else str(answer),
        "seed": seed,
        "config": config,
        "winnable": maker.winnable(task, seed, config),
        "clarification": clarification(source, entry) if maker.strict else "",
        "family": relatives,
        "held_out": is_held_out(source, relatives),
    }


def score(maker: ProblemMaker, request: Request) -> Iterator[Reply]:
    """Answer a score request: one reply when the problem is made, then one for each answer."""
    task, seed, config = request["task"], request["seed"], request["config"]
    entry = maker.make(task, seed, config)
    dataset = maker.dataset(task, seed, config)
    decimal.setcontext(decimal.Context())
    yield {"made": True}
    task = source_task(task, entry)  # limits and verifiers of a part of a composite are its own
    for answer in request["answers"]:
        yield score_answer(lambda text: maker.score(task, dataset, entry, text), task, answer)


def solve(maker: ProblemMaker, request: Request) -> Iterator[Reply]:
    """Answer a solve request with an answer that is known to be right, or with None."""
    task = request["task"]
    entry = maker.make(task, request["seed"], request["config"])
    yield {"answer": solvers.right_answer(source_task(task, entry), entry)}


def inspect(maker: ProblemMaker, request: Request) -> Iterator[Reply]:
    """Answer an inspect request with the answers of shortcuts, and a proxy of the work."""
    task = request["task"]
    entry = maker.make(task, request["seed"], request["config"])
    source = source_task(task, entry)
    yield {"shortcuts": shortcuts.answers(source, entry), "work": work(source, entry)}


def score_answer(verifier: Callable[[str], float], task: str, answer: str) -> Reply:
    """Run both forms of an answer through `verifier`: the raw text, and the text in answer tags.

    Returns:
        ``raw`` and ``tagged``: the score of each form, or None if the verifier raised an exception
        or the guard refused the form. ``raw_error`` and ``tagged_error``, where present: the
        exception. If the guard refused the raw form, ``rejected`` alone: the reason.
    """
    forms = {"raw": answer, "tagged": f"<answer>{answer}</answer>"}
    reply: Reply = {"raw": None, "tagged": None}
    for form, text in forms.items():
        guard.take_rejection()
        reason = answer_limits.rejection(task, text)
        if reason is None:
            reply.update(_score_form(verifier, form, text))
            reason = guard.take_rejection()
        if reason is not None and form == "raw":
            return {"rejected": _sendable(reason)}
    return reply


def _score_form(verifier: Callable[[str], float], form: str, text: str) -> Reply:
    try:
        value = float(verifier(text))
    except BaseException as error:  # foreign code: quit() in an answer raises SystemExit
        return {form: None, f"{form}_error": _described(error)}
    if value != value:
        return {form: None, f"{form}_error": "the verifier returned NaN"}
    return {form: min(1.0, max(0.0, value))}


def _with_level(task: str, level: float, config: Config) -> Config:
    """Return the parameters of `level`, overridden by `config`; for composite, of each part."""
    if task != "composite":
        return {**levels.level_config(task, level), **config}
    parts = [
        {**part, "config": _with_level(part["name"], level, part.get("config", {}))}
        for part in config.get("datasets", [])
    ]
    return {**config, "datasets": parts}


def _task_categories() -> dict[str, str] | None:
    """Return the category of every registered task; None if the registry has another layout."""
    try:
        return {name: classes[0].__module__.split(".")[1] for name, classes in DATASETS.items()}
    except Exception:  # foreign registry: the parent falls back on its own list
        return None


def _version(import_path: str | None) -> str:
    """Return the release of reasoning-gym; its ``__version__`` lags behind the package's."""
    if import_path is not None and str(reasoning_gym.__file__).startswith(import_path):
        return FROM_CHECKOUT
    return importlib.metadata.version("reasoning-gym")


def _detach_stdout() -> BinaryIO:
    """Return a stream to the parent, and send what anything else prints to the null device."""
    replies = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)
    return replies


def _described(error: BaseException) -> str:
    return _sendable(f"{type(error).__name__}: {error}")


def _sendable(text: str) -> str:
    """Return a part of a text that the parent takes: it refuses lone surrogates."""
    return text[:300].encode("utf-8", "replace").decode("utf-8")


def _send(replies: BinaryIO, reply: Reply, ids: Iterator[str] | None = None) -> None:
    """Write a reply with the next of `ids`, if there is one, as its first key.

    Raises:
        ValueError, TypeError: JSON can't express the reply; the id is still to be used.
    """
    text = json.dumps(reply, allow_nan=False)
    if ids is not None:
        text = f'{{"id": {json.dumps(next(ids))}, {text[1:]}'
    replies.write(text.encode() + b"\n")
    replies.flush()
