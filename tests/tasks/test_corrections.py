"""Reference answers: what a correction makes of an entry, and what it refuses."""

from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from rgenv.tasks.code import codeio
from rgenv.tasks.cognition.number_sequence import continuations
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


def roots(polynomial: str, answer: str) -> dict[str, Any]:
    return of("", answer, polynomial_expr=polynomial, variable="n")


def hand(cards: str, *rounds: str) -> dict[str, Any]:
    steps = "\n".join(f"Round: Add a {r[0]} card and remove an {r[1]} card." for r in rounds)
    return of(f"given the initial cards {cards}, what is\n{steps}", rounds=[{}])


def knights(answer: str, *, white: str, black: str, squares: str) -> dict[str, Any]:
    pieces = {s: "w" if s in white else "B" if s in black else None for s in squares.split()}
    return of("", answer, pieces=pieces, start_turn="w")


def life(*rows: str, answer: str, steps: int) -> dict[str, Any]:
    question = "Initial board:\n[[" + "]\n [".join(map(" ".join, rows)) + "]]"
    size = {"grid_size_x": 3, "grid_size_y": 3, "simulation_steps": steps}
    return of(question, answer, should_oscillate=answer == "False", **size)


def grids(*pairs: str) -> dict[str, Any]:
    """Return a problem whose last pair is the test; ``12/34 21/43`` is a pair."""
    shown = [[grid.replace("/", "\n").replace("", " ") for grid in pair.split()] for pair in pairs]
    examples = "".join(f"Input:\n{given}\nOutput:\n{made}\n\n" for given, made in shown[:-1])
    return of(f"{examples}Below is a test.\n\nInput:\n{shown[-1][0]}", shown[-1][1])


def lists(*pairs: tuple[list[int], list[int]]) -> dict[str, Any]:
    """Return a problem whose last pair is the test."""
    shown = "".join(f"Input {n}: {a}\nOutput {n}: {b}\n" for n, (a, b) in enumerate(pairs[:-1], 1))
    test, answer = pairs[-1]
    return of(f"Examples:\n{shown}\nInput: {test}\nOutput:\n", str(answer))


def rows(*pairs: str) -> dict[str, Any]:
    """Return a problem whose last pair is the test; ``100 010`` is a pair."""
    shown = [dict(zip(("input", "output"), map(list, pair.split()), strict=True)) for pair in pairs]
    return of(train_examples=shown[:-1], test_example=shown[-1])


RING = "A1 A2 A3 B1 B3 C1 C2 C3"
CODE = "but not copy spans of code directly.\n\ndef main_solution(**kwargs):\n    return kwargs\n"
GROWS = CODE.replace("return", "kwargs['n'].append(3)\n    return")
DRAWS = CODE.replace("return kwargs", "import random\n    return random.random()")
INPUT = "\n\nCan you predict a feasible input without writing any code?"
STORY = "Ann likes tea. Bob hates tea. Cid likes green tea. {}\nWho likes tea? Reply only."
COUNT = "How many {} are there from {} (inclusive of both dates)?"
WEEKDAY = "In a year where Tuesday is January 1st, name the weekday of {} 20."
AA_OF_CB = "If the string prefix is 'cb', replace it with 'aa' and delete the last character."
ORDER = "Restore the correct order of words in the following sentence: "
PRODUCT = "Calculate the following: {}"
ROUND = "Solve to a maximum of {} significant digits.\n{} = ?"
PICK = "Pick the largest/smallest.\nNow, pick the {} number of the following candidates: {}\n"
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
                            "\nReturn it.", "['81.0', '81.0']"),
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
     of(COUNT.format("Fridays", "Monday, May 2, 2022 to Friday, May 6, 2022")), "1"),
    ("calendar_arithmetic",
     of(COUNT.format("business days (Monday-Friday)",
                     "Sunday, December 18, 2022 to Tuesday, March 28, 2022")), None),
    ("calendar_arithmetic",
     of(COUNT.format("Fridays", "Monday, May 2, 2022 to Friday, May 5, 2022")), None),
    ("calendar_arithmetic", of(WEEKDAY.format("February")), "Wednesday"),
    ("calendar_arithmetic", of(WEEKDAY.format("March")), "Wednesday"),  # of a common year
    ("calendar_arithmetic", of("Is 2020 a leap year? Answer with Yes or No."), SAME),
    ("power_function", power("-1.035", 2, 1.071225), SAME),
    ("power_function", power("-2.5", -1, -0.4), SAME),
    ("power_function", power("0.0", 0, 1.0), None),
    ("power_function", power("1000.0", -150, 0.0), None),  # less than any float
    ("basic_arithmetic", of(expression="7 / 2 + 1"), None),
    ("basic_arithmetic", of(expression="7 / ( 2 - 2 )"), None),
    ("basic_arithmetic", of(answer="4", expression="-7 / 2 * 2 + 12"), "5"),
    ("decimal_arithmetic", of(ROUND.format(2, "1.05*0.1"), "0.11"), SAME),
    ("decimal_arithmetic", of(ROUND.format(2, "1.0-1.07*1.1"), "-0.2"), "-0.18"),
    ("decimal_arithmetic", of(ROUND.format(2, "1.0-1.05*1.1"), "-0.16"), None),  # -0.155
    ("fraction_simplification", of("", "9/9", simplified_numerator=9, simplified_denominator=9),
     None),
    ("fraction_simplification", of("", "$6/9$", simplified_numerator=6, simplified_denominator=9),
     "$2/3$"),
    ("fraction_simplification", of("", "2/3", simplified_numerator=2, simplified_denominator=3),
     SAME),
    ("number_format", of(PICK.format("smallest", "5.5 4.9899999998e+00 6.1"), "4.99"),
     "4.9899999998"),
    ("number_format", of(PICK.format("largest", "1,234.5 1.2345000001e+03 1.0"), "1234.5"), None),
    ("number_format", of(PICK.format("largest", "1,234.5 1.234501e+03 1.0"), "1234.501"), SAME),
    ("number_sorting", of(original_numbers=["0.0", "1.5", "-0.0"]), None),
    ("number_sorting", of(original_numbers=["0.0", "1.5", "-1.0"]), SAME),
    ("codeio", of(CODE, '{"n": 1}', input_data={"n": 1}, output_data={"n": 1}), SAME),
    ("codeio", of(INPUT + CODE, '{"n": 1}', input_data={"n": 1}, output_data={"n": 1}), None),
    ("codeio", of(CODE, '{"n": 2}', input_data={"n": 1}, output_data={"n": 2}), None),
    ("codeio", of(CODE, "{}", input_data={}, output_data={}), None),  # the program failed
    ("codeio", of(GROWS, "?", input_data={"n": [3]}, output_data={"n": [3]}), None),
    ("codeio", of(DRAWS, "0.5", input_data={}, output_data=0.5), None),
    ("codeio", of(CODE, f'"{"x" * 2000}"', input_data={}, output_data={}), None),  # too long
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
    ("string_manipulation", of(states=["acb", "cb"], selected_rules=[AA_OF_CB]), None),
    ("string_manipulation", of(states=["acb", "bca"], selected_rules=[AA_OF_CB]), SAME),
    ("sentence_reordering", of(ORDER + "no Jupiter? No answer from", "?"), None),
    ("sentence_reordering", of(ORDER + "answer No Jupiter? from", "from"),
     "No answer from Jupiter?"),
    ("sentence_reordering", of(ORDER + "No answer from Jupiter?", "No answer from Jupiter?"), None),
    ("sentence_reordering", of(ORDER + "Mr. This morning", "This morning Mr."), None),
    ("caesar_cipher", of("?", "YES"), None),  # nine letters on, it is NTH
    ("caesar_cipher", of("?", "AËRIAL NAVIGATION"), None),
    ("caesar_cipher", of("?", "YES A KING IS HE"), SAME),
    ("emoji_mystery", of("?", "What day?", emoji="❤️"), None),
    ("emoji_mystery", of("?", "What day?", emoji="😀"), SAME),
    ("game_of_life_halting", life("0..0", "...", "0..0", answer="True", steps=9), None),  # not all
    ("game_of_life_halting", life("010", "010", "010", answer="False", steps=1), SAME),
    ("game_of_life_halting", life("010", "010", "010", answer="False", steps=2), "True"),
    ("rectangle_count", of("", "1", puzzle="###\n# #\n███\n# #\n###\n"), None),
    ("rectangle_count", of("", "2", puzzle="###\n# #\n███\n# #\n###\n"), SAME),
    ("rectangle_count",  # each corner of one kind may be the end of two lines
     of("", "4", puzzle="###     ###\n# #     # #\n##█## ##█##\n  # # # #  \n  ### ###  \n"), None),
    ("polynomial_equations", roots("-n**4 + 74*n**3 + 85*n**2 - 2*n", "0.0"),
     "-1.1541, 0.0, 0.0231, 75.131"),
    ("polynomial_equations", roots("32*n - 9", "0.2812"), "0.2813"),  # 0.28125
    ("polynomial_equations", roots("32*n + 9", "-0.2812"), "-0.2813"),
    ("polynomial_equations", roots("100000*n**2 - 3*n", "0.0, 0.0"), None),
    ("polynomial_equations", roots("n**2 - 4", "-2.0, 2.0"), SAME),
    ("simple_equations", of("", "83", variable="i", equation="0 = 0"), None),
    ("simple_equations", of("", "83", variable="i", equation="i + 1 = 84"), SAME),
    ("number_sequence", of("", "5", sequence=[1, 2, 4, 8, 5]), None),
    ("number_sequence", of("", "32", sequence=[1, 2, 4, 8, 16, 32]), SAME),
    ("modulo_grid", of("Fill.\n\n❌❔❌\n❌❌❌", "❌✅❌\n❌❌❌"), None),  # no ✅ is shown
    ("modulo_grid",
     of("Fill.\n\n❌❌❌\n❌❔❌\n❌❌✅", "❌❌❌\n❌❌❌\n❌❌✅"), None),  # 3 or 4
    ("modulo_grid", of("Fill.\n\n❌✅❌✅\n✅❌✅❔", "❌✅❌✅\n✅❌✅❌"), SAME),
    ("coin_flip", of("", "0"), None),
    ("simple_integration", of("", "61*X/5 + C", variable="X", integrand="61/5"), None),
    ("simple_integration", of("", "61*x/5 + C", variable="x", integrand="61/5"), SAME),
    ("simple_integration", of("", "X**2 + C", variable="X", integrand="2*X"), SAME),
    ("gsm_symbolic", of("", "18", answer_cot="so that's 0.46*40 = 18 students"), None),
    ("gsm_symbolic", of("", "18", answer_cot="so that's 0.45*40 = 18 students"), SAME),
    ("gsm_symbolic", of("", "97", answer_cot="it takes her 13÷1/5=64 minutes"), None),
    ("gsm_symbolic", of("", "30", answer_cot="$55.75 - $24.75 = $30 left"), None),
    ("gsm_symbolic", of("", "28", answer_cot="There are 58/100 * 50 = 28 more"), None),
    ("gsm_symbolic", of("", "9", answer_cot="27 pages x 1/3 = 9, 6 / 12 = 50.0%"), SAME),
    ("gsm_symbolic", of("", "-1", answer_cot=""), None),
    ("gsm_symbolic", of("$2.50 per box, to the nearest dollar", "2", answer_cot=""), None),
    ("list_functions", lists(([7, 40, 8], [15]), ([7, 7], [7])), None),
    ("list_functions", lists(([7, 7], [7]), ([8, 8], [8])), SAME),
    ("list_functions", lists(([7, 40, 8], [15]), ([7, 8], [15])), SAME),
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
    ("arc_1d", rows("100 010", "120 012", "210 021"), SAME),
    ("arc_1d", rows("100 010", "120 012", "210 201"), None),  # moved otherwise
    ("arc_1d", rows("111 111", "222 222", "210 021"), None),  # examples that show nothing
    ("spell_backward", of("?", "1"), SAME),
]
"""Task, entry, and the corrected answer; None: the problem is refused."""
# fmt: on


@pytest.mark.parametrize(("task", "entry", "answer"), CORRECTED)
def test_an_answer_is_right_or_the_problem_is_refused(
    task: str, entry: dict[str, Any], answer: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry whose answer is right is returned as it is."""
    programs = [one.partition("\n\n")[2].removesuffix("\n") for one in (CODE, GROWS, DRAWS)]
    monkeypatch.setattr(codeio, "_generators", lambda: dict.fromkeys(programs, (4, "")))
    given = entry | {"seed": 0} if task == "codeio" else entry  # not a row of somebody else's
    result = corrected(task, given)
    if answer == SAME:
        assert result is given
    else:
        assert (result and result["answer"]) == answer


def test_only_the_library_s_programs_run() -> None:
    """One that a row of somebody else's has is not executed."""
    entry = of(CODE, '{"n": 1}', input_data={"n": 1}, output_data={"n": 1})
    assert corrected("codeio", entry) is None


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
    """Known seeds: a box that is on its goal."""
    tiny: dict[str, Any] = {f"{end}_{side}": 6 for end in ("min", "max") for side in "wh"}
    tiny |= {"min_boxes": 1, "max_boxes": 1, "max_depth": 20}
    for seed in range(8):
        _, entry = make_entry("sokoban", seed, tiny)
        board = entry["question"].partition("puzzle:")[2]
        assert (corrected("sokoban", entry) is None) == ("@" not in board)
        assert seed != 7 or "@" not in board


@pytest.mark.parametrize("kind", ["log_inverse_trig", "polynomial_exp_trig", "cyclic"])
def test_integrals_by_parts_are_solved(kind: str) -> None:
    """The derivative of the answer is the integrand; the library leaves some unsolved."""
    for seed in range(8):
        config = {"problem_types": (kind,), "problem_type_weights": [1.0]}
        _, entry = make_entry("intermediate_integration", seed, config)
        served = corrected("intermediate_integration", entry)
        assert served is not None and served["question"] == entry["question"]
        slope = sympy.diff(sympy.sympify(served["answer"]), entry["metadata"]["variable"])
        assert (slope - sympy.sympify(entry["metadata"]["integrand"])).expand() == 0


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


def test_programs_of_which_nobody_can_predict_the_output_are_not_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A listed program is not asked, even if it repeats its output here."""
    entry = of(CODE, "{}", input_data={"n": 1}, output_data={"n": 1})
    code = CODE.partition("\n\n")[2].removesuffix("\n")
    for row, served in ((3, False), (4, True)):
        monkeypatch.setattr(codeio, "_generators", lambda row=row: {code: (row, "")})
        assert (corrected("codeio", entry) is entry) == served
