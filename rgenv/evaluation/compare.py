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
from rgenv.evaluation.estimates import (
    Estimate,
    Pair,
    accuracy,
    change,
    mean_score,
    more_than_chance,
    p_value,
)
from rgenv.evaluation.item_cache import problem_id
from rgenv.evaluation.results import Key, problem_id_of, problem_results
from rgenv.evaluation.sample_log import SAMPLES, definition, read
from rgenv.text import refusal
from rgenv.types import Problem, Sample

SCORING = ("strict_verifiers", "verifiers")
"""Settings that decide how answers are scored. If one differs, no change is marked."""

PROBLEMS = "problems"
"""The setting that says which problems were asked."""

Verdict = Literal["better", "worse", ""]


@dataclass(frozen=True)
class Change:
    """The change of accuracy and score over the problems that both runs scored.

    Attributes:
        earlier, now: the accuracies of both runs.
        accuracy, score: the differences, later minus earlier.
        p_value: the chance of such a difference of the accuracies if the model did not change.
        verdict: ``better`` or ``worse`` if the change is more than chance, corrected for the number
            of tasks or categories; else empty.
    """

    earlier: float
    now: float
    accuracy: Estimate
    score: Estimate
    p_value: float
    verdict: Verdict = ""


@dataclass(frozen=True)
class Comparison:
    """Two runs compared on the problems that both of them scored.

    Attributes:
        overall: None if the runs share no problem.
        changed: number of problems left out because they have another question or source now.
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
        if self.changed:
            out.append(
                f"{self.changed} problems have another question or another source than in the "
                "earlier run, so they are left out."
            )
        if "limit" in self.settings:
            limits = zip(("earlier", "present"), self.settings["limit"], strict=True)
            limited = " and ".join(
                f"the {name} run is limited to {n} problems" for name, n in limits if n is not None
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


def compare_runs(
    earlier: Iterable[Sample],
    now: Iterable[Sample],
    *,
    earlier_about: Mapping[str, Any] | None = None,
    about: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare two runs problem by problem; without their definitions, these count as equal."""
    runs = [[sample for sample in run if "score" in sample] for run in (earlier, now)]
    before, after = ({problem_id_of(sample) for sample in run} for run in runs)
    settings: dict[str, tuple[Any, Any]] = {}
    if earlier_about is not None and about is not None:
        settings = _differing(earlier_about, about)
    shared, changed = ([], 0) if PROBLEMS in settings else _pairs(*runs)
    may_mark = not any(name in settings for name in SCORING)
    return Comparison(
        overall=_judged({"": shared}, may_mark)[""] if shared else None,
        categories=_judged(_grouped(shared, "category"), may_mark),
        tasks=_judged(_grouped(shared, "task"), may_mark),
        only_earlier=len(before) - len(shared) - changed,
        only_now=len(after) - len(shared) - changed,
        changed=changed,
        settings=settings,
    )


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


def _differing(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the settings that differ; one that is missing has the value None."""
    values = {name: (earlier.get(name), now.get(name)) for name in (*now, *earlier)}
    return {n: (old, new) for n, (old, new) in values.items() if old != new and n != "set"}


def _grouped(pairs: Sequence[Pair], key: Key) -> dict[str, list[Pair]]:
    groups: dict[str, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(getattr(pair[1], key), []).append(pair)
    return dict(sorted(groups.items()))


def _judged(groups: Mapping[str, Sequence[Pair]], may_mark: bool) -> dict[str, Change]:
    """Return the change of each group, with a verdict that takes all groups into account."""
    p_values = {name: p_value(pairs, accuracy) for name, pairs in groups.items()}
    marked = more_than_chance(p_values) if may_mark else set()
    changes = {}
    for name, pairs in groups.items():
        found = change(pairs, accuracy)
        verdict: Verdict = "better" if found.mean > 0 else "worse"
        changes[name] = Change(
            earlier=fmean(old.accuracy for old, _ in pairs),
            now=fmean(new.accuracy for _, new in pairs),
            accuracy=found,
            score=change(pairs, mean_score),
            p_value=p_values[name],
            verdict=verdict if name in marked else "",
        )
    return changes


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
    finished = [path for path in here.parent.glob(f"*/{FINISHED}") if path.parent != here]
    for path in sorted(finished, key=lambda path: path.lstat().st_mtime, reverse=True):
        found = _definition(path.parent)
        # In `serve`, an evaluation of this step or a later one is of another run.
        is_later = about.get("step") is not None and (found.get("step") or 0) >= about["step"]
        if is_later or any(found.get(name) != about.get(name) for name in SAME):
            continue
        with contextlib.suppress(OSError):  # what is there is no file of ours
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
