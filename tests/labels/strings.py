"""Checks of tasks on words, letters and lists, by the rules of the question."""

import ast
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from importlib.resources import files

from tests.labels.shared import Verdict, find, last_line


def isomorphic_strings(question: str, answer: str) -> Verdict:
    """Test that there are as many pairs of letters as letters on either side."""
    left, right = last_line(question).split()
    pairs = set(zip(left, right, strict=True))
    same = len(pairs) == len(set(left)) == len(set(right))
    return answer == str(same)


def ransom_note(question: str, answer: str) -> Verdict:
    """Count the letters of note and magazine."""
    note = question.split("Ransom note: ")[1].split("\n")[0].strip()
    magazine = question.split("Magazine: ")[1].split("\n")[0].strip()
    enough = all(magazine.count(letter) >= note.count(letter) for letter in note)
    return answer == str(enough)


def word_sorting(question: str, answer: str) -> Verdict:
    """Test that the answer has the given words, in the order of their character codes."""
    match = find(r"sort these words in (\w+) order .*: (.*)", question)
    answer, words = answer.split(", "), match[2].strip().split(", ")
    if match[1] == "descending":
        answer.reverse()
    codes = [[ord(letter) for letter in word] for word in answer]
    return Counter(answer) == Counter(words) and all(a <= b for a, b in itertools.pairwise(codes))


def sentence_reordering(question: str, answer: str) -> Verdict:
    """Look the answer up in the text that the sentences come from, from one stop to another.

    Quotation marks do not count, nor does the stop of a title. A paragraph begins a sentence.
    """
    text = (files("reasoning_gym.data") / "in_the_year_2889.txt").read_text(encoding="utf-8")
    plain = " ".join(re.sub(r"\n\s*\n", " . ", text.replace('"', "")).split())
    shuffled = question.split(": ", 1)[1]
    same_words = Counter(shuffled.split()) == Counter(answer.split())
    before, found, _ = plain.partition(answer)
    begins = not before or before.rstrip().endswith((".", "!", "?"))
    return same_words and bool(found) and begins and not before.rstrip().endswith(("Mr.", "Mrs."))


def number_sorting(question: str, answer: str) -> Verdict:
    """Test that the answer has the given numbers, in order."""
    match = find(r"in (\w+) order: (.*)", question)
    answer = ast.literal_eval(answer)
    if match[1] == "descending":
        answer.reverse()
    values = [Fraction(number) for number in answer]
    return Counter(answer) == Counter(match[2].split(", ")) and all(
        a <= b for a, b in itertools.pairwise(values)
    )


def number_filtering(question: str, answer: str) -> Verdict:
    """Filter the numbers, keeping their spellings."""
    match = find(
        r"(Keep|Remove) all numbers (larger|smaller) than (\S+) in this list: (.*)",
        question,
    )
    bound = Fraction(match[3])
    kept = []
    for number in ast.literal_eval(match[4]):
        hit = Fraction(number) > bound if match[2] == "larger" else Fraction(number) < bound
        if hit == (match[1] == "Keep"):
            kept.append(number)
    return ast.literal_eval(answer) == kept


def letter_counting(question: str, answer: str) -> Verdict:
    """Count the letter; None if it depends on whether capitals count."""
    match = find(r'letter "(.)" appear in the text: "(.*)"\?', question)
    exact, any_case = match[2].count(match[1]), match[2].lower().count(match[1].lower())
    if exact != any_case and answer in (str(exact), str(any_case)):
        return None
    return answer == str(any_case)


def caesar_cipher(question: str, answer: str) -> Verdict:
    """Test that one rotation decodes every letter, but not that the text is English."""
    cipher = question.split("text: ")[1].split(". Provide")[0]
    pairs = list(zip(cipher, answer, strict=True))
    shifts = {(ord(a) - ord(b)) % 26 for a, b in pairs if a.isalpha()}
    return len(shifts) == 1 and all(a == b for a, b in pairs if not a.isalpha())


def spell_backward(question: str, answer: str) -> Verdict:
    word = question.split("): ")[1].strip()
    return answer == "".join(reversed(word))


def word_sequence_reversal(question: str, answer: str) -> Verdict:
    words = question.split("list of words: ")[1].strip().split(", ")
    return answer == ", ".join(reversed(words))


def string_insertion(question: str, answer: str) -> Verdict:
    """Insert a letter after each pattern, from left to right."""
    text = last_line(question).split(": ")[1]
    follows = {"ABCD": "A", "BCDE": "B", "CDEA": "C", "DEAB": "D", "EABC": "E"}
    pattern = re.compile("|".join(follows))
    return answer == pattern.sub(lambda m: m[0] + follows[m[0]], text)


def ab(question: str, answer: str) -> Verdict:
    """Apply the rules until none applies."""
    program = question.split("following program:\n\n")[1].split("\n")[0]
    rules = {"A# #A": "", "B# #B": "", "A# #B": "#B A#", "B# #A": "#A B#"}
    while match := re.search("|".join(rules), program):
        program = f"{program[: match.start()]}{rules[match[0]]}{program[match.end() :]}"
        program = " ".join(program.split())
    return answer == program


def binary_alternation(question: str, answer: str) -> Verdict:
    """Count the places that differ from the nearer alternating string, two for each swap."""
    text = last_line(question).split(": ")[1]
    patterns = [("01" * len(text))[: len(text)], ("10" * len(text))[: len(text)]]
    swaps = [
        sum(a != b for a, b in zip(text, pattern, strict=True)) // 2
        for pattern in patterns
        if pattern.count("1") == text.count("1")
    ]
    return answer == str(min(swaps, default=-1))


def palindrome_generation(question: str, answer: str) -> Verdict:
    """Test that the answer is a palindrome of the given letters."""
    letters = last_line(question).split(": ")[1].split(", ")
    return answer == answer[::-1] and sorted(letters) == sorted(answer)


def palindrome_partitioning(question: str, answer: str) -> Verdict:
    """Try every way to cut the string; None if it is longer than 14 letters."""
    text = last_line(question).split(": ")[1]
    if len(text) > 14:
        return None
    found = set()
    for cuts in itertools.product([False, True], repeat=len(text) - 1):
        marked = "".join(c + "|" * cut for c, cut in zip(text, [*cuts, False], strict=True))
        parts = tuple(marked.split("|"))
        if all(part == part[::-1] for part in parts):
            found.add(parts)
    return {tuple(parts) for parts in json.loads(answer)} == found


def group_anagrams(question: str, answer: str) -> Verdict:
    """Group the words by their sorted letters."""
    words = json.loads(last_line(question))
    groups: dict[str, list[str]] = {}
    for word in words:
        groups.setdefault("".join(sorted(word)), []).append(word)
    return {tuple(sorted(group)) for group in json.loads(answer)} == {
        tuple(sorted(group)) for group in groups.values()
    }


def emoji_mystery(question: str, answer: str) -> Verdict:
    """Decode the variation selectors; the emoji's own one gives a control character to remove."""
    text = question.split("from the emoji: ")[1].split("\n")[0]
    octets = bytearray()
    for code in map(ord, text):
        if 0xFE00 <= code <= 0xFE0F:
            octets.append(code - 0xFE00)
        elif 0xE0100 <= code <= 0xE01EF:
            octets.append(code - 0xE0100 + 16)
    return octets.decode("utf-8").lstrip("\x0f") == answer


def needle_haystack(question: str, answer: str) -> Verdict:
    """Search the story for the person; None if there are two."""
    story, question = question.rsplit("\n", 1)
    doing = question.removeprefix("Who ").split("? Reply")[0]
    people = set(
        re.findall(rf"(?:^|\. )([^.]+?) {re.escape(doing)}\. ", story.replace(". ", ". . "))
    )
    if len(people) > 1:
        return None
    return people == {answer}


def string_splitting(question: str, answer: str) -> Verdict:
    """Apply the rules to the counts of A, B, C, X, Y and Z."""
    return _check_rules(question, answer, "ABCXYZ", "A>XXY BB>X CC>Y BC>A XY>Z")


def string_synthesis(question: str, answer: str) -> Verdict:
    """Apply the rules to A, B, C in square brackets, D, E, F in braces, and G, H, I in others."""
    return _check_rules(question, answer, "ABCDEFGHI", "ABC>D AB>F BC>E CC>F DF>GH EE>I")


def _check_rules(question: str, answer: str, kinds: str, rules: str) -> Verdict:
    """Apply the first rule that applies, as often as allowed, and compare the counts."""
    start = find(r"Now, you have (\d+)\D+(\d+)\D+(\d+)", question)
    most = find(r"at most (\d+) times", question)
    have = Counter(dict(zip(kinds, map(int, start.groups()), strict=False)))
    pairs = [tuple(map(Counter, rule.split(">"))) for rule in rules.split()]
    for _ in range(int(most[1])):
        rule = next((pair for pair in pairs if pair[0] <= have), None)
        if rule is None:
            break
        have = have - rule[0] + rule[1]
    return answer == " ".join(str(have[kind]) for kind in kinds)


def string_manipulation(question: str, answer: str) -> Verdict:
    """Rewrite the string by the rules of the question, until none applies or it repeats."""
    text = last_line(question).strip()
    listed = question.split("first applicable rule to the string:\n")[1].split("\n\n")[0]
    rules = [line.split(". ", 1)[1] for line in listed.split("\n")]
    seen = [text]
    while True:
        changed = next(
            (t for t in (_rewrite(rule, seen[-1]) for rule in rules) if t is not None), None
        )
        if changed is None or changed in seen:
            return answer == seen[-1]
        seen.append(changed)


_REWRITINGS: dict[str, Callable[[str, list[str]], str]] = {
    "remove the first character": lambda rest, quoted: quoted[0][1:] + rest,
    "remove the second character": lambda rest, quoted: quoted[0][:1] + rest,
    "remove the first two|delete the last two": lambda rest, quoted: rest,
    "delete the first two": lambda rest, quoted: rest + quoted[1],
    "delete the last character": lambda rest, quoted: (quoted[1] + rest)[:-1],
    "remove the last character": lambda rest, quoted: rest + quoted[0][:-1],
    "append": lambda rest, quoted: quoted[1] + rest + quoted[2],
    "prepend": lambda rest, quoted: quoted[2] + rest + quoted[1],
    "prefix|starts with": lambda rest, quoted: quoted[1] + rest,
    "": lambda rest, quoted: rest + quoted[1],
}
"""What a rule says -> the string, made of the rest without its start or end, and quoted words."""


def _rewrite(rule: str, s: str) -> str | None:
    """Return the string after one rule, or None if the rule does not apply."""
    quoted = re.findall(r"'(\w+)'", rule)
    key = quoted[0] if quoted else ""
    if "even number of" in rule:
        return s + "ab" if s.count("b") and s.count("b") % 2 == 0 else None
    if "length is greater than 15" in rule:
        return s[: len(s) // 2] + s[len(s) // 2 + 1 :] if len(s) > 15 else None
    if "not at the start" in rule:
        return s[0] + s[1:].replace(key, "", 1) if key in s[1:] else None
    if "contains" in rule:
        return s.replace(key, quoted[1] if len(quoted) > 1 else "", 1) if key in s else None
    rest = s.removeprefix(key) if re.search("prefix|starts with", rule) else s.removesuffix(key)
    if rest == s:
        return None
    return next(make for says, make in _REWRITINGS.items() if re.search(says, rule))(rest, quoted)


def bf(question: str, answer: str) -> Verdict:
    """Run the program, translated to Python; None after five million turns of its loops."""
    lines, indent = ["at = 0"], ""
    for run in re.findall(r"\++|-+|>+|<+|[].[]", question.split("\n\n")[1]):
        if run == "]":
            indent = indent[1:]
        elif run == "[":
            lines += [f"{indent}while cells[at]:", f"{indent} next(turns)"]
            indent += " "
        else:
            lines.append(indent + _STATEMENTS[run[0]].format(len(run)))
    names = {"cells": [0] * 30_000, "output": bytearray(), "turns": iter(range(5_000_000))}
    try:
        exec("\n".join(lines), names)
    except StopIteration:
        return None
    return names["output"].decode("latin-1") == answer


_STATEMENTS = {
    ".": "output.append(cells[at])",
    "+": "cells[at] = cells[at] + {} & 255",
    "-": "cells[at] = cells[at] - {} & 255",
    ">": "at += {}",
    "<": "at -= {}",
}
"""What a sign says, so many times."""
