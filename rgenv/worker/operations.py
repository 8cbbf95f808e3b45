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
from rgenv.tasks.entry import Entry
from rgenv.tasks.families import family, is_held_out
from rgenv.tasks.registry import record_of
from rgenv.worker import faster, imports, levels, own_tasks, selection, task_faults, template
from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import Config, ProblemMaker, source_task
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
    faster.install()
    sys.dont_write_bytecode = True  # old bytecode of a user's module could hide a change
    sources = dict(coverage.sources())  # before `own_tasks` adds others
    try:
        own = own_tasks.load(settings.task_modules)
    except own_tasks.Refused as refusal:
        where = "".join(traceback.format_exception(refusal))
        texts = (str(refusal), where[-MAX_TRACEBACK:])
        send(Refused(*(_sendable(text, MAX_TRACEBACK) for text in texts), list(refusal.words)))
        return
    maker = ProblemMaker(strict=settings.strict, balance_labels=settings.balance_labels)
    gc.freeze()  # a full collection over sympy's objects would delay an answer by 100 ms
    gc.enable()
    send(_greeting(settings, sources, own))
    imports.hold()
    if template.is_template() and not template.serve(replies, send, partial(prepare, maker)):
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
    seed = next((seed for seed in range(8) if maker.winnable(task, seed, {})), 0)
    recipe = {"task": task, "seed": seed, "config": {}}
    [problem] = make(maker, {**recipe, "level": None, "select": False})
    if maker.strict:
        selection.solving_shortcut(maker, task, seed, {})
    for _ in score(maker, {**recipe, "answers": [problem.answer or "", "7"]}):
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
        config = _with_level(task, request["level"], config)
    if request["select"] and maker.strict:
        seed = selection.draw(maker, task, seed, config, request["level"])
    made = maker.made(task, seed, config)
    entry, source = made.entry, source_task(task, made.entry)
    relatives = family(source, entry)
    yield Drawn(
        question=whole_question(source, entry) if maker.strict else entry["question"],
        answer=entry["answer"],
        seed=seed,
        config=config,
        winnable=maker.winnable(task, seed, config),
        hardened=made.hardened,
        family=relatives,
        held_out=is_held_out(relatives),
    )


def score(maker: ProblemMaker, request: Request) -> Iterator[Reply]:
    """Answer a score request: one reply when the problem is made, then one for each answer."""
    task, entry = _made(maker, request)  # limits and verifiers of a part of a composite are its own
    dataset = maker.dataset(request["task"], request["seed"], request["config"])
    decimal.setcontext(decimal.Context())
    yield Ready()
    for answer in request["answers"]:
        yield score_answer(lambda text: maker.score(task, dataset, entry, text), task, answer)


def inspect(maker: ProblemMaker, request: Request) -> Iterator[Reply]:
    """Answer an inspect request with what is known of a problem."""
    source, entry = _made(maker, request)
    yield Inspected(
        answer=right_answer(source, entry),
        shortcuts=shortcuts.answers(source, entry),
        work=levels.work(source, entry),
        accepted=dict(record_of(source).accepted),
    )


def _made(maker: ProblemMaker, request: Request) -> tuple[str, Entry]:
    """Return the entry of the problem that a request names or has, and the task that made it."""
    if "row" in request:
        return request["task"], maker.of_row(request["task"], request["row"])
    entry = maker.make(request["task"], request["seed"], request["config"])
    return source_task(request["task"], entry), entry


def attempt(maker: ProblemMaker, request: Request) -> Iterator[Reply]:
    """Answer an attempt request with what is wrong with a task at a level, or with None."""
    asked = (request[name] for name in ("task", "level", "references", "limit"))
    found = task_faults.fault(*asked)
    yield Tried(found and _sendable(found))


def right_answer(task: str, entry: Entry) -> str | None:
    """Return a right answer to `entry`, or None if none is known."""
    if isinstance(entry["answer"], str):
        return entry["answer"]
    solve = record_of(task).solve
    return None if solve is None else solve(entry["metadata"])


def whole_question(task: str, entry: Entry) -> str:
    """Return the question, and behind it what it leaves out."""
    question = str(entry["question"])
    sentences = [text for at, text in record_of(task).clarify if re.search(at, question)]
    return "\n\n".join([question, " ".join(sentences)]) if sentences else question


def rejection(task: str, answer: str) -> str | None:
    """Return the reason for keeping `answer` from the verifier of `task`, or None."""
    return next(filter(None, (rule(answer) for rule in record_of(task).limits)), None)


def score_answer(verifier: Callable[[str], float], task: str, answer: str) -> Scored:
    """Score an answer as it is, and in answer tags, unless the guard refuses it as it is."""
    scores: dict[str, Any] = {"raw": None, "tagged": None}
    for form, text in (("raw", answer), ("tagged", f"<answer>{answer}</answer>")):
        guard.take_rejection()
        reason = rejection(task, text)
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


def _with_level(task: str, level: float, config: Config) -> Config:
    """Return the parameters of `level`, overridden by `config`; for composite, of each part."""
    if task != "composite":
        return levels.overridden(levels.level_config(task, level), config)
    parts = [
        {**part, "config": _with_level(part["name"], level, part.get("config", {}))}
        for part in config.get("datasets", [])
    ]
    return {**config, "datasets": parts}


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
