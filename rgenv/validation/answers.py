"""Answers that test a verifier: right ones in other forms, wrong ones, junk, and constants.

dict(near_misses("127", ["127", "52"]))       # {"digit": "227", "sign": "-127", ...}
"""

import ast
import contextlib
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

JUNK = ("I don't know", "None", "nan", "inf", "[NaN, NaN, NaN]")
"""Texts that answer nothing, so that no verifier may pay them."""

CONSTANTS = ("0", "1", "-1", "2", "True", "False", "Yes", "No", "None", "[]", "{}", "nan", "A", "(")
"""Texts that are right by chance at most."""

_NUMBER = re.compile(
    r"(?<![\w.:/-])(-?)(?=[\d.]*[1-9])(\d++(?:\.\d+)?(?:/\d+)?)"
    r"(?!(?![eE]-)\w*[-:/.]\d|[.):]\s|(?:st|nd|rd|th)\b)"
)
"""A number in a text, and its sign: no part of a date or time, no ordinal, and not 0."""

_DECIMAL = re.compile(r"(?<![\w.,])(?=[\d.]*[1-9])(\d+)\.(\d)(\d*)(?!\.?\d)")
_EXPONENT = re.compile(r"(?<=\d)([eE])([-+]?)(?=0*[1-9])")
_SHOWN = re.compile(
    r"(?<![\w.])\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m\b)?"  # a time
    r"|(?<![\w.])\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?!\w)"  # a date
    r"|(?<![\w.])(?:(?:\d+(?:\.\d+)?[a-z]?|[a-z](?![a-z'])|[-+*/^()])\s*)+(?!\w)"  # a formula
)
_FORMULA = re.compile(r"(?=.*(?:[*^=+\\]|\d[a-z]\b))[\w\s.,+*/^()={}\\-]+")
_OPERATOR = re.compile(r"(?<=[\w)}] )[-+](?= (?!0\b)[\w(\\])|(?<=[A-Za-z)}])[-+](?=[1-9])")
_UNIT = re.compile(r"(.*\d)\s*((?!(?:st|nd|rd|th)$)°?[^\W\d_][^\s\d]*(?:\^?\d)?|[%°€£$])")
_TIME = re.compile(r"(?<![\d:])([01]?\d|2[0-3])(:[0-5]\d(?::[0-5]\d)?)(?![\d:]|\s*[ap]\.?m)", re.I)
_PAIR = re.compile(r"""\b(\w++)(["']?\s*[:=]\s*)([^\s,;{}]+)""")
"""A key and a value, such as ``x = 3``."""

MAX_FREQUENT, MAX_NUMBERS, MAX_OTHERS = 8, 8, 20
"""The most reference answers, and as many of their words, among the constants; numbers of a text
that are changed; reference answers of other problems among the near misses of one."""

WRAPPERS = {
    "full stop": "{}.",
    "CJK full stop": "{}。",
    "invisible characters": "\u200b{}\u2060\ufeff",
    "bold": "**{}**",
    "italics": "*{}*",
    "backticks": "`{}`",
    "code fence": "```\n{}\n```",
    "code fence with a language": "```text\n{}\n```",
    "boxed": "\\boxed{{}}",
    "dollars": "${}$",
    "LaTeX brackets": "\\({}\\)",
    "LaTeX display": "\\[{}\\]",
    "LaTeX bold": "\\textbf{{}}",
    "LaTeX upright": "\\mathrm{{}}",
    "double quotes": '"{}"',
    "single quotes": "'{}'",
    "white space": "\n  {}\n",
}
"""Name of a wrapper -> the wrapped text, with {} for the answer."""


def written(answer: str) -> dict[str, str]:
    """Return an answer in each wrapper whose marks can't be signs of it, by the wrapper's name."""
    return {name: wrap(name, answer) for name in WRAPPERS if _fits(name, answer)}


def _fits(wrapper: str, text: str) -> bool:
    mark = WRAPPERS[wrapper].partition("{}")[2]
    if mark.strip(".。*`$'\""):  # LaTeX, a fence, or space
        return mark[0] != "\\" or not re.search(r"\\[()\[\]]", text)
    return mark[0] not in text and bool(re.search(r"[^\W_]", text))


def wrap(wrapper: str, text: str) -> str:
    """Return `text` in the wrapper of that name."""
    return WRAPPERS[wrapper].replace("{}", text, 1)


def near_misses(reference: str, references: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield wrong answers that a careless verifier pays, each with its kind (docs/own_tasks.md)."""
    seen = {normalized(reference)}
    others = [("other", text) for text in dict.fromkeys(references) if not _rounds(text, reference)]
    is_number = isinstance(normalized(reference), Fraction)
    text = reference.strip()
    changed = [*_with_other_unit(text, references), *(_of_number if is_number else _of_text)(text)]
    changed += [("decimals", other) for other in _other_decimals(text)]
    for kind, text in [*changed, *others[:MAX_OTHERS]]:
        if text.strip() and normalized(text) not in seen:
            seen.add(normalized(text))
            yield kind, text
    # Not a name or a sentence
    if re.fullmatch(r"\S*([a-z][A-Z]|[A-Z]{2}[a-z]|\b[A-Z][a-z]\d)\S*", reference):
        yield "case", reference.swapcase()


def _of_number(text: str) -> Iterator[tuple[str, str]]:
    sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text.removeprefix("+"))
    yield "sign", digits if sign else f"-{digits}"
    numerator, slash, denominator = digits.partition("/")
    if slash:
        yield "swap", f"{sign}{denominator}/{numerator}"
    yield from (("digit", sign + other) for other in _other_digits(digits))
    whole, _, decimals = digits.partition(".")
    if decimals.isdecimal() and whole.isdecimal():
        yield "ten times", f"{sign}{Decimal(digits).scaleb(1):f}"
        if not _rounds(whole, digits):
            yield "part", f"{sign}{whole}"
        value = float(digits)
        tolerance = value / 50  # more than rounding explains
        shorter = (digits[:end] for end in range(len(digits) - 1, len(whole) + 1, -1))
        cut = (text for text in shorter if value - float(text) > tolerance)
        yield from (("part", sign + text) for text in itertools.islice(cut, 1))
        yield "next", f"{sign}{value + max(tolerance, 10 ** (1 - len(decimals))):.{len(decimals)}f}"
    if digits.isdecimal():
        yield from (("next", str(int(text) + step)) for step in (1, -1))
        yield "ten times", f"{text}0"
        yield "decimals", f"{text}.2"
        yield "prefix", f"{sign}1{digits}"
        yield "order", f"{sign}{digits[::-1]}"
        yield "double", f"{text}{digits}"
        yield from (("part", f"{sign}{part}") for part in (digits[:-1], digits[1:], digits[:1]))
    if not slash and Decimal(digits) >= 1:  # a smaller one may differ by a tolerance only
        yield "tenth", f"{sign}{Decimal(digits).scaleb(-1):f}"


def copied(question: str, reference: str) -> Iterator[tuple[str, str]]:
    """Yield what a question shows: a grid or list to be changed, a fraction, date or number."""
    found = [re.sub(r"^a |[-+*/^ ]+$", "", one[0]) for one in _SHOWN.finditer(question)]
    known = {*reference.split(), re.sub(r"\s", "", reference)}
    for text in [one for one in dict.fromkeys(found) if re.search(r"\d", one)][:MAX_NUMBERS]:
        is_decimal = re.fullmatch(r"\d+(\.\d+)?", text) and same_answer(text, reference)
        if not is_decimal and re.sub(r"\s", "", text) not in known:
            yield "copy", text
    lines, widths = question.strip().splitlines(), [len(x.split()) for x in reference.splitlines()]
    for first in range(len(lines) - len(widths) + 1) if len(widths) > 1 else ():
        some = lines[first : first + len(widths)]
        is_last, text = first + len(widths) == len(lines), "\n".join(some)
        alike = is_last or [len(x.split()) for x in some] == widths
        if alike and not same_answer(text, reference):
            yield "copy", text
    right = _items(reference)
    for text in re.findall(r"\[.*\]|\(.*\)|\{.*\}|(?<=: ).*\w", question):
        if len(right) > 1 and len(given := _items(text)) == len(right) and given != right:
            yield "copy", text
    words = re.findall(r"\b[A-Z]{3,}\b", reference)
    for word in words if reference.upper() != reference or len(words) > 1 else ():
        if re.search(rf"\b{word.lower()}\b", question):
            yield "case", reference.lower()


def _items(text: str) -> list[str]:
    return re.sub(r"[,;()\[\]{}\"']", " ", str(normalized(text))).split()


def _rounds(text: str, reference: str) -> bool:
    """Return whether a decimal number may be rounded to another: they differ by 1 % at most."""
    one, other = normalized(text), normalized(reference)
    if isinstance(one, str) or isinstance(other, str) or other.denominator == 1:
        return False
    return abs(one - other) <= abs(other) / 100


def _of_text(text: str) -> Iterator[tuple[str, str]]:
    parts = _split_parts(text)
    yield from (("digit", other) for other in _other_digits(text))
    yield "order", "".join(parts[::-1])
    yield "swap", "".join([*parts[2:3], *parts[1:2], *parts[:1], *parts[3:]])
    yield "swap", "".join([*parts[:-3], *parts[-1:], *parts[-2:-1], *parts[-3:-2]])
    first = len(parts) // 4 * 2  # in the middle
    yield "swap", "".join([*parts[:first], *parts[first : first + 3][::-1], *parts[first + 3 :]])
    yield "swap", "\n".join(text.splitlines()[::-1])
    yield "swap", re.sub(r"(\\[dt]?frac)(\{[^{}]+\})(\{[^{}]+\})", r"\1\3\2", text)
    if re.fullmatch(r"[^\W\d_]+(?: [^\W\d_]+){0,2}", text):
        yield "negation", f"not {text}"
        yield "double", f"{text} {text}"
    yield from (("sign", other) for other in _other_signs(text))
    yield from (("key", other) for other in _other_keys(text))
    if text[:1].isalpha():  # after a number, it may be a unit
        yield "joined", re.sub(r"(?<=[^\W\d_]{2}) (?=[^\W\d_]{2})", "", text, count=1)
    yield "double", text + "".join(parts[-2:])
    yield "double", "".join(parts[:2]) + text
    yield from (("part", "".join(parts[:end])) for end in (1, len(parts) // 4 * 2 + 1, -2))
    yield "part", "".join(parts[2:])
    yield "part", text[: max(1, len(text) // 2)]


def _other_digits(text: str) -> Iterator[str]:
    """Yield the text with its first digit one higher, and with one of each number changed.

    That is the last digit, of the last number also one lower, or the first one if others may be
    rounded.
    """
    numbers = list(re.finditer(r"\d+(?:\.\d+)?", text, re.ASCII))
    numbers = [*numbers[: MAX_NUMBERS - 1], *numbers[MAX_NUMBERS - 1 :][-1:]]
    ends = [n.start() if "." in n[0] else n.end() - 1 for n in numbers]
    for place in dict.fromkeys([*(n.start() for n in numbers[:1]), *ends]):
        yield f"{text[:place]}{int(text[place]) % 9 + 1}{text[place + 1 :]}"
    for place in (one for one in ends[-1:] if "." not in numbers[-1][0] and text[one] != "0"):
        yield f"{text[:place]}{int(text[place]) - 1}{text[place + 1 :]}"


def _other_decimals(text: str) -> Iterator[str]:
    """Yield the text without the point of its first or last decimal number, or with another tenth.

    The latter only where no tolerance explains it.
    """
    found = list(_DECIMAL.finditer(text))
    for one in dict.fromkeys([*found[:1], *found[-1:]]):
        whole, first, rest = one.groups()
        numbers = [whole + first + rest]
        if int(whole) < 25:
            numbers.append(f"{whole}.{(int(first) + 5) % 10}{rest}")
        yield from (text[: one.start()] + number + text[one.end() :] for number in numbers)


def _other_signs(text: str) -> Iterator[str]:
    """Yield the text with another sign of its first number, of its last one, and of none."""
    numbers = list(_NUMBER.finditer(text))
    for one in dict.fromkeys([*numbers[:1], *numbers[-1:]]):
        flipped = one[2] if one[1] else f"-{one[2]}"
        yield text[: one.start()] + flipped + text[one.end() :]
    if not re.search(r"[*\\]", text):  # two signs of a product or a quotient make none
        yield _NUMBER.sub(r"\2", text)
    for one in _EXPONENT.finditer(text):
        yield text[: one.start(2)] + ("" if one[2] == "-" else "-") + text[one.end() :]
    operators = list(_OPERATOR.finditer(text)) if _FORMULA.fullmatch(text) else []
    for one in dict.fromkeys([*operators[:1], *operators[-1:]]):
        yield text[: one.start()] + ("+" if one[0] == "-" else "-") + text[one.end() :]


def _other_keys(text: str) -> Iterator[str]:
    """Yield a mapping with two values exchanged or a pair less; in braces, also another key."""
    for read, write in ((json.loads, json.dumps), (ast.literal_eval, repr)):
        with contextlib.suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            found = read(text) if text.startswith("{") else None
            if isinstance(found, dict) and len(found) > 1:
                yield from (write(dict(items)) for items in _other_items([*found.items()]))
                return
    pairs = [one for one in _PAIR.finditer(text) if not one[1].isdigit()]
    if len(pairs) < 2 or len({one[1] for one in pairs}) < len(pairs):
        return
    first, before, last = pairs[0], pairs[-2], pairs[-1]
    between = text[first.end(3) : last.start(3)]
    yield text[: first.start(3)] + last[3] + between + first[3] + text[last.end() :]
    if last[3] != "0":  # what does not occur may be left out
        yield text[: before.end()] + text[last.end() :]


def _other_items(items: list[tuple[object, object]]) -> Iterator[list[tuple[object, object]]]:
    (first, one), *between, (last, other) = items
    if one != other:
        yield [(first, other), *between, (last, one)]
    yield [(f"{first}x", one), *items[1:]]
    yield [*items, (f"{last}x", other)]
    if other:  # what does not occur may be left out
        yield items[:-1]


def _with_other_unit(text: str, references: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the text with the unit of another reference answer, or the time twelve hours later."""
    if (own := _UNIT.fullmatch(text)) and own[1] != "1":  # the units of 1 are singular
        found = [other for one in references if (other := _UNIT.fullmatch(one.strip()))]
        units = dict.fromkeys(other[2] for other in found if other[1] != "1")
        yield from (("unit", text[: own.start(2)] + unit) for unit in [*units][:4])
        yield "unit", own[1]
        if re.fullmatch(r"-?[1-9]\d*", own[1]):
            yield "ten times", f"{own[1]}0{text[own.end(1) :]}"
    times = [time for time in map(_TIME.search, references) if time]
    if any(int(time[1]) > 12 for time in times) and (time := _TIME.search(text)):  # of 24 hours
        later = f"{(int(time[1]) + 12) % 24:0{len(time[1])}}"
        yield "time", text[: time.start(1)] + later + text[time.end(1) :]


def _split_parts(text: str) -> list[str]:
    """Split into words, or what stands between - : / and . or characters, and separators."""
    for separators in (r"([\s,]+)", r"([-:/.])"):
        if len(words := re.split(separators, text.strip())) > 1:
            return words
    return [piece for character in text.strip() for piece in (character, "")][:-1]


def junk_answers(
    question: str, reference: str | None, references: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield texts that answer no question, each with its kind; ``echo`` is the question itself."""
    yield "echo", question
    for text in JUNK:
        if reference is None or not same_answer(text, reference):
            yield "junk", text
    listed = [one for one in dict.fromkeys(references) if one != reference]
    if listed and reference:
        listed.insert((len(listed) + 1) // 2, reference)  # the first or last one may be read
    if len(listed) > 1:
        yield "all answers", "\n".join(listed)
        yield "all answers", ", ".join(listed)


def constant_answers(references: Sequence[str]) -> list[str]:
    """Return answers to try on every problem: short literals, frequent references and words."""
    words = [word for text in references for word in dict.fromkeys(re.split(r"[\s,;]+", text))]
    ranked = [Counter(some).most_common(MAX_FREQUENT) for some in (references, words)]
    frequent = [text for counts in ranked for text, _ in counts]
    return [text for text in dict.fromkeys([*CONSTANTS, *frequent]) if text.strip()]


def same_answer(first: str, second: str) -> bool:
    """Return whether two answers differ at most in case, spaces and the notation of a number."""
    return normalized(first) == normalized(second)


@lru_cache(maxsize=4096)
def normalized(text: str) -> str | Fraction:
    """Return the number that `text` is, or the text in lower case with single spaces.

    Zeros at the end of decimals don't count.
    """
    words = " ".join(text.casefold().split())
    words = re.sub(r"(?<![\d.])(\d+)(?:\.0+|(\.\d*?)0+)(?![\d.])", r"\1\2", words)
    found = re.fullmatch(r"([-+]?\d{1,40}(?:\.\d{1,40})?)(/\d{1,40})?", words)
    if found is None or (found[2] and not int(found[2][1:])):
        return words
    return Fraction(found[1]) / (int(found[2][1:]) if found[2] else 1)
