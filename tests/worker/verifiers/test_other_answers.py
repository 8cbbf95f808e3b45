"""Other right answers than the reference answer score 1.0, and no others.

Each check plays the puzzle again from its question, by code that the verifiers don't share.
"""

from __future__ import annotations

import itertools
import json
import re
from typing import Any

import pytest

from rgenv.tasks.games import tsumego
from rgenv.tasks.word_lists import is_anagram, is_word
from rgenv.worker.problem_maker import corrected
from rgenv.worker.scoring import verify
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
    if corrected("quantum_lock", entry) is None or length > 6:
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
    right = tsumego.right_moves(entry["question"])
    for column, row in itertools.product(range(size), range(1, size + 1)):
        move = f"{chr(ord('A') + column)}{row}"
        assert scored("tsumego", move, seed) == float(move in right), move


# --- other puzzles ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_every_board_with_right_sums_solves_survo(seed: int) -> None:
    """Of all ways to place the numbers, exactly those whose sums are right score 1.0."""
    _, entry = made("survo", seed)
    puzzle, numbers = entry["metadata"]["puzzle"], entry["metadata"]["candidate_numbers"]
    blanks = [(r, c) for r, row in enumerate(puzzle) for c, x in enumerate(row) if x == 0]
    for placed in set(itertools.permutations(numbers)):
        board = [list(row) for row in puzzle]
        for (row, column), number in zip(blanks, placed, strict=True):
            board[row][column] = number
        lines = [*board, *map(list, zip(*board, strict=True))]
        right = all(sum(line) == 2 * line[-1] for line in lines)
        text = "\n".join(" ".join(map(str, row)) for row in board)
        assert scored("survo", text, seed) == float(right)
    copied = "\n".join(" ".join(map(str, row)) for row in puzzle)
    assert scored("survo", copied, seed) == 0.0


def detour(metadata: dict[str, Any]) -> list[str]:
    """Return moves of one knight of each colour, away and back again; none if there are none."""
    squares, pieces = metadata["board"], metadata["pieces"]
    first = metadata["start_turn"]
    second = "B" if first == "w" else "w"
    free = [(a, b) for a in pieces for b in squares[a] if pieces.get(b) is None]
    for (a, b), (c, d) in itertools.product(free, free):
        if (pieces[a], pieces[c]) == (first, second) and b != d:
            return [
                f"{first},{a},{b}",
                f"{second},{c},{d}",
                f"{first},{b},{a}",
                f"{second},{d},{c}",
            ]
    return []


@pytest.mark.parametrize("seed", range(4))
def test_knights_may_take_their_time(seed: int) -> None:
    """Longer moves that swap the knights are right; moves that do not are wrong."""
    _, entry = made("knight_swap", seed)
    if entry["answer"] == "No":
        pytest.skip("no moves")
    moves, away = json.loads(entry["answer"]), detour(entry["metadata"])
    assert scored("knight_swap", json.dumps(away + moves), seed) == 1.0
    assert scored("knight_swap", json.dumps(moves[:-1]), seed) == 0.0
    assert scored("knight_swap", "No", seed) == 0.0


@pytest.mark.parametrize("seed", range(6))
def test_any_ladder_of_words_is_right(seed: int) -> None:
    """A ladder may be longer; a step over something that is no word makes it wrong."""
    _, entry = made("word_ladder", seed)
    right = entry["answer"].split(",")
    first = right[0]
    for place, letter in itertools.product(range(len(first)), "AEIORSTLQXZ"):
        step = first[:place] + letter + first[place + 1 :]
        if step != first:
            longer = ",".join([first, step, *right])
            assert scored("word_ladder", longer, seed) == float(is_word(step)), step
    assert scored("word_ladder", ",".join(right[1:]), seed) == 0.0
    assert scored("word_ladder", f"{right[0]},{right[-1]}", seed) == float(len(right) == 2)
    assert scored("word_ladder", ",".join([*right, *right]), seed) == 0.0


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


@pytest.mark.parametrize(
    ("word", "expected"),
    [("ROB", True), ("rho", True), ("ROBX", False), ("QXZ", False), ("", False)],
)
def test_a_word_is_in_a_list(word: str, expected: bool) -> None:
    """Case makes no difference."""
    assert is_word(word) == expected


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


@pytest.mark.parametrize(
    ("answer", "right", "expected"),
    [
        ("Mom", "mother", 1.0),
        ("grandpa", "grandfather", 1.0),
        ("mother", "mother", 1.0),
        ("mom", "father", 0.0),
        ("mom", "mother-in-law", 0.0),
        ("great-grandpa", "great-grandfather", 1.0),
        ("grandpa", "great-grandfather", 0.0),
        ("parent", "mother", 0.0),
    ],
)
def test_a_relation_has_an_everyday_word(answer: str, right: str, expected: float) -> None:
    """A word that means the same relation is right, a wider one is not."""
    entry = {"question": "", "answer": right, "metadata": {}}
    assert verify("family_relationships", answer, entry, lambda text: 0.0) == expected
