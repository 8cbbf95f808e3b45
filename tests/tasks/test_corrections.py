"""Reference answers: what a correction makes of an entry, and what it refuses."""

import re
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.cognition.number_sequence import continuations
from rgenv.tasks.questions import rows_written
from rgenv.worker.problem_maker import corrected
from tests.support.library import make_entry

SAME = "the entry itself"


def of(question: str = "", answer: str | None = "?", **metadata: Any) -> dict[str, Any]:
    return {"question": question, "answer": answer, "metadata": metadata}


def formulas(*premises: str) -> dict[str, Any]:
    example = {"variables": ["P", "Q"], "example_answer": "(P ∧ Q)"}
    return of("", None, premises=[*premises], **example)


def power(base: str, exponent: int, value: float) -> dict[str, Any]:
    question = f"Compute {base}^{exponent}. Return your final answer correct to 3 figures."
    return of(question, str(value), solution=value)


def elapsed(start: str, end: str, form: str) -> dict[str, Any]:
    question = f"How much time elapsed from {start} to {end}? Give your answer in {form}."
    return of(question, expected_format=form)


def hand(cards: str, *rounds: str) -> dict[str, Any]:
    steps = "\n".join(f"Round: Add a {r[0]} card and remove an {r[1]} card." for r in rounds)
    return of(f"given the initial cards {cards}, what is\n{steps}", rounds=[{}])


def knights(answer: str, *, white: str, black: str, squares: str) -> dict[str, Any]:
    pieces = {s: "w" if s in white else "B" if s in black else None for s in squares.split()}
    return of("", answer, pieces=pieces, start_turn="w")


def grids(*pairs: str) -> dict[str, Any]:
    """Return a problem whose last pair is the test; ``12/34 21/43`` is a pair."""
    shown = [[grid.replace("/", "\n").replace("", " ") for grid in pair.split()] for pair in pairs]
    examples = "".join(f"Input:\n{given}\nOutput:\n{made}\n\n" for given, made in shown[:-1])
    return of(f"{examples}Below is a test.\n\nInput:\n{shown[-1][0]}", shown[-1][1])


RING = "A1 A2 A3 B1 B3 C1 C2 C3"
CODE = "but not copy spans of code directly.\n\ndef main_solution(**kwargs):\n    return kwargs\n"
INPUT = "\n\nCan you predict a feasible input without writing any code?"
STORY = "Ann likes tea. Bob hates tea. Cid likes green tea. {}\nWho likes tea? Reply only."
COUNT = "How many {} are there from {} (inclusive of both dates)?"
WEEKDAY = "In a year where Tuesday is January 1st, name the weekday of {} 20."
PRODUCT = "Calculate the following: {}"
FONT = "Please read the following figlet font:\n"

# fmt: off
CORRECTED: list[tuple[str, dict[str, Any], str | None]] = [
    ("simple_geometry", of("A convex polygon has 60.0°, 60.0°. Find"), SAME),
    ("simple_geometry", of("A polygon has 117.0°, 20.0°, 76.0°, 140.0°, 134.0°. Find"), None),
    ("simple_geometry", of("A polygon has 90.0°, 50.0°, 40.0°. Find"), None),  # exactly 180
    ("simple_geometry", of("A polygon has 90.0°, 50.0°, 40.1°. Find"), SAME),
    ("simple_geometry", of("A polygon has 100.0°, 80.0°. Find"), None),  # exactly 0
    ("simple_geometry", of("A polygon has 190.0°, 50.0°, 100.0°. Find"), None),
    ("needle_haystack", of(STORY.format(""), "Ann"), SAME),
    ("needle_haystack", of(STORY.format("Dan likes tea. "), "Ann"), None),
    ("decimal_chain_sum",
     of("State the final answer to the following arithmetic problem: -880064.613 + 0.00346 =",
        "-880065"),
     "-880064.60954"),
    ("number_filtering", of("Remove all numbers larger than 92 in this list: ['81.0', '99', '81']"
                            "\nReturn it.", "['81.0', '81.0']", difficulty={"decimals": (0, 0)}),
     "['81.0', '81']"),
    ("complex_arithmetic", of("Multiply the complex numbers: (83947541.0 + 1.0i) × "
                              "(501450471.0 + 2.0i)", "4.2e+16 + 669345553.0i"), None),
    ("complex_arithmetic", of("Divide the complex numbers: (3.0 + 1.0i) ÷ (1.0 + 1.0i)",
                              "2.0 - 1.0i"), SAME),
    ("time_intervals", elapsed("09:43:58.821", "22:11:11.690", "HH:MM:SS.mmm"), "12:27:12.869"),
    ("time_intervals", elapsed("2358-04-20 (Sunday) 03:51:19 -0100",
                               "2358-05-13 (Tuesday) 11:44:31 -0900", "D days, HH:MM"),
     "23 days, 15:53"),
    ("time_intervals", elapsed("Sat Dec 22 2677", "Thu Mar 21 2678", "D days"), "89 days"),
    ("time_intervals", elapsed("15 January 2024, 14:30", "16 January 2024, 14:31",
                               "D days, HH:MM"), "1 days, 00:01"),
    ("time_intervals", elapsed("01/31/2024", "02/01/2024", "D days"), "1 days"),
    ("time_intervals", elapsed("23:50", "00:00", "HH:MM"), None),
    ("calendar_arithmetic",
     of(COUNT.format("Fridays", "Monday, May 2, 2022 to Friday, May 6, 2022")), SAME),
    ("calendar_arithmetic",
     of(COUNT.format("business days (Monday-Friday)",
                     "Sunday, December 18, 2022 to Tuesday, March 28, 2022")), None),
    ("calendar_arithmetic", of(WEEKDAY.format("February")), SAME),
    ("calendar_arithmetic", of(WEEKDAY.format("March")), None),  # a leap year?
    ("calendar_arithmetic", of("Is 2020 a leap year? Answer with Yes or No."), SAME),
    ("power_function", power("-1.035", 2, 1.071225), "-1.0712249999999999"),
    ("power_function", power("-2.5", -1, -0.4), "0.4"),
    ("power_function", power("-2.5", 0, 1.0), "-1.0"),
    ("power_function", power("-20.0", -1, -0.05), "0.5"),
    ("power_function", power("250.0", 1, 250.0), "-2.5"),
    ("codeio", of(CODE, '{"n": 1}', input_data={"n": 1}, output_data={"n": 1}), SAME),
    ("codeio", of(INPUT + CODE, '{"n": 1}', input_data={"n": 1}, output_data={"n": 1}), SAME),
    ("codeio", of(CODE, '{"n": 2}', input_data={"n": 1}, output_data={"n": 2}), None),
    ("codeio", of(CODE, "{}", input_data={}, output_data={}), None),  # the program failed
    ("codeio", of(INPUT + CODE, "{}", input_data={}, output_data={}), None),  # no input
    ("mahjong_puzzle", hand("PPAAAAAAAAAAA", "PA"), "Peng"),
    ("mahjong_puzzle", hand("OOPQAAAAAAAAA", "OA"), "Peng"),
    ("mahjong_puzzle", hand("NPQQAAAAAAAAA", "OA"), "Chi"),
    ("mahjong_puzzle", hand("QRAAAAAAAAAAA", "PA"), "Chi"),
    ("mahjong_puzzle", hand("QRAAAAAAAAAAA", "ZQ", "PA"), "Pass"),
    ("mahjong_puzzle", hand("ZAMMMMMMMMMMM", "BM"), "Pass"),
    ("knight_swap", knights("No", white="A1", black="C2", squares=RING), None),
    ("knight_swap", knights("No", white="A1", black="B3", squares="A1 B3"), SAME),
    ("knight_swap", knights('["w,A1,B3"]', white="A1", black="C2", squares=RING), SAME),
    ("figlet_font", of(FONT + "   \n   \n", "DEME", font="standard"), None),
    ("figlet_font", of(FONT + "D E M E\n", "DEME", font="standard"), None),
    ("figlet_font", of(FONT + "deme", "DEME", font="standard"), None),
    ("figlet_font", of(FONT + "|) E |\\/| E", "DEME", font="standard"), SAME),
    ("figlet_font", of(FONT + "#", "ICE", font="test1"), None),  # C is drawn as E
    ("figlet_font", of(FONT + "#", "LION", font="test1"), SAME),
    ("polynomial_multiplication",
     of(PRODUCT.format("72*z - 72"), "72*z - 72", polynomial_expr="72*z - 72"), None),
    ("polynomial_multiplication",
     of(PRODUCT.format("(x + 1)*(2*x)"), "72*z - 72", polynomial_expr="(x + 1)*(2*x)"), SAME),
    ("intermediate_integration",
     of("", "Integral(x**x, x) + C", variable="x", integrand="x**x", problem_type="cyclic"), None),
    ("game_of_life_halting", of("[[0 0 ... 0 0]]"), None),  # not fully shown
    ("letter_counting", of("How many?", "1", span=["one"], target_letter="e"), SAME),
    ("count_primes", of("", "", difficulty={"n": (1, 10**9)}), SAME),
    ("gcd", of("Find the Greatest Common Divisor (GCD) of these numbers: 5, 5. Give only it.", "5",
               numbers=[5, 5], difficulty={"value": (5, 5)}), SAME),
    ("propositional_logic", formulas("P", "¬P"), None),  # everything follows
    ("propositional_logic", formulas("(P → P)", "(Q ∨ ¬Q)"), None),
    ("propositional_logic", formulas("(P → Q)", "(Q → P)"), None),
    ("propositional_logic", formulas("P", "Q"), None),  # nothing follows from both together
    ("propositional_logic", formulas("(P ∧ Q)", "(P ∨ Q)"), None),
    ("rearc", grids("12/34 12/34", "55/66 55/66", "12/34 32/34"), None),  # a copy
    ("rearc", grids("12/34 31/42", "556 5/5/6", "12/34 12/34"), None),  # a turn
    ("rearc", grids("12/34 0", "556 0", "12/34 1"), None),  # the same output
    ("rearc", grids("12/34 12/34", "55/66 55/65", "12/34 32/34"), SAME),
    ("rearc", grids("12/34 0", "556 0", "12/34 0"), SAME),
    ("spell_backward", of("?", "1"), SAME),
]
"""Task, entry, and the corrected answer; None: the problem is refused."""
# fmt: on


@pytest.mark.parametrize(("task", "entry", "answer"), CORRECTED)
def test_an_answer_is_right_or_the_problem_is_refused(
    task: str, entry: dict[str, Any], answer: str | None
) -> None:
    """An entry whose answer is right is returned as it is."""
    result = corrected(task, entry)
    if answer == SAME:
        assert result is entry
    else:
        assert (result and result["answer"]) == answer


@pytest.mark.parametrize(
    ("premises", "conclusion"),
    [
        (("(P ↔ Q)", "(P ∨ Q)"), "P"),
        (("(P → Q)", "P"), "Q"),
        (("(P → Q)", "¬Q"), "¬P"),
    ],
)
def test_an_example_follows_from_all_premises_together(
    premises: tuple[str, ...], conclusion: str
) -> None:
    result = corrected("propositional_logic", formulas(*premises))
    assert result is not None and result["metadata"]["example_answer"] == conclusion


def test_entries_of_the_library_that_are_wrong() -> None:
    """Known seeds: a box that is on its goal. A board that stays is solved if it is not yet."""
    tiny: dict[str, Any] = {f"{end}_{side}": 6 for end in ("min", "max") for side in "wh"}
    tiny |= {"min_boxes": 1, "max_boxes": 1, "max_depth": 20}
    for seed in range(8):
        _, entry = make_entry("sokoban", seed, tiny)
        board = entry["question"].partition("puzzle:")[2]
        assert (corrected("sokoban", entry) is None) == ("@" not in board)
        if "@" in board:
            assert corrected("sokoban", {**entry, "answer": ""}) == entry
        assert seed != 7 or "@" not in board


@pytest.mark.parametrize("kind", ["log_inverse_trig", "polynomial_exp_trig", "cyclic"])
def test_integrals_by_parts_are_solved_and_differ(kind: str) -> None:
    """The derivative of the answer is the integrand, as the question shows it.

    The library has two dozen of a kind, but for a factor.
    """
    seen = set()
    for seed in range(8):
        config = {"problem_types": (kind,), "problem_type_weights": [1.0]}
        _, entry = make_entry("intermediate_integration", seed, config)
        served = corrected("intermediate_integration", entry)
        assert served is not None
        shown = served["metadata"]["integrand"]
        assert f" {shown} dx\n" in served["question"]
        slope = sympy.diff(sympy.sympify(served["answer"]), entry["metadata"]["variable"])
        assert (slope - sympy.sympify(shown)).expand() == 0
        seen.add(shown.lstrip("-0123456789*"))
    assert len(seen) > 5


TURNS = st.lists(st.sampled_from("LRDUBF"), min_size=1, max_size=6)


@given(TURNS)
def test_a_cube_whose_turns_undo_each_other_is_not_served(turns: list[str]) -> None:
    """Turns followed by their inverses in reverse order leave it as it was; one turn does not."""
    undone = [*turns, *(f"{turn}'" for turn in reversed(turns))]
    for moves, served in ((undone, False), (turns[:1], True)):
        entry = of("", None, cube_size=3, scramble_moves=" ".join(moves))
        assert (corrected("rubiks_cube", entry) is entry) == served


def test_multiples_of_the_last_two_terms_continue_a_sequence() -> None:
    """A sequence that goes on in two ways is not asked, so all plain ways have to be known."""
    assert 124 in set(continuations((1, 2, 7, 29)))  # 5 * 29 - 3 * 7
    assert 124 not in set(continuations((1, 2, 7, 28)))


def test_each_kind_of_rules_takes_part_in_rewriting() -> None:
    """Without the rules of a kind, or after five steps, a string is hardly ever the answer."""
    kinds = ("length", "suffix|ends", "prefix|starts", "even", "not at", "contains '")
    alike = 0
    for seed in range(40):
        dataset, entry = make_entry("string_manipulation", seed, {})
        made = corrected("string_manipulation", entry)
        assert made is not None
        text, rules = made["metadata"]["string"], made["metadata"]["selected_rules"]
        for left_out in ("none", *kinds):
            kept = [rule for rule in dataset.rules if rule[0] in rules]
            kept = [rule for rule in kept if not re.search(left_out, rule[0])]
            states = dataset._get_all_transforms(
                text, sorted(kept, key=lambda r: rules.index(r[0]))
            )
            alike += states[-1] == made["answer"]
            assert left_out != "none" or (states[-1] == made["answer"] and len(states) > 5)
    assert alike - 40 < 0.1 * 40 * len(kinds)


def test_few_cells_of_a_sudoku_have_one_possible_digit() -> None:
    """A quarter of the empty cells of the library have."""
    single, empty = 0, 0
    for seed in range(20):
        made = corrected("sudoku", make_entry("sudoku", seed, {})[1])
        assert made is not None and made["answer"] == rows_written(made["metadata"]["solution"])
        rows = made["metadata"]["puzzle"]
        for y, x in (
            (y, x) for y, row in enumerate(rows) for x, cell in enumerate(row) if not cell
        ):
            box = {
                rows[v][u]
                for v in range(9)
                for u in range(9)
                if (v // 3, u // 3) == (y // 3, x // 3)
            }
            single += len(box | {*rows[y]} | {row[x] for row in rows} | {0}) == 9
            empty += 1
    assert empty >= 20 * 40 and single < 0.15 * empty
