"""Work on words, letters and lists: rewrites, swaps, comparisons, unknowns.

Example::

    ab(entry)    # 9.0: rewrites until the program stands still
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping

from rgenv.tasks.entry import Entry

# --- programs and puzzles of letters ------------------------------------------------------------


def ab(entry: Entry) -> float:
    """Return the rewrites until the program stands still.

    Equal kinds that face each other vanish, and others pass each other. So tokens of the kind A
    can be followed apart from those of the kind B.
    """
    tokens = entry["question"].split("following program:")[1].split("Return")[0].split()
    rewrites = 0
    index = 0
    while index < len(tokens) - 1:
        left, right = tokens[index], tokens[index + 1]
        if left.endswith("#") and right.startswith("#"):
            rewrites += 1
            tokens[index : index + 2] = [] if left[0] == right[1] else [right, left]
            index = max(index - 1, 0)
        else:
            index += 1
    return float(rewrites)


def cryptarithm(entry: Entry) -> float:
    """Return the unknowns: letters, and the values that each column's carry can take."""
    words = entry["metadata"]["words_letters"]
    columns = [sum(len(word) > place for word in words) for place in range(max(map(len, words)))]
    return float(len(entry["metadata"]["letters"]) + sum(count - 1 for count in columns))


def graph_color(entry: Entry) -> float:
    """Return the colours tried when vertices get the first that fits, going back if none does."""
    puzzle = entry["metadata"]["puzzle"]
    vertices, colors = puzzle["vertices"], puzzle["num_colors"]
    neighbours: dict[int, list[int]] = {vertex: [] for vertex in vertices}
    for a, b in puzzle["edges"]:
        neighbours[max(a, b)].append(min(a, b))
    chosen: list[int] = []
    first, work = 0, 0
    while len(chosen) < len(vertices) and work < _MAX_TRIES:
        taken = {chosen[other] for other in neighbours[vertices[len(chosen)]]}
        color = next((color for color in range(first, colors) if color not in taken), colors)
        work += min(color, colors - 1) - first + 1 if first < colors else 0
        if color < colors:
            chosen.append(color)
            first = 0
        else:
            first = chosen.pop() + 1
    return float(work)


_MAX_TRIES = 10_000


def jugs(entry: Entry) -> float:
    """Return the fewest moves."""
    return float(entry["metadata"]["puzzle"]["min_moves"])


# --- letters ------------------------------------------------------------------------------------


def binary_alternation(entry: Entry) -> float:
    """Return the characters in the wrong place, or the surplus of one kind if none can be right."""
    string = entry["metadata"]["string"]
    if entry["metadata"]["solution"] < 0:
        return float(abs(string.count("1") - string.count("0")))
    return 2.0 * int(entry["metadata"]["solution"])


def caesar_cipher(entry: Entry) -> float:
    """Return the rotations to try, the nearer way round, plus the letters to find."""
    letters = {letter for letter in entry["metadata"]["cipher_text"] if letter.isalpha()}
    rotation = entry["metadata"]["rotation"]
    return float(min(rotation, 26 - rotation) + len(letters))


def isomorphic_strings(entry: Entry) -> float:
    """Return the pairs of letters to remember until the strings end or contradict each other."""
    pairs: dict[str, str] = {}
    for left, right in zip(*entry["metadata"]["words"], strict=False):
        if pairs.setdefault(left, right) != right:
            break
    return float(len(pairs))


def letter_counting(entry: Entry) -> float:
    """Return the letters found, and the words that hold none of them to pass over."""
    letter = entry["metadata"]["target_letter"]
    counts = [word.lower().count(letter) for word in entry["metadata"]["span"]]
    return float(sum(max(count, 1) for count in counts))


def letter_jumble(entry: Entry) -> float:
    """Return the letters that are out of place."""
    metadata = entry["metadata"]
    words = zip(metadata["scrambled_words"], metadata["original_words"], strict=True)
    return float(sum(a != b for left, right in words for a, b in zip(left, right, strict=True)))


def group_anagrams(entry: Entry) -> float:
    """Return the comparisons of each word with the groups found before it."""
    groups: Counter[str] = Counter()
    work = 0
    for word in entry["metadata"]["words"]:
        key = "".join(sorted(word))
        work += list(groups).index(key) + 1 if key in groups else len(groups)
        groups[key] += 1
    return float(work)


# --- lists of numbers ---------------------------------------------------------------------------


def number_filtering(entry: Entry) -> float:
    """Return the digits compared with those of the bound, summed over all numbers."""
    bound = entry["metadata"]["filter_value"]
    return float(sum(_compared(number, bound) for number in entry["metadata"]["original_numbers"]))


def number_sorting(entry: Entry) -> float:
    """Return the comparisons of a sort."""
    count = len(entry["metadata"]["original_numbers"])
    return math.ceil(math.log2(math.factorial(count)))


def _compared(number: str, bound: str) -> int:
    """Return how many signs and digits have to be read to compare two numbers."""
    if number.startswith("-") != bound.startswith("-"):
        return 1
    left, right = (_aligned(text) for text in (number, bound))
    first = min(len(left) - len(left.lstrip("0")), len(right) - len(right.lstrip("0")))
    shared = next(
        (i for i, (a, b) in enumerate(zip(left, right, strict=True)) if a != b), len(left)
    )
    return max(shared - first, 0) + 2


def _aligned(text: str) -> str:
    """Return the digits of a number, ten before the point and ten after it."""
    whole, _, decimals = re.sub("[^0-9.]", "", text).partition(".")
    return f"{whole:0>10}{decimals:0<10}"[:20]


PROXIES: Mapping[str, Callable[[Entry], float]] = {
    "ab": ab,
    "binary_alternation": binary_alternation,
    "caesar_cipher": caesar_cipher,
    "cryptarithm": cryptarithm,
    "graph_color": graph_color,
    "group_anagrams": group_anagrams,
    "isomorphic_strings": isomorphic_strings,
    "jugs": jugs,
    "letter_counting": letter_counting,
    "letter_jumble": letter_jumble,
    "number_filtering": number_filtering,
    "number_sorting": number_sorting,
}
