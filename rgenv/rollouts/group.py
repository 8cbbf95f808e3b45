"""A group, from its problem to the form that the trainer gets.

`GroupCollector` asks for the completions of a problem, has them scored and rewarded, and records
the group. Rollouts, verdicts and rewards keep their order from here to the trainer.
"""

import asyncio
import logging
import math
import weakref
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from rgenv.errors import PoolBroken, PromptFailed, PromptTooLong, RequestRefused, StartupError
from rgenv.rollouts.rewards import length_draw, length_penalty, trainer_rewards
from rgenv.runtime.backoff import REFUSALS, Patience
from rgenv.text import describe
from rgenv.types import Group, Problem, ProblemKey, Rollout, Verdict

log = logging.getLogger(__name__)


class RetryLater(Exception):
    """A request failed; ask the same problem again later."""


class ProblemDropped(Exception):
    """The problem cannot give a group; do not ask it again."""


def score_group(
    rollouts: Sequence[Rollout],
    verdicts: Sequence[Verdict],
    *,
    penalize_length: bool = True,
    mask_truncated: bool = True,
    min_spread: float = 0.0,
) -> Group:
    """Compute the rewards, and return them with rollouts and verdicts as a group.

    A completion whose verifier failed gets no advantage. A verifier that takes too long gives 0, or
    a model could learn to hang it.

    Args:
        mask_truncated: completions that were cut at the token limit get no advantage.
        min_spread: rewards that differ by less than this are noise.
    """
    pairs = list(zip(rollouts, verdicts, strict=True))
    rewards = [verdict.score for verdict in verdicts]
    if penalize_length:
        rewards = length_penalty(
            rewards,
            lengths=[rollout.length for rollout in rollouts],
            budget=rollouts[0].budget,
            draw=length_draw(rollouts[0].problem.key),
            unknown=[verdict.failed for verdict in verdicts],
        )
    masked = [verdict.failed or (mask_truncated and one.truncated) for one, verdict in pairs]
    rewards = trainer_rewards(rewards, masked, min_spread=min_spread)
    return Group(tuple(rollouts), tuple(verdicts), tuple(rewards), tuple(masked))


@dataclass(eq=False)
class GroupCollector:
    """Generates, scores and records groups.

    Attributes:
        patience: end the run after this many seconds without a group.
        abort: ends the run with an error.
        count: counts an event, by the name of its metric.
        no_room: receives each problem whose prompt is too long, and says so.
        give_up_after: raise StartupError after this many attempts in a row without a group, for
            each problem that can be under way.
        raise_errors: raise the server's exception instead of RetryLater.
        collecting: the problems whose groups are under way.
        scoring: the number of groups whose completions are being scored.
        finishing: the tasks whose completions came; to cancel them would waste these.
    """

    generate: Callable[[Problem, int], Awaitable[list[Rollout]]]
    score: Callable[[Problem, Sequence[str | None]], Awaitable[list[Verdict]]]
    record: Callable[[Group], None]
    _: KW_ONLY
    patience: float
    abort: Callable[[Exception], None]
    count: Callable[[str], None]
    no_room: Callable[[Problem], None] = lambda problem: None
    build: Callable[[list[Rollout], list[Verdict]], Group] = score_group
    give_up_after: int | None = None
    raise_errors: bool = False
    collecting: list[Problem] = field(default_factory=list, init=False)
    scoring: int = field(default=0, init=False)
    finishing: weakref.WeakSet[asyncio.Task[Any]] = field(
        default_factory=weakref.WeakSet, init=False
    )

    def __post_init__(self) -> None:
        self._retry, self._has_worked = Patience(self.patience), False
        self._failed_in_a_row = self._refusals = self._most_collecting = 0
        self._refused: set[ProblemKey] = set()

    async def collect(self, problem: Problem, size: int) -> Group:
        """Ask for `size` completions, score and record them.

        Raises:
            RetryLater: the request failed; raised after a pause.
            ProblemDropped: the problem keeps failing while others work, or its prompt is too long.
            StartupError: too many attempts in a row gave no group.
        """
        worker, rollouts = asyncio.current_task(), list[Rollout]()
        assert worker is not None
        self.collecting.append(problem)
        self._most_collecting = max(self._most_collecting, len(self.collecting))
        try:
            rollouts = await self.generate(problem, size)
            self.finishing.add(worker)
            self.scoring += 1
            try:
                verdicts = await self.score(problem, [rollout.answer for rollout in rollouts])
                group = self.build(rollouts, verdicts)
                self.record(group)
            finally:
                self.scoring -= 1
        except asyncio.CancelledError:
            if not rollouts:  # those that had come are discarded
                self.count("generations_cancelled")
            raise
        except PromptTooLong as error:
            log.debug("No group for %s, seed %d: %s.", problem.task, problem.seed, error)
            self.count("prompt_too_long")
            self.no_room(problem)
            self._count_failure(error)
            raise ProblemDropped(str(error)) from None
        except Exception as error:  # foreign code: a failed request costs only its own group
            self.finishing.discard(worker)
            if self.raise_errors:
                raise
            await self._after_failure(problem, error)
            raise RetryLater(f"{problem.task}, seed {problem.seed}") from None
        else:
            self._retry.worked(problem.key)
            self._failed_in_a_row, self._has_worked = 0, True
            return group
        finally:
            self.collecting.remove(problem)

    async def _after_failure(self, problem: Problem, error: Exception) -> None:
        """Count a failure and pause.

        End the run if the pool is broken, if patience is exhausted, or if there is no group yet and
        every problem under way was refused.
        """
        log.warning("No group for %s, seed %d: %s", problem.task, problem.seed, describe(error))
        self.count("failed_groups")
        self._count_failure(error)
        if isinstance(error, PoolBroken | StartupError):
            self.abort(error)
        if isinstance(error, RequestRefused):
            self._refusals += 1
            self._refused.add(problem.key)
            are_all = {waiting.key for waiting in self.collecting} <= self._refused
            if not self._has_worked and self._refusals >= REFUSALS and are_all:
                self.abort(StartupError(f"{str(error).rstrip('.')}."))
        pause = self._retry.failed(problem.key)
        if self._retry.exhausted:
            self.abort(
                StartupError(
                    f"No group for {self._retry.failing_for:.0f} s (last: {describe(error)}). "
                    "Look at the inference server, or at what the log names."
                )
            )
        # All that are under way may fail; if those that follow them do, too, it is the server.
        is_own = self._failed_in_a_row <= 2 * self._most_collecting + REFUSALS
        if pause is None or (is_own and isinstance(error, PromptFailed)):
            about = problem.task, problem.seed
            log.warning("%s, seed %d is given up: it fails while others work.", *about)
            self.count("items_given_up")
            raise ProblemDropped(describe(error))
        await asyncio.sleep(pause)

    def _count_failure(self, error: Exception) -> None:
        self._failed_in_a_row += 1
        most = (self.give_up_after or math.inf) * self._most_collecting
        if self._failed_in_a_row >= most:
            raise StartupError(
                f"{self._failed_in_a_row} attempts in a row gave no group (last: "
                f"{describe(error)}). Look at the inference server and at --env.max_token_length."
            )


def scored_data(group: Group, *, temperature: float = 1.0) -> dict[str, Any]:
    """Return the group as Atropos' ScoredDataGroup: parallel lists of plain numbers, JSON-able.

    Args:
        temperature: at which the completions were sampled; Atropos' trainer divides logits by it.
    """
    return {
        "tokens": [rollout.tokens for rollout in group.rollouts],
        "masks": [rollout.masks for rollout in group.rollouts],
        "scores": [float(reward) for reward in group.rewards],
        "inference_logprobs": [rollout.logprobs for rollout in group.rollouts],
        "messages": [list(rollout.messages) for rollout in group.rollouts],
        "overrides": [{"set_advantage_to_zero": True} if mask else {} for mask in group.masked],
        "group_overrides": {
            "group_id": group.group_id,
            **group.problem.recipe,
            "opening": group.opening,
            "kinds": group.kinds,
            "finish_reasons": [rollout.finish_reason for rollout in group.rollouts],
            "temperature": temperature,
        },
    }


def group_id(data: Any) -> str:
    """Return the id of a group as `scored_data` makes it; empty if it was made elsewhere."""
    return str((data.get("group_overrides") or {}).get("group_id", ""))
