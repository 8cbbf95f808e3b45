"""Answer the parent's requests: make a problem, score answers to it, inspect it.

protocol.py shows the requests and replies. reasoning-gym runs in this process and nowhere else.
Time limits are the parent's business: it kills a worker that takes too long.
"""

from __future__ import annotations

import decimal
import gc
import importlib.metadata
import json
import math
import os
import re
import signal
import stat
import sys
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO

import msgspec
import reasoning_gym
from reasoning_gym.factory import DATASETS

from rgenv.task_names import HARDENED, LIBRARY
from rgenv.tasks import coverage, shortcuts
from rgenv.tasks.answers.kind import NoAnswer
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.families import is_held_out
from rgenv.tasks.registry import record_of
from rgenv.worker import imports, levels, own_tasks, selection, task_faults, template
from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import ProblemMaker, faster_functions
from rgenv.worker.protocol import (
    FROM_CHECKOUT,
    OWN,
    Confined,
    Drawn,
    Failed,
    Greeting,
    Inspected,
    Ready,
    Refused,
    Reply,
    Scored,
    Tried,
    WorkerSettings,
)
from rgenv.worker.sandbox import sandbox

MAX_TRACEBACK = 8_000
"""Characters of a traceback that are sent to the parent, the last ones."""

Request = dict[str, Any]


def main() -> None:
    """Run the worker: settings on the command line, requests on stdin, replies on stdout."""
    settings = msgspec.json.decode(sys.argv[1], type=WorkerSettings)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    replies = _detach_stdout()

    def send(reply: Reply) -> None:
        """Raise UnicodeEncodeError, before a byte of it, if a reply has lone surrogates."""
        replies.write(msgspec.json.encode(reply) + b"\n")
        replies.flush()

    os.nice(5)
    guard.install()
    for owner, name, faster in faster_functions():
        setattr(owner, name, faster)
    sys.dont_write_bytecode = True  # old bytecode of a user's module could hide a change
    sources = dict(coverage.sources())  # before `own_tasks` adds others
    try:
        own = own_tasks.load(settings.task_modules)
    except own_tasks.Refused as refusal:
        where = "".join(traceback.format_exception(refusal))
        said, where = (
            _sendable(text, MAX_TRACEBACK) for text in (str(refusal), where[-MAX_TRACEBACK:])
        )
        send(Refused(said, where, list(refusal.words)))
        return
    maker = ProblemMaker(strict=settings.strict, balance_labels=settings.balance_labels)
    gc.freeze()  # a full collection over sympy's objects would delay an answer by 100 ms
    gc.enable()
    send(_greeting(settings, sources, own))
    imports.hold()
    is_template = stat.S_ISSOCK(os.fstat(0).st_mode)  # whether stdin is a socket
    if is_template and not template.serve(replies, send, partial(prepare, maker)):
        return
    layers = sandbox.lock(memory_limit_mb=3072)
    held = [layer.name for layer in layers if layer.state == "holds"]
    send(Confined(held, {name: (at, words) for name, at, words in layers if name not in held}))
    serve(sys.stdin.buffer, send, maker)


def _greeting(
    settings: WorkerSettings, sources: dict[str, str], own: dict[str, own_tasks.OwnTask]
) -> Greeting:
    return Greeting(
        version=_version(settings.import_path),
        tasks={
            name: OWN if name in own else classes[0].__module__.split(".")[1]
            for name, classes in DATASETS.items()
        },
        fixed=[task for task in DATASETS if levels.is_fixed(task)],
        hardened=[task for task in DATASETS if record_of(task).harden is not None],
        sources=sources | {task: one.source for task, one in own.items()},
        differences=coverage.differences(),
        own={task: one.asks for task, one in own.items()},
    )


def prepare(maker: ProblemMaker, task: str) -> None:
    """Do all that the first problem of a task and its first answers need and later ones reuse.

    Any problem that can be answered does that, whether or not it is one that would be asked.
    """
    problems = (maker.make(task, seed, {}) for seed in range(8))
    made = next((one for one in problems if one.winnable), None) or maker.make(task, 0, {})
    recipe = {"task": task, "seed": made.seed, "config": {}}
    for _ in make(maker, {**recipe, "level": None, "select": False}):
        pass
    if maker.strict:
        shortcuts.solving(made.source, made.entry, made.score)
    for _ in score(maker, {**recipe, "answers": [made.entry["answer"] or "", "7"]}):
        pass


def serve(requests: BinaryIO, send: Callable[[Reply], object], maker: ProblemMaker) -> None:
    """Answer requests until the end of the stream."""
    operations = {one.__name__: one for one in (make, score, inspect, attempt)}
    makers = {LIBRARY: maker, HARDENED: maker.hardening()}
    for line in requests:
        request = json.loads(line)
        first, each = request.get("seconds", (0, 0))
        sandbox.allow_cpu_seconds(first)
        try:
            asked = makers[request.get("problems", LIBRARY)]
            for reply in operations[request["op"]](asked, request):
                send(reply)
                sandbox.allow_cpu_seconds(each)
        except BaseException as error:  # foreign code: a failing generator costs its problem only
            send(Failed(_described(error)))


def make(maker: ProblemMaker, request: Request) -> Iterator[Drawn]:
    """Answer a make request with the problem, its family, and the seed that was drawn for it."""
    task, seed, config = request["task"], request["seed"], request["config"]
    if request["level"] is not None:
        config = levels.overridden(task, request["level"], config)
    if request["select"] and maker.strict:
        made = selection.draw(maker, task, seed, config, request["level"])
    else:
        made = maker.make(task, seed, config)
    question = made.entry["question"]
    if maker.strict:
        clarify = record_of(made.source).clarify
        if left_out := [sentence for at, sentence in clarify if re.search(at, question)]:
            question = f"{question}\n\n{' '.join(left_out)}"
    yield Drawn(
        question=question,
        answer=made.entry["answer"],
        seed=made.seed,
        config=config,
        winnable=made.winnable,
        hardened=made.hardened,
        family=made.family,
        held_out=is_held_out(made.family),
    )


def score(maker: ProblemMaker, request: Request) -> Iterator[Reply]:
    """Answer a score request: one reply when the problem is made, then one for each answer."""
    made = maker.make(request["task"], request["seed"], request["config"], request.get("row"))
    maker.dataset(made)  # making it takes none of the time of an answer
    decimal.setcontext(decimal.Context())
    yield Ready()
    for answer in request["answers"]:  # of a part of a composite, by its own limits and verifier
        yield score_answer(made.score, made.source, answer)


def inspect(maker: ProblemMaker, request: Request) -> Iterator[Reply]:
    """Answer an inspect request with what is known of a problem."""
    made = maker.make(request["task"], request["seed"], request["config"], request.get("row"))
    record, answer = record_of(made.source), made.entry["answer"]
    if not isinstance(answer, str):
        answer = record.solve(made.entry["metadata"]) if record.solve is not None else None
    accepted = dict(record.accepted)
    if isinstance(record.answer, Number) and record.answer.unit:
        accepted.setdefault("wrong: unit", "the unit of its Number may be left out")
    yield Inspected(
        answer=answer,
        shortcuts=shortcuts.answers(made.source, made.entry),
        work=made.work,
        accepted=accepted,
    )


def attempt(maker: ProblemMaker, request: Request) -> Iterator[Reply]:
    """Answer an attempt request with what is wrong with a task at a level, or with None."""
    asked = (request[name] for name in ("task", "level", "references", "limit"))
    found = task_faults.fault(*asked)
    yield Tried(found and _sendable(found))


def score_answer(verifier: Callable[[str], float], task: str, answer: str) -> Scored:
    """Score an answer as it is, and in answer tags, unless the guard refuses it as it is."""
    scores: dict[str, Any] = {"raw": None, "tagged": None}
    for form, text in (("raw", answer), ("tagged", f"<answer>{answer}</answer>")):
        guard.take_rejection()
        reason = next(filter(None, (rule(text) for rule in record_of(task).limits)), None)
        if reason is None:
            try:
                value = float(verifier(text))
            except NoAnswer:
                return Scored(None, None)
            except BaseException as error:  # foreign code: quit() in an answer raises SystemExit
                scores[f"{form}_error"] = _described(error)
            else:
                if math.isnan(value):
                    scores[f"{form}_error"] = "the verifier returned NaN"
                else:  # some of the library's exceed 1
                    scores[form] = min(1.0, max(0.0, value))
            reason = guard.take_rejection()
        if reason is not None and form == "raw":
            return Scored(None, None, rejected=_sendable(reason))
    return Scored(**scores)


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


def _sendable(text: str, most: int = 300) -> str:
    """Return the beginning of a text; JSON has no lone surrogates."""
    return text[:most].encode("utf-8", "replace").decode("utf-8")
