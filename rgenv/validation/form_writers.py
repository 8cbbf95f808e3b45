"""Other ways to write a right answer, by the kind of its value.

Example::

    WRITERS["simple_equations"]("1134", "Solve for x: 2*x = 2268")
    # {"point zero": "1134.0", "thousands": "1,134", "assignment": "x = 1134", ...}

A writer takes a right answer, written as the library writes it, and the question. It returns the
name of each form and the text. Only forms that a fair reader accepts for this question are written:
where a question prescribes a form, such as two factors separated by ×, no other one counts.

These writers know nothing of the worker's readers, which they test. Wrappers around a whole answer
are in forms.py.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

Forms = dict[str, str]
"""Name of a form -> the answer in that form."""
Writer = Callable[[str, str], Forms]
"""Takes a reference answer and the question."""

MINUS = "\N{MINUS SIGN}"
FULL_WIDTH = str.maketrans("0123456789", "".join(chr(0xFF10 + digit) for digit in range(10)))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
SAME_CANDIDATE = Decimal("0.0005")
"""Candidates of number_format have three decimals; floats add an error to some of them."""
SIGNIFICANT_DIGITS = (3, 4, 5)
"""Digits of a rounded probability: fewer than three do not count where no precision is asked."""


def joined(*writers: Writer) -> Writer:
    """Return a writer of all forms of several writers."""
    return lambda reference, question: {
        name: text for writer in writers for name, text in writer(reference, question).items()
    }


# --- numbers ------------------------------------------------------------------------------------


def integer(reference: str, question: str) -> Forms:
    """``1,134``, ``1134.0``, ``+1134``, full-width digits, and U+2212 for a negative sign."""
    if not re.fullmatch(r"-?\d+", reference):
        return {}
    grouped = f"{int(reference):,}"
    forms = {"point zero": f"{reference}.0", "two zeros": f"{reference}.00"}
    if len(grouped) > len(reference):
        forms |= {"thousands": grouped, "thousands, point zero": f"{grouped}.0"}
    return forms | _signs_and_digits(reference)


def decimal(reference: str, question: str) -> Forms:
    """``1,134.50``, ``1134.5``, ``+1134.5``, full-width digits, U+2212."""
    if not NUMBER.fullmatch(reference):
        return {}
    whole, point, places = reference.partition(".")
    grouped = f"{int(whole):,}{point}{places}"
    if whole.startswith("-") and not grouped.startswith("-"):
        grouped = f"-{grouped}"
    stripped = f"{whole}.{places}".rstrip("0").rstrip(".")
    forms = {"no zeros at the end": stripped, "thousands": grouped}
    return forms | _signs_and_digits(reference)


def padded_decimal(reference: str, question: str) -> Forms:
    """One more zero after the decimal places, where no number of digits is prescribed."""
    whole, _, places = reference.partition(".")
    return decimal(reference, question) | {"zero at the end": f"{whole}.{places}0"}


def _signs_and_digits(number: str) -> Forms:
    forms = {"full-width digits": number.translate(FULL_WIDTH)}
    if number.startswith("-"):
        return forms | {"minus sign": number.replace("-", MINUS)}
    return forms | ({"plus": f"+{number}"} if number.strip("0.") else {})


def assignment(reference: str, question: str) -> Forms:
    """``x = 5`` where the question asks for one variable."""
    asked = re.search(
        r"(?:Solve for|value of|[Ss]olve the polynomial equation for real|for real) ([a-z])\b",
        question,
    )
    if not asked or "," in reference:
        return {}
    name = asked[1]
    return {
        "assignment": f"{name} = {reference}",
        "tight assignment": f"{name}={reference}",
        "assignment in LaTeX": f"${name} = {reference}$",
    }


def candidate(reference: str, question: str) -> Forms:
    """The spelling that the question gives to the number."""
    spelled = question.rpartition("candidates:")[2].split()
    value = Decimal(reference)
    same = [
        text for text in spelled if abs(Decimal(text.replace(",", "")) - value) < SAME_CANDIDATE
    ]
    return {f"candidate {number}": text for number, text in enumerate(same[:3], 1)}


def scientific(reference: str, question: str) -> Forms:
    """Three significant digits with an exponent, as the question asks for."""
    value = Decimal(reference)
    if not value.is_finite() or not value:
        return {}
    exponent = value.adjusted()
    mantissa = value.scaleb(-exponent).quantize(Decimal("0.01"), ROUND_HALF_UP)
    if abs(mantissa) == 10:
        mantissa, exponent = mantissa.scaleb(-1).quantize(Decimal("0.01")), exponent + 1
    forms = {
        "three digits": f"{mantissa}e{exponent:+d}",
        "exponent of two digits": f"{mantissa}e{exponent:+03d}",
        "capital E": f"{mantissa}E{exponent:+d}",
        "plus": f"+{mantissa}e{exponent:+d}",
        "full-width digits": f"{mantissa}e{exponent:+d}".translate(FULL_WIDTH),
    }
    if exponent > 0:
        forms["exponent without sign"] = f"{mantissa}e{exponent}"
    if mantissa < 0:
        del forms["plus"]
        forms["minus sign"] = f"{mantissa}e{exponent:+d}".replace("-", MINUS)
    return forms


def probability(reference: str, question: str) -> Forms:
    """A fraction, percent, or a decimal with at least three significant digits."""
    value = Decimal(reference)
    forms = percentages(value) | {
        f"{digits} significant digits": _plain(_rounded(value, digits))
        for digits in SIGNIFICANT_DIGITS
    }
    forms["no zero in front"] = _plain(_rounded(value, 4)).removeprefix("0")
    exact = coin_flips(question)
    is_exact = exact is not None and math.isclose(exact, value, rel_tol=1e-6)
    shown = exact if exact is not None and is_exact else Fraction(value)
    return forms | fractions(shown.numerator, shown.denominator)


def percentages(value: Decimal) -> Forms:
    """Percent with three, four and five significant digits."""
    percent = {digits: _plain(_rounded(value * 100, digits)) for digits in SIGNIFICANT_DIGITS}
    forms = {f"percent, {digits} digits": f"{text}%" for digits, text in percent.items()}
    return forms | {
        "percent after a space": f"{percent[4]} %",
        "percent in LaTeX": f"{percent[4]}\\%",
    }


def coin_flips(question: str) -> Fraction | None:
    """Return the probability that a question on coin flips asks for."""
    asked = re.search(r"(exactly|at least) (\d+) heads in (\d+) fair", question)
    if not asked:
        return None
    wanted, flips = int(asked[2]), int(asked[3])
    counts = [wanted] if asked[1] == "exactly" else range(wanted, flips + 1)
    return Fraction(sum(math.comb(flips, count) for count in counts), 2**flips)


def _rounded(value: Decimal, digits: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(value.adjusted() - digits + 1), ROUND_HALF_UP)


def _plain(value: Decimal) -> str:
    return f"{value:f}"


def fractions(top: int, bottom: int) -> Forms:
    """A fraction with and without spaces, and in LaTeX; it is not reduced."""
    if bottom == 1:
        return {"whole": str(top)}
    return {
        "fraction": f"{top}/{bottom}",
        "fraction with spaces": f"{top} / {bottom}",
        "LaTeX fraction": f"\\frac{{{top}}}{{{bottom}}}",
        "LaTeX fraction in dollars": f"$\\frac{{{top}}}{{{bottom}}}$",
        "LaTeX dfrac": f"\\dfrac{{{top}}}{{{bottom}}}",
        "LaTeX fraction in brackets": f"\\(\\frac{{{top}}}{{{bottom}}}\\)",
    }


def fraction(reference: str, question: str) -> Forms:
    """The forms of a reduced fraction."""
    top, bottom = fraction_parts(reference)
    return fractions(top, bottom) if bottom else {}


def fraction_parts(reference: str) -> tuple[int, int]:
    """Return numerator and denominator of a fraction in any form; 0, 0 if there are not two."""
    numbers = [int(text) for text in re.findall(r"-?\d+", reference)]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (0, 0)


def complex_number(reference: str, question: str) -> Forms:
    """The parts in either order, with and without decimals and spaces."""
    real, imaginary = complex_parts(reference)
    if real != int(real) or imaginary != int(imaginary):
        return {}
    a, b = int(real), int(imaginary)
    sign, size = "-" if b < 0 else "+", abs(b)
    whole = f"{a} {sign} {size}i"
    forms = {
        "whole numbers": whole,
        "no spaces": whole.replace(" ", ""),
        "imaginary part first": f"{b}i {'-' if a < 0 else '+'} {abs(a)}",
        "product with i": f"{a} {sign} {size}*i",
        "two decimals": f"{a}.00 {sign} {size}.00i",
        "brackets": f"({whole})",
    }
    if "-" in whole:
        forms["minus sign"] = whole.replace("-", MINUS)
    if b == 0:
        forms = {
            "whole number": str(a),
            "zero imaginary part": f"{a} + 0i",
            "one decimal": f"{a}.0",
        }
    elif a == 0:
        forms = {"whole number": f"{b}i", "zero real part": f"0 {sign} {size}i"}
    if size == 1 and a:
        forms["i alone"] = f"{a} {sign} i"
    return forms


def complex_parts(text: str) -> tuple[float, float]:
    """Return the real and the imaginary part of ``-15.0 + 3.0i``."""
    number = complex(text.replace(" ", "").replace("i", "j"))
    return number.real, number.imag


def hexadecimal(reference: str, question: str) -> Forms:
    """Capital letters; without 0x only if a letter shows that the number is hexadecimal."""
    sign, digits = reference.partition("0x")[0], reference.partition("0x")[2]
    forms = {"capital digits": f"{sign}0x{digits.upper()}", "capital X": f"{sign}0X{digits}"}
    if re.search("[a-f]", digits):
        forms["no 0x"] = f"{sign}{digits}"
    if sign:
        forms["minus sign"] = f"{MINUS}0x{digits}"
    return forms


def factors(reference: str, question: str) -> Forms:
    """The prime factors in another order and spacing."""
    parts = reference.split(" × ")
    return {"no spaces": "×".join(parts), "reversed": " × ".join(parts[::-1])}


def roots(reference: str, question: str) -> Forms:
    """Roots in another order, spacing or number of zeros."""
    values = reference.split(", ")
    if not all(map(NUMBER.fullmatch, values)):
        return {}
    forms = {
        "four decimals": ", ".join(f"{float(value):.4f}" for value in values),
        "no zeros": ", ".join(f"{float(value):.4f}".rstrip("0").rstrip(".") for value in values),
        "full-width digits": reference.translate(FULL_WIDTH),
    }
    if len(values) > 1:
        forms |= {
            "reversed": ", ".join(values[::-1]),
            "no spaces": ",".join(values),
            "JSON": f"[{reference}]",
            "lines": "\n".join(values),
        }
    if "-" in reference:
        forms["minus sign"] = reference.replace("-", MINUS)
    return forms


def geometry(reference: str, question: str) -> Forms:
    """Coordinates and radii without zeros at the end; angles with the three decimals asked for."""
    values = NUMBER.findall(reference)
    short = [f"{float(value):.3f}".rstrip("0").rstrip(".") for value in values]
    if "°" in reference:
        angle = angle_at_b(question)
        if abs(angle - float(values[0])) > 0.006:
            angle = float(values[0])
        return {"three decimals": f"{angle:.3f}°", "space before the sign": f"{angle:.3f} °"}
    if len(values) == 1:
        return {"no zeros at the end": short[0]} | _signs_and_digits(reference)
    forms = {
        "no spaces": f"({values[0]},{values[1]})",
        "no zeros at the end": f"({short[0]}, {short[1]})",
        "full-width digits": reference.translate(FULL_WIDTH),
    }
    return forms | ({"minus sign": reference.replace("-", MINUS)} if "-" in reference else {})


def angle_at_b(question: str) -> float:
    """Return the angle ABC in degrees, from the coordinates in the question."""
    a, b, c = re.findall(r"[ABC]=\((-?\d+), (-?\d+)\)", question)
    bearings = [
        math.atan2(int(point[1]) - int(b[1]), int(point[0]) - int(b[0])) for point in (a, c)
    ]
    turn = abs(math.degrees(bearings[0] - bearings[1])) % 360
    return min(turn, 360 - turn)


# --- words --------------------------------------------------------------------------------------


def word(reference: str, question: str) -> Forms:
    """A fixed word in any case."""
    return {
        "lower case": reference.lower(),
        "upper case": reference.upper(),
        "capitalized": reference.capitalize(),
    }


def relation(reference: str, question: str) -> Forms:
    """A relation with spaces for hyphens, in any case."""
    return word(reference, question) | {"spaces for hyphens": reference.replace("-", " ")}


def roles(reference: str, question: str) -> Forms:
    """One role a line, with bullets, numbers or colons."""
    pairs = re.findall(r"(\w+) is an? (\w+)", reference)
    said = [f"{name} is {'an' if role[0] in 'aeiou' else 'a'} {role}" for name, role in pairs]
    return {
        "no full stop": reference.removesuffix("."),
        "bullets": "\n".join(f"- {line}" for line in said),
        "numbered": "\n".join(f"{number}. {line}" for number, line in enumerate(said, 1)),
        "lines": "\n".join(said),
        "colons": "\n".join(f"{name}: {role}" for name, role in pairs),
        "colons, commas": ", ".join(f"{name}: {role}" for name, role in pairs),
        "reversed": ", and ".join(said[::-1]) + ".",
        "lower case": reference.lower(),
    }


def interval(reference: str, question: str) -> Forms:
    """Days and times in another case or spacing."""
    forms: Forms = {}
    if "days" in reference:
        forms |= {"capital": reference.replace("days", "Days")}
        forms |= {"one day": "1 day" + reference[6:]} if reference.startswith("1 days") else {}
    if ", " in reference:
        forms["no space after the comma"] = reference.replace(", ", ",")
    return forms


def date_or_count(reference: str, question: str) -> Forms:
    """A weekday, Yes or No in any case, or a number."""
    is_number = NUMBER.fullmatch(reference)
    return integer(reference, question) if is_number else word(reference, question)


# --- lists --------------------------------------------------------------------------------------


def separated(*, of_words: bool, arrows: bool = False) -> Writer:
    """Return a writer for a list of items separated by spaces or by commas.

    Args:
        of_words: the items are words; otherwise they are numbers.
        arrows: the items are steps of a path.
    """

    def write(reference: str, question: str) -> Forms:
        items = [item for item in re.split(r"[,\s→]+", reference) if item]
        values: list[Any] = items if of_words else [int(item) for item in items]
        forms = {
            "commas": ", ".join(items),
            "commas without spaces": ",".join(items),
            "lines": "\n".join(items),
            "lines with CRLF": "\r\n".join(items),
            "JSON": json.dumps(values),
            "JSON without spaces": json.dumps(values, separators=(",", ":")),
            "Python": str(values),
            "JSON on lines": json.dumps(values, indent=2),
        }
        if "," not in reference:
            forms |= {"two spaces": "  ".join(items), "tabs": "\t".join(items)}
        if arrows:
            forms |= {"arrows": " → ".join(items), "ASCII arrows": " -> ".join(items)}
        return forms if items else {}

    return write


def bracketed(reference: str, question: str) -> Forms:
    """A list in brackets with other quotes and spaces, without brackets, or on lines."""
    quoted = "'" in reference
    items = [item.strip(" '\"") for item in reference.strip("[]").split(",")]
    if items == [""]:
        return {"space inside": "[ ]"}
    shown = [f"'{item}'" if quoted else item for item in items]
    forms = {
        "no spaces": f"[{','.join(shown)}]",
        "space inside": f"[ {', '.join(shown)} ]",
        "brackets on lines": "[\n  " + ",\n  ".join(shown) + "\n]",
        "no quotes": f"[{', '.join(items)}]",
        "double quotes": "[" + ", ".join(f'"{item}"' for item in items) + "]",
    }
    if len(items) > 1:  # one item without brackets is not a list
        forms |= {"no brackets": ", ".join(items), "lines": "\n".join(items)}
    if "-" in reference:
        forms["minus sign"] = reference.replace("-", MINUS)
    return forms


def shortened_numbers(reference: str, question: str) -> Forms:
    """Sorted numbers without zeros at the end."""
    items = [item.strip(" '") for item in reference.strip("[]").split(",")]
    short = [f"{item}0".rstrip("0").rstrip(".") if "." in item else item for item in items]
    return {"no zeros at the end": str(short)}


def json_value(*, single_quotes: bool = False, any_order: bool = False) -> Writer:
    """Return a writer of JSON with other spaces, and Python's quotes or another order."""

    def write(reference: str, question: str) -> Forms:
        try:
            value = json.loads(reference)
        except ValueError:
            return {}
        forms = {
            "no spaces": json.dumps(value, separators=(",", ":")),
            "pretty": json.dumps(value, indent=2),
            "spaces": json.dumps(value, separators=(" , ", " : ")),
        }
        if single_quotes:
            forms["single quotes"] = str(value)
        if any_order and isinstance(value, list):
            forms["reversed"] = json.dumps(value[::-1])
        if isinstance(value, dict) and len(value) > 1:
            forms["reversed keys"] = json.dumps(dict(reversed(value.items())))
        return forms

    return write


def mapping(reference: str, question: str) -> Forms:
    """``A=1,B=2`` with other spaces and in another order."""
    pairs = reference.split(",")
    return {
        "spaces": ", ".join(pairs),
        "spaces around =": ", ".join(pair.replace("=", " = ") for pair in pairs),
        "reversed": ",".join(pairs[::-1]),
        "lines": "\n".join(pairs),
    }


# --- grids --------------------------------------------------------------------------------------


def grid(reference: str, question: str) -> Forms:
    """Rows with other spaces and line ends, with commas, and as JSON."""
    rows = [line.split() for line in reference.split("\n")]
    values: list[list[Any]] = [[_json_cell(cell) for cell in row] for row in rows]
    lines = [json.dumps(row) for row in values]
    return {
        "space at line ends": "\n".join(" ".join(row) + " " for row in rows),
        "CRLF": "\r\n".join(" ".join(row) for row in rows),
        "tabs": "\n".join("\t".join(row) for row in rows),
        "two spaces": "\n".join("  ".join(row) for row in rows),
        "commas": "\n".join(", ".join(row) for row in rows),
        "commas without spaces": "\n".join(",".join(row) for row in rows),
        "line break at the end": "\n".join(" ".join(row) for row in rows) + "\n",
        "JSON": json.dumps(values),
        "JSON without spaces": json.dumps(values, separators=(",", ":")),
        "JSON on lines": "[" + ",\n ".join(lines) + "]",
    }


def _json_cell(cell: str) -> Any:
    return json.loads(cell) if NUMBER.fullmatch(cell) else cell


def compact_rows(reference: str, question: str) -> Forms:
    """Rows without spaces, where every cell is one character."""
    return {"compact rows": reference.replace(" ", "")}


def two_decimals(reference: str, question: str) -> Forms:
    """A matrix whose numbers all have two decimals, as the question asks."""
    rows = [line.split() for line in reference.split("\n")]
    return {"two decimals": "\n".join(" ".join(f"{float(cell):.2f}" for cell in r) for r in rows)}


def futoshiki(reference: str, question: str) -> Forms:
    """The board with other line ends, and the numbers alone."""
    lines = reference.split("\n")
    rows = [re.findall(r"\d", line) for line in lines if re.search(r"\d", line)]
    numbers = grid("\n".join(" ".join(row) for row in rows), question)
    forms = {f"numbers alone, {name}": text for name, text in numbers.items()}
    return forms | {
        "no space at line ends": "\n".join(line.rstrip() for line in lines),
        "CRLF": "\r\n".join(lines),
    }


def life_board(reference: str, question: str) -> Forms:
    """A board with other spaces, as in the question, and on lines."""
    rows = json.loads(reference)
    return json_value()(reference, question) | {
        "JSON on lines": "[" + ",\n ".join(json.dumps(row) for row in rows) + "]",
        "lines": "\n".join(" ".join(map(str, row)) for row in rows),
    }


def signs(reference: str, question: str) -> Forms:
    """Rows of signs with spaces between them and at line ends."""
    lines = reference.split("\n")
    return {
        "spaces": "\n".join(" ".join(line) for line in lines),
        "space at line ends": "\n".join(f"{line} " for line in lines),
        "CRLF": "\r\n".join(lines),
    }


# --- moves and formulas -------------------------------------------------------------------------


def moves(reference: str, question: str) -> Forms:
    """Moves separated by commas, lines or two spaces."""
    steps = reference.split()
    return {
        "commas": ", ".join(steps),
        "lines": "\n".join(steps),
        "two spaces": "  ".join(steps),
    }


def signed_moves(reference: str, question: str) -> Forms:
    """The moves of cars, also with U+2212."""
    return moves(reference, question) | {"minus sign": reference.replace("-", MINUS)}


def directions(reference: str, question: str) -> Forms:
    """Directions with commas or arrows, or one fixed word, in any case."""
    if len(reference.split()) < 2:
        return word(reference, question)
    listed = separated(of_words=True, arrows=True)(reference, question)
    return listed | {"upper case": reference.upper(), "title case": reference.title()}


def letters(reference: str, question: str) -> Forms:
    """Moves of one letter with spaces or commas between them."""
    return {"spaces": " ".join(reference), "commas": ", ".join(reference)}


def buttons(reference: str, question: str) -> Forms:
    """Buttons with other arrows, commas or spaces between them."""
    pressed = reference.split(" → ")
    return {
        "tight arrows": "→".join(pressed),
        "ASCII arrows": " -> ".join(pressed),
        "commas": ", ".join(pressed),
        "spaces": " ".join(pressed),
        "lines": "\n".join(pressed),
    }


def disk_moves(reference: str, question: str) -> Forms:
    """One move a line, with numbers, bullets, full stops, and other line ends."""
    lines = reference.split("\n")
    numbered = list(enumerate(lines, 1))
    return {
        "numbered": "\n".join(f"{number}. {line}" for number, line in numbered),
        "numbered with brackets": "\n".join(f"{number}) {line}" for number, line in numbered),
        "bullets": "\n".join(f"- {line}" for line in lines),
        "stars": "\n".join(f"* {line}" for line in lines),
        "full stops": "\n".join(f"{line}." for line in lines),
        "CRLF": "\r\n".join(lines),
        "space at line ends": "\n".join(f"{line} " for line in lines),
        "blank lines": "\n\n".join(lines),
        "lower case": reference.lower(),
    }


def coordinate(reference: str, question: str) -> Forms:
    """A point of a board in lower case."""
    return {"lower case": reference.lower()}


def formula(reference: str, question: str) -> Forms:
    """A formula with other spaces, in brackets, with U+2212."""
    forms = {"no spaces": reference.replace(" ", ""), "brackets": f"({reference})"}
    if "-" in reference:
        forms["minus sign"] = reference.replace("-", MINUS)
    return forms


def expression(reference: str, question: str) -> Forms:
    """A polynomial or an integral with other spaces or in another order."""
    forms = {"no spaces": reference.replace(" ", "")}
    if "-" in reference:
        forms["minus sign"] = reference.replace("-", MINUS)
    first, *others = re.split(r" ([-+]) ", reference)
    signed = [f"- {first[1:]}" if first.startswith("-") else f"+ {first}"]
    signed += [f"{sign} {term}" for sign, term in zip(others[::2], others[1::2], strict=True)]
    if len(signed) > 1 and "(" not in reference:
        head, *rest = signed[::-1]
        forms["reversed"] = " ".join([head.removeprefix("+ ").replace("- ", "-"), *rest])
    return forms


def conclusion(reference: str, question: str) -> Forms:
    """A statement with other spaces, with or without outer brackets."""
    forms = {"no spaces": reference.replace(" ", "")}
    if reference.startswith("(") and reference.count("(") == 1:
        forms["no outer brackets"] = reference.strip("()")
    return forms


def sentence(reference: str, question: str) -> Forms:
    """A sentence with other spaces between its words."""
    return {
        "single spaces": " ".join(reference.split()),
        "two spaces": "  ".join(reference.split()),
    }


def capitals(reference: str, question: str) -> Forms:
    """Letters that the question draws, in either case."""
    return {"lower case": reference.lower(), "upper case": reference.upper()}


def nothing(reference: str, question: str) -> Forms:
    """A text that has only one form."""
    return {}


def moves_or_no(reference: str, question: str) -> Forms:
    """A list of moves in JSON, or the word No."""
    if reference.startswith("["):
        return json_value(single_quotes=True)(reference, question)
    return word(reference, question)


_INTEGERS = """
    aiw basic_arithmetic binary_alternation chain_sum circuit_logic count_bits count_primes gcd
    gsm_symbolic largest_island lcm leg_counting letter_counting maze number_sequence products
    rectangle_count rotten_oranges self_reference simple_geometry
""".split()
_FIXED_WORDS = """
    acre color_cube_rotation course_schedule game_of_life_halting isomorphic_strings
    mahjong_puzzle ransom_note syllogism zebra_puzzles
""".split()
_GRIDS = "binary_matrix manipulate_matrix n_queens rotate_matrix survo".split()
_COMPACT_GRIDS = "arc_agi kakurasu mini_sudoku rearc sudoku".split()
_TEXTS = """
    base_conversion bf caesar_cipher needle_haystack palindrome_generation spell_backward
    string_insertion string_manipulation
""".split()

WRITERS: Mapping[str, Writer] = MappingProxyType(
    {
        **dict.fromkeys(_INTEGERS, integer),
        **dict.fromkeys(_FIXED_WORDS, word),
        **dict.fromkeys(_GRIDS, grid),
        **dict.fromkeys(_COMPACT_GRIDS, joined(grid, compact_rows)),
        **dict.fromkeys(_TEXTS, nothing),
        "ab": separated(of_words=True),
        "advanced_geometry": geometry,
        "arc_1d": separated(of_words=False),
        "bitwise_arithmetic": hexadecimal,
        "boxnet": json_value(),
        "calendar_arithmetic": date_or_count,
        "codeio": json_value(),
        "coin_flip": probability,
        "complex_arithmetic": complex_number,
        "countdown": formula,
        "cryptarithm": mapping,
        "decimal_arithmetic": decimal,
        "decimal_chain_sum": padded_decimal,
        "dice": fraction,
        "emoji_mystery": sentence,
        "family_relationships": relation,
        "figlet_font": capitals,
        "fraction_simplification": fraction,
        "futoshiki": futoshiki,
        "game_of_life": life_board,
        "graph_color": json_value(),
        "group_anagrams": json_value(single_quotes=True, any_order=True),
        "intermediate_integration": expression,
        "jugs": json_value(),
        "knight_swap": moves_or_no,
        "knights_knaves": roles,
        "letter_jumble": sentence,
        "list_functions": bracketed,
        "modulo_grid": signs,
        "number_filtering": bracketed,
        "number_format": joined(candidate, decimal),
        "number_sorting": joined(bracketed, shortened_numbers),
        "palindrome_partitioning": json_value(single_quotes=True, any_order=True),
        "path_star": separated(of_words=False, arrows=True),
        "polynomial_equations": joined(roots, assignment),
        "polynomial_multiplication": expression,
        "pool_matrix": joined(grid, two_decimals),
        "power_function": scientific,
        "prime_factorization": factors,
        "propositional_logic": conclusion,
        "puzzle24": formula,
        "quantum_lock": buttons,
        "rubiks_cube": moves,
        "rush_hour": signed_moves,
        "sentence_reordering": sentence,
        "shortest_path": directions,
        "simple_equations": joined(integer, assignment),
        "simple_integration": expression,
        "sokoban": letters,
        "spiral_matrix": separated(of_words=False),
        "string_splitting": separated(of_words=False),
        "string_synthesis": separated(of_words=False),
        "time_intervals": interval,
        "tower_of_hanoi": disk_moves,
        "tsumego": coordinate,
        "word_ladder": separated(of_words=True, arrows=True),
        "word_sequence_reversal": separated(of_words=True),
        "word_sorting": separated(of_words=True),
    }
)
"""The writer of each of the 105 tasks."""
