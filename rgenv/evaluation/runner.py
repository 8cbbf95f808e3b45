"""Running an evaluation: ask for every sample, score it, and keep it.

::

    runner = EvaluationRunner(ask, pool.score, samples_each=4, concurrency=256)
    samples = await runner.run(problems, log)

A request that fails is repeated after a pause. When the last attempt fails too, its sample records
the error and the run goes on. Samples that the log already holds are not asked for again.

A sample is a JSON-able dict. These keys are always there: ``id`` (the problem's id, a slash, the
index of the completion), ``task``, ``category``, ``level``, ``seed``, ``family``, ``sample`` (the
index), ``recipe``, ``question``, ``gold_answer`` and ``gold_parsed`` (both the reference answer). A
scored sample also has ``messages`` (the whole conversation), ``model_parsed`` (the extracted
answer), ``response_after_think`` (the completion after its thinking), ``score``, ``correct``
(whether the completion solved the problem), ``verdict`` (its kind), ``finish_reason`` and
``completion_tokens``; a failed one has ``error`` instead.

Not here: inference servers, the numbers of an evaluation (metrics.py), its report (report.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from rgenv.errors import InferenceUnavailable
from rgenv.evaluation.item_cache import problem_id
from rgenv.evaluation.results import problem_id_of
from rgenv.evaluation.sample_log import SampleLog
from rgenv.rollouts.answer_format import extract_answer
from rgenv.runtime.backoff import pause
from rgenv.runtime.progress import Progress
from rgenv.text import describe
from rgenv.types import SOLVED, Message, Problem, Sample, Verdict

log = logging.getLogger(__name__)

ATTEMPTS = 3
"""Requests for one sample before it counts as failed."""

GIVE_UP_AFTER = 20
"""Failed requests in a row, over all problems, that end the run."""


@dataclass(frozen=True)
class Reply:
    """One completion as an inference server returned it.

    Attributes:
        messages: the prompt.
        text: the completion.
        finish_reason: ``stop`` or ``length``.
        tokens: length of the completion; None if the server does not report it.
    """

    messages: Sequence[Message]
    text: str
    finish_reason: str
    tokens: int | None = None


Ask = Callable[[Problem], Awaitable[Reply]]
Score = Callable[[Problem, Sequence[str | None]], Awaitable[list[Verdict]]]


class EvaluationRunner:
    """Asks for samples, several at a time, and scores them.

    Args:
        ask: returns one completion for a problem. A ValueError means that the problem cannot be
            asked at all; any other exception means that the request may be repeated.
        score: returns one verdict for each answer.
        samples_each: completions for each problem.
        concurrency: the maximum number of concurrent requests.
        categories: task -> category.
    """

    def __init__(
        self,
        ask: Ask,
        score: Score,
        *,
        samples_each: int = 1,
        concurrency: int = 64,
        categories: Mapping[str, str] | None = None,
    ) -> None:
        self._ask = ask
        self._score = score
        self._samples_each = samples_each
        self._slots = asyncio.Semaphore(concurrency)
        self._categories = dict(categories or {})
        self._failures_in_a_row = 0

    async def run(
        self, problems: Sequence[Problem], saved: SampleLog | None = None
    ) -> list[Sample]:
        """Return all samples of all problems, in that order, including those in `saved`.

        Raises:
            InferenceUnavailable: `GIVE_UP_AFTER` requests in a row failed.
            OSError: a sample can't be written.
        """
        wanted = [
            (f"{problem_id(problem)}/{index}", problem, index)
            for problem in problems
            for index in range(self._samples_each)
        ]
        before = saved.answered if saved is not None else {}
        samples = {name: before[name] for name, _, _ in wanted if name in before}
        if samples:
            log.info("%d of %d samples are there already.", len(samples), len(wanted))
        accuracy = _Accuracy(samples.values())

        async def add_sample(name: str, problem: Problem, index: int) -> None:
            async with self._slots:
                sample = await self._sample(name, problem, index)
            if saved is not None:
                saved.add(sample)
            samples[name] = sample
            accuracy.add(sample)
            progress.advance(note=str(accuracy))

        with Progress(
            "Evaluating", total=len(wanted), unit="samples", initial=len(samples)
        ) as progress:
            try:
                async with asyncio.TaskGroup() as group:
                    for name, problem, index in wanted:
                        if name not in before:
                            group.create_task(add_sample(name, problem, index))
            except BaseExceptionGroup as errors:  # callers expect the plain exception
                raise errors.exceptions[0] from None
        return [samples[name] for name, _, _ in wanted]

    async def _sample(self, name: str, problem: Problem, index: int) -> Sample:
        sample: Sample = {
            "id": name,
            "task": problem.task,
            "category": self._categories.get(problem.task, "other"),
            "level": problem.level,
            "seed": problem.seed,
            "family": problem.family,
            "sample": index,
            "recipe": problem.recipe,
            "question": problem.question,
            "gold_answer": problem.answer,
            "gold_parsed": problem.answer,
        }
        try:
            reply = await self._ask_until_answered(problem)
            answer = extract_answer(reply.text)
            [verdict] = await self._score(problem, [answer])
        except InferenceUnavailable:
            raise
        except Exception as error:  # a server's or the pool's; other samples must not be lost
            log.warning("Sample %s failed: %s", name, describe(error))
            return {**sample, "error": describe(error)}
        return {
            **sample,
            "messages": [*reply.messages, {"role": "assistant", "content": reply.text}],
            "model_parsed": answer,
            "response_after_think": reply.text.rpartition("</think>")[2].strip(),
            "score": verdict.score,
            "correct": verdict.score >= SOLVED,
            "verdict": verdict.kind,
            "finish_reason": reply.finish_reason,
            "completion_tokens": reply.tokens,
        }

    async def _ask_until_answered(self, problem: Problem) -> Reply:
        for attempt in range(1, ATTEMPTS):
            try:
                return await self._ask_once(problem)
            except (InferenceUnavailable, ValueError):
                raise
            except Exception:  # a server's, counted by _ask_once
                await asyncio.sleep(pause(attempt))
        return await self._ask_once(problem)

    async def _ask_once(self, problem: Problem) -> Reply:
        try:
            reply = await self._ask(problem)
        except ValueError:  # says nothing about the server
            raise
        except Exception as error:  # servers and their clients raise all kinds of exceptions
            self._failures_in_a_row += 1
            if self._failures_in_a_row < GIVE_UP_AFTER:
                raise
            raise InferenceUnavailable(
                f"{GIVE_UP_AFTER} requests in a row failed (last: {describe(error)}). The samples "
                "so far are saved; run the same command again to continue when the server works."
            ) from None
        self._failures_in_a_row = 0
        return reply


class _Accuracy:
    """The accuracy so far, as metrics.py defines it, for the progress display."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._problems: dict[str, tuple[int, int]] = {}
        self._sum = 0.0
        for sample in samples:
            self.add(sample)

    def add(self, sample: Sample) -> None:
        if "score" not in sample:
            return
        problem = problem_id_of(sample)
        solved, scored = self._problems.get(problem, (0, 0))
        before = solved / scored if scored else 0.0
        solved, scored = solved + sample["correct"], scored + 1
        self._problems[problem] = solved, scored
        self._sum += solved / scored - before

    def __str__(self) -> str:
        if not self._problems:
            return "no answer yet"
        return f"accuracy {self._sum / len(self._problems):.3f}"


def summary(metrics: Mapping[str, float]) -> str:
    """Return one line for the log: numbers of answers and errors, and the accuracy."""
    completions, errors = metrics["eval/completions"], metrics["eval/errors"]
    accuracy = f"accuracy {metrics['eval/accuracy']:.3f}" if completions > errors else "no accuracy"
    return f"{completions - errors:.0f} answers, {errors:.0f} errors, {accuracy}"
