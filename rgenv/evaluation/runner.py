"""Asks every item of an evaluation, as many at a time as the servers take, and keeps the answers.

::

    evaluator = EvaluationRunner(ask, pool.score, samples_each=4, at_once=256)
    samples = await evaluator.run(items, log)

`ask(item)` gives a `Reply`, and may raise: it is asked again after a pause, and in the end the
sample is an error, which never loses the others. What `log` has already is not asked again.

Not here: what a server is, the numbers of an evaluation (evaluation.py), its page (page.py).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rgenv.errors import NothingAnswers
from rgenv.evaluation.item_cache import item_id
from rgenv.evaluation.sample_log import SampleLog
from rgenv.rollouts.answer_format import extract_answer
from rgenv.rollouts.rewards import SOLVED
from rgenv.runtime.progress import Progress
from rgenv.text import describe
from rgenv.types import Message, Problem, Sample, Verdict

log = logging.getLogger(__name__)

PAUSES = (0.5, 3.0)
"""Seconds before the second and the third attempt."""

GIVE_UP_AFTER = 20
"""Failures in a row, over all items."""


@dataclass(frozen=True)
class Reply:
    """One completion: the prompt's messages, its whole text, and what the server said of it.

    `tokens` is its length, None where the server does not tell.
    """

    messages: Sequence[Message]
    text: str
    finish_reason: str
    tokens: int | None = None


Ask = Callable[[Problem], Awaitable[Reply]]
Score = Callable[[Problem, Sequence[str | None]], Awaitable[list[Verdict]]]


class EvaluationRunner:
    """One way of asking.

    Args:
        ask: gets one completion for an item.
        score: gives a verdict for each answer.
        samples_each: completions for every item.
        at_once: so many are under way at a time.
        categories: task -> category.
    """

    def __init__(
        self,
        ask: Ask,
        score: Score,
        *,
        samples_each: int = 1,
        at_once: int = 64,
        categories: Mapping[str, str] | None = None,
    ) -> None:
        self._ask = ask
        self._score = score
        self._samples_each = samples_each
        self._free = asyncio.Semaphore(at_once)
        self._categories = dict(categories or {})
        self._failed_in_a_row = 0

    async def run(
        self, items: Sequence[Problem], done: SampleLog | None = None, *, title: str = "Evaluating"
    ) -> list[Sample]:
        """Every sample of every item, in that order, those in `done` included.

        Raises:
            NothingAnswers: too many attempts in a row failed.
            OSError: the disk refuses a sample.
        """
        known = done.done if done is not None else {}
        wanted = [
            (item, index, f"{item_id(item)}/{index}")
            for item in items
            for index in range(self._samples_each)
        ]
        answered = {name: known[name] for _, _, name in wanted if name in known}
        missing = [want for want in wanted if want[2] not in answered]
        if answered:
            log.info("%d of %d samples are there already.", len(answered), len(wanted))
        share = _SolvedShare(answered.values())
        with Progress(title, total=len(wanted), unit="samples", initial=len(answered)) as progress:

            async def one(item: Problem, index: int, name: str) -> None:
                async with self._free:
                    sample = await self._sample(item, index, name)
                if done is not None:
                    done.add(sample)
                answered[name] = sample
                share.add(sample)
                progress.advance(note=str(share))

            try:
                async with asyncio.TaskGroup() as group:
                    for want in missing:
                        group.create_task(one(*want))
            except BaseExceptionGroup as failures:
                raise failures.exceptions[0] from None
        return [answered[name] for _, _, name in wanted]

    async def _sample(self, item: Problem, index: int, name: str) -> Sample:
        sample: Sample = {
            "id": name,
            "task": item.task,
            "category": self._categories.get(item.task, "other"),
            "level": item.level,
            "seed": item.seed,
            "sample": index,
            "recipe": item.recipe,
            "question": item.question,
            "gold_answer": item.answer,
            "gold_parsed": item.answer,
        }
        try:
            reply = await self._patiently(item)
            answer = extract_answer(reply.text)
            [verdict] = await self._score(item, [answer])
        except NothingAnswers:
            raise
        except Exception as error:  # a failing item must not lose the others
            log.warning("No answer to %s: %s", name, describe(error))
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

    async def _patiently(self, item: Problem) -> Reply:
        for pause in (*PAUSES, None):
            try:
                reply = await self._ask(item)
            except ValueError:  # the item's own: another attempt makes no sense
                raise
            except Exception as error:  # whatever a server answers
                self._failed_in_a_row += 1
                if self._failed_in_a_row >= GIVE_UP_AFTER:
                    raise NothingAnswers(
                        f"{GIVE_UP_AFTER} requests in a row failed (last: {describe(error)}). "
                        "Answers so far are saved; when the server is well, the same command goes "
                        "on."
                    ) from None
                if pause is None:
                    raise
                await asyncio.sleep(pause)
            else:
                self._failed_in_a_row = 0
                return reply
        raise AssertionError("the last attempt returns or raises")


class _SolvedShare:
    """The share of completions that solved their problem, for the progress display."""

    def __init__(self, samples: Iterable[Sample]) -> None:
        self._scored = self._solved = 0
        for sample in samples:
            self.add(sample)

    def add(self, sample: Sample) -> None:
        if "score" in sample:
            self._scored += 1
            self._solved += sample["correct"]

    def __str__(self) -> str:
        return f"{self._solved / self._scored:.1%} solved" if self._scored else "no answer yet"


def summary(samples: Sequence[Mapping[str, Any]]) -> str:
    """One line for the log."""
    scored = [sample for sample in samples if "score" in sample]
    share = sum(bool(sample["correct"]) for sample in scored) / len(scored) if scored else 0.0
    return f"{len(scored)} answers, {len(samples) - len(scored)} errors, accuracy {share:.3f}"
