"""Try a task: make some problems twice, and call all functions of its record.

::

    fault("my_task", 0.5, 8, 0.2)    # None, or "its generator fails: KeyError: 'size'", for example

What a task raises in a run costs a problem or a score. Here its author learns of it at the start.
"""

import contextlib
import json
import re
import reprlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import fields

from reasoning_gym.factory import DATASETS

from rgenv.tasks.answers.notation import reference_value
from rgenv.tasks.answers.numbers import Number
from rgenv.tasks.answers.words import Choice
from rgenv.tasks.entry import Entry
from rgenv.tasks.record import SOLVED, Task
from rgenv.tasks.registry import record_of
from rgenv.worker import levels
from rgenv.worker.guard import guard
from rgenv.worker.problem_maker import Config, ProblemMaker

SEEDS = range((1 << 53) - 8, 1 << 53)
"""As large as those of a run. A generator may fail with some of them."""


_SHORT = reprlib.Repr()
_SHORT.maxstring = 60
_quoted = _SHORT.repr
"""Returns a text in quotes, with its middle left out where it is long."""


MANY, FAILING_SHARE = 10, 0.1
"""From so many seeds on, a larger share of failing ones is a fault."""


class _Unsound(Exception):
    """The message says what is wrong, for the author of the task."""


class _Final(_Unsound):
    """Sound problems of other seeds do not make up for it."""


def fault(task: str, level: float | None, references: int, limit: float) -> str | None:
    """Return what is wrong with a task at a level, in words; None if nothing is.

    It is sound if three of its problems are, or one of them after 0.2 seconds, and its verifier
    gives 1 to the reference answers of so many first seeds, as far as `limit` seconds reach.
    """
    began, faults = time.perf_counter(), list[str]()
    reusing = ProblemMaker(strict=False)
    for tried, seed in enumerate(SEEDS, 1):
        try:
            _require_sound(task, seed, level, reusing)
        except _Final as error:
            return str(error)
        except _Unsound as error:
            faults.append(str(error))
        sound = tried - len(faults)
        if sound == 3 or (sound and time.perf_counter() - began > 0.2):
            return _refused(task, level, references, limit)
    return faults[0]


def _refused(task: str, level: float | None, count: int, limit: float) -> str | None:
    """Return how many reference answers are refused, if any is; a run would not serve these."""
    maker, tried, refused, began = ProblemMaker(), 0, list[str](), time.perf_counter()
    config, failed = _config(task, level), list[str]()
    for seed in range(count):
        if time.perf_counter() - began > limit:
            break
        try:
            made = maker.make(task, seed, config)
        except Exception as error:  # costs this problem
            failed.append(f"seed {seed}: {type(error).__name__}")
            continue
        if made.trusted and (answer := made.entry["answer"]):
            tried += 1
            try:
                _require_right(maker, task, seed, config, answer)
            except _Unsound:
                refused.append(f"{_quoted(answer)}, seed {seed}")
    if count >= MANY and len(failed) > count * FAILING_SHARE:
        return f"{len(failed)} of {count} problems can't be made, e.g. {failed[0]}"
    if not refused:
        return None
    return f"{len(refused)} of {tried} reference answers are refused, e.g. {refused[0]}"


def _config(task: str, level: float | None) -> Config:
    config = {} if level is None else levels.level_config(task, level)
    return Config(json.loads(json.dumps(config)))  # as recipes have it


def _require_sound(task: str, seed: int, level: float | None, reusing: ProblemMaker) -> None:
    record = record_of(task)
    with _calling("its parameters can't be found"):
        config = _config(task, level)
        if levels.work_range(task, level or 0.0) and record.work is None:
            raise _Unsound("its record has work in its levels, but no `work`")
        _require_known_parameters(task)
    with _calling(f"its generator fails with {config}" if config else "its generator fails"):
        entry = ProblemMaker(strict=False).make(task, seed, config).entry
        again = reusing.make(task, seed, config).entry
    with _calling("`family` of its record fails"):
        kept = record.family or repr
        families = [kept(one) for one in (entry, again)]
    if any(entry[part] != again[part] for part in ("question", "answer")):
        if record.prepared is not None:
            raise _Final("`prepared` of its record lacks a parameter: a reused data set differs")
        raise _Final("the same seed makes two problems: take all random numbers from it")
    if repr(families[0]) != repr(families[1]):
        raise _Final(
            "one problem has two families: return numbers and text as its family"
            if record.family
            else "one problem has two `metadata`: have the same numbers and texts in it each time"
        )
    with _calling("`correct` of its record fails"):
        corrected = record.correct(entry) if record.correct else entry
        if corrected is not None and corrected["question"] != entry["question"]:
            raise _Unsound("`correct` of its record changes the question, as only `harden` may")
    with _calling("`harden` of its record fails"):
        hardened = record.harden(entry) if record.harden else None
    for one in (hardened, corrected):
        if one is not None:  # else another problem is drawn
            _call_all(record, one)
    if corrected is not None:
        _require_right(ProblemMaker(), task, seed, config, corrected["answer"])


def _require_known_parameters(task: str) -> None:
    """A misspelt name would raise far from the record, or be no part of a key of the cache."""
    record, known = record_of(task), {one.name for one in fields(DATASETS[task][1])}
    named = [*record.levels.knots, *(record.prepared or ())]
    if unknown := [name for name in named if name not in known]:
        raise _Unsound(f"its record names parameters that it does not have: {', '.join(unknown)}")


def _call_all(record: Task, entry: Entry) -> None:
    """Call what the record has besides its verifier."""
    question, answer = entry["question"], entry["answer"]
    with _calling("`shortcuts` of its record fails"):
        rules: object = record.shortcuts(question) if record.shortcuts else {}
        texts = [*rules, *rules.values()] if isinstance(rules, Mapping) else [None]
        if not all(isinstance(text, str) for text in texts):
            raise _Unsound("`shortcuts` of its record returns other things than texts by name")
    with _calling("`work` of its record fails"):
        amount = float(record.work(entry)) if record.work else 0.0
        if not amount >= 0:
            raise _Unsound(f"`work` of its record returns {amount:g}: the least is 0")
    with _calling("`labels` or `kept` of its record fails"):
        if not all(0 <= share <= 1 for share in record.kept.values()):
            raise _Unsound("`kept` of its record has shares outside [0, 1]")
        if min(record.labels.values(), default=0) < 0 or sum(record.labels.values()) > 1:
            raise _Unsound("`labels` of its record has shares below 0, or more than 1 in all")
    with _calling("`clarify` of its record fails"):
        " ".join(text for pattern, text in record.clarify if re.search(pattern, question))
    with _calling("`limits` of its record fails"):
        reasons = [reason for rule in record.limits if (reason := rule(answer or "")) is not None]
        if reasons and answer is not None:
            raise _Unsound(f"`limits` of its record refuses the reference answer: {reasons[0]}")
    with _calling("`answer` of its record fails"):
        kind, word = record.answer, " ".join((answer or "").split()).casefold()
        if word and isinstance(kind, Choice) and word not in kind.words:
            raise _Final(f"`answer` of its record lacks the reference answer {_quoted(word)}")
        read = record.answer.read(answer or "", entry)
        is_fraction = reference_value({"answer": word}) is not None
        if read is None and isinstance(kind, Number) and re.search(r"\d", word) and not is_fraction:
            raise _Final(
                f"the Number of its record can't read the reference answer {_quoted(word)}"
            )
    with _calling("`solve` of its record fails"):
        found = record.solve(entry["metadata"]) if record.solve and answer is None else None
        if not isinstance(found, str | None):
            raise _Unsound(f"`solve` of its record returns {found!r:.60}, which is not a text")


def _require_right(
    maker: ProblemMaker, task: str, seed: int, config: Config, answer: str | None
) -> None:
    """Check that the reference answer is right, as it is and as it is read in a completion."""
    if answer is None:
        return
    if not answer.strip():
        raise _Unsound("its reference answer is empty: no completion can give it")
    guard.take_rejection()  # of another task
    with _calling(f"its verifier fails on the reference answer {_quoted(answer)}"):
        made = maker.make(task, seed, config)
        score, winnable = made.score(answer.strip()), made.winnable
    if not (winnable and SOLVED <= score <= 1.0):
        refused = guard.take_rejection()
        raise _Unsound(
            f"its verifier gives the reference answer {_quoted(answer)} not 1 but {score:g}"
            + (f"; refused: {refused}" if refused else "")
        )


@contextlib.contextmanager
def _calling(what: str) -> Iterator[None]:
    """Say in whose call foreign code raises an exception."""
    try:
        yield
    except _Unsound:
        raise
    except Exception as error:
        raise _Unsound(f"{what}: {type(error).__name__}: {error}") from error
