"""Comparing two evaluations, problem by problem.

Only samples that both runs scored are compared, so each problem has as many completions in one run
as in the other. If the model did not change, its results could then be exchanged, which is what the
exact test assumes (chance.py).
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple

from rgenv.errors import BadUsage
from rgenv.evaluation.chance import (
    ALPHA,
    MIN_PROBLEMS,
    PairedTest,
    detectable,
    marked,
    sign_flip_test,
)
from rgenv.evaluation.estimates import Estimate, accuracy, change, mean_score
from rgenv.evaluation.item_cache import problem_id
from rgenv.evaluation.results import Key, ProblemResult, problem_id_of, problem_results
from rgenv.evaluation.sample_log import SAMPLES, definition, read
from rgenv.text import refusal
from rgenv.types import Problem, Sample

SCORING = ("strict_verifiers", "sources", "verifiers")
"""Settings that decide how answers are scored. If one differs, no change is marked."""

PROBLEMS = "problems"
"""The setting that says which problems were asked."""

LEVEL = ALPHA / 2
"""The level of the tests of all tasks, and of those of all categories. Together they have 5 %."""

Verdict = Literal["better", "worse", ""]


@dataclass(frozen=True)
class Change:
    """The change of accuracy and score over the problems that both runs scored.

    Attributes:
        earlier, now: the accuracies of both runs.
        accuracy, score: the differences, later minus earlier.
        test: whether the difference of the accuracies is more than chance.
        verdict: ``better`` or ``worse`` if it is, corrected for the number of tasks or categories;
            else empty.
    """

    earlier: float
    now: float
    accuracy: Estimate
    score: Estimate
    test: PairedTest
    verdict: Verdict = ""

    @property
    def detectable(self) -> float:
        """The change that such a comparison finds in 80 % of cases, before any correction."""
        return detectable((self.accuracy.high - self.accuracy.low) / 2, runs=1)


@dataclass(frozen=True)
class Comparison:
    """Two runs compared on the problems that both of them scored.

    Attributes:
        overall: None if the runs share no problem.
        changed: number of problems left out because their id now has another question.
        settings: name of a setting that differs -> its earlier and its later value.
    """

    overall: Change | None
    categories: Mapping[str, Change]
    tasks: Mapping[str, Change]
    only_earlier: int
    only_now: int
    changed: int
    settings: Mapping[str, tuple[Any, Any]]

    @property
    def scored_differently(self) -> list[str]:
        """The settings of the scoring that differ. If there is one, no change has a verdict."""
        return [name for name in SCORING if name in self.settings]

    @property
    def cautions(self) -> list[str]:
        """Sentences that say why the change is not that of the models on the whole set."""
        out = []
        if PROBLEMS in self.settings:
            old, new = self.settings[PROBLEMS]
            out.append(
                f"Nothing is compared, because the runs asked different problems ({old} and {new})."
            )
        if self.scored_differently:
            out.append(
                "No change is marked, because answers were scored differently "
                f"({', '.join(self.scored_differently)}). Evaluate the earlier model again with "
                "the present version."
            )
        if "limit" in self.settings:
            old, new = self.settings["limit"]
            limited = " and ".join(
                f"the {name} run is limited to {limit} problems"
                for name, limit in (("earlier", old), ("present", new))
                if limit is not None
            )
            out.append(
                f"These are sets of different sizes: {limited}. Only the problems of both are "
                "compared, so the accuracies are not those of the whole runs."
            )
        return out

    def changed_tasks(self, verdict: Verdict) -> dict[str, Change]:
        """Return the tasks with that verdict, ``better`` or ``worse``, most changed first."""
        rows = [(task, change) for task, change in self.tasks.items() if change.verdict == verdict]
        return dict(sorted(rows, key=lambda row: (-abs(row[1].accuracy.mean), row[0])))


Pair = tuple[ProblemResult, ProblemResult]
"""The results of the earlier and of the later run for one problem."""


def compare_runs(
    earlier: Iterable[Sample],
    now: Iterable[Sample],
    *,
    earlier_about: Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare two runs problem by problem; without their definitions, these count as equal."""
    earlier, now = list(earlier), list(now)
    before, after = ({r.problem_id for r in problem_results(run)} for run in (earlier, now))
    settings: dict[str, tuple[Any, Any]] = {}
    if earlier_about is not None and about is not None:
        settings = _differing(earlier_about, about)
    shared, changed = ([], 0) if PROBLEMS in settings else _pairs(earlier, now)
    if "sources" in settings and _sources(earlier, shared) == _sources(now, shared):
        del settings["sources"]  # it is of all tasks, and only the others differ
    may_mark = not any(name in settings for name in SCORING)
    return Comparison(
        overall=_judged({"": shared}, may_mark, ALPHA)[""] if shared else None,
        categories=_judged(_grouped(shared, "category"), may_mark, LEVEL),
        tasks=_judged(_grouped(shared, "task"), may_mark, LEVEL),
        only_earlier=len(before) - len(shared) - changed,
        only_now=len(after) - len(shared) - changed,
        changed=changed,
        settings=settings,
    )


def _pairs(earlier: Sequence[Sample], now: Sequence[Sample]) -> tuple[list[Pair], int]:
    """Return the problems with samples that both runs scored, and how many changed."""
    ids = [{sample["id"] for sample in run if "score" in sample} for run in (earlier, now)]
    common = ids[0] & ids[1]
    before, after = (
        {r.problem_id: r for r in problem_results(s for s in run if s["id"] in common)}
        for run in (earlier, now)
    )
    both = [(before[name], after[name]) for name in sorted(before)]
    pairs = [(old, new) for old, new in both if old.question == new.question]
    return pairs, len(both) - len(pairs)


def _sources(run: Iterable[Sample], pairs: Sequence[Pair]) -> dict[str, Any]:
    """Return the source of each of these problems, as a run has it."""
    wanted = {pair[0].problem_id for pair in pairs}
    return {name: s.get("source") for s in run if (name := problem_id_of(s)) in wanted}


def _differing(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the settings that differ; one that is missing has the value None."""
    names = [name for name in dict.fromkeys((*now, *earlier)) if name != "date"]
    values = {name: (earlier.get(name), now.get(name)) for name in names}
    return {name: (old, new) for name, (old, new) in values.items() if old != new}


def _grouped(pairs: Sequence[Pair], key: Key) -> dict[str, list[Pair]]:
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(getattr(pair[1], key), []).append(pair)
    return dict(sorted(groups.items()))


def _judged(
    groups: Mapping[str, Sequence[Pair]], may_mark: bool, level: float
) -> dict[str, Change]:
    """Return the change of each group, with a verdict that takes all groups into account."""
    changes = {name: _change(pairs) for name, pairs in groups.items()}
    tests = {
        name: change.test
        for name, change in changes.items()
        if may_mark and change.accuracy.problems >= MIN_PROBLEMS
    }
    for name in marked(tests, level):
        found = changes[name]
        verdict: Verdict = "better" if found.accuracy.mean > 0 else "worse"
        changes[name] = replace(found, verdict=verdict)
    return changes


def _change(pairs: Sequence[Pair]) -> Change:
    return Change(
        earlier=fmean(old.accuracy for old, _ in pairs),
        now=fmean(new.accuracy for _, new in pairs),
        accuracy=change(pairs, accuracy),
        score=change(pairs, mean_score),
        test=sign_flip_test([new.accuracy - old.accuracy for old, new in pairs]),
    )


# Which evaluation to compare with


FINISHED = "metrics.json"
"""Written at the end of an evaluation."""

SAME = ("model", "limit")
"""Settings of which an evaluation is compared only with one that has the same, unless the user
chose the other."""


class EarlierRun(NamedTuple):
    name: str
    samples: Sequence[Sample]
    about: Mapping[str, Any] | None = None

    @property
    def model(self) -> str:
        return str((self.about or {}).get("model", "unknown"))


def earlier_run(folder: Path, ids: set[str], about: Mapping[str, Any]) -> EarlierRun | None:
    """Find the newest finished evaluation beside `folder` that has a sample with one of `ids`."""
    here = folder.resolve()
    others = [
        path.parent
        for path in here.parent.glob(f"*/{FINISHED}")
        if path.parent != here and (path.parent / SAMPLES).exists()
    ]
    for other in sorted(others, key=lambda f: (f / FINISHED).lstat().st_mtime, reverse=True):
        found = _definition(other)
        if any(found.get(name) != about.get(name) for name in SAME) or _is_later(found, about):
            continue
        with contextlib.suppress(OSError):  # what is there is no file of ours
            samples = read(other / SAMPLES)
            if any(sample["id"] in ids for sample in samples):
                return EarlierRun(other.name, samples, found)
    return None


def _is_later(found: Mapping[str, Any], about: Mapping[str, Any]) -> bool:
    """Whether an evaluation of `serve` is of this step or a later one, so of another run."""
    step, now = found.get("step"), about.get("step")
    return isinstance(step, int) and isinstance(now, int) and step >= now


def chosen_run(
    folder: Path, problems: Sequence[Problem], results: Path | None = None
) -> EarlierRun:
    """Return the evaluation in a folder that the user chose to compare with, or raise BadUsage."""
    if results is not None and folder.resolve() == results.resolve():
        raise BadUsage(f"--compare {folder}: these are the results of this evaluation itself.")
    try:
        samples = read(folder / SAMPLES)
    except OSError as error:
        raise BadUsage(f"--compare {folder}: {SAMPLES}: {refusal(error)}.") from None
    if not samples:
        raise BadUsage(
            f"--compare {folder}: there is no evaluation. Name the folder of one, with its "
            f"{SAMPLES}."
        )
    known = {problem_id_of(sample) for sample in samples if "score" in sample}
    if known.isdisjoint(map(problem_id, problems)):
        raise BadUsage(
            f"--compare {folder}: that evaluation asked none of these problems; it may have other "
            "tasks, another eval_seed or other eval_levels."
        )
    return EarlierRun(str(folder), samples, _definition(folder))


def _definition(folder: Path) -> dict[str, Any]:
    try:
        return definition(folder)
    except (OSError, ValueError):
        return {}
