"""Asking for one completion after another, in spite of failures.

- A request that is refused is repeated a few times: a single refusal may be a proxy's. If a server
  that refuses everything answers no other request meanwhile, or has refused `REFUSALS` and answered
  none, the run ends.
- A sample is given up after three failures, each while another one is answered, or what was
  answered last is answered again. One that meets a limit on the rate of requests is not: until a
  request is answered, all wait as long as the server says, and one at a time tries.
- If nothing is answered, all samples wait. The run ends when that lasts for too long, unless fewer
  than `GIVE_UP_AFTER` samples have failed: then only these have failed.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from rgenv.errors import InferenceUnavailable, RateLimited, RequestFailed, RequestRefused
from rgenv.runtime.backoff import ATTEMPTS, REFUSALS, Patience, pause
from rgenv.text import describe
from rgenv.types import Problem, Reply

GIVE_UP_AFTER = 20
"""Samples that fail at the same time, with none answered in between, when the server is down."""

NO_ANSWER = "no answer yet; --openai.timeout limits how long one may take"

AT_ONCE = "; --openai.num_requests_for_eval sets how many are sent at once"

GO_ON = ". What was answered is saved, and the same command goes on from there."


Ask = Callable[[Problem], Awaitable[Reply]]
"""Returns one completion of a problem. RequestRefused and ValueError mean that the problem can't be
asked; any other exception means that the request may be repeated."""


def reason_of(error: Exception) -> str:
    """Return why a request failed; the message alone if it was written for users."""
    return str(error) if isinstance(error, RequestFailed) else describe(error)


class Asking:
    """The requests of one run; `is_answering` repeats what was answered last."""

    def __init__(
        self,
        ask: Ask,
        is_answering: Callable[[], Awaitable[bool]],
        *,
        patience: float,
        first_patience: float,
        answered: bool = False,
    ) -> None:
        self._ask, self._is_answering = ask, is_answering
        self._patience, self._first_patience = patience, first_patience
        self._retry = Patience(patience)
        self._known_to_answer = answered
        self._answers = self._refusals = self._under_way = 0
        self._limits, self._try_at = 0, 0.0  # requests above a limit of the rate, and when to go on
        self._failing: set[str] = set()  # since the last answer
        self._last_failure = ""

    @property
    def status(self) -> str:
        """Say what the requests wait for; empty if they are answered."""
        if self._failing:
            seconds, most = self._retry.failing_for, self._patience_now
            return f"no answer for {seconds:.0f} of at most {most:g} s, {self._last_failure}"
        return "" if self._answers else NO_ANSWER

    async def reply(self, name: str, problem: Problem) -> Reply:
        """Return one completion; InferenceUnavailable ends the run, any other error this sample."""
        refusals = failures = own_failures = 0
        answers = before = self._answers
        self._under_way += 1
        try:
            while True:
                try:
                    await self._keep_to_limit()
                    reply = await self._ask(problem)
                except RequestRefused as error:
                    refusals += 1
                    self._refusals += 1
                    self._last_failure = str(error)
                    is_believed = refusals == (REFUSALS if error.final else ATTEMPTS)
                    nobody = is_believed and error.final and answers == self._answers
                    most = max(REFUSALS, 2 * self._under_way)  # refusals are quicker than answers
                    if nobody or (not self._has_answers and self._refusals >= most):
                        raise InferenceUnavailable(
                            f"{str(error).rstrip('.')}{GO_ON if self._has_answers else '.'}"
                        ) from None
                    if is_believed:
                        raise
                    await asyncio.sleep(pause(refusals))
                except ValueError:  # says nothing about the server
                    raise
                except Exception as error:  # servers and their clients raise all kinds
                    failures += 1
                    self._note(name, error)
                    is_limited, others = isinstance(error, RateLimited), before != self._answers
                    if not is_limited and (others or await self._is_answering()):
                        self._retry.worked()
                        own_failures += 1
                        if own_failures == ATTEMPTS:
                            raise
                    before = self._answers
                    await asyncio.sleep(0.0 if is_limited else pause(failures))
                else:
                    self._limits, self._try_at = 0, 0.0
                    self._retry.worked()
                    self._failing.clear()
                    self._answers += 1
                    return reply
        finally:
            self._under_way -= 1

    def require_an_answer(self) -> None:
        """Raise InferenceUnavailable if none of the requests was answered, now or before."""
        if self._last_failure and not self._has_answers:
            remedy = "" if self._refusals else " Check the server and its log."  # a refusal has one
            raise InferenceUnavailable(f"{self._last_failure.rstrip('.')}.{remedy}")

    @property
    def _has_answers(self) -> bool:
        return self._known_to_answer or self._answers > 0

    @property
    def _patience_now(self) -> float:
        return self._patience if self._answers or self._limits else self._first_patience

    async def _keep_to_limit(self) -> None:
        while (seconds := self._try_at - time.monotonic()) > 0:
            await asyncio.sleep(min(seconds, pause(self._limits)))
        if self._limits:
            self._try_at = time.monotonic() + pause(self._limits)  # for the others

    def _note(self, name: str, error: Exception) -> None:
        """Note a failure; raise what ends the run, or the sample, if there were only few."""
        self._last_failure = reason_of(error)
        if isinstance(error, RateLimited):
            self._limits += 1
            wait = min(max(error.wait, pause(self._limits)), self._patience)  # may say a day
            self._try_at = max(self._try_at, time.monotonic() + wait)
            self._last_failure += AT_ONCE
        patience = self._patience_now
        self._failing.add(name)
        self._retry.failed()
        if self._retry.failing_for > patience:
            if len(self._failing) < GIVE_UP_AFTER:
                raise error
            raise InferenceUnavailable(
                f"No request was answered for {patience:g} s: {self._last_failure}. Check the "
                f"server{GO_ON if self._has_answers else ' and --openai.base_url.'}"
            ) from None
