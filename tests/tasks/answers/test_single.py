"""rgenv/tasks/answers/_single: kinds of answers that one task has, by examples."""

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.records import KINDS


def entry(answer: str = "", question: str = "", **metadata: Any) -> dict[str, Any]:
    return {"answer": answer, "question": question, "metadata": metadata}


def reads(task: str, text: str, of: dict[str, Any]) -> str | None:
    return KINDS[task].read(text, of)


APPLES = entry(
    "24",
    "How many red apples does Ann have after 3 hours? More than 2? Not over 9? What percent is it?",
)
TRIANGLE = "triangle A=(-3, 1), B=(-7, -8), and C=(-3, 0)"
POINT = {"task_type": "orthocenter", "ortho": ("13/3", "49/50")}
BOARD = "1 < 2   3\n∧        \n2   3 > 1\n    ∨    \n3   1   2"
SOLUTION = [[1, 2, 3], [2, 3, 1], [3, 1, 2]]
PICK = "pick one of 6.598164805700001e+08 659,816,480.56"
PLAN = (
    '[{"Agent[0.5, 0.5]": "move(box_red, square[0.5, 1.5])"}, '
    '{"Agent[0.5, 1.5]": "move(box_red, target_red)"}]'
)
# fmt: off
SAME: list[tuple[str, dict[str, Any], list[str], list[str]]] = [
    (
        "gsm_symbolic", APPLES,
        ["24", "$24", "\\$24.00", "24 apples", "24 red apples", "24%", "24 \\%", "+24"],
        ["not 24", "24 pears", "24 apples red", "24 apples or 25", "24 more than", "24 not",
         "24 over", "24 dozen", "24 or 25", "24, 25", "24 25", "$$24", "- 24", "24 red apples a"],
    ),
    ("bitwise_arithmetic", entry("0x77"), ["77", "0X77"], ["119", "0x77h", "--0x77", "0x7 7"]),
    ("bitwise_arithmetic", entry("-0x2a"), ["−0X2A", "-2a"], ["0x2a", "-0x", "-0", "g"]),
    ("base_conversion", entry("1f", target_base=16), ["0x1F", "1f_{16}"], ["0b1f", "1f_15"]),
    (
        "base_conversion", entry("19e", target_base=16),
        ["19e₁₆", "19e (base 16)", "19E base-16"], ["19e₁₅", "19e (base 6)", "19ebase 16", "16"],
    ),
    ("base_conversion", entry("12314", target_base=5), ["12,314.0"], ["12315"]),
    ("base_conversion", entry("1e3", target_base=20), ["1e3"], ["1000"]),
    (
        "base_conversion", entry("101", target_base=3),
        ["101_3"], ["0b101", "101_5", "0101", "1 01", "-101"],
    ),
    (
        "power_function", entry("1.5014456620677657e-09", "Compute 873.3^-3."),
        ["1.50e-09", "1.5e-9", "1.501 × 10^{-9}", "1.501446e-09", "≈ 1.50e-9",
         "1.5014456620678e-09", "1.5014456620677657e-09"],
        ["1.51e-9", "1.49e-9", "1.504e-9", "2e-9", "-1.50e-9", "1.5014456620999e-9", "≈ 1.51e-9"],
    ),
    (
        "power_function", entry("-44497.2", "Compute -44497.2^1."),
        ["-44500", "-44500.0", "-44497", "-44497.2"],
        ["-44400.0", "-44500.5", "-44498", "-40000"],
    ),
    (
        "number_format", entry("659816480.57", PICK),
        ["6.5981648057e+08", "65981.648057e+04", "659,816,480.57", "659816480.570000"],
        ["659816480.5700002", "659816480.571", "659816480.58", "659816480.56"],
    ),
    ("calendar_arithmetic", entry("Friday"), ["FRIDAY"], ["Monday", "5"]),
    ("calendar_arithmetic", entry("7"), ["7.0"], ["Sunday", "8"]),
    ("circuit_logic", entry("1"), ["OUT = 1", "1.0"], ["= 1", "out = 1", "OUT = 0", "1 ="]),
    ("simple_equations", entry("5", variable="x"), ["x = 5", "5.0"], ["y = 5", "= 5", "x == 5"]),
    ("dice", entry("3/8"), ["3 / 8", "\\dfrac{3}{8}", "+3/8", "0.375", "37.5%", "37.50 %"],
     ["6/16", "-3/8", "3/9", "0.38", "37%", "375", "3/8/1", "3/-8"]),
    (
        "advanced_geometry", entry("2.60°", TRIANGLE, task_type="angle_measure"),  # 2.60256...
        ["2.60", "2.6°", "2.603°", "2.603^\\circ", "2.603 degrees", "2.602562°"],
        ["2.602°", "2.604°", "2.61°", "3°", "-2.603°", "2.603°, 2.603°", "2.603 radians"],
    ),
    (
        "advanced_geometry", entry("0.194", TRIANGLE, task_type="incircle_radius"),
        ["0.194"], ["0.1940", "0.19", "0.195", "0.193", "0.2", "0.194 or 1"],
    ),
    (
        "advanced_geometry", entry("(4.333, 0.980)", TRIANGLE, **POINT),
        ["(4.333, 0.98)", "4.333,0.980", "(13/3, 49/50)", "\\left(\\frac{13}{3}, 0.98\\right)"],
        ["(4.333, 0.98), 1", "(4.333, 0.98, 1)", "(4.33, 0.98)", "(0.98, 4.333)", "4.333 0.980",
         "((4.333, 0.98))", "(4.333)"],
    ),
    (
        "advanced_geometry",
        entry("(-0.000, 1.000)", TRIANGLE, task_type="orthocenter", ortho=("-1/9999", "1")),
        ["(-0.000, 1)"], ["(0.001, 1)"],
    ),
    (
        "time_intervals", entry("14 days"),
        ["14", "14 day", "14 Days"], ["15", "14 hours", "14:00"],
    ),
    (
        "time_intervals", entry("02:11:20.840"),
        ["02:11:20.84", "2:11:20.840"], ["02:11:20.084", "2:11:20", "-02:11:20.84", "02:71:20.84"],
    ),
    ("time_intervals", entry("02:11"), ["02:11:00", "2:11"], ["002:11", "02 11", "1 day"]),
    ("time_intervals", entry("2 days, 00:00:00"), ["2 days 0:00:00"], ["1 days, 24:00:00"]),
    ("time_intervals", entry("5 days, 04:00"), ["5 day,4:00"], ["5, 04:00", "5 days", "04:00"]),
    ("time_intervals", entry("00:00"), ["0:00"], [""]),
    (
        "futoshiki", entry(BOARD, solution=SOLUTION),
        [BOARD, "1 < 2 3\n^\n2 3 > 1\nv\n3 1 2", "1<23\n23>1\n312", "1 2 3\n2 3 1\n3 1 2",
         "123\n231\n312", "[[1, 2, 3], [2, 3, 1], [3, 1, 2]]",
         "| 1 | 2 | 3 |\n|---|---|---|\n| 2 | 3 | 1 |\n| 3 | 1 | 2 |"],
        ["1 > 2 3\n2 3 > 1\n3 1 2", "1 2 < 3\n2 3 > 1\n3 1 2", "1 2 3\n2 3 1",
         "1 < 2 3\n∨\n2 3 > 1\n∨\n3 1 2", "1 < 2 3\n2 3 1\n3 1 2", "1 2 3 2 3 1 3 1 2",
         "1 2 3\n2 3 1\n3 1 2\n1 2 3", "1 < 2 3\n2 3 > 1\n3 1 2\ndone"],
    ),
    (
        "boxnet", entry(PLAN),
        [PLAN, PLAN.replace('"', "'"), PLAN.replace(", ", ","), PLAN.replace("Agent", "agent"),
         json.dumps(json.loads(PLAN), indent=2)],
        ["{}", "[[]]", '[{"Agent[0.5, 0.5]": 1}]', f"{PLAN} or so",
         PLAN.replace("}", ', "Agent[0.5, 0.5]": "move(box_red, square[0.5, 1.5])"}', 1),
         '[{"Agent[0.5, 0.5]": "I move(box_red, target_red)"}]',
         '[{"Robot[0.5, 0.5]": "move(box_red, target_red)"}]',
         '[{"Agent[0.5, 0.5]": "move(a, b)", "Agent[0.5,0.5]": "move(a, b)"}]'],
    ),
    (
        "family_relationships", entry("daughter-in-law"),
        ["Daughter in law", "daughter‑in‑law"], ["daughter", "daughterinlaw", "son-in-law"],
    ),
    (
        "prime_factorization", entry("2 × 2 × 5"),
        ["2^2 × 5", "2**2*5", "2x2x5", "2 X 2 X 5", "2^{2} \\times 5", "2² · 5",
         "2 \\cdot 2 \\cdot 5"],
        ["2 2 5", "2, 2, 5", "2^999 × 5", "2^0 × 5", "2^^2", "2 ×", "2^2^2", "-2 × -2", "٢ × ٥"],
    ),
    (
        "polynomial_equations", entry("0.5, -2.25", variable="v"),
        ["v = 0.5, v = -2.25", "v = 0.5, -2.25", "[0.50, −2.25]", "0.5\n-2.25"],
        ["x = 0.5, -2.25", "0.5 or -2.25", "0.5, , -2.25", "0.5; -2.25", "nan", "-2.25, 0.5"],
    ),
    (
        "propositional_logic", entry("(P ∧ ¬Q) → (R ∨ S)"),
        ["(P & ~Q) -> (R | S)", "(P && !Q) => (R || S)", "(P and not Q) implies (R OR S)",
         "(P \\land \\lnot Q) \\to (R \\lor S)", "(P \\wedge \\neg Q) \\rightarrow (R \\vee S)",
         "(P /\\ ~Q) ⇒ (R \\/ S)"],
        ["(P & ~Q) <-> (R | S)"],
    ),
    (
        "complex_arithmetic", entry("2.0 - 5.0i"), ["(2 + -5i)", "2.0 + (-5.0i)", "2 +−5j"],
        ["2 - -5i", "-2 + -5i", "2 + (5i)", "2 + -(5i)", "2 + --5i", "2 + (-5i", "-5i + -2"],
    ),
    (
        "aiw", entry("4") | {"question": "How many female friends does Eve have?"},
        ["4 female friends", "4.0 Female friends"],
        ["4 male friends", "4 friends of hers", "female friends: 4", "5 female friends"],
    ),
    (
        "complex_arithmetic", entry("3.0 + 4.0i"), ["3+4j", "4i + 3", "(3 + 4*i)", "3.0+4.00I"],
        ["nan", "n a n", "3 5i", "3i + 4i", "3 + 4", "3 +- 4i", "3 + i4", "i i", "", "3,4"],
    ),
]
"""Task, entry, texts that are its reference answer, and texts that are not."""
VERTICES = {"puzzle": {"vertices": [0, 1]}}
TERMS = {"knight_knave_terms": {"knight": "angel", "knave": "devil"}}
ANGELS = "Zoe is a angel, and Al is a devil."
WRITTEN: list[tuple[str, dict[str, Any], str, str | None]] = [
    ("ab", {}, "A##B", "A# #B"),
    ("arc_1d", {}, "008", "0 0 8"),
    ("caesar_cipher", {}, "most  people", "MOST PEOPLE"),
    ("cryptarithm", {}, "{'A': 1, 'B': 2}", "A=1,B=2"),
    ("cryptarithm", {}, "A=1,A=2", None),
    ("game_of_life", {}, "0 1\n1 0", "[[0,1],[1,0]]"),
    ("game_of_life", {}, "[[true, 0]]", None),
    ("graph_color", VERTICES, "0: 1\n1: 2", '{"0": 1, "1": 2}'),
    ("graph_color", VERTICES, '{"0": 1.0, "1": 2.0}', '{"0": 1, "1": 2}'),
    ("graph_color", VERTICES, '{"0": 1.5, "1": 2}', None),
    ("graph_color", VERTICES, "{0: 1}", None),
    ("graph_color", VERTICES, '{"0": 1, "1": 2, "2": 1}', None),
    ("graph_color", VERTICES, '{"0": 1, "0": 1, "1": 2}', None),
    ("graph_color", VERTICES, '{"0": true, "1": 2}', None),
    ("jugs", {}, "['fill a', 'pour A → B']", '["fill A", "pour A->B"]'),
    ("jugs", {}, "1. Fill A\n2. Pour A to B.", '["fill A", "pour A->B"]'),
    ("jugs", {}, '["fill A", "empty A if you like"]', None),
    ("knight_swap", {}, "NO", "No"),
    ("knight_swap", {}, "['w,a1,B3', 'B, C1, A2']", '["w,A1,B3", "B,C1,A2"]'),
    ("knight_swap", {}, "- w: A1→B3\n- B: C1→A2", '["w,A1,B3", "B,C1,A2"]'),
    ("knight_swap", {}, "w,A1", None),
    ("knights_knaves", TERMS, "Zoe: Angel; Al = devil", ANGELS),
    ("knights_knaves", TERMS, "Zoe is an angel. Al is a devil.", ANGELS),
    ("knights_knaves", TERMS, "- **Zoe** is an **angel**.\n- **Al** is a **devil**.", ANGELS),
    ("knights_knaves", TERMS, "**Zoe:** angel\n**Al:** devil", ANGELS),
    ("knights_knaves", TERMS, "Zoe is an angel and Al too", None),
    ("knights_knaves", TERMS, "Zoe is a knight", None),
    ("modulo_grid", {}, "❌ ✅\ufe0f\n✅ ❌", "❌✅\n✅❌"),
    *(
        ("n_queens", {}, text, "_ Q\nQ _")
        for text in ("_Q\nQ_", ". q\nq .", '["_Q", "Q_"]', "|_|Q|\n|-+-|\n|Q|_|")
    ),
    ("n_queens", {}, ". Q .\n. . Q\nQ .", "_ Q _\n_ _ Q\nQ _ _"),
    ("n_queens", {}, "[['_'] * 4] * 4", None),
    ("propositional_logic", {}, "P <-> Q <=> R", "P ↔ Q ↔ R"),
    ("propositional_logic", {}, "P \\leftrightarrow Q \\iff R", "P ↔ Q ↔ R"),
    ("propositional_logic", {}, "P \\nonsense Q orr R", "P \\nonsense Q orr R"),
    ("quantum_lock", {}, "a->b->c", "A → B → C"),
    ("quantum_lock", {}, "ABC", "A → B → C"),
    ("quantum_lock", {}, "\\text{B} \\rightarrow \\text{A}", "B → A"),
    ("quantum_lock", {}, "A → B → ", None),
    ("rubiks_cube", {}, "R, U’, x, U2'", "R U' X U' U'"),
    ("rubiks_cube", {}, "RU'R'", "R U' R'"),
    ("rubiks_cube", {}, "R9", None),
    ("rush_hour", {}, "AA+1, B−2, C+03", "A+1 B-2 C+3"),
    ("rush_hour", {}, "AB+1", None),
    ("shortest_path", {}, "Right → DOWN", "right down"),
    ("shortest_path", {}, "INFEASIBLE", "infeasible"),
    ("sokoban", {}, "l, u, r", "LUR"),
    ("sokoban", {}, "LU RD", "LURD"),
    ("tower_of_hanoi", {}, "move disk 1 from peg 3 to peg 2.", "Move disk 1 from Peg 3 to Peg 2"),
    ("tower_of_hanoi", {}, "Step 1: move disk 1 from peg 3 to peg 2",
     "Move disk 1 from Peg 3 to Peg 2"),
    ("tower_of_hanoi", {}, "Step 2: Move disk 1 from peg 3 to peg 2", None),
    ("tower_of_hanoi", {}, "1Move disk 1 from Peg 3 to Peg 2", None),
    ("tower_of_hanoi", {}, "Move disk2 from Peg1 to Peg3", "Move disk 2 from Peg 1 to Peg 3"),
    ("tower_of_hanoi", {}, "Move disk2 from Peg1 to Peg1", None),
    ("tower_of_hanoi", {}, "Movedisk 2 from Peg 1 to Peg 3", None),
    ("tsumego", {}, "(c, 4)", "C4"),
    ("word_ladder", {}, "mesh → mosh", "MESH,MOSH"),
]
"""Task, metadata, text and the library's form of it."""
# fmt: on


@pytest.mark.parametrize(("task", "of", "right", "wrong"), SAME)
def test_a_value_is_read_in_its_forms_only(
    task: str, of: dict[str, Any], right: list[str], wrong: list[str]
) -> None:
    def read(text: str) -> str:
        return "".join((reads(task, text, of) or "").split())

    answer = "".join(of["answer"].split())
    assert {text: read(text) for text in right} == dict.fromkeys(right, answer)
    assert [text for text in wrong if read(text) == answer] == []


@pytest.mark.parametrize(("task", "metadata", "text", "form"), WRITTEN)
def test_values_are_written_as_the_library_does(
    task: str, metadata: dict[str, Any], text: str, form: str | None
) -> None:
    """Case, separators, numbers and bullets say nothing; prose and alternatives are not read."""
    assert reads(task, text, entry(**metadata)) == form


@given(st.integers(-(10**18), 10**18), st.integers(-(10**18), 10**18))
def test_a_complex_number_has_many_forms(real: int, imaginary: int) -> None:
    """The order of the parts, i or j, a product sign and zeros say nothing."""
    sign, size = ("-" if imaginary < 0 else "+"), abs(imaginary)
    of = entry(f"{real}.0 {sign} {size}.0i")
    forms = [f"{real}{sign}{size}j", f"{real} {sign} {size}*i", f"{imaginary}i {real:+}"]
    forms += [f"({real:,} {sign} {size:,}i)", f"{real}.00{sign}{size}.00I"]
    forms += [f"{real}"] if imaginary == 0 else []
    forms += [f"{imaginary}i"] if real == 0 and imaginary else []
    assert {reads("complex_arithmetic", form, of) for form in forms} == {of["answer"]}
    for wrong in (f"{real + 1} {sign} {size}i", f"{real} {sign} {size + 1}i"):
        assert reads("complex_arithmetic", wrong, of) != of["answer"]


HEADS = st.integers(1, 40).flatmap(lambda flips: st.tuples(st.integers(1, flips), st.just(flips)))


def chance(wanted: int, flips: int) -> tuple[dict[str, Any], Fraction]:
    """Return an entry of coin_flip and the probability that it asks for."""
    exact = Fraction(math.comb(flips, wanted), 2**flips)
    question = f"getting exactly {wanted} heads in {flips} fair coin flips?"
    return entry(format(float(exact), ".10g"), question), exact


@given(HEADS)
def test_a_chance_has_many_forms(heads: tuple[int, int]) -> None:
    """A fraction, reduced or not, a decimal of four digits and a percentage are the same."""
    of, exact = chance(*heads)
    top, bottom = exact.numerator, exact.denominator
    forms = [f"{top} / {bottom}", f"{2 * top}/{2 * bottom}", f"\\frac{{{top}}}{{{bottom}}}"]
    forms += [f"{float(exact):#.4g}", f"{float(exact):#.6g}", f"{float(exact)!r}"]
    forms += [f"{100 * float(exact):#.4g}%", f"{100 * float(exact):#.5g} percent"]
    for form in forms:
        assert reads("coin_flip", form.replace(".e", "e"), of) == of["answer"], form


@given(HEADS, st.integers(3, 8), st.sampled_from([-1, 1]))
def test_another_chance_is_another_answer(heads: tuple[int, int], digits: int, sign: int) -> None:
    """One unit of the last digit that is shown makes another answer."""
    of, exact = chance(*heads)
    shown = f"{float(exact):.{digits - 1}e}"
    unit = Fraction(10) ** (int(shown.partition("e")[2]) - digits + 1)
    other = Fraction(shown) + sign * unit
    assume(abs(other - exact) != unit / 2)
    text = f"{float(other):.{digits - 1}e}"
    assume(Fraction(text) == other and text.partition("e")[2] == shown.partition("e")[2])
    assert reads("coin_flip", text, of) != of["answer"]
