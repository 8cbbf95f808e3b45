"""Letters that have to be counted one by one."""

import re
from collections import Counter

import pytest

from rgenv.tasks.algorithmic.letter_counting import correct as letter_counting
from tests.worker.labels.surfaces.served import LEVELS, Entry, served


def letter_and_words(entry: Entry) -> tuple[str, list[str]]:
    match = re.search(r'letter "(.)" appear in the text: "(.*)"', entry["question"])
    assert match is not None
    return match[1], match[2].split(" ")


@pytest.mark.parametrize("level", LEVELS)
def test_answers_count_small_and_capital_letters(level: float | None) -> None:
    """The answer counts the letter in the text, which is as long as the level asks for."""
    for entry in served(letter_counting, "letter_counting", level, 100):
        letter, words = letter_and_words(entry)
        assert entry["metadata"]["span"] == words and entry["metadata"]["target_letter"] == letter
        least, most = entry["metadata"]["difficulty"]["words"]
        assert least <= len(words) <= most
        count = sum(character in (letter, letter.upper()) for character in "".join(words))
        assert entry["answer"] == str(count) != "0"


@pytest.mark.parametrize("level", LEVELS)
def test_the_words_that_have_the_letter_do_not_tell_how_often(level: float | None) -> None:
    """Whoever counts words, and adds any number, is seldom right."""
    entries = served(letter_counting, "letter_counting", level, 400)
    repeated: Counter[int] = Counter()
    for entry in entries:
        letter, words = letter_and_words(entry)
        repeated[int(entry["answer"]) - sum(letter in word.lower() for word in words)] += 1
    assert max(repeated.values()) < 0.28 * len(entries)
    assert max(Counter(entry["answer"] for entry in entries).values()) < 0.2 * len(entries)


def test_a_question_in_another_form_stays() -> None:
    """An entry whose question does not name the letter is returned as it is."""
    entry = {
        "question": "How many?",
        "answer": "1",
        "metadata": {"span": ["one"], "target_letter": "e"},
    }
    assert letter_counting(entry) is entry


def test_long_texts_are_replaced_quickly() -> None:
    """A text of thousands of words is counted, or stays where each letter is repeated often."""
    entry = {
        "question": 'How many times does the letter "e" appear in the text: "Yes"?',
        "answer": "1",
        "metadata": {"span": ["word"] * 5000, "target_letter": "e"},
    }
    result = letter_counting(entry)
    letter, words = letter_and_words(result)
    assert result is entry or int(result["answer"]) == "".join(words).lower().count(letter)
