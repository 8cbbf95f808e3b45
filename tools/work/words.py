"""Work on words, lists and statements: letters, comparisons, rules, what is tried first."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise, takewhile
from typing import Any

from rgenv.tasks.entry import Entry


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


def number_filtering(entry: Entry) -> float:
    """Return the digits compared with those of the bound, summed over all numbers."""
    bound = entry["metadata"]["filter_value"]
    return float(sum(_compared(number, bound) for number in entry["metadata"]["original_numbers"]))


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


def palindrome_partitioning(entry: Entry) -> float:
    """Count the partitions."""
    return float(len(entry["metadata"]["solution"]))


def ransom_note(entry: Entry) -> float:
    """Count the letters of the magazine that the note asks for: those that have to be counted."""
    note, magazine = (entry["metadata"][name] for name in ("ransom_note", "magazine"))
    return float(len(note) + sum(letter in note for letter in magazine))


def sentence_reordering(entry: Entry) -> float:
    """Count the neighbours in the answer that are not neighbours in the question."""
    shuffled = entry["question"].split(": ", 1)[1].split()
    together = Counter(pairwise(shuffled))
    wanted = Counter(pairwise(entry["answer"].split()))
    return float((wanted - together).total())


def word_sorting(entry: Entry) -> float:
    """Count the letters to compare until all neighbours in the answer are told apart."""
    words = re.split(r",\s*", entry["answer"])
    return float(sum(1 + shared_letters(one, other) for one, other in pairwise(words)))


def shared_letters(one: str, other: str) -> int:
    """Return the length of the longest prefix that two words share."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))))


def circuit_logic(entry: Entry) -> float:
    """Count the inputs of gates, the negations and the gates."""
    terms = entry["metadata"]["term_strings"]
    inputs = sum(len(re.findall(r"[A-Z]+", term)) for term in terms)
    negations = sum(term.count("'") for term in terms)
    return float(inputs + negations + len(terms) + 1)


def knights_knaves(entry: Entry) -> float:
    """Count the parts of all statements, once for each person whose role is unknown."""
    statements = entry["metadata"]["statements"]
    return float(len(statements) * sum(map(parts, statements)))


def parts(statement: Any) -> int:
    """Count the operators and the claims about one person in a statement."""
    return isinstance(statement, (tuple, list)) and 1 + sum(map(parts, statement[1:]))


def propositional_logic(entry: Entry) -> float:
    """Count the variables and connectives of all premises."""
    return float(sum(len(re.findall(r"[A-Z¬∧∨→↔]", p)) for p in entry["metadata"]["premises"]))


def zebra_puzzles(entry: Entry) -> float:
    """Count the values to place in houses, and the clues."""
    values = sum(line.count(",") + 1 for line in re.findall(r"^ - .*$", entry["question"], re.M))
    return float(values + len(re.findall(r"^\d+\. ", entry["question"], re.M)))


def rectangle_count(entry: Entry) -> float:
    """Count the rectangles."""
    return float(entry["answer"])


def string_manipulation(entry: Entry) -> float:
    """Count the rules to compare with each string on the way to the answer."""
    return float(len(entry["metadata"]["states"]) * entry["metadata"]["num_rules"])


def string_splitting(entry: Entry) -> float:
    """Count the rules that are applied."""
    return float(len(entry["metadata"]["states"]) - 1)


def string_synthesis(entry: Entry) -> float:
    """Count the rules that are applied."""
    return float(len(entry["metadata"]["states"]) - 1)


OPERATIONS = ("sum", "diff", "prod", "pow")
"""The operations on coordinates that modulo_grid chooses from."""


def modulo_grid(entry: Entry) -> float:
    """Count the rules with a divisor up to the right one, and the cells to fill in.

    A rule is an operation, a divisor and a remainder below it.
    """
    divisor = int(entry["metadata"]["divisor"])
    rules = len(OPERATIONS) * divisor * (divisor + 1) // 2
    return float(rules + entry["question"].count("❔"))


def needle_haystack(entry: Entry) -> float:
    """Count the sentences up to the one that answers the question."""
    story, question = entry["question"].rsplit("\n", 1)
    fact = f"{entry['answer']} {question.removeprefix('Who ').split('?')[0]}"
    return float(1 + story.strip().removesuffix(".").split(". ").index(fact))


def string_insertion(entry: Entry) -> float:
    """Count the letters that are inserted."""
    return float(len(entry["answer"]) - len(entry["metadata"]["string"]))


def tsumego(entry: Entry) -> float:
    """Count the empty points next to a white stone: the moves that may capture something."""
    board = entry["metadata"]["board"]
    white = {(r, c) for r, row in enumerate(board) for c, cell in enumerate(row) if cell == "O"}
    return float(
        sum(
            cell == "." and bool(white & {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)})
            for r, row in enumerate(board)
            for c, cell in enumerate(row)
        )
    )
