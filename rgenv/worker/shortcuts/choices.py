"""Rules for tasks with few possible answers, and for tasks of induction.

A rule that picks one of a few answers is right by luck, and no problem is drawn again because of
it: where two answers exist, a rule that is never right is as good as one that always is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from rgenv.worker.shortcuts.text import after, ints

Answers = dict[str, str]


def acre(question: str) -> Answers:
    """Look up the test among the results, or go by what was seen last."""
    results, test = question.split("results:\n", 1)[1].split("New test case:\n", 1)
    case = test.split("\n", 1)[0].strip()
    seen = dict(line.rsplit(" → ", 1) for line in results.split("\n") if " → " in line)
    objects = case.split(", ")
    together = [light for shown, light in seen.items() if any(one in shown for one in objects)]
    together = together or ["undetermined"]
    light = seen.get(case)
    return {
        "as the first result that names an object": together[0],  # .76
        "as the last result that names an object": together[-1],  # .74
        **({"as the same objects": light} if light else {}),  # .37
        **({"an object did it alone": "on"} if "on" in map(seen.get, objects) else {}),  # .31
    }


def aiw(question: str) -> Answers:
    """Add one to a number at a fixed place, or add numbers."""
    found = ints(question)
    return {
        "the first number": str(found[0]),  # .10
        "the last number": str(found[-1]),  # .06
        "the last number and one": str(found[-1] + 1),  # .67
        "the first number and one": str(found[0] + 1),  # .15
        "the second number and one": str(found[1] + 1),  # .68
        "the last two and one": str(sum(found[-2:]) + 1),  # .05
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
    beside = [name for name in left if f"{name} is directly left of" in clues] or left
    return {
        **({"what two clues tell about the first house": told[0]} if told else {}),  # .43
        "not said elsewhere, directly left of one, used most": (  # .47
            max(beside, key=lambda name: counts[name])
        ),
        "the name that is used least": min(names, key=lambda name: counts[name]),  # .50
    }


def _is_said_elsewhere(name: str, clues: str) -> bool:
    """Whether a clue puts the name in a later house, or right of somebody."""
    later = re.search(rf"\b{name} is in the (?!first)\w+ house", clues)
    return bool(later or re.search(rf"left of {name}\.", clues))


def number_sequence(question: str) -> Answers:
    """Go on with the last difference, or with the ratio of two terms."""
    terms = ints(question)
    last, before, third = terms[-1], terms[-2], terms[-3]
    change, earlier = last - before, before - third
    answers = {"the last two differences added": str(last + change + earlier)}  # .45
    if before:
        multiple = _half_up(last * (last - third), before)
        answers["a multiple of the last term, and the one before"] = str(before + multiple)  # .58
    if third:
        by_ratio = _half_up(last * before, third)
        answers["the last but one ratio, less its difference"] = str(by_ratio - earlier)  # .44
    if earlier:
        answers["the last ratio of differences"] = str(last + change * change // earlier)  # .25
        cut_off = str(last + int(change**2 / earlier))
        answers["the last ratio of differences, cut off"] = cut_off  # .29
    if earliest := third - (terms[-4] if len(terms) > 3 else third):
        by_ratio = _half_up(change * earlier, earliest)
        answers["the ratio of the two differences before"] = str(last + by_ratio)  # .31
    return answers | {
        "the last term and one": str(last + 1),  # .11
        "the last two terms added": str(last + before),  # .39
        "the last term and twice the last difference": str(last + 2 * change),  # .34
        "the last term and twice the one before": str(last + 2 * before),  # .04
        "the last ratio": str(last * last // before) if before else "0",  # .17
        "half of the last term": str(last // 2),  # .24
    }


def _half_up(numerator: int, denominator: int) -> int:
    """Return the nearest integer to a fraction; of two, the larger."""
    return (2 * numerator + denominator) // (2 * denominator)


def list_functions(question: str) -> Answers:
    """Copy the test input, or repeat an example's output."""
    values = json.loads(after("Input: ", question).split("]", 1)[0] + "]")
    first = next(line for line in question.split("\n") if line.startswith("Output "))
    return {
        "copy the input": str(values),  # .05
        "repeat the first output": first.split(": ", 1)[1],  # .15
    }


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {
        "acre": acre,
        "aiw": aiw,
        "list_functions": list_functions,
        "number_sequence": number_sequence,
        "zebra_puzzles": zebra_puzzles,
    }
)
