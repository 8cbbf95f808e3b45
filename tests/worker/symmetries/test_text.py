"""Numbers, words and patterns."""

import pytest

from rgenv.tasks.symmetries import letter_pattern as pattern
from rgenv.tasks.symmetries import letters_of_words, order_of_appearance, small_words
from rgenv.tasks.symmetries import part_of as part
from rgenv.tasks.symmetries import sorted_amounts as amounts
from rgenv.tasks.symmetries import sorted_numbers as numbers
from rgenv.tasks.symmetries import sorted_words as words


def test_numbers_have_no_order_signs_or_zeros_in_front() -> None:
    """A decimal has two runs of digits."""
    assert numbers("12 - 007 + 3.5") == numbers("-3.5, 12, 7") == ["12", "3", "5", "7"]


def test_words_have_no_order_or_case() -> None:
    """Small words leave out what a capital letter begins."""
    assert words("The cat, the DOG") == words("dog the Cat the") == ["cat", "dog", "the", "the"]
    assert small_words("Anna likes cats. She has Tom.") == ["cats", "has", "likes"]
    assert letters_of_words("tac Dog") == letters_of_words("god cat") == ["act", "dgo"]


def test_a_pattern_has_no_symbols_or_direction() -> None:
    """The order of appearance has a direction."""
    assert pattern("aab") == pattern("yxx") == [0, 0, 1]
    assert pattern("aba") != pattern("aab")
    assert order_of_appearance("aab") != order_of_appearance("baa")
    assert amounts("banana") == amounts("cabcac") == [1, 2, 3]


def test_a_part_of_a_question_is_the_last_match() -> None:
    """A question without it is refused."""
    assert part(r"(\d)", {"question": "1 or 2"}) == "2"
    with pytest.raises(ValueError, match="no"):
        part(r"(\d)", {"question": "one"})
