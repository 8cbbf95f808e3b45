"""Rewrites, tries and comparisons counted by hand."""

import random
from typing import Any

import pytest
import reasoning_gym
from reasoning_gym.algorithmic.ab import compute_steps

from tools.work import strings


def entry_of(question: str = "", **metadata: Any) -> dict[str, Any]:
    return {"question": question, "answer": "", "metadata": metadata}


@pytest.mark.parametrize("length", [4, 9, 20])
def test_rewrites_are_those_of_the_library(length: int) -> None:
    """The library lists all states of a program; there is one rewrite between two of them."""
    for seed in range(40):
        entry = reasoning_gym.create_dataset("ab", size=1, seed=seed, length=length)[0]
        program = entry["question"].split("following program:")[1].split("Return")[0].split()
        assert strings.ab(entry) == len(compute_steps(program)[0]) - 1


def test_unknowns_of_a_sum_of_words() -> None:
    """SEND + MORE = MONEY has eight letters and four carries of two values."""
    entry = entry_of(letters=list("SENDMORY"), words_letters=["SEND", "MORE"])
    assert strings.cryptarithm(entry) == 8 + 4


def test_colours_are_tried_in_order() -> None:
    """A triangle takes 1, 2 and 3 tries; without edges, one try is enough for each vertex."""

    def tries(edges: list[tuple[int, int]], colors: int) -> float:
        puzzle = {"vertices": [0, 1, 2], "edges": edges, "num_colors": colors}
        return strings.graph_color(entry_of(puzzle=puzzle))

    assert tries([(0, 1), (0, 2), (1, 2)], 3) == 6
    assert tries([], 3) == 3


def test_going_back_costs_tries() -> None:
    """A path whose ends come first has to be coloured again."""
    puzzle = {"vertices": [0, 1, 2, 3], "edges": [(0, 2), (2, 3), (1, 3)], "num_colors": 2}
    straight = {"vertices": [0, 1, 2, 3], "edges": [(0, 1), (1, 2), (2, 3)], "num_colors": 2}
    assert strings.graph_color(entry_of(puzzle=puzzle)) > strings.graph_color(
        entry_of(puzzle=straight)
    )


def test_letters_out_of_place_are_counted() -> None:
    """Letters that stand where they belong are no work."""
    entry = entry_of(scrambled_words=["mya", "well"], original_words=["may", "well"])
    assert strings.letter_jumble(entry) == 2


def test_rotations_are_tried_from_the_nearer_end() -> None:
    """A rotation by 25 is found as soon as one by 1."""
    near, far = (
        strings.caesar_cipher(entry_of(rotation=rotation, cipher_text="AB")) for rotation in (1, 25)
    )
    assert near == far == 3


def test_pairs_end_where_the_strings_contradict() -> None:
    """The third pair of letters contradicts the first."""
    assert strings.isomorphic_strings(entry_of(words=["abac", "xyzw"])) == 2
    assert strings.isomorphic_strings(entry_of(words=["abac", "xyxw"])) == 3


def test_words_are_compared_with_the_groups_before() -> None:
    """The third word is found in the first group, after the second has opened another."""
    entry = entry_of(words=["eat", "tan", "tea", "nat"])
    assert strings.group_anagrams(entry) == 0 + 1 + 1 + 2


@pytest.mark.parametrize(
    ("number", "digits"), [("-5", 1), ("7", 2), ("12.5", 4), ("12.34", 6), ("12.345", 6)]
)
def test_digits_are_compared_until_they_differ(number: str, digits: int) -> None:
    """A sign decides at once; numbers that are nearer to 12.346 take more digits."""
    entry = entry_of(filter_value="12.346", original_numbers=[number])
    assert strings.number_filtering(entry) == digits


def test_a_sort_takes_as_many_comparisons_as_it_must() -> None:
    """The order of n numbers is one of n!, and a comparison halves them at best."""
    numbers = [str(random.Random(1).random()) for _ in range(5)]
    assert strings.number_sorting(entry_of(original_numbers=numbers)) == 7


def test_swaps_move_two_characters() -> None:
    """Each swap mends two characters; without one, the surplus is counted."""
    assert strings.binary_alternation(entry_of(string="0110", solution=1)) == 2
    assert strings.binary_alternation(entry_of(string="1110", solution=-1)) == 2


def test_words_without_the_letter_are_read_too() -> None:
    """Two letters in one word count twice, a word without one once."""
    entry = entry_of(target_letter="s", span=["Witness", "the", "Sun"])
    assert strings.letter_counting(entry) == 2 + 1 + 1


def test_the_fewest_moves_are_the_work() -> None:
    """jugs knows its fewest moves."""
    assert strings.jugs(entry_of(puzzle={"min_moves": 9})) == 9
