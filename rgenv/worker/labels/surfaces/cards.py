"""Rounds with letter cards in which the cards that are added do not tell the result.

Example::

    mahjong_puzzle(entry)    # as many rounds, with other cards

In the library's rounds a card is rarely removed, so that the cards that were seen announce the
result. Here the card of the last round and its neighbours have been added and removed several
times, and how often and when they are added does not depend on the result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from random import Random
from string import ascii_uppercase

from rgenv.tasks.entry import Entry
from rgenv.worker.labels.surfaces.shared import random_of

HAND = 13
"""The number of cards at the beginning, and after each round."""
QUIET = 2
"""Rounds before the last one in which neither the last card nor its neighbours are added."""
DEALT = (3, 6)
"""How many of these cards are dealt at the beginning; more if the rounds are few."""
RESULTS = ("Peng", "Chi", "Chi", "Pass", "Pass")
"""Each result as often as it is drawn, of five times."""
TRIES = 200

Counts = Counter[str]
Round = tuple[str, str]
"""The card that is added, and the one that is removed."""


def mahjong_puzzle(entry: Entry) -> Entry:
    """Replace the cards by others; the reference answer is that of the old ones.

    A game of fewer than ten rounds may stay as it is: no others are found.
    """
    rng = random_of(entry)
    number = len(entry["metadata"]["rounds"])
    result = rng.choice(RESULTS)
    for _ in range(TRIES):
        game = _game(rng, number, result)
        if game is not None:
            return _shown(entry, *game)
    return entry


def _shown(entry: Entry, dealt: str, rounds: list[Round]) -> Entry:
    head, marker, rest = entry["question"].partition("given the initial cards ")
    asked = re.sub(r"^[A-Z]+", dealt, rest.split("Round 1:", 1)[0])
    lines = [
        f"Round {number}: Add {_with_article(added)} card and remove {_with_article(removed)} card."
        for number, (added, removed) in enumerate(rounds, 1)
    ]
    played = [{"add": added, "remove": removed} for added, removed in rounds]
    question = head + marker + asked + "\n".join(lines) + "\n"
    return {**entry, "question": question, "metadata": {**entry["metadata"], "rounds": played}}


def _with_article(card: str) -> str:
    return f"{'an' if card in 'AEIOU' else 'a'} {card}"


def _game(rng: Random, number: int, result: str) -> tuple[str, list[Round]] | None:
    """Return the cards at the beginning and the rounds; None if the draw does not fit."""
    last = rng.choice(ascii_uppercase)
    near = {step: chr(ord(last) + step) for step in (-2, -1, 1, 2)}
    near = {step: card for step, card in near.items() if card in ascii_uppercase}
    kept = Counter(rng.choices(list(near.values()), k=rng.randint(2, 3)))
    if result != "Peng" and _has_pair(near, kept) != (result == "Chi"):
        return None
    kept[last] = rng.choice((2, 2, 3) if result == "Peng" else (0, 1, 1))
    removed = Counter({card: rng.randrange(4) for card in near.values()})
    removed[last] = rng.randint(1, 4)
    if not DEALT[1] < removed.total() <= min(number - 2, HAND):
        return None
    others = [card for card in ascii_uppercase if card not in {last, *near.values()}]
    return _rounds(rng, number, last, kept, removed, others)


def _has_pair(near: Mapping[int, str], counts: Counts) -> bool:
    """Return whether two neighbours form a sequence with the last card."""
    around = [counts[near.get(step, "")] > 0 for step in (-2, -1, 1, 2)]
    return any(one and two for one, two in pairwise(around))


def _rounds(
    rng: Random, number: int, last: str, kept: Counts, removed: Counts, others: list[str]
) -> tuple[str, list[Round]] | None:
    """Return cards that are added at random times, so many of which are removed at random times."""
    times = [0] * HAND + list(range(1, number - QUIET))
    total = (kept + removed).total()
    at_first = max(rng.randint(*DEALT), total - len(times) + HAND)
    places = rng.sample(range(HAND), at_first)
    places += rng.sample(range(HAND, len(times)), total - at_first)
    rng.shuffle(places)
    added = dict(enumerate([rng.choice(others) for _ in range(HAND + number - 1)]))
    removals: dict[int, str] = {}
    for card, count in (kept + removed).items():
        own, places = places[:count], places[count:]
        added |= dict.fromkeys(own, card)
        for place in own[: removed[card]]:
            free = [t for t in range(times[place] + 1, number) if t not in removals]
            if not free:
                return None
            removals[rng.choice(free)] = card
    dealt = [added[place] for place in range(HAND)]
    rng.shuffle(dealt)
    hand, rounds = list(dealt), []
    for time in range(1, number + 1):
        new = last if time == number else added[HAND + time - 1]
        choices = [card for card in hand if card in others and card != new]
        if time not in removals and not choices:
            return None
        gone = removals[time] if time in removals else rng.choice(choices)
        hand.append(new)
        hand.remove(gone)
        rounds.append((new, gone))
    return "".join(dealt), rounds
