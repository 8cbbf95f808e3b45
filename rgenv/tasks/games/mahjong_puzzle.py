"""Follow the rules of a card game, and tell its outcome."""

import re
from collections import Counter
from itertools import pairwise

from rgenv.tasks import Answers, Choice, Entry, Task, moving
from rgenv.tasks.symmetries import order_of_appearance, sorted_amounts

Round = tuple[str, str]
"""The card that is added, and the one that is removed."""


def _cards(question: str) -> tuple[str, list[Round]]:
    """Return the cards that are dealt at the beginning, and the rounds."""
    rounds = re.findall(r"Add an? ([A-Z]) card and remove an? ([A-Z]) card", question)
    return re.findall(r"initial cards ([A-Z]+)", question)[-1], rounds


def correct(entry: Entry) -> Entry:
    """Play the rounds; the library does not check that "Pass" and "Chi" are right."""
    dealt, rounds = _cards(entry["question"])
    cards = Counter(dealt)
    for add, remove in rounds[:-1]:
        cards.update(add)
        cards.subtract(remove)
    return {**entry, "answer": _result(rounds[-1][0], cards)}


def _result(card: str, hand: Counter[str]) -> str:
    if hand[card] >= 2:
        return "Peng"
    near = [hand[chr(ord(card) + step)] > 0 for step in (-2, -1, 1, 2)]
    return "Chi" if any(one and two for one, two in pairwise(near)) else "Pass"


LAST = 20
"""Cards that a rule takes for the hand; with 10 or 13, it is right less often."""


def shortcuts(question: str) -> Answers:
    """Take the last cards that were dealt or added for the hand, whichever were removed."""
    dealt, rounds = _cards(question)
    *seen, card = [*dealt, *(added for added, _ in rounds)]
    return {"as if the last cards were the hand": _result(card, Counter(seen[-LAST:]))}  # .83


def is_chi(_self: object, cards: str, new_card: str) -> bool:
    """Return whether the library sees a sequence with a new card: its middle is there only once."""
    held = cards + new_card
    return any(
        held.count(chr(middle)) == 1 and chr(middle - 1) in held and chr(middle + 1) in held
        for middle in range(ord(new_card) - 1, ord(new_card) + 2)
    )


def family(entry: Entry) -> object:
    """Keep amounts of equal cards, which added ones are equal; ignore names, removed cards."""
    dealt, rounds = _cards(entry["question"])
    return sorted_amounts(dealt), order_of_appearance(added for added, _ in rounds)


TASK = Task(
    answer=Choice("Peng", "Chi", "Pass"),
    correct=correct,
    shortcuts=shortcuts,
    labels={"Chi": 0.4},
    # If the rule were always wrong, it would tell one of three results.
    kept={"as if the last cards were the hand": 0.1},
    family=family,
    # 235 rounds are long rather than deep.
    levels=moving(num_rounds=[(13, 17), (16, 20), (20, 26), (28, 36), (42, 60)]),
    faster={"games.mahjong:MahjongPuzzleDataset:_check_chi": is_chi},
    accepted={"shortcut": "most of the last cards are still in the hand, whichever were removed"},
)
