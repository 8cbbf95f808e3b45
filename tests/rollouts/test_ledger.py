"""rgenv/rollouts/ledger.py: what becomes of each token."""

import asyncio
from typing import Any

import pytest

from rgenv.rollouts.ledger import FATES, RECENT_REQUESTS, Fate, Ledger, spending


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def counted(ledger: Ledger) -> dict[str, float]:
    """Return the tokens of each fate that has any."""
    metrics = {name.partition("/")[2]: value for name, value in ledger.metrics().items()}
    return {fate: metrics[fate] for fate in (*FATES, "under_way") if metrics.get(fate)}


def ask(ledger: Ledger, name: str, lengths: list[int], used: int | None = None) -> None:
    with ledger.account() as account, spending(len(lengths)) as spent:
        spent.answered(lengths)
    ledger.keep(name, account, sum(lengths) if used is None else used)


def test_a_group_is_under_way_until_its_fate_is_known() -> None:
    """Its tokens count once, whoever reports it again."""
    ledger = Ledger()
    ask(ledger, "a", [30, 12])
    assert counted(ledger) == {"under_way": 42}
    ledger.settle("a", "trained")
    ledger.settle("a", "refused")
    assert counted(ledger) == {"trained": 42}
    assert ledger.metrics()["tokens/trained_share"] == 1.0


def test_tokens_that_are_no_part_of_their_group_were_of_no_use() -> None:
    """A server may return more completions than were asked for, or one that can't be used."""
    ledger = Ledger()
    ask(ledger, "a", [10, 10, 10], used=20)
    ledger.settle("a", "equal_rewards")
    assert counted(ledger) == {"equal_rewards": 20, "broken_off": 10}


def test_other_tasks_have_accounts_of_their_own() -> None:
    """An evaluation beside training is counted as such."""
    ledger = Ledger()

    async def evaluate() -> None:
        with ledger.account("evaluation"):
            await asyncio.sleep(0)
            with spending(1) as spent:
                await asyncio.sleep(0)
                spent.answered([5])

    async def train() -> None:
        with ledger.account() as account:
            with spending(2) as spent:
                await asyncio.sleep(0)
                spent.answered([1, 2])
            await asyncio.sleep(0)
        ledger.keep("g", account, 3)

    async def both() -> None:
        await asyncio.gather(evaluate(), train(), evaluate())

    asyncio.run(both())
    assert counted(ledger) == {"evaluation": 10, "under_way": 3}


@pytest.mark.parametrize(
    ("error", "ended", "own", "fate"),
    [
        (asyncio.CancelledError, False, None, "cancelled"),
        (asyncio.CancelledError, False, "trial", "trial"),
        (asyncio.CancelledError, True, None, "at_end"),
        (asyncio.CancelledError, True, "trial", "at_end"),
        (ConnectionError, False, None, "broken_off"),
    ],
)
def test_what_a_request_had_cost_is_estimated(
    error: Any, ended: bool, own: Fate | None, fate: str
) -> None:
    """From the time it took, and the speed and lengths of earlier completions."""
    clock = Clock()
    ledger = Ledger(clock)
    with ledger.account("evaluation"), spending(2) as spent:
        clock.now += 10.0
        spent.answered([100, 20])  # 10 tokens a second
    if ended:
        ledger.interrupted = "at_end"
    with pytest.raises(error), ledger.account(own), spending(4):
        clock.now += 5.0
        so_far = 50 + 3 * (50 + 20) / 2  # one is not complete, the others have the usual lengths
        assert counted(ledger)["under_way"] == so_far
        raise error
    assert counted(ledger) == {"evaluation": 120, fate: so_far}


def test_an_estimate_knows_the_limit_of_a_request() -> None:
    """However long a server hangs, it does not write more than it was asked for."""
    clock = Clock()
    ledger = Ledger(clock)
    with ledger.account("evaluation"), spending(1) as spent:
        clock.now += 1.0
        spent.answered([50])
    with pytest.raises(TimeoutError), ledger.account(), spending(1, most=80):
        clock.now += 1000.0
        raise TimeoutError
    assert counted(ledger) == {"evaluation": 50, "broken_off": 80}


def test_an_unusable_completion_is_not_missed() -> None:
    ledger = Ledger()
    with ledger.account("evaluation"), spending(2) as spent:
        spent.unusable(7)
        spent.answered([5])
    assert counted(ledger) == {"evaluation": 5, "unusable": 7}


def test_an_estimate_forgets_how_slow_a_server_was() -> None:
    clock = Clock()
    ledger = Ledger(clock)
    for tokens in (10, 100):
        for _ in range(RECENT_REQUESTS):
            with ledger.account("evaluation"), spending(1) as spent:
                clock.now += 10.0
                spent.answered([tokens])
    with ledger.account("evaluation"), spending(1):
        clock.now += 5.0
        assert counted(ledger)["under_way"] == 50


def test_a_run_that_goes_on_counts_from_where_it_was() -> None:
    """What was under way when its process died was under way at the end."""
    before, after = Ledger(), Ledger()
    ask(before, "a", [3])
    before.settle("a", "trained")
    ask(before, "b", [4])
    state = before.state()
    assert counted(before) == {"trained": 3, "under_way": 4}  # it may live on
    after.go_on_from(state)
    ask(after, "b", [4])
    after.settle("b", "trained")
    assert counted(after) == {"trained": 7, "at_end": 4}
