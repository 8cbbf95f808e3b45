"""Ledger: counts each completion token that a server generated for us once, by what became of it.

::

    ledger = Ledger()
    with ledger.account() as account:           # for all that is asked in this block
        with spending(8) as spent:              # around a request for 8 completions
            spent.answered([512, 40, ...])      # the lengths that came back
        ledger.keep(group_id, account, 4096)    # these tokens belong to a group
    ledger.settle(group_id, "trained")          # what became of it
    ledger.metrics()                            # {"tokens/trained": 4096, ...}

A block that ends with an exception settles its tokens itself. Nobody says how much a server had
written of a request that was cancelled or broke off, so this is estimated, from the time that it
took and the lengths and the speed of recent completions.
"""

from __future__ import annotations

import asyncio
import math
import statistics
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, get_args

Fate = Literal[
    "trained",
    "equal_rewards",
    "too_long",
    "refused",
    "unusable",
    "cancelled",
    "broken_off",
    "at_end",
    "evaluation",
    "trial",
]
FATES: tuple[Fate, ...] = get_args(Fate)
"""What became of tokens; docs/metrics.md says what each means."""

RECENT_LENGTHS, RECENT_REQUESTS = 256, 64
"""From so many lengths of completions, and times of requests, others are estimated."""

_account: ContextVar[Account | None] = ContextVar("account", default=None)
_request: ContextVar[Request | None] = ContextVar("request", default=None)


@dataclass(eq=False)
class Account:
    """The tokens that came back of some requests, as long as their fate is not known.

    Attributes:
        fate: what becomes of them, and of those of requests that are given up; None: not known yet.
    """

    ledger: Ledger
    tokens: int = 0
    fate: Fate | None = None


@dataclass(eq=False)
class Request:
    """A request for completions that is under way.

    Attributes:
        count: completions that it asks for.
        most: the most tokens that each may have.
        broken_off: whether the server said what it had written before it broke the request off.
    """

    account: Account
    count: int
    most: float
    began: float
    broken_off: bool = False

    @property
    def seconds(self) -> float:
        return self.account.ledger.clock() - self.began

    @property
    def estimate(self) -> float:
        """About how many tokens the server has written of it."""
        return self.account.ledger.estimate(self.count, self.seconds, self.most)

    def answered(self, lengths: Sequence[int]) -> None:
        """Note the lengths of the completions that came back; missing ones are estimated."""
        ledger = self.account.ledger
        self.account.tokens += sum(lengths)
        ledger.learn(lengths, self.seconds)
        if (missing := self.count - len(lengths)) > 0 and not self.broken_off:
            ledger.count("broken_off", missing * ledger.usual_length)

    def unusable(self, length: int) -> None:
        """Count the tokens of a completion that came back and that no trainer can use."""
        self.account.ledger.count("unusable", length)
        self.count -= 1


@contextmanager
def spending(count: int, most: float = math.inf) -> Iterator[Request]:
    """Count the tokens of a request for `count` completions, in the account of this task.

    If the block ends with an exception, what may have been written meanwhile is estimated.

    Args:
        most: the most tokens that a completion may have.
    """
    account = _account.get() or Ledger().new_account()
    request = Request(account, count, most, account.ledger.clock())
    token = _request.set(request)
    account.ledger.requests.add(request)
    try:
        yield request
    except BaseException as error:
        if not request.broken_off:
            account.ledger.count(account.ledger.fate_after(error, account), request.estimate)
        raise
    finally:
        account.ledger.requests.discard(request)
        _request.reset(token)


def broken_off(tokens: int) -> None:
    """Count tokens of the request of this task that came back incomplete."""
    if (request := _request.get()) is not None and tokens:
        request.broken_off = True
        request.account.ledger.count("broken_off", tokens)


class Ledger:
    """Counts tokens since the start of a run, in all of its processes.

    Args:
        answered: receives the longest completion and the seconds of each request.

    Attributes:
        interrupted: what becomes of requests that are cancelled now; None: what their account says.
        requests: those under way.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        answered: Callable[[int, float], None] = lambda longest, seconds: None,
    ) -> None:
        self.clock = clock
        self._answered = answered
        self.interrupted: Fate | None = None
        self._settled: defaultdict[str, float] = defaultdict(float)
        self.requests: set[Request] = set()
        self._accounts: set[Account] = set()
        self._groups: dict[str, int] = {}
        self._lengths: deque[int] = deque(maxlen=RECENT_LENGTHS)
        self._times: deque[tuple[int, float]] = deque(maxlen=RECENT_REQUESTS)
        self._pace = 0.0, 0.0

    # Requests

    @contextmanager
    def account(self, fate: Fate | None = None) -> Iterator[Account]:
        """Collect the tokens of the requests in this block.

        Args:
            fate: what becomes of them, unless the block ends with an error; None: the caller says
                so by `keep`.
        """
        account = self.new_account(fate)
        token = _account.set(account)
        try:
            yield account
        except BaseException as error:
            self.close(account, self.fate_after(error, account))
            raise
        else:
            if fate is not None:
                self.close(account, fate)
        finally:
            _account.reset(token)

    def new_account(self, fate: Fate | None = None) -> Account:
        account = Account(self, fate=fate)
        self._accounts.add(account)
        return account

    def keep(self, group_id: str, account: Account, tokens: int) -> None:
        """Note that so many of an account's tokens are those of a group; the others were no use."""
        self._groups[group_id] = tokens
        account.tokens -= tokens
        self.close(account, "broken_off")

    def close(self, account: Account, fate: Fate) -> None:
        """Note what became of the tokens of an account."""
        if account in self._accounts:
            self._accounts.discard(account)
            self.count(fate, account.tokens)

    def fate_after(self, error: BaseException, account: Account) -> Fate:
        if not isinstance(error, asyncio.CancelledError | GeneratorExit):
            return "broken_off"
        return self.interrupted or account.fate or "cancelled"

    def settle(self, group_id: str, fate: Fate) -> None:
        """Note what became of a group; only the first time counts."""
        self.count(fate, self._groups.pop(group_id, 0))

    def count(self, fate: Fate, tokens: float) -> None:
        self._settled[fate] += tokens

    def learn(self, lengths: Sequence[int], seconds: float) -> None:
        """Learn from the lengths of a request's completions, and from what it took."""
        if longest := max(lengths, default=0):
            self._lengths.extend(lengths)
            self._times.append((longest, seconds))
            self._pace = _line(self._times)
            self._answered(longest, seconds)

    @property
    def usual_length(self) -> float:
        """The mean length of recent completions; 0 without any."""
        return statistics.fmean(self._lengths) if self._lengths else 0.0

    def estimate(self, count: int, seconds: float, most: float) -> float:
        """Return about how many tokens a server has written of `count` completions.

        It has taken `seconds` without an answer: so one of the completions is not complete, and the
        others have the usual lengths.
        """
        before, each = self._pace
        if not self._lengths or not each:
            return 0.0
        so_far = min(most, max(0.0, seconds - before) / each)
        usual = sum(min(length, so_far) for length in self._lengths) / len(self._lengths)
        return so_far + (count - 1) * usual

    # The whole

    @property
    def under_way(self) -> float:
        """The tokens that are being written, scored or sent; in part an estimate."""
        writing = sum(request.estimate for request in self.requests)
        came_back = sum(account.tokens for account in self._accounts)
        return writing + came_back + sum(self._groups.values())

    def end(self) -> None:
        """Note that what is kept now was under way at the end."""
        for group_id in list(self._groups):
            self.settle(group_id, "at_end")
        for account in list(self._accounts):
            self.close(account, "at_end")

    @property
    def trained_share(self) -> float | None:
        """The share of tokens that the trainer got, of those whose fate is known; None: of none."""
        total = sum(self._settled.values())
        return self._settled["trained"] / total if total else None

    def metrics(self) -> dict[str, float]:
        """Return the tokens by what became of them, since the start; empty without any."""
        if not (self._settled or self.requests or self._groups):
            return {}
        share = self.trained_share
        return {
            **{f"tokens/{fate}": round(self._settled[fate]) for fate in FATES},
            "tokens/under_way": round(self.under_way),
            **({} if share is None else {"tokens/trained_share": share}),
        }

    # After a restart

    def state(self) -> dict[str, int]:
        """Return the totals, JSON-able; what is under way is at the end, if this process dies."""
        totals: dict[str, int] = {
            fate: round(self._settled[fate]) for fate in FATES if self._settled[fate]
        }
        if under_way := round(self.under_way):
            totals["at_end"] = totals.get("at_end", 0) + under_way
        return totals

    def go_on_from(self, state: Mapping[str, int]) -> None:
        """Add what an earlier process of this run counted."""
        for fate in FATES:
            self.count(fate, state.get(fate, 0))


def _line(times: Sequence[tuple[int, float]]) -> tuple[float, float]:
    """Return the seconds of a request before its first token, and those of each token."""
    tokens, seconds = zip(*times, strict=True)
    if len(set(tokens)) > 1:
        each, before = statistics.linear_regression(tokens, seconds)
        if each > 0 and before > 0:
            return before, each
    return 0.0, sum(seconds) / sum(tokens)
