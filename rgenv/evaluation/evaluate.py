"""Running one evaluation and writing its results.

The folder then holds evaluation.json (`about`), samples.jsonl (written while the evaluation runs),
metrics.json, comparison.json if there is an earlier evaluation, and report.html, which is the page
that `view` makes of these files.
"""

import asyncio
import hashlib
import json
import logging
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rgenv.errors import require_extra
from rgenv.evaluation.compare import FINISHED, Comparison, chosen_run, compare_runs, earlier_run
from rgenv.evaluation.eval_metrics import metrics as metrics_of
from rgenv.evaluation.runner import EvaluationRunner
from rgenv.evaluation.sample_log import SAMPLES, SampleLog
from rgenv.pages.folder import Folder
from rgenv.runtime.files import write_atomic
from rgenv.text import counted
from rgenv.types import Problem, Sample

log = logging.getLogger(__name__)

LIBRARIES = ("scipy",)
"""What the intervals are made with; the extra `report` installs it."""

REPORT, COMPARISON = "report.html", "comparison.json"

VARIED = 0.5
"""The least sampling temperature at which several completions of a problem differ much."""

CountTokens = Callable[[Problem], Awaitable[int]]
"""Returns the length of the prompt of a problem in tokens."""


@dataclass(frozen=True)
class Evaluation:
    """A finished evaluation, and the comparison with an earlier run; `folder` has its results."""

    about: Mapping[str, Any]
    samples: list[Sample]
    metrics: dict[str, float]
    folder: Path | None
    seconds: float
    comparison: Comparison | None = None

    @property
    def summary(self) -> str:
        """Accuracy, size, and the path of the report, in a line."""
        asked, failed = len(self.samples), int(self.metrics["eval/errors"])
        failures = f", {failed:,} of them failed," if failed else ""
        size = f"{counted(asked, 'sample')}{failures} in {self.seconds:.0f} s"
        page = f" Report: {self.folder / REPORT}" if self.folder is not None else ""
        if asked == failed:
            return f"No sample could be scored: {size}.{page}"
        limited = ""
        if self.about.get("limit") is not None:
            limited = f" (a limited set of {counted(self.about['items'], 'problem')})"
        answered = counted(asked - failed, "sample that was", "samples that were")
        limited += f" of the {answered} answered" if failed else ""
        macro, micro = self.metrics["eval/macro_accuracy"], self.metrics["eval/accuracy"]
        return (
            f"Accuracy {macro:.3f} by task (macro), {micro:.3f} by problem (micro){limited}; "
            f"{size}.{page}"
        )


async def evaluate(
    problems: Sequence[Problem],
    runner: EvaluationRunner,
    *,
    about: Mapping[str, Any],
    folder: Path | None,
    opened: Callable[[Path], None] = lambda folder: None,
    start_over: bool = False,
    baseline: Path | None = None,
    count_tokens: CountTokens | None = None,
) -> Evaluation:
    """Collect all samples, compute the metrics, and write the results.

    An interrupted evaluation continues: samples that the folder holds are not asked for again.

    Args:
        about: what defines the evaluation; JSON-able, with at least ``model``, ``temperature``,
            ``top_p`` and ``max_tokens``. ``samples_per_item`` is 1 by default.
        folder: where to write the results; None: nowhere.
        opened: called once the folder is known to hold this evaluation, or none.
        start_over: delete the samples that the folder holds.
        baseline: the folder of the evaluation to compare with; None: the newest one of the same
            model beside `folder`.
        count_tokens: if given, a line says first what the run may cost.
    """
    if folder is not None:
        require_extra("report", LIBRARIES, "The report of an evaluation")
    _warn_of_equal_samples(about)
    earlier = chosen_run(baseline, problems, folder) if baseline is not None else None
    began = time.monotonic()
    saved = None
    try:
        if folder is not None:
            saved = SampleLog.open(folder, about, start_over=start_over)
            log.info("Results go to %s; the same command continues them.", folder)
            opened(folder)
        missing = [problem for _, problem, _ in runner.missing(problems, saved)]
        if problems and not missing:
            log.warning(
                "No server is asked: all answers are in %s already. --force asks again.", folder
            )
        elif count_tokens is not None:
            log.info("%s", await cost(missing, count_tokens, about["max_tokens"]))
        samples = await runner.run(problems, saved)
    finally:
        if saved is not None:
            saved.close()
    metrics = await asyncio.to_thread(metrics_of, samples)
    if earlier is None and folder is not None:
        earlier = earlier_run(folder, {sample["id"] for sample in samples}, about)
    comparison = None
    if earlier is not None:
        comparison = await asyncio.to_thread(compare_runs, earlier, samples, about)
    done = Evaluation(about, samples, metrics, folder, time.monotonic() - began, comparison)
    if folder is not None:
        await asyncio.to_thread(_write, folder, done)
    log.info("Evaluation: %s", done.summary)
    return done


def _warn_of_equal_samples(about: Mapping[str, Any]) -> None:
    temperature = about["temperature"]
    if about.get("samples_per_item", 1) > 1 and temperature is not None and temperature < VARIED:
        log.warning(
            "At temperature %g the completions of a problem are nearly the same, so pass@k shows "
            "little more than the accuracy. Set eval_temperature as in training, such as to 1.",
            temperature,
        )


async def cost(
    problems: Sequence[Problem], count_tokens: CountTokens, max_tokens: int | None
) -> str:
    """Return a sentence with the numbers of requests, one a problem, and of tokens."""
    requests = Counter(problem.question for problem in problems)
    prompts = 0
    for problem in {problem.question: problem for problem in problems}.values():
        prompts += requests[problem.question] * await count_tokens(problem)
        await asyncio.sleep(0)
    sizes = f"{counted(len(problems), 'request')}: about {prompts:,} tokens of prompts and"
    if max_tokens is None:
        return f"{sizes} completions of any length."
    most = len(problems) * max_tokens
    return f"{sizes} at most {most:,} of completions ({max_tokens:,} each)."


def _write(folder: Path, done: Evaluation) -> None:
    content = metrics_file(done.metrics, done.about, seconds=done.seconds)
    write_atomic(folder / FINISHED, json.dumps(content, indent=2).encode())
    (folder / COMPARISON).unlink(missing_ok=True)
    if done.comparison is not None:
        changes = json.dumps(asdict(done.comparison), indent=2)
        write_atomic(folder / COMPARISON, changes.encode())
    page = Folder([folder / SAMPLES])
    page.read()
    page.write(folder / REPORT)


def metrics_file(
    metrics: Mapping[str, float], about: Mapping[str, Any], *, seconds: float
) -> dict[str, Any]:
    return {
        "config_general": {
            "model_name": about["model"],
            "total_evaluation_time_seconds": str(seconds),
            "generation_parameters": {
                "max_new_tokens": about["max_tokens"],
                "temperature": about["temperature"],
                "top_p": about["top_p"],
            },
        },
        "results": {"atropos|reasoning_gym_eval|0": dict(metrics), "all": dict(metrics)},
    }


def default_folder(about: Mapping[str, Any], parent: str = "evals") -> Path:
    """Return the folder of an evaluation for which none is given: one for each definition."""
    name = re.sub(r"[^\w.-]+", "-", str(about["model"])).strip("-.")[-60:]
    text = json.dumps(about, sort_keys=True)
    return Path(parent, f"{name}-{hashlib.blake2b(text.encode(), digest_size=4).hexdigest()}")
