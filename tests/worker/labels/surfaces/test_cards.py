"""Cards that are seen do not announce the result."""

import re
from collections import Counter, defaultdict

import pytest

from rgenv.tasks.entry import Entry
from rgenv.tasks.games.mahjong_puzzle import rewritten as mahjong_puzzle
from rgenv.worker.problem_maker import corrected
from tests.worker.labels.surfaces.served import LEVELS, made


def shown(entry: Entry) -> tuple[str, list[str], list[str]]:
    """Return the cards that a question deals, adds and removes."""
    question = entry["question"]
    dealt = re.findall(r"initial cards ([A-Z]+), what", question)[0]
    rounds = re.findall(
        r"^Round \d+: Add an? (\w) card and remove an? (\w) card\.$", question, re.M
    )
    return dealt, [added for added, _ in rounds], [removed for _, removed in rounds]


def played(entry: Entry) -> str:
    """Return the result of the last round, with the hand as a sorted text."""
    dealt, added, removed = shown(entry)
    assert len(dealt) == 13 and len(added) == len(entry["metadata"]["rounds"])
    hand = dealt
    for new, gone in zip(added[:-1], removed, strict=False):
        hand += new
        assert gone in hand
        hand = hand.replace(gone, "", 1)
    new = added[-1]
    assert removed[-1] in hand + new
    if hand.count(new) >= 2:
        return "Peng"
    runs = [[chr(ord(new) + step + i) for i in range(3)] for step in (-2, -1, 0)]
    return "Chi" if any(set(run) <= {*hand, new} for run in runs) else "Pass"


@pytest.mark.parametrize("level", LEVELS)
def test_the_answer_is_the_result_of_the_last_round(level: float | None) -> None:
    """Each round removes a card that is there, and the game is as long as the library's."""
    for entry in made("mahjong_puzzle", level, 60):
        result = corrected("mahjong_puzzle", entry)
        assert result is not None and result["answer"] == played(result)
        assert shown(result)[1:] != shown(entry)[1:]


@pytest.mark.parametrize("level", LEVELS)
def test_removed_cards_can_not_be_left_out(level: float | None) -> None:
    """How often the last card and its neighbours were added, lately or ever, tells no result."""
    entries = [corrected("mahjong_puzzle", entry) for entry in made("mahjong_puzzle", level, 400)]
    told: dict[str, dict[object, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for entry in entries:
        assert entry is not None
        dealt, added, removed = shown(entry)
        distances = [abs(ord(card) - ord(added[-1])) for card in [*dealt, *added[:-1]]]
        lately, gone = distances[-6:], [abs(ord(card) - ord(added[-1])) for card in removed]
        for name, key in {
            "copies": min(distances.count(0), 6),
            "copies lately": min(lately.count(0), 2),
            "neighbours": min(sum(0 < d <= 2 for d in distances), 8),
            "neighbours lately": min(sum(0 < d <= 2 for d in lately), 2),
            "removed copies": gone[:-1].count(0),
            "removed neighbours": sum(0 < d <= 2 for d in gone[:-1]),
            "distance of the last removed card": min(gone[-1], 3),
        }.items():
            told[name][key][entry["answer"]] += 1
    for name, answers in told.items():
        right = sum(max(each.values()) for each in answers.values())
        assert right < 0.57 * len(entries), name


def test_a_short_game_stays() -> None:
    """Few rounds leave no room to add cards and remove them again."""
    entry = {**made("mahjong_puzzle", None, 1)[0], "metadata": {"rounds": [{}, {}]}}
    assert mahjong_puzzle(entry) is entry
