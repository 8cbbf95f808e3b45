"""rgenv/worker/values: a right answer in any form of its kind scores 1.0, a wrong one 0.0."""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from rgenv.task_names import COMPOSITE, KNOWN_TASKS
from rgenv.worker.levels import level_config
from rgenv.worker.operations import score_answer
from rgenv.worker.problem_maker import ProblemMaker
from rgenv.worker.values import KINDS, canonical
from tests.worker.values.test_wrappers import WRAPPERS
from tests.worker.verifiers.conftest import guarded

__all__ = ["guarded"]

pytestmark = pytest.mark.usefixtures("guarded")

LEVELS = (None, 0.0, 0.5, 1.0)
SEEDS = 3
PROBLEMS = ProblemMaker(strict=True)
Case = tuple[str, int, float | None]
Forms = Callable[[str, Any], Iterable[str]]


@functools.cache
def config(task: str, level: float | None) -> dict[str, Any]:
    return {} if level is None else level_config(task, level)


def entries(task: str, levels: Iterable[float | None] = LEVELS) -> Iterator[tuple[Case, Any]]:
    """Yield problems that have a reference answer."""
    for level, seed in itertools.product(levels, range(500, 500 + SEEDS)):
        entry = PROBLEMS.make(task, seed, config(task, level))
        if entry["answer"] and PROBLEMS.winnable(task, seed, config(task, level)):
            yield (task, seed, level), entry


def scored(case: Case, entry: Any, text: str) -> float:
    task, seed, level = case
    dataset = PROBLEMS.dataset(task, seed, config(task, level))
    reply = score_answer(lambda form: PROBLEMS.score(task, dataset, entry, form), task, text)
    return max(reply.get("raw") or 0.0, reply.get("tagged") or 0.0)


INTEGERS = """
    aiw basic_arithmetic binary_alternation chain_sum circuit_logic count_bits count_primes gcd
    gsm_symbolic largest_island lcm leg_counting letter_counting maze number_sequence products
    rectangle_count rotten_oranges self_reference simple_equations simple_geometry
""".split()
DECIMALS = ["decimal_arithmetic", "decimal_chain_sum", "number_format"]
WORDS = """
    acre color_cube_rotation course_schedule family_relationships game_of_life_halting
    isomorphic_strings mahjong_puzzle needle_haystack ransom_note syllogism zebra_puzzles
""".split()
FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


def integer_forms(answer: str, entry: Any) -> Iterator[str]:
    value = int(Fraction(answer))
    yield from (f"{value:,}", f"{value}.0", f"{value}.00", f"{value:,}.0")
    yield from (f"{value}".translate(FULL_WIDTH), f"{value:,}".replace(",", "{,}"))
    yield f"{value:+}" if value >= 0 else f"−{-value:,}"


def decimal_forms(answer: str, entry: Any) -> Iterator[str]:
    value = Fraction(answer)
    whole, _, places = answer.lstrip("-").partition(".")
    sign = "-" if value < 0 else ""
    grouped = f"{int(whole):,}" + (f".{places}" if places else "")
    yield from (f"{sign}{grouped}", f"{sign}{whole}.{places}000", answer.translate(FULL_WIDTH))
    yield f"+{answer}" if value >= 0 else answer.replace("-", "−")


def word_forms(answer: str, entry: Any) -> Iterator[str]:
    yield from (answer.upper(), answer.lower(), answer.capitalize(), f"  {answer}\n")


def wrong_numbers(answer: str, entry: Any) -> Iterator[str]:
    value = Fraction(answer)
    unit = Fraction(1, 10 ** min(5, len(answer.partition(".")[2])))
    for other in (value + unit, value - unit, value * 10, -value):
        if other != value:
            text = f"{float(other)!r}" if "." in answer else str(other)
            yield from (text, f"**{text}**", f"{text}.", f"\\boxed{{{text}}}")
    yield from (f"--{answer}", f"0{answer}", f"00{answer}", f"{answer} {answer}", f"not {answer}")
    yield from (f"{answer}, 1", f"{answer} or 1", f"1 or {answer}", f"{answer}/1", f"~{answer}")


def named(answer: str, entry: Any) -> Iterator[str]:
    name = entry["metadata"].get("variable", "OUT")
    yield from (f"{name} = {answer}", f"{name}={answer}", f"${name} = {answer}$")


def measures(answer: str, entry: Any) -> Iterator[str]:
    if answer.endswith("°"):
        exact = entry["metadata"]["angle_ABC_degrees"]
        for text in (answer[:-1], f"{exact:.3f}", f"{exact:.5f}", f"{float(answer[:-1])}"):
            yield from (
                text,
                f"{text}°",
                f"{text}^\\circ",
                f"{text} degrees",
                f"${text}^{{\\circ}}$",
            )
    elif answer.startswith("("):
        x, y = (float(part) for part in answer.strip("()").split(","))
        yield from (f"{x}, {y}", f"({x},{y})", f"({x:.3f},  {y:.3f})", f"\\left({x}, {y}\\right)")
        yield "({}, {})".format(*entry["metadata"]["ortho"])
    else:
        yield from (f"{float(answer)}", f"{float(answer):,.3f}", f"+{answer}")
        yield f"{entry['metadata']['incircle_radius_approx']:.5f}"


def wrong_measures(answer: str, entry: Any) -> Iterator[str]:
    if answer.startswith("("):
        x, y = (float(part) for part in answer.strip("()").split(","))
        yield from (f"({x + 0.001:.3f}, {y})", f"({y:.3f}, {x + 1:.3f})", f"({x}, {y}), 1", f"{x}")
        yield f"({x}, {y}, 0)"
    else:
        value, sign = float(answer.rstrip("°")), "°" if answer.endswith("°") else ""
        step = 0.01 if sign else 0.001
        yield from (f"{value + step:.3f}{sign}", f"{value - step:.3f}{sign}", f"-{answer}")
        yield from (f"{value:.3f} or 1", f"({answer})°", f"{answer}, {answer}")


def chances(answer: str, entry: Any) -> Iterator[str]:
    rational = entry["metadata"]["rational"]
    exact = Fraction(rational["numerator"], rational["denominator"])
    yield from (f"{float(exact):#.3g}", f"{float(exact):#.5g}", f"{float(exact)!r}")
    yield from (
        f"{exact.numerator}/{exact.denominator}",
        f"{exact.numerator} / {exact.denominator}",
    )
    yield from (f"\\frac{{{exact.numerator}}}{{{exact.denominator}}}", f"{answer}")
    yield f"$\\dfrac{{{exact.numerator}}}{{{exact.denominator}}}$"
    yield "{numerator}/{denominator}".format(**rational)
    percent = f"{float(exact) * 100:#.4g}"
    yield from (f"{percent}%", f"{percent} %", f"{percent}\\%") if "e" not in percent else ()


def wrong_chances(answer: str, entry: Any) -> Iterator[str]:
    value = float(answer)
    yield from ("0", "-" + answer, f"{value * 1.01:.5g}", f"{value:.1g}.", f"{value * 100:.4g}")
    rational = entry["metadata"]["rational"]
    yield "{}/{}".format(rational["numerator"] + 1, rational["denominator"])
    yield from (f"{answer} or 0.5", f"{answer}, {answer}", "nan", "1/0", "1e999999")


def odds(answer: str, entry: Any) -> Iterator[str]:
    top, bottom = answer.split("/")
    yield from (
        f"{top} / {bottom}",
        f"\\frac{{{top}}}{{{bottom}}}",
        f"{int(top):,}/{int(bottom):,}",
    )


def wrong_odds(answer: str, entry: Any) -> Iterator[str]:
    top, bottom = map(int, answer.split("/"))
    yield from (f"{2 * top}/{2 * bottom}", f"{top + 1}/{bottom}", f"{bottom}/{top}", f"-{answer}")
    yield from (f"--{answer}", f"{answer}/1", f"{top} {bottom}", f"{top}/-{bottom}")


def simplified(answer: str, entry: Any) -> Iterator[str]:
    top, bottom = (entry["metadata"][f"simplified_{part}"] for part in ("numerator", "denominator"))
    yield from (f"{top}/{bottom}", f"{top} / {bottom}", f"$\\frac{{{top}}}{{{bottom}}}$")
    yield from (
        f"\\frac{{{top}}}{{{bottom}}}",
        f"\\dfrac{{{top}}}{{{bottom}}}",
        f"${top}/{bottom}$",
    )


def wrong_simplified(answer: str, entry: Any) -> Iterator[str]:
    metadata = entry["metadata"]
    top, bottom = metadata["simplified_numerator"], metadata["simplified_denominator"]
    yield from (f"{2 * top}/{2 * bottom}", f"{metadata['numerator']}/{metadata['denominator']}")
    yield from (f"{top + 1}/{bottom}", f"{top}/{bottom}/1", f"-{top}/{bottom}", f"{top / bottom!r}")


def times(answer: str, entry: Any) -> Iterator[str]:
    days, _, clock = answer.rpartition("days")
    if days:
        yield answer.replace("days", "day")
        yield answer.replace(", ", ",")
        yield answer.replace(", ", " ") if clock else days.strip()
    else:
        yield answer.removeprefix("0") if answer.startswith("0") else answer


def wrong_times(answer: str, entry: Any) -> Iterator[str]:
    yield from (f"1{answer}", f"-{answer}", f"{answer} {answer}", f"{answer} or so", f"{answer}1")
    yield from ("0", "00:00", "0 days", f"{answer}:00:00", f"0{answer}0")


def hexadecimals(answer: str, entry: Any) -> Iterator[str]:
    yield from (answer.replace("0x", ""), answer.upper(), answer.replace("0x", "").upper())


def wrong_hexadecimals(answer: str, entry: Any) -> Iterator[str]:
    value = int(answer, 16)
    yield from (hex(value + 1), hex(-value or 1), f"{value + 16:x}", f"-{answer}")
    if value > 9:
        yield str(value)  # digits alone are hexadecimal


def numerals(answer: str, entry: Any) -> Iterator[str]:
    base = entry["metadata"]["target_base"]
    yield from (answer.upper(), f"{answer}_{base}", f"{answer}_{{{base}}}")
    if answer.isdigit():
        yield from (f"{int(answer):,}", f"{answer}.0", f"+{answer}")


def wrong_numerals(answer: str, entry: Any) -> Iterator[str]:
    yield from (
        f"1{answer}",
        f"{answer}0",
        f"0{answer}",
        f"-{answer}",
        f"{answer}_37",
        f"{answer} 1",
    )


def complexes(answer: str, entry: Any) -> Iterator[str]:
    a, b = entry["metadata"]["result"]
    sign, size = ("-" if b < 0 else "+"), abs(b)
    yield from (
        f"{a} {sign} {size}i",
        f"{a}{sign}{size}j",
        f"{a} {sign} {size}*i",
        f"({a}{sign}{size}i)",
    )
    yield from (f"{b}i {a:+}", f"{a}.00 {sign} {size}.00i", f"{a:,} {sign} {size:,}i")
    if b == 0:
        yield f"{a}"
    if abs(b) == 1:
        yield f"{a} {sign} i"


def wrong_complexes(answer: str, entry: Any) -> Iterator[str]:
    a, b = entry["metadata"]["result"]
    yield from (
        f"{a + 1} {b:+}i",
        f"{a} {b + 1:+}i",
        f"{b} {a + 1:+}i",
        f"{a}",
        "nan",
        f"{a} + {b}",
    )
    yield from (f"{a} {b:+}i {b:+}i", f"{a} {a:+} {b:+}i", f"{a} or {b}i", f"{a} +- {abs(b) + 1}i")


def factorizations(answer: str, entry: Any) -> Iterator[str]:
    primes = answer.split(" × ")
    for sign in ("×", " x ", "*", " \\times ", " · ", " \\cdot "):
        yield sign.join(reversed(primes))
    powers = [(prime, primes.count(prime)) for prime in dict.fromkeys(primes)]
    for form in ("{}^{}", "{}**{}", "{}^{{{}}}"):
        yield " × ".join(form.format(*power) if power[1] > 1 else power[0] for power in powers)
    superscripts = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    yield " × ".join(p + (str(n).translate(superscripts) if n > 1 else "") for p, n in powers)


def wrong_factorizations(answer: str, entry: Any) -> Iterator[str]:
    primes = answer.split(" × ")
    yield from (f"{answer} × 2", f"1 × {answer}", "×".join(f"{p}^2" for p in primes), f"-{answer}")
    yield from (
        f"{answer} ×",
        "2^999999999",
        "2^99 × 2^99 × 2^99 × 2^99",
        ", ".join([*primes, "2"]),
    )


def solutions(answer: str, entry: Any) -> Iterator[str]:
    roots, name = answer.split(", "), entry["metadata"]["variable"]
    yield ",".join(f"{float(root):.4f}" for root in roots)
    yield ", ".join(f"{name} = {root}" for root in roots)
    yield f"{name} = {answer}"
    yield ", ".join(reversed(roots)).replace("-", "−")
    yield "\n".join(roots)
    yield f"[{answer}]"


def wrong_solutions(answer: str, entry: Any) -> Iterator[str]:
    roots = answer.split(", ")
    yield f"{float(roots[0]) + 0.0002:.4f}, 77"
    yield from (f"zz = {answer}", f"{answer} and so on", "1e999999999", "٣", f"{answer}, {answer}")


def polynomials(answer: str, entry: Any) -> Iterator[str]:
    yield answer.replace("**", "^")
    yield answer.replace("*", "·").replace("··", "^").replace("-", "−")


def wrong_polynomials(answer: str, entry: Any) -> Iterator[str]:
    name = entry["metadata"].get("variable") or "x"
    yield from (
        f"{answer} + {name}",
        f"({answer})^2",
        f"{answer}; {answer}",
        f"{answer} = {answer}",
    )


def sums(answer: str, entry: Any) -> Iterator[str]:
    yield answer.replace("*", "×").replace("/", "÷").replace("-", "−")
    yield answer.replace("*", "\\times").replace("/", "\\div")


def wrong_sums(answer: str, entry: Any) -> Iterator[str]:
    yield from (f"{answer} + 0", f"{answer} = 24", f"{answer}; {answer}", f"{answer} + 1 - 1")


def powers(answer: str, entry: Any) -> Iterator[str]:
    for text in (f"{float(answer):.2e}", f"{float(answer):.4e}"):
        mantissa, _, exponent = text.partition("e")
        yield from (text, text.upper(), f"{mantissa} × 10^{{{int(exponent)}}}")
        yield f"${mantissa} \\times 10^{{{int(exponent)}}}$"


def wrong_powers(answer: str, entry: Any) -> Iterator[str]:
    value = float(answer)
    for factor in (1.02, 0.98, -1.0, 10.0):
        yield f"{factor * value:.2e}"
    yield from (f"{value:.0e}0", f"{value:.2e} or so", f"{value:.2e}, {value:.2e}")


def counts_and_days(answer: str, entry: Any) -> Iterator[str]:
    is_number = answer.lstrip("-").isdigit()
    yield from integer_forms(answer, entry) if is_number else word_forms(answer, entry)


FORMS: dict[str, tuple[Forms, Forms]] = {
    **dict.fromkeys(INTEGERS, (integer_forms, wrong_numbers)),
    **dict.fromkeys(DECIMALS, (decimal_forms, wrong_numbers)),
    **dict.fromkeys(WORDS, (word_forms, lambda answer, entry: [f"not {answer}", f"{answer} no"])),
    "advanced_geometry": (measures, wrong_measures),
    "base_conversion": (numerals, wrong_numerals),
    "bitwise_arithmetic": (hexadecimals, wrong_hexadecimals),
    "calendar_arithmetic": (counts_and_days, lambda answer, entry: [f"{answer} or so", "never"]),
    "coin_flip": (chances, wrong_chances),
    "complex_arithmetic": (complexes, wrong_complexes),
    "countdown": (sums, wrong_sums),
    "dice": (odds, wrong_odds),
    "fraction_simplification": (simplified, wrong_simplified),
    "polynomial_equations": (solutions, wrong_solutions),
    "polynomial_multiplication": (polynomials, wrong_polynomials),
    "power_function": (powers, wrong_powers),
    "prime_factorization": (factorizations, wrong_factorizations),
    "puzzle24": (sums, wrong_sums),
    "simple_integration": (polynomials, wrong_polynomials),
    "time_intervals": (times, wrong_times),
}
"""Task -> other forms of a right answer, and wrong answers in such forms."""


@pytest.mark.parametrize("task", sorted(FORMS))
def test_other_forms_of_the_right_value_score_one(task: str) -> None:
    """Each form of the right value scores 1.0, at the defaults and at three levels."""
    for case, entry in entries(task):
        answer = str(entry["answer"])
        for text in FORMS[task][0](answer, entry):
            assert scored(case, entry, text) == 1.0, (case, answer, text)


@pytest.mark.parametrize("task", ["simple_equations", "circuit_logic"])
def test_the_right_name_may_stand_before_the_value(task: str) -> None:
    """``x = 5`` is 5 where x is asked for, and nothing where another name is."""
    for case, entry in entries(task):
        for text in named(str(entry["answer"]), entry):
            assert scored(case, entry, text) == 1.0, (case, text)
        for text in (f"qq = {entry['answer']}", f"= {entry['answer']}", f"{entry['answer']} ="):
            assert scored(case, entry, text) == 0.0, (case, text)


@pytest.mark.parametrize("task", sorted(FORMS))
def test_wrong_values_in_the_same_forms_score_next_to_nothing(task: str) -> None:
    """Other values, two values and prose score less than 0.5; 0.0 where nothing is nearly right."""
    partial = ("polynomial_equations", "prime_factorization")
    for case, entry in entries(task):
        answer = str(entry["answer"])
        for text in FORMS[task][1](answer, entry):
            assert scored(case, entry, text) <= (0.49 if task in partial else 0.0), (case, text)


ASCII = {"∧": "&", "∨": "|", "¬": "~", "→": "->", "↔": "<->"}
LATEX = {"∧": "\\land ", "∨": "\\lor ", "¬": "\\lnot ", "→": "\\to ", "↔": "\\iff "}


def test_conclusions_in_ascii_and_latex_score_one() -> None:
    """A conclusion that follows scores 1.0 with any spelling of its connectives."""
    for level, seed in itertools.product(LEVELS, range(500, 510)):
        case = ("propositional_logic", seed, level)
        entry = PROBLEMS.make(*case[:2], config("propositional_logic", level))
        if not PROBLEMS.winnable(*case[:2], config("propositional_logic", level)):
            continue
        answer = entry["metadata"]["example_answer"]
        for signs in (ASCII, LATEX):
            text = answer.translate(str.maketrans(signs))
            for form in (text, f"${text}$", f"**{text}**", f"{text}."):
                assert scored(case, entry, form) == 1.0, (case, form)
            assert scored(case, entry, f"~({text})") == 0.0
            assert scored(case, entry, f"{text} and so on") == 0.0


PLAIN_WRAPPERS = [wrapper for wrapper in WRAPPERS if "text" not in wrapper]


@pytest.mark.parametrize("task", sorted(set(KNOWN_TASKS) - {COMPOSITE}))
def test_one_wrapper_around_the_reference_answer_says_nothing(task: str) -> None:
    """The reference answer in one wrapper scores 1.0 in every task; in two, or in prose, less."""
    for case, entry in itertools.islice(entries(task, (None, 0.0)), 3):
        answer = str(entry["answer"])
        for wrapper in PLAIN_WRAPPERS:
            assert scored(case, entry, wrapper % answer) == 1.0, (case, wrapper)
        for text in (f"**`{answer}`**", f"\\boxed{{**{answer}**}}", f"The answer is {answer}."):
            assert scored(case, entry, text) < 1.0, (case, text)


@pytest.mark.parametrize(
    ("task", "entry", "text", "form"),
    [
        ("lcm", {"answer": "1134"}, "**1,134**", "1134"),
        ("lcm", {"answer": "1134"}, "1135.0", "1135"),
        ("lcm", {"answer": "1134"}, "about 1134", "about 1134"),
        ("syllogism", {"answer": "Yes"}, "$\\text{yes}$", "Yes"),
        ("course_schedule", {"answer": "True"}, "`true`", "True"),
        (
            "family_relationships",
            {"answer": "daughter-in-law"},
            "Daughter in law",
            "daughter-in-law",
        ),
        ("bf", {"answer": "A b"}, '"A b"', "A b"),
        ("propositional_logic", {"answer": None}, "P & ~Q -> R", "P ∧ ¬Q → R"),
        ("propositional_logic", {"answer": None}, "\\neg (P \\lor Q) \\iff R", "¬ (P ∨ Q) ↔ R"),
        ("propositional_logic", {"answer": None}, "not P <-> (Q AND R)", "¬ P ↔ (Q ∧ R)"),
        ("puzzle24", {"answer": "4*(3 - 1 + 4)"}, "(3−1+4)×4", "(3-1+4)*4"),
        ("gsm_symbolic", {"answer": "349", "question": "How much?"}, "$349", "349"),
        ("time_intervals", {"answer": "1 days, 05:00:00"}, "1 day, 05:00:00", "1 days, 05:00:00"),
    ],
)
def test_canonical_writes_what_the_library_writes(
    task: str, entry: dict[str, Any], text: str, form: str
) -> None:
    """A readable answer takes the library's form; any other text stays."""
    assert canonical(task, text, {"question": "", "metadata": {}, **entry}) == form


HOSTILE = [
    piece * (size // len(piece))
    for size in (1_400, 16_000, 100_000)
    for piece in (
        "9",
        "1,",
        "1 ",
        "x",
        "-",
        "(",
        "1e",
        "{",
        "\\",
        "٣",
        "a ",
        "0",
        "9.",
        "×",
        "2^9×",
    )
]


@pytest.mark.parametrize("task", sorted(KINDS))
def test_long_texts_are_read_quickly(task: str) -> None:
    """Long texts, up to 100 kB, are read in milliseconds each, whatever they hold."""
    entry = PROBLEMS.make(task, 500, {})
    started = time.process_time()
    for text in HOSTILE:
        canonical(task, f"1{text}1", entry)
    assert time.process_time() - started < 0.05 * len(HOSTILE)


def test_every_task_has_a_kind() -> None:
    """Every task but composite, which is made of other tasks, has exactly one kind."""
    assert set(KINDS) == set(KNOWN_TASKS) - {COMPOSITE}
