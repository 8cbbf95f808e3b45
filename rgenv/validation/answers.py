"""Answers that test a verifier: wrong ones, junk, and constants; and whether two are the same.

::

    dict(wrong_answers("127", ["127", "52"]))
    # {"other": "52", "digit": "227", "prefix": "1127", "swap": "217", "drop": "12"}
    same_answer("0.50", "1/2")    # True

All functions are pure and deterministic.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

CANARIES = json.loads(Path(__file__).with_name("canaries.json").read_text())
"""Texts that no verifier may pay: ``junk`` answers nothing; ``constants`` are right by chance."""

MAX_CONSTANTS = {
    "answers": 8,
    "templates": 2,
    "lines": 4,
    "words": 5,
    "numbers": 4,
    "characters": 3,
}
"""The maximum number of constants of each origin, in addition to those of `CANARIES`."""


MAX_OTHERS = 20
"""The most reference answers of other problems among the near misses of a problem."""


def wrong_answers(reference: str, references: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield answers that look like `reference` but differ from it, each with its kind.

    The kinds are ``other`` (the reference answer of another problem), ``digit`` (one digit
    changed), ``prefix`` (a digit put before a number), ``swap`` (two parts exchanged) and ``drop``
    (the last part removed). Numbers that round to `reference` are left out.

    Args:
        references: the reference answers of all problems.
    """
    seen = [reference]
    for kind, text in _variants(reference, references):
        if nearly_equal(text, reference) or any(same_answer(text, other) for other in seen):
            continue
        if text.strip():
            seen.append(text)
            yield kind, text


def _variants(reference: str, references: Sequence[str]) -> Iterator[tuple[str, str]]:
    others = [other for other in references if not same_answer(other, reference)]
    yield from (("other", other) for other in others[:1] + others[-1:])
    digit = re.search(r"\d", reference)
    if digit is not None:
        before, after = reference[: digit.start()], reference[digit.end() :]
        yield "digit", f"{before}{int(digit[0]) % 9 + 1}{after}"
        if re.fullmatch(r"[-+]?\d[\d.,/]*", reference.strip()):
            yield "prefix", f"{before}1{digit[0]}{after}"
    parts = _split_parts(reference)
    for first, second in zip(range(0, len(parts), 2), range(2, len(parts), 2), strict=False):
        if parts[first] != parts[second]:
            swapped = [*parts]
            swapped[first], swapped[second] = parts[second], parts[first]
            yield "swap", "".join(swapped)
            break
    if len(parts) > 1:
        yield "drop", "".join(parts[:-2])


def near_misses(reference: str, references: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield wrong answers that a careless verifier pays, each with its kind.

    Numbers have another sign, one more or less, ten times as much, other digits or digits in
    another order; texts have another case where the case matters, or are a part of the reference
    answer, or have a part twice. Other reference answers, at most `MAX_OTHERS`, are wrong, too.
    """
    seen = {normalized(reference)}
    others = [("other", other) for other in dict.fromkeys(references)][: MAX_OTHERS + 1]
    is_number = isinstance(normalized(reference), Fraction)
    for kind, text in [*(_of_number if is_number else _of_text)(reference.strip()), *others]:
        if text.strip() and normalized(text) not in seen:
            seen.add(normalized(text))
            yield kind, text
    if re.search(r"[a-z][A-Z]|[A-Z]{2}[a-z]", reference):  # not of a name or a sentence
        yield "case", reference.swapcase()


def _of_number(text: str) -> Iterator[tuple[str, str]]:
    sign, digits = ("-", text[1:]) if text[0] == "-" else ("", text.removeprefix("+"))
    yield "sign", digits if sign else f"-{digits}"
    if digits.isdecimal():
        yield from (("next", str(int(text) + step)) for step in (1, -1))
        yield "ten times", f"{text}0"
        yield "order", f"{sign}{digits[::-1]}"
        yield "double", f"{text}{digits}"
        yield from (("part", f"{sign}{part}") for part in (digits[:-1], digits[1:], digits[:1]))


def _of_text(text: str) -> Iterator[tuple[str, str]]:
    parts = _split_parts(text)
    yield "order", "".join(parts[::-1])
    yield "double", text + "".join(parts[-2:])
    yield from (("part", "".join(parts[:end])) for end in (1, len(parts) // 4 * 2 + 1))
    yield "part", "".join(parts[2:])
    yield "part", text[: max(1, len(text) // 2)]


def _split_parts(text: str) -> list[str]:
    """Split into parts and, between them, separators: words, or the characters of a single word."""
    words = re.split(r"([\s,]+)", text.strip())
    if len(words) > 1:
        return words
    return [piece for character in text.strip() for piece in (character, "")][:-1]


def junk_answers(
    question: str, reference: str | None, references: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield texts that answer no question, each with its kind.

    They are an empty answer, the question itself (``echo``), some words and special numbers, and
    the reference answers of all problems at once.
    """
    yield "empty", ""
    yield "echo", question
    for text in CANARIES["junk"]:
        if reference is None or not same_answer(text, reference):
            yield text, text
    distinct = list(dict.fromkeys(references))
    if len(distinct) > 1:
        listed = _moved_to_middle(distinct, reference)
        yield "all labels", "\n".join(listed)
        yield "all labels", ", ".join(listed)


def _moved_to_middle(references: list[str], reference: str | None) -> list[str]:
    """Move `reference` to the middle: a verifier may rightly accept the first or last answer."""
    if reference not in references:
        return references
    others = [other for other in references if other != reference]
    middle = (len(others) + 1) // 2
    return [*others[:middle], reference, *others[middle:]]


def constant_answers(references: Sequence[str]) -> list[str]:
    """Return answers to try on every problem: short literals and what is frequent in `references`.

    Frequent reference answers, these with all digits set to 0 (``templates``), and their lines,
    words, numbers and characters; `MAX_CONSTANTS` limits each origin.
    """
    pieces: dict[str, Iterable[str]] = {
        "answers": references,
        "templates": (re.sub(r"\d", "0", text) for text in references),
        "lines": (line for text in references for line in set(text.splitlines())),
        "words": (word for text in references for word in set(re.split(r"[\s,;]+", text))),
        "numbers": (n for text in references for n in set(re.findall(r"-?\d+(?:\.\d+)?", text))),
        "characters": (character for text in references for character in set(text)),
    }
    chosen = dict.fromkeys(CANARIES["constants"])
    for origin, texts in pieces.items():
        # Equal counts are ordered by length and text: the iteration order of sets varies.
        ranked = sorted(Counter(texts).items(), key=lambda pair: (-pair[1], len(pair[0]), pair[0]))
        chosen |= dict.fromkeys(text for text, _ in ranked[: MAX_CONSTANTS[origin]] if text.strip())
    return list(chosen)


def same_answer(first: str, second: str) -> bool:
    """Whether two answers differ at most in case, spaces and the notation of a number."""
    return normalized(first) == normalized(second)


def nearly_equal(first: str, second: str, *, parts: int = 100) -> bool:
    """Whether two answers are numbers that differ by at most one in `parts`, as rounding may do."""
    one, other = normalized(first), normalized(second)
    if isinstance(one, str) or isinstance(other, str):
        return False
    return abs(one - other) <= abs(other) / parts


def equal_but_for_zeros(first: str, second: str) -> bool:
    """Whether two answers differ in zeros at the end of decimals, or in the noise of floats."""
    one, other = (re.sub(r"\.(\d*?)0*$", r".\1", text).rstrip(".") for text in (first, second))
    return one == other or nearly_equal(first, second, parts=10**12)


@lru_cache(maxsize=4096)
def normalized(text: str) -> str | Fraction:
    """Return the number that `text` is, or the text in lower case with single spaces."""
    words = " ".join(text.casefold().split())
    found = re.fullmatch(r"([-+]?\d{1,40}(?:\.\d{1,40})?)(/\d{1,40})?", words)
    if found is None or (found[2] and not int(found[2][1:])):
        return words
    return Fraction(found[1]) / (int(found[2][1:]) if found[2] else 1)
