"""The record of a task: all that is known about it, one field an aspect, each with a default.

Each file of a task ends with its record, and a user's own task may have one in the same form::

    TASK = Task(
        answer=Number(unit="minutes?"),
        correct=correct,
        labels={"-1": 0.4},
        levels=moving(n=[(4, 5), (6, 8), (9, 12)]),
    )

`rgenv.tasks.registry.record_of` finds the record of a task. Functions of a record that take an
entry may raise on a question in a form that they do not know; each caller says what happens then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rgenv.tasks.answers.kind import TEXT, Answer
from rgenv.tasks.entry import Entry

SOLVED = 0.99
"""The least score of a right answer."""

Answers = dict[str, str]
"""Name of a rule -> its answer to a question."""
Correction = Callable[[Entry], Entry | None]
"""Maps an entry to an entry of the same form, or to None."""
LibraryVerifier = Callable[[str], float]
"""The library's verifier for one entry: maps an answer to a score. It may raise."""
Verifier = Callable[[str, Entry, LibraryVerifier], float]
"""Maps an answer in the library's form, its entry and the library's verifier to a score in [0, 1].

It returns 1.0 for a right answer only, and never less for a better answer. It raises nothing and
takes milliseconds, whatever the answer."""
Limit = Callable[[str], str | None]
"""Returns the reason for refusing an answer, or None."""


def by_library(answer: str, entry: Entry, library: LibraryVerifier) -> float:
    """Return the library's score; raise whatever its verifier raises."""
    return library(answer)


@dataclass(frozen=True, kw_only=True)
class Levels:
    """What a level in [0, 1] means for the parameters of a task.

    By default the task's own curriculum in reasoning-gym decides, or nothing where it has none.

    Attributes:
        knots: values at evenly spaced levels, by parameter, instead of the curriculum's.
        work: the least and the most work of a problem at evenly spaced levels, for tasks whose
            parameters do not decide it: problems are drawn until one fits. Needs `Task.work`.
        fixed: why no parameter can move: all keep their defaults.
        unbound: of ``question_chars`` and ``answer_chars``, what a few problems exceed.
    """

    knots: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    work: Sequence[tuple[float, float]] | None = None
    fixed: str = ""
    unbound: tuple[str, ...] = ()


def moving(
    *,
    work: Sequence[tuple[float, float]] | None = None,
    unbound: tuple[str, ...] = (),
    **values: Sequence[Any],
) -> Levels:
    """Return levels whose knots are `values`; a pair is the least and the most of a parameter.

    ``moving(words=[(3, 5), (8, 12)], steps=[1, 4])`` moves `min_words`, `max_words` and `steps`.
    """
    knots: dict[str, Sequence[Any]] = {}
    for name, steps in values.items():
        if isinstance(steps[0], tuple):
            knots[f"min_{name}"], knots[f"max_{name}"] = map(list, zip(*steps, strict=True))
        else:
            knots[name] = steps
    return Levels(knots=knots, work=work, unbound=unbound)


@dataclass(frozen=True, kw_only=True)
class Task:
    """All that is known about a task.

    Attributes:
        answer: the kind of its answers: how they may be written.
        also_right: what is right besides the reference answer, for the table of docs/tasks.md.
            Other forms of one value (`5.0` for `5`) are right in every task.
        correct: returns the entry, or a copy with a right reference answer; None if no answer to
            its question is provably right. It never changes the question. Left out: the library's
            reference answer can be trusted.
        harden: returns a harder problem in place of the entry, for ``problems="hardened"``; None if
            ``entry["config"]``, the parameters that were asked for, allow none. Its first line says
            what a cheap program earns without it and with it.
        verify: takes an answer, its entry and the data set's verifier, and returns a score. None:
            it has to be the reference answer, in a form that `answer` reads; of a user's own task,
            the data set's verifier decides then.
        solve: takes the metadata of an entry whose reference answer the library does not keep, and
            returns a right answer; None if a search takes too long.
        clarify: pairs of a pattern and the sentence that is added to questions in which it is
            found: what the verifier demands and the question omits.
        limits: rules that an answer has to pass before a verifier sees it. Right answers need a
            tenth of each limit or less.
        guarded: what replaces functions of the task's module that would execute an answer, by
            name; ``library.name`` is replaced only as that module sees the library.
        labels: reference answer -> the share of problems that have it. The rest have other answers.
        shortcuts: rules of a few lines that answer from the question without solving it. Problems
            that one of them solves are drawn again.
        kept: rule -> the share of the problems it solves that are asked all the same. If none were,
            a rule that contradicts it would be right.
        family: returns what is left of a problem without the symmetries of its task. Problems of
            which the same is left are one family; a family is held out as a whole. None: the words
            and numbers of the question, in any order.
        salt: a number that is hashed with a family. Where a task has few families, it is chosen so
            that each level has some for training, and for evaluation if it has two.
        work: returns the work that solving a problem takes, in a unit of the task's own.
        levels: what a level means.
        prepared: the parameters that the data set's ``__init__`` reads, if what it prepares is
            worth keeping and depends on nothing else. None: each data set is made anew.
        faster: what replaces slow functions of the library, by ``module:Class:name``. A replacement
            draws the same random numbers and returns the same results.
        item: maps a seed to the size of the data set that is made with it, and to the index of the
            problem, where the first item of a data set of size 1 is always of one kind. Without
            strict verifiers, problems are that item.
        seed_bits: bits of the largest seed that the data set accepts. None: as many as a seed has.
        accepted: rule of `validate`, such as ``wrong: order`` -> why the task may break it. For
            reasoning-gym's tasks there is also ``shortcut``: a cheap program solves far more than
            the most frequent answer does.
    """

    answer: Answer = TEXT
    also_right: str = ""
    correct: Correction | None = None
    harden: Correction | None = None
    verify: Verifier | None = None
    solve: Callable[[Mapping[str, Any]], str | None] | None = None
    clarify: tuple[tuple[str, str], ...] = ()
    limits: tuple[Limit, ...] = ()
    guarded: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    labels: Mapping[str, float] = field(default_factory=dict)
    shortcuts: Callable[[str], Answers] | None = None
    kept: Mapping[str, float] = field(default_factory=dict)
    family: Callable[[Entry], object] | None = None
    salt: int = 0
    work: Callable[[Entry], float] | None = None
    levels: Levels = Levels()
    prepared: tuple[str, ...] | None = None
    faster: Mapping[str, Any] = field(default_factory=dict)
    item: Callable[[int], tuple[int, int]] | None = None
    seed_bits: int | None = None
    accepted: Mapping[str, str] = field(default_factory=dict)

    @property
    def protection(self) -> Task:
        """The record of a task with another source: what protects, and what holds a family out."""
        return Task(
            verify=by_library,
            limits=self.limits,
            guarded=self.guarded,
            salt=self.salt,
            seed_bits=self.seed_bits,
            levels=Levels(fixed="The task has another source than the one that was measured."),
        )
