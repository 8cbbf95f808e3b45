"""Rules that answer without solving: what each answers, and what all of them promise."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rgenv.worker import selection, shortcuts
from rgenv.worker.problem_maker import ProblemMaker
from tests.support.records import KEPT, RULES

MAKER = ProblemMaker()

ZEBRA = (
    " - Each person has a unique name: ann, bob, eve\n\n1. Ann is in the second house.\n"
    "2. The Dane is directly left of Bob.\n3. The cat lover is Eve.\n\nWho lives in House 1?"
)
ACRE = "results:\nred cube → on\nblue cube → off\n\nNew test case:\nred cube\n\nWhat"
SIGNS = "puzzle:\n\n_   _ < 3\n∨       \n1   3   _\n         \n_   2   _\n\nEnsure"
SUDOKU = "Solve this 4x4 Mini Sudoku puzzle:\n_ 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 _\nFormat"
MAZE = "from 'S' (start) to 'G' (goal):\n\n```\n#####\n#S#G#\n#...#\n#####\n```\nLegend"
ARC = (
    "Example 1:\n\nInput:\n1 2\nOutput:\n2 1\n\n"
    "Example 2:\n\nInput:\n3 4\nOutput:\n4 3\n\n\nInput:\n"
)
GO = "```\n   A B C\n 3 . X .\n 2 X O .\n 1 . X .\n```\n"
RIVER = "binary matrix grid:\n1 1 0 0\n0 1 1 1\n0 0 0 1\n1 0 0 1\n\nAn"
THREE = "binary matrix grid:\n1 0 0 1 1\n1 0 0 0 0\n1 0 1 0 0\n0 0 1 1 0\n\nAn"
LOCK = "Start: 0 (red)\nTarget: 4\nButtons:\nA: Add 2 (when any)\nB: Add 3 (when green)"
CARS = "Board:\nB.....\nB.....\nAA.C..\n...C..\n......\n......"
BOXES = "+ + + + + +  \n+ * @ - X +  \n+ + + + + +  "
CUBE = """A cube has:
- a red top side
- an aqua right side
- a blue front side
- a lime left side
- a gold back side
- a pink bottom side

The cube is rotated so that the side which was before at the left is now at the top.

Next, the bottom side is rotated to become the top face.

When the bottom is brought to the top, the cube is turned over.

Now the cube is rotated to place its back side at the top.

What is now the color of the front side of the cube?"""
REWRITING = """in order:
1. If the string prefix is 'ca', replace it with 'bb' and append 'c' to the end.
2. If the string prefix is 'ab', replace it with 'ca'.
3. If the string ends with 'ba', replace it with 'ab'.

Transform:
abab"""
LONG = """in order:
1. If the string length is greater than 15, remove the middle character.
2. If the string contains 'bca', delete the first occurrence entirely.
3. If the string prefix is 'aa', remove the first character.
4. If the string suffix is 'bb', delete the last two characters.

Transform:
aacacacabcacacbb"""
RAREST, MOST = "the rarest variable", "the most frequent variable that is not given"
NOT_GIVEN = "the rarest variable that is not given"
DENIED = "1. (P → Q)\n.2. (P → ¬Q)\n.3. (¬Q ∨ P)"
EITHER = "1. (P → Q)\n.2. (P ∧ R)\n.3. (R ∨ ¬Q)"

# fmt: off
ANSWERS = [
    ("acre", ACRE, "as the same objects", "on"),
    ("acre", ACRE, "an object did it alone", "on"),
    ("aiw", "Ann has 2 brothers and 5 sisters.", "the last number and one", "6"),
    ("zebra_puzzles", ZEBRA, "not said elsewhere, directly left of one, used most", "eve"),
    ("number_sequence", "2, 4, 8, 16, ?", "the last ratio of differences", "32"),
    ("number_sequence", "1, 2, 4, 8, ?", "the last term and twice the one before", "16"),
    ("number_sequence", "1, 2, 7, 23, ?", "a multiple of the last term, and the one before", "76"),
    ("number_sequence", "1, 2, 5, 13, ?", "the ratio of the two differences before", "37"),
    ("number_sequence", "2, 5, 7, ?", "the last but one ratio, less its difference", "15"),
    ("number_sequence", "1, 3, 7, ?", "the last term and twice the last difference", "15"),
    ("list_functions", "Output 1: [1]\n\nInput: [2, 3]\nOutput:", "copy the input", "[2, 3]"),
    ("list_functions", "Output 1: [1]\n\nInput: [2, 3]\nOutput:", "repeat the first output", "[1]"),
    ("futoshiki", SIGNS,
     "the first numbers that fit", "2   1 < 3\n∨       \n1   3   2\n         \n3   2   1"),
    ("n_queens", "size 4 x 4\n_ Q _ _\n_ _ _ _\n_ _ _ _\n_ _ _ _",
     "from the upper left", "_ Q _ _\n_ _ _ Q\nQ _ _ _\n_ _ Q _"),
    ("n_queens", "size 4 x 4\n_ Q _ _\n_ _ _ _\n_ _ _ _\n_ _ _ _",
     "the row with the fewest squares first", "_ Q _ _\n_ _ _ Q\nQ _ _ _\n_ _ Q _"),
    ("binary_matrix", "below:\n0 1\n1 0", "copy the matrix", "0 1\n1 0"),
    ("game_of_life", "grid\n\n[[1,0],\n [0,1]].", "empty the board", "[[0,0],[0,0]]"),
    ("maze", MAZE, "distance without walls", "2"),
    ("maze", MAZE, "distance without walls and a detour", "4"),
    ("mini_sudoku", SUDOKU, "the first digit that fits", "1 2 3 4\n3 4 1 2\n2 1 4 3\n4 3 2 1"),
    ("modulo_grid", "fill it\n\n✅✅\n❌✅\n✅❔", "from a row that agrees", "✅✅\n❌✅\n✅✅"),
    ("modulo_grid", "fill it\n\n✅❌❌\n❌✅❌\n❌❌❔", "as most along the diagonal",
     "✅❌❌\n❌✅❌\n❌❌✅"),
    ("modulo_grid", "fill it\n\n✅❌\n✅❔\n❔✅", "from a row or a column that agrees",
     "✅❌\n✅❌\n✅✅"),
    ("pool_matrix", "a kernel size of 2:\n1 2\n3 4", "the corner of each block", "1"),
    ("rearc", ARC + "5 6", "copy the test input", "5 6"),
    ("arc_1d", ARC + "5 6", "repeat the last output", "4 3"),
    ("spiral_matrix", "order?\n1 2\n4 3", "every second row backwards", "1 2 3 4"),
    ("tsumego", GO, "most white around", "C2"),
    ("tsumego", GO, "beside the white stone with most black around", "C2"),
    ("tsumego", GO, "beside the group with most black stones", "C2"),
    ("largest_island", RIVER, "the island in the middle", "7"),
    ("largest_island", RIVER, "the island of most rows", "7"),
    ("largest_island", THREE, "the first island", "3"),
    ("largest_island", THREE, "the last island", "3"),
    ("largest_island", THREE, "the first island from the right", "2"),
    ("largest_island", THREE, "the island with the longest run down", "3"),
    ("largest_island", THREE, "the island where most land is near", "3"),
    ("largest_island", RIVER, "the island in the largest box", "7"),
    ("largest_island", RIVER, "the island with the longest three runs", "7"),
    ("color_cube_rotation", CUBE, "the turns in reverse", "pink"),
    ("countdown", "Using all the numbers 5, 3, 4, make 2.\nUse",
     "add and subtract all", "- 5 + 3 + 4"),
    ("puzzle24", "Make 24 using 4, 2, 1, 3. You", "multiply all", "1*2*3*4"),
    ("quantum_lock", LOCK, "always the nearest", "A → A"),
    ("countdown", "Calculate 9 using all of these: 2, 3, 4.\nEach", "multiply all", "2 * 3 * 4"),
    ("rush_hour", CARS, "the rest by +3, then the red car", "C+3 AA+4"),
    ("sokoban", BOXES, "push straight, vertical first", "RR"),
    ("lcm", "Find the LCM of these numbers: 4, 6", "half of the product", "12"),
    ("lcm", "Find the LCM of these numbers: 3, 6", "the largest number", "6"),
    ("gcd", "Find the GCD of these numbers: 14, 49. Give", "the largest divisor up to ten", "7"),
    ("simple_equations", "Solve for a: 10*a + 3 = 74", "divide, off by 0", "7"),
    ("simple_equations", "Solve for a: 10*a - 13 = 77", "divide, off by 1", "9"),
    ("prime_factorization", "Find the factors of 7. Write", "the number itself", "7"),
    ("prime_factorization", "Find the factors of 22. Write", "divide once", "2 × 11"),
    ("fraction_simplification", "Simplify 6/15 to", "divide once by 3", "2/5"),
    ("fraction_simplification", "Simplify $\\frac{6}{15}$ to",
     "divide once by 3", "$\\frac{2}{5}$"),
    ("time_intervals", "from 01:10 to 03:05", "subtract field by field", "02:05"),
    ("coin_flip", "exactly 3 heads in 3 fair coin flips", "one outcome", "0.125"),
    ("leg_counting", "in total if you have 2 cows, 3 dogs?", "4 legs each", "20"),
    ("decimal_chain_sum", "State the answer: 2.25 - 0.5 =", "add all", "2.75"),
    ("calendar_arithmetic", "Is 1999 a leap year?", "an odd year is no leap year", "No"),
    ("string_manipulation", REWRITING, "the first rule that fits, twice", "bbabc"),
    ("string_manipulation", REWRITING, "each rule in turn", "caab"),
    ("string_splitting", "Now, you have 1 machine A, 3 machine B, and 2 machine C.",
     "take each apart, then join parts", "0 1 0 1 0 2"),
    ("string_synthesis", "Now, you have 2 [A], 3 [B], and 2 [C] blocks.",
     "only the first rule", "0 1 0 2 0 0 0 0 0"),
    ("string_manipulation", LONG, "only the first three rules", "acacacacacacbb"),
    ("string_manipulation", LONG, "only the last three rules", "acacacacac"),
    ("ab", "following program:\n\nB# A# #A\n\nReturn", "remove pairs that touch", "B#"),
    ("ab", "following program:\n\nA# #B\n\nReturn", "move the tokens to their sides", "#B A#"),
    ("number_filtering", "Keep all numbers larger than 0 in this list: ['1', '-2']",
     "the negative numbers", "['-2']"),
    ("palindrome_generation", "the following letters: a, b, a", "join the letters", "aba"),
    ("sentence_reordering", "following sentence: seen. have We it",
     "capital first, stop last", "We have it seen."),
    ("number_sorting", "order: 10, 9\nPlease", "sort as text", "['10', '9']"),
    ("palindrome_partitioning", "into palindromes: aba",
     "single letters and one triple", '[["a","b","a"],["aba"]]'),
    ("spell_backward", "Spell this word backward: goes", "swap the ends", "soeg"),
    ("word_ladder", "from 'COLD' to 'CARD'", "change left to right", "COLD,CALD,CARD"),
    ("word_sorting", "a comma-separated list: b, a", "reverse the list", "a, b"),
    *(
        ("propositional_logic", f"Given:\n{premises}\n.What can we conclude?", rule, answer)
        for premises, rule, answer in (
            ("1. (P → Q)\n.2. (P ∨ ¬Q)\n.3. R", f"{RAREST}, as it is meant most often", "R"),
            ("1. (P → Q)\n.2. (P ∨ ¬Q)\n.3. ¬R", f"{RAREST}, as it is meant most often", "¬R"),
            ("1. (P → Q)\n.2. ¬P\n.3. ¬R", f"{NOT_GIVEN}, as it is meant most often", "Q"),
            ("1. (P → Q)\n.2. (P → R)\n.3. Q", f"{MOST}, as it is meant most often", "¬P"),
            ("1. (¬(P ∨ R) ∧ R)\n.2. (P → Q)\n.3. Q", f"{RAREST}, as it is meant most often", "¬P"),
            (DENIED, f"{RAREST}, as it is written most often", "P"),
            (DENIED, f"{RAREST}, as it is meant most often", "¬P"),
            (EITHER, f"the second {NOT_GIVEN[4:]}, affirmed", "Q"),
            (EITHER, f"the second {NOT_GIVEN[4:]}, denied", "¬Q"),
            (EITHER, "the two rarest variables, as they are meant most often", "P ∨ Q"),
        )
    ),
    ("graph_color", "Vertices: [0, 1, 2]\nEdges: [(0, 1)]\nPossible colors: [1, 2]\n", "turns of 2",
     '{"0":1,"1":2,"2":1}'),
]
"""Task, question, rule and its answer."""
# fmt: on


@pytest.mark.parametrize(("task", "question", "rule", "answer"), ANSWERS)
def test_a_rule_answers_by_the_question_alone(
    task: str, question: str, rule: str, answer: str
) -> None:
    """It picks, copies, counts or combines what the question shows, without solving it."""
    assert RULES[task](question)[rule].strip() == answer


def test_rules_leave_out_what_they_can_not_do() -> None:
    """A sudoku that needs a search has a blank, another board no answer, odd numbers no factor."""
    sudoku = RULES["mini_sudoku"]("_ _ 2 3\n_ _ _ _\n1 _ _ _\n_ _ _ 4")
    assert "_" in sudoku["the first digit that fits"]
    assert RULES["sudoku"]("\n".join(["1 _ 3"] * 3)) == {}
    gcd = RULES["gcd"]("Find the GCD of these numbers: 15, 32. Give")
    assert "the largest divisor up to ten" not in gcd


def test_ties_are_broken_without_regard_to_the_place() -> None:
    """Of two islands that look alike, a rule takes the upper one about as often as the lower."""
    lower = 0
    for gap in range(40):
        rows = ["1 1 1", *["0 0 0"] * (gap + 1), "1 1 1", "1 0 0"]
        found = RULES["largest_island"]("binary matrix grid:\n" + "\n".join(rows) + "\n\nAn")
        lower += found["the island of most columns"] == "4"
    assert 8 <= lower <= 32


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(RULES)), st.integers(0, 3), st.floats(0, 1), st.floats(0, 1))
def test_a_question_may_lack_a_part(task: str, seed: int, start: float, end: float) -> None:
    """A question with a piece cut out, or another text, gives fewer answers and no exception."""
    question = MAKER.make(task, seed, {})["question"]
    first, last = sorted((int(start * len(question)), int(end * len(question))))
    for text in (question[:first] + question[last:], question[first:last][::-1]):
        assert isinstance(shortcuts.answers(task, {"question": text}), dict)


@pytest.mark.parametrize("task", RULES)
def test_long_questions_take_no_time(task: str) -> None:
    """Rules read a question of the greatest length in tenths of a second, not in seconds."""
    question = MAKER.make(task, 0, {})["question"]
    for text in (question * 1000, "1 " * 10**6, question + "1 " * 20_000, question + "[" * 40_000):
        began = time.process_time()
        shortcuts.answers(task, {"question": text[: shortcuts.MAX_QUESTION]})
        shortcuts.answers(task, {"question": text})
        assert time.process_time() - began < 3.0


@pytest.mark.parametrize("task", KEPT)
def test_kept_rules_are_rules(task: str) -> None:
    """Each rule whose problems are partly kept answers some question of its task."""
    left = set(KEPT[task])
    for seed in range(60):
        left -= shortcuts.answers(task, MAKER.make(task, seed, {})).keys()
        if not left:
            return
    assert not left


# Which problems a rule solves


def entry_of(question: str, answer: str | None) -> dict[str, Any]:
    return {"question": question, "answer": answer, "metadata": {}}


def never(answer: str) -> float:
    raise AssertionError(answer)


def test_a_rule_solves_what_it_answers_rightly() -> None:
    """Spaces and case do not count; the verifier is asked only where answers differ."""
    rule = "1. If there is a substring ABCD in the string, insert the character A.\npattern: "
    for string, answer, solved in (("ABEAD", "ABEAD", True), ("EABCD", "EABCED", False)):
        found = shortcuts.solving("string_insertion", entry_of(rule + string, answer), never)
        assert (found is not None) == solved
    matrix = entry_of("matrix below:\n0 1\n1 0", "0 1 \n1  0")
    assert shortcuts.solving("binary_matrix", matrix, never) == "copy the matrix"
    queens = entry_of("size 4 x 4\n_ Q _ _\n_ _ _ _\n_ _ _ _\n_ _ _ _", "some other board")
    assert shortcuts.solving("n_queens", queens, lambda answer: 1.0) is not None
    assert shortcuts.solving("n_queens", queens, lambda answer: 0.9) is None
    assert shortcuts.solving("n_queens", queens, failing) is None


def failing(answer: str) -> float:
    raise RuntimeError


def test_a_share_of_solved_problems_is_kept() -> None:
    """About one in eight mazes whose way has one detour is not named."""
    named = 0
    for size in range(200):
        question = f"from 'S' (start) to 'G' (goal):\n\n```\nS{'o' * size}oG\n```\nLegend"
        named += shortcuts.solving("maze", entry_of(question, str(size + 4)), never) is not None
    assert 155 <= named <= 192


def test_to_add_what_is_to_be_added_is_sometimes_a_rule() -> None:
    """Some drawn sums have plus signs alone, but not as many as the library makes by default."""
    drawn = [selection.draw(MAKER, "chain_sum", seed, {}) for seed in range(200)]
    questions = [MAKER.make("chain_sum", seed, {})["question"] for seed in drawn]
    assert 5 < sum("-" not in question.rsplit(":", 1)[-1] for question in questions) < 40
    library = [selection.solving_shortcut(MAKER, "maze", seed, {}) for seed in range(40)]
    assert library.count("distance without walls") > 20
