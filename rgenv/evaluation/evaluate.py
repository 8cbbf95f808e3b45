"""One evaluation, from the first question to the files that it leaves.

::

    metrics, samples = await evaluate(problems, runner, about={"model": "m"}, folder=Path("evals/1"))

In the folder: evaluation.json (what the evaluation is about), samples.jsonl (growing while it runs),
metrics.json, report.html and plots.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rgenv.evaluation import report
from rgenv.evaluation.metrics import metrics as metrics_of
from rgenv.evaluation.runner import EvaluationRunner, summary
from rgenv.evaluation.sample_log import SampleLog
from rgenv.storage.atomic import write_atomic
from rgenv.types import Problem, Sample

log = logging.getLogger(__name__)


async def evaluate(
    problems: Sequence[Problem],
    runner: EvaluationRunner,
    *,
    about: Mapping[str, Any],
    folder: Path | None,
    start_over: bool = False,
) -> tuple[dict[str, float], list[Sample]]:
    """Ask every problem, and write the results.

    Args:
        about: what makes two evaluations the same; JSON-able, with ``model``, ``temperature``,
            ``top_p`` and ``max_tokens``.
        folder: where results go; None: nowhere.
        start_over: forget the answers that are in the folder.

    Returns:
        Metrics by name, and all samples.

    Raises:
        NothingAnswers: the endpoint is down; what was answered is saved.
        AnotherEvaluation: the folder holds answers to something else.
        OSError: results can't be written.
    """
    began = time.time()
    if folder is None:
        samples = await runner.run(problems)
    else:
        done = SampleLog.open(folder, about, afresh=start_over)
        try:
            samples = await runner.run(problems, done)
        finally:
            done.close()
    metrics = await asyncio.to_thread(metrics_of, samples)
    log.info("Evaluation: %s.", summary(samples))
    if folder is not None:
        content = metrics_file(metrics, about, seconds=time.time() - began)
        write_atomic(folder / report.FINISHED, json.dumps(content, indent=2).encode())
        dated = {**about, "date": time.strftime("%Y-%m-%d %H:%M")}
        await asyncio.to_thread(report.write, folder, samples, metrics, dated)
        log.info("Metrics, samples, plots and report.html are in %s.", folder)
    return metrics, samples


def metrics_file(
    metrics: Mapping[str, float], about: Mapping[str, Any], *, seconds: float
) -> dict[str, Any]:
    """The content of metrics.json, in the format of lighteval, as Atropos writes it."""
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
