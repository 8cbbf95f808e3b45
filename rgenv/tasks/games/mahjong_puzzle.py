"""Follow the rules of a card game, and tell its outcome."""

import re
from collections import Counter
from itertools import pairwise
from random import Random
from string import ascii_uppercase

from rgenv.tasks import Choice, Entry, Task, changed, moving, random_of
from rgenv.tasks.rewriting import in_turn
from rgenv.tasks.symmetries import order_of_appearance, sorted_amounts

Counts = Counter[str]
Round = tuple[str, str]
"""The card that is added, and the one that is removed."""


def _cards(question: str) -> tuple[str, list[Round]]:
    """Return the cards that are dealt at the beginning, and the rounds."""
    rounds = re.findall(r"Add an? ([A-Z]) card and remove an? ([A-Z]) card", question)
    return re.findall(r"initial cards ([A-Z]+)", question)[-1], rounds


def provable(entry: Entry) -> Entry | None:
    """Play the last round; the library does not check that "Pass" and "Chi" are right."""
    dealt, rounds = _cards(entry["question"])
    cards = Counter(dealt)
    for add, remove in rounds[:-1]:
        cards.update(add)
        cards.subtract(remove)
    new = rounds[-1][0]
    if cards[new] >= 2:
        return {**entry, "answer": "Peng"}
    return {**entry, "answer": "Chi" if _has_pair(new, cards) else "Pass"}


def _has_pair(card: str, counts: Counts) -> bool:
    """Return whether two cards form a sequence with `card`."""
    held = [counts[chr(ord(card) + step)] > 0 for step in (-2, -1, 1, 2)]
    return any(one and two for one, two in pairwise(held))


def is_chi(_self: object, cards: str, new_card: str) -> bool:
    """Return whether the library sees a sequence with a new card: its middle is there only once."""
    held = cards + new_card
    return any(
        held.count(chr(middle)) == 1 and chr(middle - 1) in held and chr(middle + 1) in held
        for middle in range(ord(new_card) - 1, ord(new_card) + 2)
    )


HAND = 13
"""The number of cards at the beginning, and after each round."""
QUIET = 2
"""Rounds before the last one in which neither the last card nor its neighbours are added."""
DEALT = (3, 6)
"""How many of these cards are dealt at the beginning; more if the rounds are few."""
LABELS = {"Peng": 0.1, "Chi": 0.45, "Pass": 0.45}
"""The share of each result. Whoever counts the last card alone knows each "Peng"."""
CHI, PASS = [*[(-2, -1), (1, 2)] * 4, (-1, 1)], [*[(-2, 1), (-1, 2)] * 4, (-2, 2)]
HELD = {"Peng": CHI + PASS, "Chi": CHI, "Pass": PASS}
"""The steps to the neighbours of the last card in the hand; one of the two may be there twice.

So neither how many there are nor where one of them is says whether they form a sequence.
"""
TRIES = 200


def rewritten(entry: Entry) -> Entry:
    """Replace the cards by others; the reference answer is that of the old ones.

    A game of fewer than ten rounds may stay as it is: no others are found.
    """
    rng = random_of(entry)
    length, [result] = len(entry["metadata"]["rounds"]), rng.choices([*LABELS], [*LABELS.values()])
    games = (_game(rng, length, result) for _ in range(TRIES))
    game = next((game for game in games if game), None)
    if game is None:
        return entry
    dealt, rounds = game
    head, marker, rest = entry["question"].partition("given the initial cards ")
    asked = re.sub(r"^[A-Z]+", dealt, rest.split("Round 1:", 1)[0])
    for number, (added, removed) in enumerate(rounds, 1):
        asked += f"Round {number}: Add {_a(added)} card and remove {_a(removed)} card.\n"
    played = [{"add": added, "remove": removed} for added, removed in rounds]
    return changed(entry, head + marker + asked, entry["answer"], rounds=played)


def _a(card: str) -> str:
    return f"{'an' if card in 'AEIOU' else 'a'} {card}"


def _game(rng: Random, number: int, result: str) -> tuple[str, list[Round]] | None:
    """Return the cards at the beginning and the rounds; None if the draw does not fit."""
    last = rng.choice(ascii_uppercase[2:-2])
    near = [chr(ord(last) + step) for step in (-2, -1, 1, 2)]
    held = [chr(ord(last) + step) for step in rng.choice(HELD[result])]
    kept = Counter(held + rng.choices(held, k=rng.randint(0, 1)))
    kept[last] = rng.choice((2, 2, 3) if result == "Peng" else (0, 1, 1))
    removed = Counter({card: rng.randrange(4) for card in near})
    removed[last] = rng.randint(1, 4)
    if not DEALT[1] < removed.total() <= min(number - 2, HAND):
        return None
    others = [card for card in ascii_uppercase if card not in {last, *near}]
    return _rounds(rng, number, last, kept, removed, others)


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


def family(entry: Entry) -> object:
    """Keep amounts of equal cards, which added ones are equal; ignore names, removed cards."""
    dealt, rounds = _cards(entry["question"])
    return sorted_amounts(dealt), order_of_appearance(added for added, _ in rounds)


TASK = Task(
    answer=Choice("Peng", "Chi", "Pass"),
    correct=in_turn(rewritten, provable),
    labels=LABELS,
    family=family,
    # 235 rounds are long rather than deep.
    levels=moving(num_rounds=[(13, 17), (16, 20), (20, 26), (28, 36), (42, 60)]),
    faster={"games.mahjong:MahjongPuzzleDataset:_check_chi": is_chi},
)
