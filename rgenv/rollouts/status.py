"""What a run is doing: a line each step, and each 30 s, that says what it waits for."""

import asyncio
import contextlib
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field

log = logging.getLogger(__name__)

LINE_SECONDS = 30.0
"""Seconds between two lines while no step ends."""

FIRST_SECONDS = 10.0
"""Seconds after which a wait is mentioned: of the start, for a server, for groups."""

RATES = {
    "accuracy": "accuracy",
    "format_rate": "format",
    "informative_rate": "informative",
    "truncation_rate": "truncated",
}
"""Metric of a training -> its name in a line."""


@dataclass(frozen=True)
class Moment:
    """A run at one moment; counts are since its start.

    Attributes:
        step: the trainer's step; in `process`, the groups written. `unit` says which.
        total: the step at which the run ends; None: it does not end by itself.
        groups, tokens: scored groups, and the tokens of their completions.
        sent: groups that the trainer or the file got.
        trained: the share of all tokens that the trainer got; None: not known yet, or no trainer.
        rates: the metrics of `RATES` since the last report; empty if no group was scored.
        most_under_way: how many groups may be under way; 0: not known.
        sending, api_silent: seconds for which a group is being sent to the rollout API, and for
            which that has not answered.
        inference_outage: why no inference server completes a request; empty if one does.
        queue: groups that wait for the trainer in the rollout API; None if there is no trainer.
        queue_limit: the number of groups at which the environment stops making more.
        paused_for: what the run has stopped generating for, such as "the evaluation".
        never_fills: why batches may never fill; empty if they do.
    """

    step: int = 0
    total: int | None = None
    unit: str = "Step"
    groups: int = 0
    tokens: int = 0
    sent: int = 0
    trained: float | None = None
    rates: Mapping[str, float] = field(default_factory=dict)
    under_way: int = 0
    most_under_way: int = 0
    scoring: int = 0
    sending: float = 0.0
    queue: int | None = None
    queue_limit: int = 0
    api_silent: float = 0.0
    inference_outage: str = ""
    paused_for: str = ""
    never_fills: str = ""


class Status:
    """Writes lines about a run, reports at least `between` seconds apart, and its speed."""

    def __init__(
        self,
        *,
        between: float = 1.0,
        write: Callable[[str], None] = log.info,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.between, self._write, self._clock = between, write, clock
        self._look: Callable[[], Moment] | None = None
        self._doing: list[tuple[str, float]] = []
        self._line_at = self._report_at = clock()
        self._reported = Moment()
        self._moved = {name: (0, clock()) for name in ("groups", "sent", "step")}

    @contextlib.asynccontextmanager
    async def shown(self) -> AsyncIterator[None]:
        """Write the lines that are due while the body of this context runs."""

        async def beat() -> None:
            while True:
                await asyncio.sleep(0.25)
                self.tick()

        beating = asyncio.create_task(beat())
        try:
            yield
        finally:
            beating.cancel()

    @contextlib.contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Write what begins, such as "Starting 2 workers", and again while it takes long."""
        self._line(f"{what}.")
        self._doing.append((what, self._clock()))
        try:
            yield
        finally:
            self._doing.pop()

    def watch(self, look: Callable[[], Moment]) -> None:
        self._look, self._reported = look, look()
        self._report_at = self._clock()

    def tick(self) -> None:
        """Write a line if one is due; `shown` calls this four times a second."""
        silent = self._clock() - self._line_at
        if self._doing:
            what, began = self._doing[-1]
            took = self._clock() - began
            if silent >= LINE_SECONDS or (took >= FIRST_SECONDS and self._line_at <= began):
                self._line(f"{what}: {took:.0f} s so far.")
        elif self._look is not None:
            now = self._looked(self._look)
            if silent >= LINE_SECONDS:
                self._line(self._sentence(now))

    @property
    def due(self) -> bool:
        return self._clock() - self._report_at >= self.between

    def report(self) -> dict[str, float]:
        """Write a line, unless the last one is new, and return the speed since the last report."""
        if self._look is None:
            return {}
        now = self._looked(self._look)
        if self._clock() - self._line_at >= self.between:
            self._line(self._sentence(now))
        groups, tokens = self._speed(now)
        self._reported, self._report_at = now, self._clock()
        return {
            "status/groups_per_second": groups,
            "status/tokens_per_second": tokens,
            "status/groups_under_way": now.under_way,
            **({"status/most_groups_under_way": now.most_under_way} if now.most_under_way else {}),
            **({} if now.queue is None else {"status/queue": now.queue}),
        }

    def _looked(self, look: Callable[[], Moment]) -> Moment:
        """Look at the run, and note when groups, deliveries and steps last moved."""
        now = look()
        for name, (before, _) in self._moved.items():
            if (value := getattr(now, name)) != before:
                self._moved[name] = value, self._clock()
        return now

    def _speed(self, now: Moment) -> tuple[float, float]:
        seconds = max(1e-3, self._clock() - self._report_at)
        before = self._reported
        return (now.groups - before.groups) / seconds, (now.tokens - before.tokens) / seconds

    def _sentence(self, now: Moment) -> str:
        groups, tokens = self._speed(now)
        rates = [f"{name} {now.rates[key]:.3g}" for key, name in RATES.items() if key in now.rates]
        most = f" of {now.most_under_way}" if now.most_under_way else ""
        queue = [] if now.queue is None else [f"queue {now.queue} of {now.queue_limit} groups"]
        parts = [
            ", ".join(rates) or f"no {'new ' if now.groups else ''}group scored",
            f"{groups:.{1 if groups >= 1 else 3}f} groups/s, {tokens:.0f} tokens/s",
            *([] if now.trained is None else [f"{100 * now.trained:.0f} % of tokens trained"]),
            ", ".join([*queue, f"{now.under_way}{most} groups under way"]),
        ]
        still = {name: self._clock() - at for name, (_, at) in self._moved.items()}
        if waits := waiting_for(now, still):
            parts.append(f"waiting for {waits}")
        of_total = "" if now.total is None else f" of {now.total}"
        return f"{now.unit} {now.step}{of_total}: {'; '.join(parts)}."

    def _line(self, text: str) -> None:
        self._line_at = self._clock()
        self._write(text)


def waiting_for(now: Moment, still: Mapping[str, float]) -> str:
    """Say for whom a run waits, by the seconds without a new step, scored group, and sent one."""
    if now.api_silent >= FIRST_SECONDS:
        return f"the rollout API, which has not answered for {now.api_silent:.0f} s"
    if now.inference_outage:
        return f"an inference server ({now.inference_outage})"
    if now.sending >= FIRST_SECONDS:
        return f"the rollout API, which has not taken a group for {now.sending:.0f} s"
    is_full = now.queue is not None and now.queue >= now.queue_limit > 0
    if is_full and still["step"] >= FIRST_SECONDS:
        why = f" ({now.never_fills})" if now.never_fills else " (the queue is full)"
        return f"the trainer, which has taken no batch for {still['step']:.0f} s{why}"
    if still["groups"] < FIRST_SECONDS:
        if now.rates.get("informative_rate") != 0 or still["sent"] < LINE_SECONDS:
            return ""
        return f"a group with different rewards; the trainer got none for {still['sent']:.0f} s"
    if now.paused_for:
        return now.paused_for
    if now.under_way:
        return f"the inference server, which has completed no group for {still['groups']:.0f} s"
    if now.scoring:
        return f"the worker processes, which have scored no group for {still['groups']:.0f} s"
    return f"the next problem; no group was scored for {still['groups']:.0f} s"
