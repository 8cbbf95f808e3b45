"""Rules for tasks about letters, words and strings.

Not shortcuts: to reverse what is to be reversed, to sort what is to be sorted, to group words by
their sorted letters, or to move each letter back by the right number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from types import MappingProxyType

from rgenv.worker.shortcuts.text import after, compact, tail

Answers = dict[str, str]
MAX_LETTERS = 3000
"""Rules that try letters one by one leave longer strings alone."""


def ab(question: str) -> Answers:
    """Copy the program, move the tokens to their sides, or remove pairs that touch."""
    tokens = question.split("following program:", 1)[1].split("\n\n")[1].split()
    left = [token for token in tokens if token[0] == "#"]
    right = [token for token in tokens if token[0] != "#"]
    kept: list[str] = []
    for token in tokens:
        if token[0] == "#" and kept and kept[-1] == token[1] + "#":
            kept.pop()
        else:
            kept.append(token)
    letters = [left.count(f"#{letter}") - right.count(f"{letter}#") for letter in "AB"]
    rest = [f"#{letter}" for letter, count in zip("AB", letters, strict=True) for _ in range(count)]
    rest += [f"{letter}#" for letter, n in zip("AB", letters, strict=True) for _ in range(-n)]
    return {
        "copy the program": " ".join(tokens),
        "move the tokens to their sides": " ".join(left + right),
        "remove pairs that touch": " ".join(kept),
        "remove as many of each letter": " ".join(rest),
        "remove all": "",
    }


def base_conversion(question: str) -> Answers:
    """Copy the number, or write it as if its digits were decimal or those of a usual base."""
    words = after("convert the ", question).split()
    number = words[words.index("number") + 1]
    answers = {"copy the number": number, "reverse the digits": number[::-1]}
    if number.isdecimal() and len(number) < 20:
        value = int(number)
        answers["hexadecimal of the digits"] = f"{value:x}"
        answers["binary of the digits"] = f"{value:b}"
    answers["append a zero"] = number + "0"
    return answers


def binary_alternation(question: str) -> Answers:
    """Answer from the counts of the digits alone."""
    bits = tail(question)
    ones, zeros = bits.count("1"), bits.count("0")
    return {
        "the difference of the counts": str(abs(ones - zeros)),
        "a quarter of the length": str(len(bits) // 4),
    }


def caesar_cipher(question: str) -> Answers:
    """Copy the text."""
    text = question.split(": ", 1)[1].split(". Provide", 1)[0]
    return {"copy the text": text, "reverse the text": text[::-1]}


def group_anagrams(question: str) -> Answers:
    """Group words by their length or first letters, in fixed sizes, or not at all."""
    words = json.loads(_last_list(question))
    keys: Mapping[str, Callable[[str], object]] = {
        "by length": len,
        "by length and smallest letter": lambda word: (len(word), min(word)),
        "by length and largest letter": lambda word: (len(word), max(word)),
        "by length and outermost letters": lambda word: (len(word), min(word), max(word)),
        "by length and vowels": lambda word: (
            len(word),
            re.sub("[^aeiou]", "", "".join(sorted(word))),
        ),
        "by smallest letter": min,
        "each alone": str,
        "all together": lambda _: 0,
    }
    answers = {}
    for name, key in keys.items():
        groups: dict[object, list[str]] = {}
        for word in words:
            groups.setdefault(key(word), []).append(word)
        answers[name] = _groups(groups.values())
    for name in ("by length", "by length and smallest letter"):
        runs = groupby(words, keys[name])
        answers[f"neighbours {name}"] = _groups(list(run) for _, run in runs)
    pairs = [words[place : place + 2] for place in range(0, len(words), 2)]
    return answers | {"pairs in order": _groups(pairs)}


def _groups(groups: Iterable[list[str]]) -> str:
    return json.dumps(sorted(sorted(group) for group in groups))


def _last_list(question: str) -> str:
    text = question.strip()
    return text[text.rindex("\n") + 1 :]


def letter_jumble(question: str) -> Answers:
    """Copy the words, or treat all of them alike."""
    words = question.split("unscramble these words: ", 1)[1].split(" ")
    swapped = [word[:1] + word[1:-1][::-1] + word[-1:] if len(word) > 1 else word for word in words]
    return {
        "copy the words": " ".join(words),
        "reverse each word": " ".join(word[::-1] for word in words),
        "sort the letters": " ".join("".join(sorted(word)) for word in words),
        "swap the ends": " ".join(
            word[-1] + word[1:-1] + word[0] if len(word) > 1 else word for word in words
        ),
        "reverse all but the ends": " ".join(swapped),
    }


def number_filtering(question: str) -> Answers:
    """Copy the list, or go by the signs of its numbers."""
    listed = question[question.index("[") : question.index("]") + 1]
    found = re.findall(r"'([^']*)'", listed)
    negative = [value for value in found if value.startswith("-")]
    positive = [value for value in found if not value.startswith("-")]
    return {
        "copy the list": listed,
        "nothing": "[]",
        "the negative numbers": str(negative),
        "the other numbers": str(positive),
        "all but the first": str(found[1:]),
        "all but the last": str(found[:-1]),
        "only the first": str(found[:1]),
        "only the last": str(found[-1:]),
    }


def number_sorting(question: str) -> Answers:
    """Copy the list, reverse it, or sort it as text or by the whole parts."""
    found = question.split("order: ", 1)[1].split("\n", 1)[0].split(", ")
    return {
        "copy the list": str(found),
        "reverse the list": str(found[::-1]),
        "sort as text": str(sorted(found)),
        "sort as text downwards": str(sorted(found, reverse=True)),
        "sort without signs": str(sorted(found, key=lambda value: float(value.lstrip("-")))),
    }


def palindrome_generation(question: str) -> Answers:
    """Join the letters in their order, or move the first one."""
    letters = tail(question).split(", ")
    joined = "".join(letters)
    return {
        "join the letters": joined,
        "move the first letter to the end": joined[1:] + joined[:1],
        "move the last letter to the middle": (
            joined[: (len(joined) - 1) // 2] + joined[-1:] + joined[(len(joined) - 1) // 2 : -1]
        ),
        "append the reverse": joined + joined[-2::-1],
    }


def palindrome_partitioning(question: str) -> Answers:
    """Cut into single letters, with the whole string or one pair besides."""
    text = tail(question)[:MAX_LETTERS]
    single = [list(text)]
    pairs, triples = (_joined(text, size) for size in (2, 3))
    return {
        "single letters": compact(single),
        "single letters and the whole": compact(sorted([*single, [text]])),
        "single letters and one pair": compact(sorted(single + pairs)),
        "single letters and one triple": compact(sorted(single + triples)),
    }


def _joined(text: str, size: int) -> list[list[str]]:
    """Return the letters with the first palindrome of `size` letters in one piece, if any."""
    for start in range(len(text) - size + 1):
        end = start + size
        if text[start] == text[end - 1]:
            return [[*text[:start], text[start:end], *text[end:]]]
    return []


def sentence_reordering(question: str) -> Answers:
    """Copy the words, or put the capital first and the full stop last."""
    words = question.split(": ", 1)[1].split(" ")
    first = next((word for word in words if word[:1].isupper()), words[0])
    last = next((word for word in words if word[-1:] in ".?!"), words[-1])
    middle = list(words)
    for word in (first, last):
        if word in middle:
            middle.remove(word)
    lower = [word for word in words if word != first]
    return {
        "copy the words": " ".join(words),
        "reverse the words": " ".join(words[::-1]),
        "capital first": " ".join([first, *lower]),
        "capital first, stop last": " ".join([first, *middle, last]),
        "capital first, stop last, reversed between": " ".join([first, *middle[::-1], last]),
        "last word first": " ".join([words[-1], *words[:-1]]),
    }


def spell_backward(question: str) -> Answers:
    """Copy the word."""
    word = tail(question)
    return {
        "copy the word": word,
        "swap the ends": word[-1] + word[1:-1] + word[0] if len(word) > 1 else word,
    }


def string_insertion(question: str) -> Answers:
    """Copy the string."""
    return {"copy the string": tail(question)}


def word_ladder(question: str) -> Answers:
    """Change the letters one after another, from either end, whether or not they make words."""
    start, end = re.findall(r"'(\w+)'", question)[:2]
    places = [place for place, letter in enumerate(end) if start[place] != letter]
    answers = {"both words": f"{start},{end}"}
    for name, order in (("left to right", places), ("right to left", places[::-1])):
        word, path = start, [start]
        for place in order:
            word = word[:place] + end[place] + word[place + 1 :]
            path.append(word)
        answers[f"change {name}"] = ",".join(path)
    return answers


def word_sequence_reversal(question: str) -> Answers:
    """Copy the list, or exchange its ends."""
    words = tail(question).split(", ")
    return {
        "copy the list": ", ".join(words),
        "exchange the ends": ", ".join([words[-1], *words[1:-1], words[0]]),
        "last word first": ", ".join([words[-1], *words[:-1]]),
    }


def word_sorting(question: str) -> Answers:
    """Copy the list, reverse it, or sort by first letters only or without case."""
    words = tail(question).split(", ")
    down = "in descending order" in question
    return {
        "ignore case": ", ".join(sorted(words, key=str.lower, reverse=down)),
        "sort by the first letter": ", ".join(sorted(words, key=lambda w: w[:1], reverse=down)),
        "sort by the first three letters": ", ".join(
            sorted(words, key=lambda word: word[:3], reverse=down)
        ),
        "copy the list": ", ".join(words),
        "reverse the list": ", ".join(words[::-1]),
        "first word last": ", ".join([*words[1:], words[0]]),
        "last word first": ", ".join([words[-1], *words[:-1]]),
        "sort by length": ", ".join(sorted(words, key=len)),
    }


def emoji_mystery(question: str) -> Answers:
    """Answer with nothing but the emoji."""
    hidden = question.split("from the emoji: ", 1)[1]
    return {"the emoji": hidden[:1], "the hint": after("```", question)[:200]}


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "ab": ab,
        "base_conversion": base_conversion,
        "binary_alternation": binary_alternation,
        "caesar_cipher": caesar_cipher,
        "emoji_mystery": emoji_mystery,
        "group_anagrams": group_anagrams,
        "letter_jumble": letter_jumble,
        "number_filtering": number_filtering,
        "number_sorting": number_sorting,
        "palindrome_generation": palindrome_generation,
        "palindrome_partitioning": palindrome_partitioning,
        "sentence_reordering": sentence_reordering,
        "spell_backward": spell_backward,
        "string_insertion": string_insertion,
        "word_ladder": word_ladder,
        "word_sequence_reversal": word_sequence_reversal,
        "word_sorting": word_sorting,
    }
)
