"""Rules for words and lists: counting, sorting, reversing, comparing.

"Spell this word backward (example: sun -> nus): ammonia"  ->  "ainomma"
"""

import re

from .table import rule

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
BASES = {"binary": 2, "hexadecimal": 16}


def base_of(name: str) -> int:
    return BASES.get(name) or int(name.removeprefix("base-"))


@rule("base_conversion", r"convert the (\S+) number (\w+) to (\S+)")
def convert(source: str, number: str, target: str) -> str:
    rest, base = int(number, base_of(source)), base_of(target)
    if not 2 <= base <= len(DIGITS):
        raise ValueError(f"no digits for base {base}")
    digits = ""
    while rest:
        rest, digit = divmod(rest, base)
        digits = DIGITS[digit] + digits
    return digits or "0"


@rule("letter_counting", r'How many times does the letter "(\w)" appear in the text: "(.*)"')
def count_letter(letter: str, text: str) -> str:
    return str(text.lower().count(letter.lower()))


@rule("spell_backward", r"Spell this word backward .*: (\S+)\s*$")
def spell_backward(word: str) -> str:
    return word[::-1]


@rule("word_sorting", r"sort these words in (ascending|descending) order .*list: (.+)")
def sort_words(direction: str, words: str) -> str:
    return ", ".join(sorted(words.split(", "), reverse=direction == "descending"))


@rule("number_sorting", r"Sort these numbers in (ascending|descending) order: (.+)")
def sort_numbers(direction: str, numbers: str) -> str:
    return str(sorted(numbers.split(", "), key=float, reverse=direction == "descending"))


@rule("number_filtering", r"(Keep|Remove) all numbers (larger|smaller) than (\S+) in .*list: (.+)")
def filter_numbers(action: str, side: str, limit: str, numbers: str) -> str:
    def matches(number: str) -> bool:
        value, bound = float(number), float(limit)
        return value > bound if side == "larger" else value < bound

    listed = re.findall(r"'([^']+)'", numbers)
    return str([number for number in listed if matches(number) == (action == "Keep")])
