"""Running an evaluation: ask for every sample, score it, and keep it.

The tasks take turns, so that the progress shows the accuracy over all of them. Samples
that the log already holds are not asked for again. asking.py says what follows from a failure, and
docs/files.md what a sample is.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from rgenv.errors import InferenceUnavailable, PoolBroken
from rgenv.evaluation.asking import Ask, Asking, reason_of
from rgenv.evaluation.identity import problem_id
from rgenv.evaluation.sample_log import SampleLog
from rgenv.rollouts.recorder import log_answer
from rgenv.runtime import progress
from rgenv.stream.held_out import interleaved
from rgenv.types import SOLVED, Problem, Sample, Verdict

log = logging.getLogger(__name__)

Score = Callable[[Problem, Sequence[str | None]], Awaitable[list[Verdict]]]

Wanted = tuple[str, Problem, int]
"""The id of a sample, its problem, and the index of the completion."""


class EvaluationRunner:
    """Asks for samples, several at a time, and scores them.

    The run ends after `patience` seconds without an answer, `first_patience` without the first.

    Args:
        samples_each: completions of a problem, for each time that it is among the problems.
        title: the first word of the line that shows the progress.
    """

    def __init__(
        self,
        ask: Ask,
        is_answering: Callable[[], Awaitable[bool]],
        score: Score,
        *,
        samples_each: int = 1,
        concurrency: int = 64,
        categories: Mapping[str, str] | None = None,
        patience: float = 1800.0,
        first_patience: float = 60.0,
        title: str = "Evaluating",
    ) -> None:
        self._title = title
        self._ask, self._is_answering = ask, is_answering
        self._score = score
        self._samples_each = samples_each
        self._slots = asyncio.Semaphore(concurrency)
        self._categories = dict(categories or {})
        self._patience, self._first_patience = patience, first_patience
        self._reasons: set[str] = set()  # that the log has

    def missing(self, problems: Sequence[Problem], saved: SampleLog | None = None) -> list[Wanted]:
        """Return the samples that `run` would ask for, in that order."""
        before = saved.answered if saved is not None else {}
        wanted = self._wanted(interleaved(problems))
        return sorted((one for one in wanted if one[0] not in before), key=lambda one: one[2])

    async def run(
        self, problems: Sequence[Problem], saved: SampleLog | None = None
    ) -> list[Sample]:
        """Return all samples of all problems, in that order, including those in `saved`."""
        missing = self.missing(problems, saved)
        names = [name for name, _, _ in self._wanted(problems)]
        before = saved.answered if saved is not None else {}
        samples = {name: before[name] for name in names if name in before}
        if samples:
            log.info("%d of %d samples are there already.", len(samples), len(names))
        asking = Asking(
            *(self._ask, self._is_answering),
            patience=self._patience,
            first_patience=self._first_patience,
            answered=bool(samples),
        )

        async def add_sample(name: str, problem: Problem, index: int) -> None:
            async with self._slots:
                sample = await self._sample(asking, name, problem, index)
            if saved is not None:
                saved.add(sample)
            samples[name] = sample
            shown.advance()

        with progress.Progress(
            self._title, total=len(names), unit="samples", initial=len(samples)
        ) as shown:
            ticking = asyncio.create_task(_show(shown, asking, samples))
            try:
                await _together(add_sample(*one) for one in missing)
            finally:
                ticking.cancel()
                shown.show(_accuracy(samples.values()))
        asking.require_an_answer()
        return [samples[name] for name in names]

    def _wanted(self, problems: Iterable[Problem]) -> list[Wanted]:
        indices: Counter[str] = Counter()
        wanted = []
        for problem in problems:
            name = problem_id(problem)
            for _ in range(self._samples_each):
                wanted.append((f"{name}/{indices[name]}", problem, indices[name]))
                indices[name] += 1
        return wanted

    async def _sample(self, asking: Asking, name: str, problem: Problem, index: int) -> Sample:
        reading = problem.dialogue.reading
        sample: Sample = {
            "id": name,
            "task": problem.task,
            "category": self._categories.get(problem.task, "other"),
            "level": problem.level,
            "seed": problem.seed,
            "family": problem.family >> 1,  # 63 bits: readers of JSON lose larger numbers
            "sample": index,
            "recipe": problem.recipe,
            "source": problem.source,
            "covered": problem.covered,
            "question": problem.question,
            "gold_answer": problem.answer,
            "gold_parsed": problem.answer,
        }
        try:
            reply = await asking.reply(name, problem)
            answer = reading.answer(reply.text) if reply.instead is None else None
            [verdict] = await self._score(problem, [answer])
        except (InferenceUnavailable, PoolBroken):  # which each further sample would meet, too
            raise
        except Exception as error:  # a server's or the pool's; other samples must not be lost
            reason = reason_of(error)
            if reason not in self._reasons:
                log.warning("Sample %s failed, and maybe others: %s", name, reason)
            self._reasons.add(reason)
            return {**sample, "error": reason}
        log_answer(problem, answer or reply.text, verdict, reading.violation(reply.text))
        said = {"role": "assistant", "content": reply.text}
        if reply.reasoning:
            said["reasoning_content"] = reply.reasoning
        return {
            **sample,
            "messages": [*reply.messages, said],
            "model_parsed": answer,
            "response_after_think": reading.after_thinking(reply.text),
            "score": verdict.score,
            "correct": verdict.score >= SOLVED,
            "verdict": reply.instead or verdict.kind,
            "finish_reason": reply.finish_reason,
            "completion_tokens": reply.tokens,
        }


def _accuracy(samples: Iterable[Sample]) -> str:
    done = list(samples)
    scored = [sample["correct"] for sample in done if "score" in sample]
    failed = f", {len(done) - len(scored)} failed" if len(done) > len(scored) else ""
    return f"{f'accuracy {sum(scored) / len(scored):.3f}' if scored else 'no answer yet'}{failed}"


async def _show(
    shown: progress.Progress, asking: Asking, samples: Mapping[str, Sample]
) -> NoReturn:
    """Show every second what the requests wait for; if for nothing, the accuracy."""
    while True:
        await asyncio.sleep(1)
        shown.show(asking.status or _accuracy(samples.values()))


async def _together(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run all at the same time; the first that fails ends the others."""
    try:
        async with asyncio.TaskGroup() as group:
            for work in works:
                group.create_task(work)
    except BaseExceptionGroup as errors:  # callers expect the plain exception
        raise errors.exceptions[0] from None
