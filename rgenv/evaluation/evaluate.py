"""Running one evaluation and writing its results.

::

    about = {"model": "m", "temperature": 0.1, "top_p": 1.0, "max_tokens": 4096}
    metrics, samples = await evaluate(problems, runner, about=about, folder=Path("evals/1"))

The folder then holds evaluation.json (`about`), samples.jsonl (written while the evaluation runs),
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
from rgenv.evaluation.metrics import size_note
from rgenv.evaluation.results import problem_results
from rgenv.evaluation.runner import EvaluationRunner, summary
from rgenv.evaluation.sample_log import SampleLog
from rgenv.storage.atomic import write_atomic
from rgenv.types import Problem, Sample

log = logging.getLogger(__name__)

VARIED = 0.5
"""The least sampling temperature at which several completions of a problem differ much."""


async def evaluate(
    problems: Sequence[Problem],
    runner: EvaluationRunner,
    *,
    about: Mapping[str, Any],
    folder: Path | None,
    start_over: bool = False,
) -> tuple[dict[str, float], list[Sample]]:
    """Collect all samples, compute the metrics, and write the results.

    An interrupted evaluation continues: samples that the folder holds are not asked for again.

    Args:
        about: what defines the evaluation; JSON-able, with at least ``model``, ``temperature``,
            ``top_p`` and ``max_tokens``. ``samples_per_item`` is 1 by default. ``all_tasks``
            (category -> number of tasks) says of how many tasks those of the problems are a sample.
        folder: where to write the results; None: nowhere.
        start_over: delete the samples that the folder holds.

    Returns:
        The metrics by name, and all samples.

    Raises:
        InferenceUnavailable: the inference server is down; the samples so far are saved.
        EvaluationMismatch: the folder holds samples of an evaluation with another definition.
        OSError: the results can't be written.
    """
    if about.get("samples_per_item", 1) > 1 and about["temperature"] < VARIED:
        log.warning(
            "At temperature %g the completions of a problem are nearly the same, so pass@k shows "
            "little more than the accuracy. Set eval_temperature to that of training, such as 1.",
            about["temperature"],
        )
    began = time.time()
    if folder is None:
        samples = await runner.run(problems)
    else:
        saved = SampleLog.open(folder, about, start_over=start_over)
        try:
            samples = await runner.run(problems, saved)
        finally:
            saved.close()
    metrics = await asyncio.to_thread(metrics_of, samples, about.get("all_tasks"))
    log.info("Evaluation: %s.", summary(metrics))
    if results := problem_results(samples):
        log.info("%s", size_note(results))
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
    """Return the content of metrics.json: lighteval's format, as Atropos writes it.

    Args:
        seconds: how long the evaluation took.
    """
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
