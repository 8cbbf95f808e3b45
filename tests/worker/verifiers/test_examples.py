"""The exploit that each one prevents, and the answers that it accepts."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from rgenv.worker.operations import right_answer
from rgenv.worker.scoring import verify
from tests.support.entries import answered, made, scored

Write = Callable[[Any], str]


pytestmark = pytest.mark.usefixtures("guarded")


def reference(entry: Any) -> str:
    return str(entry["answer"])


def opposite(entry: Any) -> str:
    return "False" if entry["answer"] == "True" else "True"


def letters(entry: Any) -> str:
    numbers = entry["metadata"]["numbers"]
    return f"({'+'.join(map(str, numbers))})*(E-E)+len('{'a' * entry['metadata']['target']}')"


def fraction_groups(entry: Any) -> str:
    return "{simplified_numerator}}}{{{simplified_denominator}".format(**entry["metadata"])


def copied(entry: Any) -> str:
    return "\n".join(
        " ".join(str(cell or 1) for cell in row) for row in entry["metadata"]["puzzle"]
    )


def zeros(entry: Any) -> str:
    return re.sub(r"\d+(\.\d+)?", "0", reference(entry))


def same_premise(entry: Any) -> str:
    premise = entry["metadata"]["premises"][0]
    return f"({premise} ∧ {premise})"


def one_flipped(entry: Any) -> str:
    terms = entry["metadata"]["knight_knave_terms"]
    first, rest = reference(entry).split(", and ", 1)
    knight, knave = str(terms["knight"]), str(terms["knave"])
    other = first.replace(knave, knight) if knave in first else first.replace(knight, knave)
    return f"{other}, and {rest}"


def nearly(entry: Any) -> str:
    return repr([str(float(number) + 0.9) for number in entry["metadata"]["sorted_numbers"]])


def pushed(entry: Any) -> str:
    """The right moves, and one through a wall."""
    return f"{right_answer('rush_hour', entry)} A+9"


def swept(entry: Any) -> str:
    """Push boxes of all colours through the field to the end and back, wherever they are."""
    squares = sorted([float(n) for n in name.split("_")] for name in initial_state(entry))
    rows = [list(row) for _, row in itertools.groupby(squares, key=lambda square: square[0])]
    path = [square for n, row in enumerate(rows) for square in row[:: (-1) ** n]]
    things = {thing for square in initial_state(entry).values() for thing in square}
    colours = sorted(thing[4:] for thing in things if thing.startswith("box_"))
    plan = []
    for here, there in itertools.pairwise([*path, *path[-2::-1], path[1]]):
        for colour in colours:
            goals = [f"target_{colour}"] * 3 + [f"square{there}"] * 4
            plan += [{f"Agent{here}": f"move(box_{colour}, {goal})"} for goal in goals]
    return json.dumps(plan)


def initial_state(entry: Any) -> Any:
    return entry["metadata"]["initial_state"]


def nothing_but_nan(entry: Any) -> str:
    return json.dumps([float("nan")] * len(entry["metadata"]["sorted_numbers"]))


def unsolved(entry: Any) -> str:
    return f"Integral({entry['metadata']['integrand']}, {entry['metadata']['variable']})"


def skeleton(entry: Any) -> str:
    answer = entry["metadata"]["output_data"]
    return json.dumps(dict.fromkeys(answer, 0)) if isinstance(answer, dict) else "{}"


def time_near(entry: Any) -> str:
    kind = entry["metadata"]["task_type"]
    return "30 days" if kind == "date" else "12:00" if kind.startswith("time") else "30 days, 12:00"


EXPLOITS: dict[str, list[tuple[Write, float]]] = {
    "advanced_geometry": [(lambda entry: "1", 0.005)],
    "arc_agi": [(lambda entry: "0", 0.05)],
    "boxnet": [(lambda entry: "[]", 0.05), (swept, 0.5)],
    "calendar_arithmetic": [(lambda entry: "Wednesday", 0.03)],
    "codeio": [(skeleton, 0.05)],
    "coin_flip": [(lambda entry: "0", 0.8), (lambda entry: "0.5", 0.5)],
    "color_cube_rotation": [(lambda entry: "x", 0.01)],
    "complex_arithmetic": [(lambda entry: "nan", 1.0), (lambda entry: "n a n", 1.0)],
    "countdown": [(lambda entry: " + ".join(map(str, entry["metadata"]["numbers"])), 0.05)],
    "cryptarithm": [(lambda entry: "A=1", 0.01)],
    "emoji_mystery": [(lambda entry: " " * len(reference(entry)), 0.1)],
    "figlet_font": [(lambda entry: f"{reference(entry)}ing", 0.4)],
    "fraction_simplification": [
        (lambda entry: "1/1", 0.05),
        (lambda entry: f"\\frac{{{fraction_groups(entry)}}}1", 0.9),
    ],
    "futoshiki": [(copied, 0.3)],
    "game_of_life": [(zeros, 0.9)],
    "game_of_life_halting": [(lambda entry: "x", 1.0), (opposite, 1.0)],
    "graph_color": [(lambda entry: "{}", 0.01)],
    "group_anagrams": [(lambda entry: "[]", 0.01)],
    "gsm_symbolic": [(lambda entry: f"-{reference(entry)}", 1.0)],
    "jugs": [(lambda entry: "[]", 0.01)],
    "kakurasu": [(lambda entry: f"I think: {reference(entry)} is it", 1.0)],
    "knight_swap": [(lambda entry: "[]", 0.03)],
    "knights_knaves": [(one_flipped, 0.6), (lambda entry: f"{reference(entry)} Or so.", 1.0)],
    "letter_jumble": [
        (lambda entry: " ".join(entry["metadata"]["scrambled_words"]), 0.05),
        (lambda entry: f"{reference(entry)} blah", 1.0),
    ],
    "manipulate_matrix": [(lambda entry: f"{reference(entry)} 1", 0.3)],
    "mini_sudoku": [(copied, 0.4)],
    "number_sorting": [(nothing_but_nan, 1.0), (nearly, 1.0)],
    "palindrome_generation": [(lambda entry: "x", 0.05), (lambda entry: "xy", 0.02)],
    "polynomial_equations": [(lambda entry: "0.0", 0.3)],
    "pool_matrix": [(zeros, 0.05)],
    "power_function": [(lambda entry: "x", 0.01)],
    "prime_factorization": [(lambda entry: str(entry["metadata"]["number"]), 0.5)],
    "propositional_logic": [
        (same_premise, 0.8),
        (lambda entry: entry["metadata"]["premises"][0], 0.4),
        (lambda entry: "(P ∨ ¬P)", 0.2),
    ],
    "puzzle24": [(lambda entry: "1*1*4*6", 1.0)],
    "quantum_lock": [(lambda entry: reference(entry).replace(" → ", " of these, then "), 1.0)],
    "rearc": [(lambda entry: "0", 0.05)],
    "rectangle_count": [(lambda entry: str(int(reference(entry)) + 1), 0.4)],
    "rubiks_cube": [(lambda entry: "R", 0.01)],
    "rush_hour": [(lambda entry: "x", 0.01), (lambda entry: pushed(entry), 1.0)],
    "sentence_reordering": [(lambda entry: "x", 0.05)],
    "simple_integration": [(unsolved, 1.0)],
    "sokoban": [(lambda entry: f"so be it: {reference(entry)}", 1.0)],
    "spell_backward": [(lambda entry: f"{reference(entry)}ing", 0.8)],
    "sudoku": [(copied, 0.4)],
    "survo": [(lambda entry: reference(entry).replace(" ", " or "), 1.0)],
    "time_intervals": [(time_near, 0.5)],
    "tower_of_hanoi": [
        (lambda entry: " ", 0.05),
        (lambda entry: f"1{reference(entry)}", 1.0),
        (lambda entry: f"Move disk 1 from Peg 1 to Peg 1\n{reference(entry)}", 0.2),
    ],
    "tsumego": [(lambda entry: "A1", 0.05)],
    "word_sorting": [(lambda entry: ", ".join(entry["metadata"]["original_words"]), 0.2)],
}
"""For each task, wrong answers and the average score that the library gives them at least."""


@pytest.mark.parametrize("task", EXPLOITS)
def test_exploits_of_the_library_score_next_to_nothing(task: str) -> None:
    """Exploits that the library rewards score at most 0.02 on average here, unless right."""
    for write, average in EXPLOITS[task]:
        seeds = range(4 if task == "arc_agi" else 12)
        texts = [write(made(task, seed)[1]) for seed in seeds]
        theirs = [
            scored(task, text, seed, strict=False) for seed, text in zip(seeds, texts, strict=True)
        ]
        ours = [scored(task, text, seed) for seed, text in zip(seeds, texts, strict=True)]
        assert sum(theirs) / len(theirs) >= average * 0.999
        partial = [score for score in ours if score < 1.0]
        assert sum(partial) <= 0.02 * len(ours)
        assert sum(score == 1.0 for score in ours) <= 0.4 * len(ours)


def test_an_unsolved_integral_scores_zero() -> None:
    """The question written as an integral is never right."""
    for seed, _ in answered("intermediate_integration", 12):
        entry = made("intermediate_integration", seed)[1]
        assert scored("intermediate_integration", unsolved(entry), seed, strict=False) == 1.0
        assert scored("intermediate_integration", unsolved(entry), seed) == 0.0


def test_a_polynomial_has_one_term_of_each_power() -> None:
    """Products that are not calculated and like terms that are not collected score 0.0."""
    for seed, answer in answered("polynomial_multiplication", 8):
        factors = made("polynomial_multiplication", seed)[1]["metadata"]["polynomial_expr"]
        wrong = [f"{answer} + 1 - 1", f"({answer})*1", f"{answer} + 2*x**0*x - 2*x"]
        for text in [factors, *wrong] if "(" in factors else wrong:
            assert scored("polynomial_multiplication", text, seed) == 0.0
        last, _, first = answer.rpartition(" + ")
        for text in (
            answer.replace(" ", ""),
            f"({answer})",
            f"{first} + {last}" if last else answer,
        ):
            assert scored("polynomial_multiplication", text, seed) == 1.0


def test_a_word_is_no_constant_of_integration() -> None:
    """Prose before an antiderivative scores 0.0; letters and the word const are constants."""
    for seed, answer in answered("simple_integration", 6):
        for text in (f"about -({answer})*(-1)", f"_ + {answer}", f"{answer} + nonsense"):
            assert scored("simple_integration", text, seed) == 0.0
        for constant in ("C", "c", "K", "C_1", "C1", "const"):
            text = answer.replace("+ C", f"+ {constant}")
            assert scored("simple_integration", text, seed) == 1.0


def test_a_countdown_formula_with_a_string_scores_zero() -> None:
    """A formula of anything but the four operations on the given numbers scores 0.0."""
    assert scored("countdown", letters(made("countdown", 0)[1])) == 0.0


Case = tuple[str, dict[str, Any], str, float]


def entry_of(answer: Any, question: str = "", **metadata: Any) -> dict[str, Any]:
    return {"answer": answer, "question": question, "metadata": metadata}


FOUR = entry_of("10*(8 - 5) - 6", numbers=[8, 5, 10, 6])
ROOTS = entry_of("-3.625, 0.0, 7.25")
ROUNDED_UP = entry_of("0.5793", polynomial_expr="100000*v - 57926", variable="v")
ROUNDED_DOWN = entry_of("0.5792", polynomial_expr="100000*v - 57921", variable="v")
POOLED = entry_of("4.5 4.67\n4.62 5.0", solution=[[4.5, 14 / 3], [4.625, 5.0]])
LOGIC = entry_of(
    None, premises=["Q", "(Q → P)", "(R ∧ S)"], variables=list("PQRS"), example_answer="(Q ∧ Q)"
)
KNIGHTS = entry_of(
    "Amelia is a hero, Bo is a villain, and Cy is a hero.",
    knight_knave_terms={"knight": "hero", "knave": "villain"},
)
CASES: list[Case] = [
    ("puzzle24", FOUR, "(8-5)*10-6", 1.0),
    ("puzzle24", FOUR, "-6 + 10*(8 - 5).", 1.0),
    ("puzzle24", FOUR, "10*(8 - 5) - 6 + 0", 0.0),
    ("puzzle24", FOUR, "8 + 5 + 10 + 6", 0.0),
    ("puzzle24", entry_of("", numbers=[6, 6, 2, 1]), "6**2 - 6*1", 0.0),
    ("puzzle24", entry_of("", numbers=[3, 3, 8, 8]), "8/(3 - 8/3)", 1.0),
    ("puzzle24", entry_of("", numbers=[5, 5, 1, 7]), "5*5 - 1/7", 0.0),
    ("puzzle24", entry_of("", numbers=[5, 5, 1, 7]), "5/(5 - 5)", 0.0),
    ("countdown", entry_of("", numbers=[6, 61, 94, 4], target=309), "94*4 - (61 + 6)", 1.0),
    ("countdown", entry_of("", numbers=[6, 61, 94, 4], target=309), "94*4 - 61", 0.0),
    ("gsm_symbolic", entry_of("1288"), "$1,288", 1.0),
    ("gsm_symbolic", entry_of("1288", "How many apples are left?"), "1288.0 apples", 1.0),
    ("gsm_symbolic", entry_of("1288", "How many apples are left?"), "1288 pears", 0.0),
    ("gsm_symbolic", entry_of("24"), "not 24", 0.0),
    ("gsm_symbolic", entry_of("-3"), "-3", 1.0),
    ("gsm_symbolic", entry_of("-3"), "−3", 1.0),
    ("gsm_symbolic", entry_of("1"), "1 + 2 = 3", 0.0),
    ("number_sorting", entry_of("['3.0', '52.2']"), "[3, 52.20]", 1.0),
    ("number_sorting", entry_of("['3.0', '52.2']"), "['3', '52']", 0.0),
    ("number_sorting", entry_of("['3.0', '52.2']"), "['3.0']", 0.0),
    ("polynomial_equations", ROOTS, "0, 7.2500, -3.62500", 1.0),
    ("polynomial_equations", ROOTS, "0, 7.25, -3.6251", 0.0),
    ("polynomial_equations", ROOTS, "0, 7.25", 1 / 6),
    ("polynomial_equations", ROUNDED_UP, "0.5792", 1.0),
    ("polynomial_equations", ROUNDED_UP, "0.57926", 1.0),
    ("polynomial_equations", ROUNDED_UP, "0.5794", 0.0),
    ("polynomial_equations", ROUNDED_UP, "0.579", 0.0),
    ("polynomial_equations", ROUNDED_DOWN, "0.5791", 0.0),
    ("polynomial_equations", ROUNDED_DOWN, "0.5793", 0.0),
    ("polynomial_equations", ROOTS, "0", 0.0),
    ("polynomial_equations", ROOTS, "0, 0, 0, 7.25, -3.625", 0.1),
    ("polynomial_equations", entry_of(""), "none at all", 0.0),
    ("prime_factorization", entry_of("2 × 2 × 3"), "3×2×2", 1.0),
    ("prime_factorization", entry_of("2 × 2 × 3"), "4 × 3", 0.25),
    ("prime_factorization", entry_of("2 × 2 × 3"), "1 × 12", 0.0),
    ("prime_factorization", entry_of("2 × 2 × 3"), "2 × 3", 0.0),
    ("pool_matrix", POOLED, "4.50  4.67\n4.625 5", 1.0),
    ("pool_matrix", POOLED, "4.5 4.66667\n4.63 5", 1.0),
    ("pool_matrix", POOLED, "4.5 4.66\n4.62 5.0", 0.0),
    ("pool_matrix", POOLED, "4.5 4.67\n4.62 5.01", 0.0),
    ("pool_matrix", POOLED, "nan nan\nnan nan", 0.0),
    ("pool_matrix", POOLED, "inf inf\ninf inf", 0.0),
    ("game_of_life_halting", entry_of("True"), "true", 1.0),
    ("codeio", entry_of('{"a": [1, 2]}'), '{"a":[1,2]}', 1.0),
    ("codeio", entry_of('{"a": [1, 2]}'), 'It is {"a": [1, 2]}', 0.0),
    ("calendar_arithmetic", entry_of("Friday", task="weekday_of_date"), "friday", 1.0),
    ("calendar_arithmetic", entry_of("-1", task="recurring_event_day"), "-7", 0.0),
    ("calendar_arithmetic", entry_of("-10", task="count_days"), "-20", 0.0),
    ("calendar_arithmetic", entry_of("0", task="count_days"), "0", 1.0),
    ("knights_knaves", KNIGHTS, "cy is hero and bo is villain, amelia is a hero", 1.0),
    ("knights_knaves", KNIGHTS, "Amelia is a hero, Bo is a villain, and Cy is a villain", 1 / 6),
    ("knights_knaves", KNIGHTS, "Amelia is a hero, Bo is a villain", 0.0),
    ("knights_knaves", KNIGHTS, "Di is a hero, Bo is a villain, and Cy is a hero", 0.0),
    ("knights_knaves", KNIGHTS, "Bo is a hero, Bo is a villain, Amelia is a hero", 0.0),
    ("propositional_logic", LOGIC, "P", 1.0),
    ("propositional_logic", LOGIC, "(P ∧ Q)", 0.0),
    ("propositional_logic", LOGIC, "P ∨ T", 0.0),
    ("propositional_logic", LOGIC, "(P ∨ R)", 0.0),
    ("propositional_logic", LOGIC, "¬P", 0.0),
    ("propositional_logic", LOGIC, "(Q ∧ (Q → P))", 0.0),
    ("propositional_logic", LOGIC, "¬(¬Q ∨ ¬(Q → P))", 0.0),
    ("propositional_logic", LOGIC, "((Q ∧ (Q → P)) ∨ R)", 0.0),
    ("propositional_logic", LOGIC, "(S ∧ Q)", 0.0),
    ("propositional_logic", LOGIC, "(Q ↔ R)", 0.0),
    ("propositional_logic", LOGIC, "Q → P → P", 0.0),
    ("propositional_logic", LOGIC, "(R → P)", 1.0),
    ("propositional_logic", LOGIC, "((R ∧ ¬S) → P)", 0.0),
    ("propositional_logic", LOGIC, "¬(¬P ∧ Q)", 0.0),
    ("propositional_logic", LOGIC, "¬(R ∧ ¬P)", 1.0),
    ("propositional_logic", LOGIC, "P P", 0.0),
    ("propositional_logic", LOGIC, "(P", 0.0),
    ("propositional_logic", LOGIC, "P)", 0.0),
    ("propositional_logic", LOGIC, "P ∧", 0.0),
]


@pytest.mark.parametrize(("task", "entry", "answer", "score"), CASES)
def test_answers_score_by_their_meaning(
    task: str, entry: dict[str, Any], answer: str, score: float
) -> None:
    """Other spellings of a right answer are right, and lookalikes are wrong."""
    assert verify(task, answer, entry, lambda text: 0.0) == pytest.approx(score)
