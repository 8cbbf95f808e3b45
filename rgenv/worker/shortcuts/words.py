"""Rules for tasks about letters, words and strings.

Not shortcuts: to reverse what is to be reversed, or to sort what is to be sorted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import islice
from types import MappingProxyType

from rgenv.worker.shortcuts.text import compact, tail

Answers = dict[str, str]
MAX_LETTERS = 3000
"""Rules that try letters one by one leave longer strings alone."""


def ab(question: str) -> Answers:
    """Move the tokens to their sides, or remove pairs."""
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
        "move the tokens to their sides": " ".join(left + right),  # .06
        "remove pairs that touch": " ".join(kept),  # .22
        "remove as many of each letter": " ".join(rest),  # .28
    }


def number_filtering(question: str) -> Answers:
    """Go by the signs of the numbers, or leave out the first."""
    found = re.findall(r"'([^']*)'", question[question.index("[") : question.index("]")])
    return {
        "the negative numbers": str([value for value in found if value.startswith("-")]),  # .22
        "the other numbers": str([value for value in found if not value.startswith("-")]),  # .20
        "all but the first": str(found[1:]),  # .06
    }


def number_sorting(question: str) -> Answers:
    """Sort the list as text, or without the signs."""
    found = question.split("order: ", 1)[1].split("\n", 1)[0].split(", ")
    return {
        "sort as text": str(sorted(found)),  # .10
        "sort as text downwards": str(sorted(found, reverse=True)),  # .08
        "sort without signs": str(sorted(found, key=lambda v: float(v.lstrip("-")))),  # .06
    }


def palindrome_generation(question: str) -> Answers:
    """Join the letters in their order, or move one."""
    joined = "".join(tail(question).split(", "))
    middle = (len(joined) - 1) // 2
    return {
        "join the letters": joined,  # .14
        "move the first letter to the end": joined[1:] + joined[:1],  # .13
        "move the last letter to the middle": (  # .12
            joined[:middle] + joined[-1:] + joined[middle:-1]
        ),
    }


def palindrome_partitioning(question: str) -> Answers:
    """Cut into single letters, and besides with the first palindrome of three in one piece."""
    text = tail(question)[:MAX_LETTERS]
    ways = [list(text)]
    places = (n for n in range(len(text) - 2) if text[n] == text[n + 2])
    for n in islice(places, 1):
        ways.append([*text[:n], text[n : n + 3], *text[n + 3 :]])
    return {"single letters and one triple": compact(sorted(ways))}  # .14


def sentence_reordering(question: str) -> Answers:
    """Reverse the words, move the last one, or put the capital first and the full stop last."""
    words = question.split(": ", 1)[1].split(" ")
    first = next((word for word in words if word[:1].isupper()), words[0])
    last = next((word for word in words if word[-1:] in ".?!"), words[-1])
    middle = list(words)
    for word in (first, last):
        if word in middle:
            middle.remove(word)
    return {
        "reverse the words": " ".join(words[::-1]),  # .06
        "capital first, stop last": " ".join([first, *middle, last]),  # .31
        "capital first, stop last, reversed between": (  # .26
            " ".join([first, *middle[::-1], last])
        ),
        "last word first": " ".join([words[-1], *words[:-1]]),  # .05
    }


def spell_backward(question: str) -> Answers:
    """Swap the ends of the word."""
    word = tail(question)
    return {"swap the ends": word[-1] + word[1:-1] + word[0] if len(word) > 1 else word}  # .26


def string_insertion(question: str) -> Answers:
    """Copy the string."""
    return {"copy the string": tail(question)}  # .05


def word_ladder(question: str) -> Answers:
    """Change the letters one after another, from either end, whether or not they make words."""
    start, end = re.findall(r"'(\w+)'", question)[:2]
    places = [place for place, letter in enumerate(end) if start[place] != letter]
    answers = {}
    for name, order in (  # .67 .63
        ("left to right", places),
        ("right to left", places[::-1]),
    ):
        word, path = start, [start]
        for place in order:
            word = word[:place] + end[place] + word[place + 1 :]
            path.append(word)
        answers[f"change {name}"] = ",".join(path)
    return answers


def word_sequence_reversal(question: str) -> Answers:
    """Exchange the ends of the list."""
    words = tail(question).split(", ")
    return {"exchange the ends": ", ".join([words[-1], *words[1:-1], words[0]])}  # .27


def word_sorting(question: str) -> Answers:
    """Reverse the list, move a word, or sort by the first letters only or by length."""
    words = tail(question).split(", ")
    down = "in descending order" in question
    return {
        "sort by the first three letters": ", ".join(  # .24
            sorted(words, key=lambda word: word[:3], reverse=down)
        ),
        "reverse the list": ", ".join(words[::-1]),  # .08
        "first word last": ", ".join([*words[1:], words[0]]),  # .08
        "last word first": ", ".join([words[-1], *words[:-1]]),  # .07
        "sort by length": ", ".join(sorted(words, key=len)),  # .10
    }


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "ab": ab,
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
