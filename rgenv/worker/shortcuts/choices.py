"""Rules for tasks with few possible answers, tasks of induction, and programs.

A rule that picks one of a few answers is right by luck, and no problem is drawn again because of
it: where two answers exist, a rule that is never right is as good as one that always is. A sign
that proves one of two answers, such as a letter that is missing, is a rule that answers only where
it sees the sign: then the other problems with that answer are drawn, and the sign tells nothing any
more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType

from rgenv.worker.shortcuts.text import after, ints, shown

Answers = dict[str, str]


def acre(question: str) -> Answers:
    """Look up the test among the results, or go by what was seen last."""
    results, test = question.split("results:\n", 1)[1].split("New test case:\n", 1)
    case = test.split("\n", 1)[0].strip()
    seen = dict(line.rsplit(" → ", 1) for line in results.split("\n") if " → " in line)
    objects = case.split(", ")
    together = [light for shown, light in seen.items() if any(one in shown for one in objects)]
    light = seen.get(case)
    return {
        "as the first result that names an object": together[0] if together else "undetermined",
        "as the last result that names an object": together[-1] if together else "undetermined",
        **({"as the same objects": light} if light else {}),
        **({"an object did it alone": "on"} if "on" in map(seen.get, objects) else {}),
    }


def aiw(question: str) -> Answers:
    """Add one to a number at a fixed place, or add numbers."""
    found = ints(question)
    return {
        "the first number": str(found[0]),
        "the last number": str(found[-1]),
        "the last number and one": str(found[-1] + 1),
        "the first number and one": str(found[0] + 1),
        "the second number and one": str(found[1] + 1),
        "the sum": str(sum(found)),
        "the last two and one": str(sum(found[-2:]) + 1),
    }


def isomorphic_strings(question: str) -> Answers:
    """Look for signs that prove the answer False."""
    first, second = question.strip().rsplit("\n", 1)[-1].split()
    answers = {}
    if len(set(first)) != len(set(second)):
        answers["different numbers of letters"] = "False"
    if _repeats(first) != _repeats(second):
        answers["a letter repeats in one only"] = "False"
    return answers


def _repeats(text: str) -> list[bool]:
    return [one == two for one, two in pairwise(text)]


def course_schedule(question: str) -> Answers:
    """Look for two or three courses in a circle."""
    pairs = set(re.findall(r"\((\d+), (\d+)\)", question))
    before: dict[str, list[str]] = {}
    for course, other in pairs:
        before.setdefault(course, []).append(other)
    three = any((c, a) in pairs for a, b in pairs for c in before.get(b, ()))
    return {
        **({"two oppose each other": "False"} if any((b, a) in pairs for a, b in pairs) else {}),
        **({"three are in a circle": "False"} if three else {}),
    }


def zebra_puzzles(question: str) -> Answers:
    """Pick a name by how often it is named, or by the clues about the first house."""
    names = re.findall(r"unique name: (.+)", question)[0].strip().split(", ")
    clues = question.split("\n\n1. ", 1)[1].lower()
    counts = {name: clues.count(name.strip()) for name in names}
    told = [name for name in names if f"{name} is in the first house" in clues]
    holders = re.findall(r"^(?:\d+\. )?(.+) is in the first house\.$", clues, re.MULTILINE)
    for holder in holders:
        told += [name for name in names if f"{name} is {holder}." in clues]
        told += [name for name in names if f"{holder} is {name}." in clues]
    elsewhere = [name for name in names if _is_said_elsewhere(name, clues)]
    left = [name for name in names if name not in elsewhere] or names
    beside = [name for name in left if f"{name} is directly left of" in clues]
    return {
        **({"what two clues tell about the first house": told[0]} if told else {}),
        "not said elsewhere, directly left of one, used most": max(
            beside or left, key=lambda name: counts[name]
        ),
        "the name that is used least": min(names, key=lambda name: counts[name]),
    }


def _is_said_elsewhere(name: str, clues: str) -> bool:
    """Whether a clue puts the name in a later house, or right of somebody."""
    later = re.search(rf"\b{name} is in the (?!first)\w+ house", clues)
    return bool(later or re.search(rf"left of {name}\.", clues))


def number_sequence(question: str) -> Answers:
    """Repeat a term, or go on with the last difference or with the ratio of two terms."""
    terms = ints(question)
    last, before, third = terms[-1], terms[-2], terms[-3]
    change, earlier = last - before, before - third
    answers = {"the last two differences added": str(last + change + earlier)}
    if before:
        multiple = _half_up(last * (last - third), before)
        answers["a multiple of the last term, and the one before"] = str(before + multiple)
    if third:
        by_ratio = _half_up(last * before, third)
        answers["the last but one ratio, less its difference"] = str(by_ratio - earlier)
    if earlier:
        answers["the last ratio of differences"] = str(last + change * change // earlier)
        answers["the last ratio of differences, cut off"] = str(last + int(change**2 / earlier))
    if earliest := third - (terms[-4] if len(terms) > 3 else third):
        by_ratio = _half_up(change * earlier, earliest)
        answers["the ratio of the two differences before"] = str(last + by_ratio)
    return answers | {
        "the last term": str(last),
        "the last term but one": str(before),
        "the last term and the last difference": str(2 * last - before),
        "the last term and one": str(last + 1),
        "the last two terms added": str(last + before),
        "the last term and twice the last difference": str(last + 2 * change),
        "the last term and twice the one before": str(last + 2 * before),
        "twice the last term and the one before": str(2 * last + before),
        "twice the last two terms added": str(2 * (last + before)),
        "twice the last term": str(2 * last),
        "the last ratio": str(last * last // before) if before else "0",
        "the first term": str(terms[0]),
        "half of the last term": str(last // 2),
        "half of the last term and the one before": str(last // 2 + before),
        "zero": "0",
    }


def _half_up(numerator: int, denominator: int) -> int:
    """Return the nearest integer to a fraction; of two, the larger."""
    return (2 * numerator + denominator) // (2 * denominator)


def list_functions(question: str) -> Answers:
    """Copy the test input, or repeat an example's output."""
    values = json.loads(after("Input: ", question).split("]", 1)[0] + "]")
    outputs = [
        line.split(": ", 1)[1] for line in question.split("\n") if line.startswith("Output ")
    ]
    return {
        "copy the input": str(values),
        "repeat the first output": outputs[0],
        "repeat the last output": outputs[-1],
    }


def bf(question: str) -> Answers:
    """Count the outputs, or answer with a small number."""
    return {
        "the number of outputs": str(question.count(".")),
        "zero": "0",
        "one": "1",
        "nothing": "",
    }


def codeio(question: str) -> Answers:
    """Answer with a literal of the code, a simple value, or what the question shows."""
    code = question.rsplit("guide your reasoning", 1)[-1]
    returned = re.findall(r"\breturn ([^\n#]{1,200})", code)
    answers = {name: name for name in ("true", "false", "null", "0", "1", "[]", "{}", '""')}
    if returned:
        answers["the last returned literal"] = returned[-1].strip()
    given = re.findall(r"\n\n(\{[^\n]{0,2000}\})\n\n", question)
    if given:
        answers["copy the value that is shown"] = given[-1]
        answers["the first value that is shown"] = _first_value(given[-1])
    names = re.findall(r"`(\w+)` \((\w+)", question.split("Output:", 1)[0])
    for name, values in (("zeros", (0, 0.0, "", [], {})), ("ones", (1, 1.0, "a", [1], {"a": 1}))):
        kinds = dict(zip(("int", "float", "str", "list", "dict"), values, strict=True))
        kinds["integer"], kinds["string"], kinds["bool"] = kinds["int"], kinds["str"], False
        answers[f"an input of {name}"] = json.dumps({key: kinds.get(kind) for key, kind in names})
    return answers


def _first_value(text: str) -> str:
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    return json.dumps(next(iter(values.values()), None)) if values else ""


def figlet_font(question: str) -> Answers:
    """Answer with a letter."""
    return {"one letter": "A", "the number of lines": shown(question.count("\n"))}


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "acre": acre,
        "aiw": aiw,
        "bf": bf,
        "codeio": codeio,
        "course_schedule": course_schedule,
        "figlet_font": figlet_font,
        "isomorphic_strings": isomorphic_strings,
        "list_functions": list_functions,
        "number_sequence": number_sequence,
        "zebra_puzzles": zebra_puzzles,
    }
)
