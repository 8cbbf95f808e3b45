"""Letters, statements, rules and programs counted by hand."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
import reasoning_gym
from hypothesis import given
from hypothesis import strategies as st
from reasoning_gym.algorithmic.ab import compute_steps

from rgenv.tasks import examples
from rgenv.tasks.code import bf, codeio
from rgenv.tasks.games import puzzle24
from tools.work import WORK, words


def entry_of(question: str = "", **metadata: Any) -> dict[str, Any]:
    return {"question": question, "answer": "", "metadata": metadata}


@pytest.mark.parametrize("length", [4, 9, 20])
def test_rewrites_are_those_of_the_library(length: int) -> None:
    """The library lists all states of a program; there is one rewrite between two of them."""
    for seed in range(40):
        entry = reasoning_gym.create_dataset("ab", size=1, seed=seed, length=length)[0]
        program = entry["question"].split("following program:")[1].split("Return")[0].split()
        assert words.ab(entry) == len(compute_steps(program)[0]) - 1


def test_unknowns_of_a_sum_of_words() -> None:
    """SEND + MORE = MONEY has eight letters and four carries of two values."""
    entry = entry_of(letters=list("SENDMORY"), words_letters=["SEND", "MORE"])
    assert words.cryptarithm(entry) == 8 + 4


def test_colours_are_tried_in_order() -> None:
    """A triangle takes 1, 2 and 3 tries; without edges, one try is enough for each vertex."""

    def tries(edges: list[tuple[int, int]], colors: int) -> float:
        puzzle = {"vertices": [0, 1, 2], "edges": edges, "num_colors": colors}
        return words.graph_color(entry_of(puzzle=puzzle))

    assert tries([(0, 1), (0, 2), (1, 2)], 3) == 6
    assert tries([], 3) == 3


def test_going_back_costs_tries() -> None:
    """A path whose ends come first has to be coloured again."""
    puzzle = {"vertices": [0, 1, 2, 3], "edges": [(0, 2), (2, 3), (1, 3)], "num_colors": 2}
    straight = {"vertices": [0, 1, 2, 3], "edges": [(0, 1), (1, 2), (2, 3)], "num_colors": 2}
    assert words.graph_color(entry_of(puzzle=puzzle)) > words.graph_color(entry_of(puzzle=straight))


def test_letters_out_of_place_are_counted() -> None:
    """Letters that stand where they belong are no work."""
    entry = entry_of(scrambled_words=["mya", "well"], original_words=["may", "well"])
    assert words.letter_jumble(entry) == 2


def test_rotations_are_tried_from_the_nearer_end() -> None:
    """A rotation by 25 is found as soon as one by 1."""
    near, far = (
        words.caesar_cipher(entry_of(rotation=rotation, cipher_text="AB")) for rotation in (1, 25)
    )
    assert near == far == 3


def test_pairs_end_where_the_strings_contradict() -> None:
    """The third pair of letters contradicts the first."""
    assert words.isomorphic_strings(entry_of(words=["abac", "xyzw"])) == 2
    assert words.isomorphic_strings(entry_of(words=["abac", "xyxw"])) == 3


def test_words_are_compared_with_the_groups_before() -> None:
    """The third word is found in the first group, after the second has opened another."""
    entry = entry_of(words=["eat", "tan", "tea", "nat"])
    assert words.group_anagrams(entry) == 0 + 1 + 1 + 2


@pytest.mark.parametrize(
    ("number", "digits"), [("-5", 1), ("7", 2), ("12.5", 4), ("12.34", 6), ("12.345", 6)]
)
def test_digits_are_compared_until_they_differ(number: str, digits: int) -> None:
    """A sign decides at once; numbers that are nearer to 12.346 take more digits."""
    entry = entry_of(filter_value="12.346", original_numbers=[number])
    assert words.number_filtering(entry) == digits


def test_a_sort_takes_as_many_comparisons_as_it_must() -> None:
    """The order of n numbers is one of n!, and a comparison halves them at best."""
    numbers = [str(random.Random(1).random()) for _ in range(5)]
    assert words.number_sorting(entry_of(original_numbers=numbers)) == 7


def test_swaps_move_two_characters() -> None:
    """Each swap mends two characters; without one, the surplus is counted."""
    assert words.binary_alternation(entry_of(string="0110", solution=1)) == 2
    assert words.binary_alternation(entry_of(string="1110", solution=-1)) == 2


def test_words_without_the_letter_are_read_too() -> None:
    """Two letters in one word count twice, a word without one once."""
    entry = entry_of(target_letter="s", span=["Witness", "the", "Sun"])
    assert words.letter_counting(entry) == 2 + 1 + 1


def test_the_fewest_moves_are_the_work() -> None:
    """jugs knows its fewest moves."""
    assert words.jugs(entry_of(puzzle={"min_moves": 9})) == 9


@given(one=st.text("ab", max_size=6), other=st.text("ab", max_size=6))
def test_shared_letters_are_those_of_the_longest_common_prefix(one: str, other: str) -> None:
    """Both words begin with that many equal letters, and not with one more."""
    count = words.shared_letters(one, other)
    assert one[:count] == other[:count]
    assert one[: count + 1] != other[: count + 1] or count == max(len(one), len(other))


def test_words_that_are_neighbours_in_question_and_answer_take_no_work() -> None:
    """Only the pairs that have to be put together anew count."""
    entry = {"question": "Restore the order: b c a d", "answer": "a b c d"}
    assert words.sentence_reordering(entry) == 2


def test_only_letters_that_the_note_needs_are_counted() -> None:
    """The note has two letters, and the magazine three of them."""
    metadata = {"ransom_note": "ab", "magazine": "aabzzz"}
    assert words.ransom_note({"metadata": metadata}) == 5


def syllogism(first: str, second: str, conclusion: str) -> float:
    question = f"1. {first}\n2. {second}\n\nDoes it follow that:\n{conclusion}?\n(Answer)"
    return WORK["syllogism"]({"question": question})


def test_a_syllogism_with_statements_to_turn_round_takes_more_work() -> None:
    """Both premises count, each quantifier but All, and each statement in another order."""
    assert syllogism("All a are b", "All b are c", "All a are c") == 2
    assert syllogism("All a are b", "Some b are not c", "Some a are not c") == 4
    assert syllogism("All b are a", "All c are b", "All a are c") == 4


def test_the_parts_of_a_statement_are_operators_and_claims() -> None:
    """The names of people do not count."""
    statement = ("and", ("lying", 0), ("not", ("telling-truth", 1)))
    assert words.parts(statement) == 4
    assert words.knights_knaves({"metadata": {"statements": (statement, ("lying", 0))}}) == 10


def test_objects_are_connected_areas_of_one_colour() -> None:
    """Cells that touch at a corner only are two objects."""
    assert examples.objects([[1, 1, 0], [0, 1, 0], [1, 0, 0]]) == 4


def test_all_cells_of_a_grid_of_another_size_change() -> None:
    """Nothing can be compared cell by cell."""
    assert examples.changes([[1, 2]], [[1, 3]]) == 1
    assert examples.changes([[1, 2]], [[1], [2]]) == 2


@pytest.mark.parametrize(("turns", "work"), [(1, 9), (4, 1), (8, 2), (7, 10)])
def test_whole_turns_move_nothing(turns: int, work: int) -> None:
    """What is left of the turns moves each number of a 3 by 3 matrix."""
    assert words.rotate_matrix({"metadata": {"num_rotations": turns, "n": 3}}) == work


def test_an_average_takes_two_operations_a_number() -> None:
    """Numbers are added up and divided, or compared."""
    size = {"rows": 4, "cols": 5}
    assert words.pool_matrix({"metadata": {**size, "pool_type": "average"}}) == 40
    assert words.pool_matrix({"metadata": {**size, "pool_type": "max"}}) == 20


def test_numbers_with_more_solutions_take_fewer_tries() -> None:
    """4, 6, 1 and 1 make 24 in many ways; 1, 5, 5 and 5 in one."""
    easy, hard = ({"metadata": {"numbers": numbers}} for numbers in ([4, 6, 1, 1], [1, 5, 5, 5]))
    assert puzzle24.work(easy) < puzzle24.work(hard)


@given(numbers=st.lists(st.integers(1, 10), min_size=2, max_size=4))
def test_every_sum_and_product_is_an_outcome(numbers: list[int]) -> None:
    """All formulas include the sum and the product of all numbers."""
    results = list(puzzle24.outcomes(tuple(map(float, numbers))))
    assert float(sum(numbers)) in results and float(math.prod(numbers)) in results


def test_reading_ends_with_the_sentence_that_answers() -> None:
    """The third sentence names who likes tea."""
    story = "Ann hates tea. Bob likes rum. Cid likes tea. Dan likes ink. "
    entry = {"question": f"{story}\nWho likes tea? Reply only with a name.", "answer": "Cid"}
    assert words.needle_haystack(entry) == 3


def test_only_empty_points_beside_white_stones_may_capture() -> None:
    """A white stone in a corner has two neighbours."""
    assert words.tsumego({"metadata": {"board": ["O..", "...", "..X"]}}) == 2


LOOP = """
int main() {
    int acc = 0;
    int target = 19;
    int x = 2;
    int y = 3;
    while (acc < target) {
        acc = acc + x;
        acc = acc + y;
    }
    printint(acc);
}
"""


def test_the_letters_of_a_word_count() -> None:
    """A program that prints a word has one statement for each letter."""
    assert bf.run_bf('int main() {\n    print("prime");\n}') == ("prime", 5)


def test_each_turn_of_a_loop_counts() -> None:
    """Four turns of three statements follow five others."""
    assert bf.run_bf(LOOP) == ("20", 5 + 4 * 3)


def test_cells_wrap_at_256() -> None:
    """A target of 260 is a target of 4."""
    assert bf.run_bf(LOOP.replace("19", "260")) == ("5", 5 + 3)


def test_a_program_that_never_ends_raises() -> None:
    """Twos and fours never make 255."""
    with pytest.raises(ValueError, match="never ends"):
        bf.run_bf(LOOP.replace("19", "255").replace("y = 3", "y = 4"))


def test_loops_weigh_more() -> None:
    """What is in a loop counts three times, and nine times in two."""

    def weight(code: str) -> float:
        return codeio.work({"question": f"Tip: not copy spans of code directly.\n\n{code}"})

    assert weight("a = 1 + 2") == 2
    assert weight("for i in x:\n    a = 1 + 2") == 6
    assert weight("for i in x:\n    for j in y:\n        a = 1 + 2") == 18
