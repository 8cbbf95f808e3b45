"""rgenv/worker/verifiers: other right answers than the reference answer score 1.0, and no others.

Each check plays the puzzle again from its question, by code that the verifiers don't share.
"""

from __future__ import annotations

import itertools
import re

import pytest

from rgenv.worker import go, labels
from rgenv.worker.verifiers.anagrams import is_anagram
from tests.support.entries import made, scored

pytestmark = pytest.mark.usefixtures("guarded")


# --- quantum_lock -------------------------------------------------------------------------------


def opens(question: str, presses: tuple[str, ...]) -> bool:
    """Press the buttons as the question describes them; every press toggles the light."""
    number, target = (int(re.findall(rf"{name}: (-?\d+)", question)[0]) for name in LOCK)
    effects = {name: rest for name, *rest in re.findall(BUTTON, question, re.MULTILINE)}
    light = "red"
    for name in presses:
        operation, by, when = effects[name]
        if when in (light, "any"):
            number = {
                "Add": number + int(by),
                "Subtract": number - int(by),
                "Multiply": number * int(by),
            }[operation]
        light = {"red": "green", "green": "red"}[light]
    return number == target


LOCK = ("Start", "Target")
BUTTON = r"^([A-C]): (\w+) (\d+) \(when (\w+)\)$"


@pytest.mark.parametrize("seed", range(12))
def test_every_shortest_sequence_opens_the_lock(seed: int) -> None:
    """Of all sequences as long as the reference answer, those that reach the target score 1.0."""
    _, entry = made("quantum_lock", seed)
    length = len(entry["answer"].split(" → "))
    if labels.corrected("quantum_lock", entry) is None or length > 6:
        pytest.skip("two readings, or too many sequences")
    for presses in itertools.product("ABC", repeat=length):
        score = scored("quantum_lock", " → ".join(presses), seed)
        assert score == float(opens(entry["question"], presses)), presses
    longer = f"{entry['answer']} → A → A"
    assert scored("quantum_lock", longer, seed) == 0.0


# --- tsumego ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_a_move_is_right_by_the_wording_of_the_question(seed: int) -> None:
    """Every right move scores 1.0, every other point 0.0."""
    _, entry = made("tsumego", seed)
    size = entry["metadata"]["board_size"]
    right = go.right_moves(entry["question"])
    for column, row in itertools.product(range(size), range(1, size + 1)):
        move = f"{chr(ord('A') + column)}{row}"
        assert scored("tsumego", move, seed) == float(move in right), move


# --- words --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "other", "expected"),
    [
        ("file", "life", True),
        ("From", "form", True),
        ("no", "on", True),
        ("ton", "not", True),
        ("words", "sword", True),
        ("fo", "of", False),
        ("ilfe", "life", False),
        ("lives", "life", False),
        ("", "life", False),
    ],
)
def test_a_word_is_an_anagram_if_the_library_knows_it(
    word: str, other: str, expected: bool
) -> None:
    """The letters have to be the same, and the library's word lists have to have the word."""
    assert is_anagram(word, other) == expected


@pytest.mark.parametrize("seed", range(8))
def test_another_anagram_is_a_right_word_of_letter_jumble(seed: int) -> None:
    """A sentence with another word of the same letters scores 1.0, with a scrambled one less."""
    _, entry = made("letter_jumble", seed)
    right = entry["answer"].split()
    for place, word in enumerate(right):
        for letters in itertools.islice(itertools.permutations(word), 1, 24):
            other = "".join(letters)
            answer = " ".join([*right[:place], other, *right[place + 1 :]])
            assert (scored("letter_jumble", answer, seed) == 1.0) == is_anagram(other, word)
    assert scored("letter_jumble", f"{entry['answer']} more", seed) == 0.0
    assert scored("letter_jumble", " ".join(right[:-1]), seed) == 0.0


@pytest.mark.parametrize("seed", range(8))
def test_blanks_are_equal_in_emoji_mystery(seed: int) -> None:
    """A run of blanks equals one, and a missing blank is an error."""
    _, entry = made("emoji_mystery", seed)
    words = entry["answer"].split()
    for blank in (" ", "  ", "\n"):
        assert scored("emoji_mystery", blank.join(words), seed) == 1.0
    assert scored("emoji_mystery", "".join(words), seed) < 1.0
