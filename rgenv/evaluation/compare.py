"""Comparing two evaluations, problem by problem.

Only samples that both runs scored are compared, so each problem has as many completions in one run
as in the other, and only of problems with the same question from the same source.
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Literal, NamedTuple

from rgenv.errors import BadUsage
from rgenv.evaluation.estimates import Pair, change, more_than_chance, p_value
from rgenv.evaluation.identity import problem_id
from rgenv.evaluation.results import grouped, problem_id_of, problem_results
from rgenv.evaluation.sample_log import SAMPLES, definition, read
from rgenv.text import counted, refusal
from rgenv.types import Problem, Sample

SCORING = ("strict_verifiers", "verifiers")
"""Settings that decide how answers are scored. If one differs, no change is marked."""

PROBLEMS = "problems"
"""The setting that says which problems were asked."""

SAME = ("model", "limit")
"""Settings that an evaluation shares with the earlier one, unless the user chose the other."""

FINISHED = "metrics.json"
"""Written at the end of an evaluation."""

Verdict = Literal["better", "worse", ""]


class EarlierRun(NamedTuple):
    """An evaluation to compare with; its definition is empty if it can't be read."""

    name: str
    samples: Sequence[Sample]
    about: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Change:
    """The accuracies over the problems that both runs scored.

    Attributes:
        change: later minus earlier, between `low` and `high` with 95 % confidence.
        verdict: ``better`` or ``worse`` if the change is more than chance, corrected for the number
            of tasks or categories; else empty.
    """

    problems: int
    earlier: float
    now: float
    change: float
    low: float
    high: float
    verdict: Verdict


@dataclass(frozen=True)
class Comparison:
    """What comparison.json holds (docs/files.md)."""

    name: str  # of the earlier run
    model: str
    overall: Change | None  # None if the runs share no problem
    categories: Mapping[str, Change]
    tasks: Mapping[str, Change]
    cautions: Sequence[str]  # why the change is not one of the models on the whole set
    settings: Mapping[str, tuple[Any, Any]]  # that differ -> earlier and later value
    only_now: int
    only_earlier: int
    changed: int  # problems left out because they have another question or source now

    @property
    def scored_differently(self) -> bool:
        """Whether the scoring has other settings; then no change has a verdict."""
        return any(name in self.settings for name in SCORING)

    def changed_tasks(self, verdict: Verdict) -> list[str]:
        """Return the tasks with that verdict, most changed first."""
        names = [name for name, found in self.tasks.items() if found.verdict == verdict]
        return sorted(names, key=lambda name: (-abs(self.tasks[name].change), name))


def compare_runs(
    earlier: EarlierRun, now: Iterable[Sample], about: Mapping[str, Any] | None = None
) -> Comparison:
    """Compare two runs problem by problem; `about` defines the present one."""
    runs = [[sample for sample in run if "score" in sample] for run in (earlier.samples, now)]
    before, after = ({problem_id_of(sample) for sample in run} for run in runs)
    values = {name: (earlier.about.get(name), value) for name, value in (about or {}).items()}
    values |= {name: (value, None) for name, value in earlier.about.items() if name not in values}
    settings = {n: pair for n, pair in values.items() if pair[0] != pair[1] and n != "set"}
    shared, changed = ([], 0) if PROBLEMS in settings else _pairs(*runs)
    may_mark = not any(name in settings for name in SCORING)
    return Comparison(
        name=earlier.name,
        model=str(earlier.about.get("model", "unknown")),
        overall=_judged({"": shared}, may_mark)[""] if shared else None,
        categories=_judged(grouped(shared, lambda pair: pair[1].category), may_mark),
        tasks=_judged(grouped(shared, lambda pair: pair[1].task), may_mark),
        cautions=_cautions(settings, changed),
        settings=settings,
        only_now=len(after) - len(shared) - changed,
        only_earlier=len(before) - len(shared) - changed,
        changed=changed,
    )


def _cautions(settings: Mapping[str, tuple[Any, Any]], changed: int) -> list[str]:
    out = []
    if PROBLEMS in settings:
        old, new = settings[PROBLEMS]
        out.append(
            f"Nothing is compared, because the runs asked different problems ({old} and {new})."
        )
    if differing := [name for name in SCORING if name in settings]:
        out.append(
            f"No change is marked, because answers were scored differently ({', '.join(differing)})"
            ". Evaluate the earlier model again with the present version."
        )
    if changed:
        out.append(
            "Left out, because question or source is another one than in the earlier run: "
            f"{counted(changed, 'problem')}."
        )
    if "limit" in settings:
        limits = zip(("earlier", "present"), settings["limit"], strict=True)
        limited = " and ".join(
            f"the {name} run is limited to {counted(n, 'problem')}"
            for name, n in limits
            if n is not None
        )
        out.append(
            f"These are sets of different sizes: {limited}. Only the problems of both are "
            "compared, so the accuracies are not those of the whole runs."
        )
    return out


def _pairs(earlier: Sequence[Sample], now: Sequence[Sample]) -> tuple[list[Pair], int]:
    """Return the results of the problems that both runs scored, and how many changed."""
    old, new = ({sample["id"]: sample for sample in run} for run in (earlier, now))
    common = old.keys() & new.keys()
    kept = {name for name in common if _asked(old[name]) == _asked(new[name])}
    changed = {problem_id_of(old[name]) for name in common - kept}
    before, after = (problem_results(run[name] for name in kept) for run in (old, new))
    return list(zip(before, after, strict=True)), len(changed)


def _asked(sample: Sample) -> tuple[Any, ...]:
    return sample["question"], sample.get("source")


def _judged(groups: Mapping[str, Sequence[Pair]], may_mark: bool) -> dict[str, Change]:
    """Return the change of each group, with a verdict that takes all groups into account."""
    p_values = {name: p_value(pairs) for name, pairs in groups.items()}
    marked = more_than_chance(p_values) if may_mark else set()
    changes = {}
    for name, pairs in groups.items():
        found = change(pairs)
        verdict: Verdict = "better" if found.mean > 0 else "worse"
        changes[name] = Change(
            len(pairs),
            fmean(old.accuracy for old, _ in pairs),
            fmean(new.accuracy for _, new in pairs),
            *(found.mean, found.low, found.high),
            verdict if name in marked else "",
        )
    return changes


# Which evaluation to compare with


def earlier_run(folder: Path, ids: set[str], about: Mapping[str, Any]) -> EarlierRun | None:
    """Find the newest finished evaluation beside `folder` that has a sample with one of `ids`."""
    here = folder.resolve()
    finished = [path for path in here.parent.glob(f"*/{FINISHED}") if path.parent != here]
    for path in sorted(finished, key=lambda path: path.lstat().st_mtime, reverse=True):
        found = _definition(path.parent)
        # In `serve`, an evaluation of this step or a later one is of another run.
        is_later = about.get("step") is not None and (found.get("step") or 0) >= about["step"]
        if is_later or any(found.get(name) != about.get(name) for name in SAME):
            continue
        with contextlib.suppress(OSError):  # another program wrote what is there
            samples = read(path.parent / SAMPLES)
            if any(sample["id"] in ids for sample in samples):
                return EarlierRun(path.parent.name, samples, found)
    return None


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
