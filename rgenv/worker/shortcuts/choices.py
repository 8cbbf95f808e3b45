"""Rules for tasks with few possible answers, tasks of induction, and programs.

Most of them pick one of a few answers, so they are right by luck. Such guesses are measured, but no
problem is drawn again because of them: where two answers exist, a rule that is never right is as
good as one that always is. A sign that proves one of two answers, such as a letter that is missing,
is a rule that answers only where it sees the sign: then the other problems with that answer are
drawn, and the sign tells nothing any more.
"""

from __future__ import annotations

import json
import re
from collections import Counter
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
        "guess: on": "on",
        "guess: off": "off",
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


def circuit_logic(question: str) -> Answers:
    """Go by the inputs alone."""
    inputs = re.findall(r"= ([01])", question)
    return {
        "guess: one": "1",
        "guess: the first input": inputs[0],
        "guess: the last input": inputs[-1],
        "guess: the most frequent input": Counter(inputs).most_common(1)[0][0],
        "guess: one if any input is": "1" if "1" in inputs else "0",
        "guess: one if the number of ones is odd": str(inputs.count("1") % 2),
    }


def true_or_false(question: str) -> Answers:
    """Always give the same answer."""
    return {"guess: true": "True", "guess: false": "False"}


def isomorphic_strings(question: str) -> Answers:
    """Look for signs that prove the answer False, and guess."""
    first, second = question.strip().rsplit("\n", 1)[-1].split()
    answers = {"guess: true": "True", "guess: an odd length": str(len(first) % 2 == 1)}
    if len(set(first)) != len(set(second)):
        answers["different numbers of letters"] = "False"
    if _repeats(first) != _repeats(second):
        answers["a letter repeats in one only"] = "False"
    return answers


def _repeats(text: str) -> list[bool]:
    return [one == two for one, two in pairwise(text)]


def ransom_note(question: str) -> Answers:
    """Compare lengths, or count one letter."""
    note = question.split("Ransom note: ", 1)[1].split("\n", 1)[0]
    magazine = question.split("Magazine: ", 1)[1].strip()
    frequent = max(note, key=note.count)
    rare = min(note, key=magazine.count)
    return {
        "guess: true": "True",
        "guess: four times as long": str(len(magazine) >= 4 * len(note)),
        "guess: enough of the note's most frequent letter": str(
            magazine.count(frequent) >= note.count(frequent)
        ),
        "guess: enough of the magazine's rarest letter": str(
            magazine.count(rare) >= note.count(rare)
        ),
    }


def course_schedule(question: str) -> Answers:
    """Count prerequisites, or look for two or three courses in a circle."""
    courses = int(re.findall(r"total of (\d+)", question)[0])
    pairs = set(re.findall(r"\((\d+), (\d+)\)", question))
    before: dict[str, list[str]] = {}
    for course, other in pairs:
        before.setdefault(course, []).append(other)
    three = any((c, a) in pairs for a, b in pairs for c in before.get(b, ()))
    return {
        "guess: true": "True",
        "guess: more courses than prerequisites": str(len(pairs) < courses),
        **({"two oppose each other": "False"} if any((b, a) in pairs for a, b in pairs) else {}),
        **({"three are in a circle": "False"} if three else {}),
    }


def game_of_life_halting(question: str) -> Answers:
    """Count the cells that are alive."""
    alive = question.split("board:", 1)[1].count("1")
    return {
        "guess: true": "True",
        **{f"guess: fewer than {n}": str(alive < n) for n in (6, 12, 24)},
    }


def syllogism(question: str) -> Answers:
    """Go by the quantifiers, or answer always the same."""
    premises, asked = question.split("follow that:", 1)
    return {
        "guess: yes": "Yes",
        "guess: no": "No",
        "guess: yes if the conclusion says some": "Yes" if "Some" in asked else "No",
        "guess: yes unless something is denied": "No" if "No " in question[:-30] else "Yes",
        "guess: yes if the quantifiers agree": (
            "Yes" if asked.strip().split(" ", 1)[0] in premises else "No"
        ),
    }


def mahjong_puzzle(question: str) -> Answers:
    """Give a fixed answer, or leave out which cards were removed, or which were added."""
    dealt = question.rsplit("initial cards ", 1)[1].split(",", 1)[0]
    added = re.findall(r"Add an? (\w) card", question)
    seen, card = dealt + "".join(added[:-1]), added[-1]
    near = [one for one in added[-7:-1] if abs(ord(one) - ord(card)) <= 2]
    copies = seen.count(card)
    return {
        **{f"guess: {answer}": answer for answer in ("Peng", "Chi", "Pass")},
        "guess: as if no card were removed": _announced(seen, card),
        "guess: as if the last ten cards were the hand": _announced(seen[-10:], card),
        "guess: by the cards that were added last": (
            "Peng" if near.count(card) >= 2 else "Chi" if near else "Pass"
        ),
        "guess: by how often the card was added": (
            "Pass" if copies <= 3 else "Chi" if copies == 4 else "Peng"
        ),
    }


def _announced(hand: str, card: str) -> str:
    if hand.count(card) >= 2:
        return "Peng"
    around = [chr(ord(card) + step) in hand for step in (-2, -1, 1, 2)]
    return "Chi" if any(one and two for one, two in pairwise(around)) else "Pass"


def knights_knaves(question: str) -> Answers:
    """Say that all are honest, or that none is, or that the first is not."""
    shape = question.rsplit('like: "', 1)[1].rsplit('"', 1)[0]
    honest, liar = (re.sub(r"(\w+)/(\w+)", rf"\{n}", shape) for n in (1, 2))
    parts = [
        re.sub(r"(\w+)/(\w+)", rf"\{1 + n % 2}", part) for n, part in enumerate(shape.split(","))
    ]
    others = [
        re.sub(r"(\w+)/(\w+)", rf"\{2 - n % 2}", part) for n, part in enumerate(shape.split(","))
    ]
    return {
        "guess: all honest": honest + ".",
        "guess: no one honest": liar + ".",
        "guess: in turns": ",".join(parts) + ".",
        "guess: in turns, the first lies": ",".join(others) + ".",
    }


def self_reference(question: str) -> Answers:
    """Answer with a small number."""
    found = ints(question.split("Statement 1:", 1)[1])
    return {f"guess: {n}": str(n) for n in (0, 1, 2, 3)} | {"guess: the first": str(found[0])}


def zebra_puzzles(question: str) -> Answers:
    """Pick a name by its place, by how often it is named, or by the clues about the first house."""
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
        "guess: the first name": names[0],
        "guess: the last name": names[-1],
        "guess: the name that is used most": max(names, key=lambda name: counts[name]),
        "the name that is used least": min(names, key=lambda name: counts[name]),
    }


def _is_said_elsewhere(name: str, clues: str) -> bool:
    """Whether a clue puts the name in a later house, or right of somebody."""
    later = re.search(rf"\b{name} is in the (?!first)\w+ house", clues)
    return bool(later or re.search(rf"left of {name}\.", clues))


def needle_haystack(question: str) -> Answers:
    """Pick the name of a sentence at a fixed place. With few sentences these are guesses."""
    story = question.rsplit("\nWho ", 1)[0]
    names = re.findall(r"(?:^|\. )([A-Z][\w'-]*)", story)
    places = {"first": 0, "second": 1, "middle": len(names) // 2, "last but one": -2, "last": -1}
    return {f"guess: the {name} name": names[place] for name, place in places.items()}


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
    """Copy or rearrange the test input, or repeat an example's output."""
    values = json.loads(after("Input: ", question).split("]", 1)[0] + "]")
    outputs = [
        line.split(": ", 1)[1] for line in question.split("\n") if line.startswith("Output ")
    ]
    return {
        "copy the input": str(values),
        "guess: reverse the input": str(values[::-1]),
        "guess: sort the input": str(sorted(values)),
        "guess: sort the input downwards": str(sorted(values, reverse=True)),
        "guess: the number of values": str([len(values)]),
        "guess: the sum": str([sum(values)]),
        "guess: the largest": str([max(values)]),
        "guess: the smallest": str([min(values)]),
        "guess: the first": str(values[:1]),
        "guess: the last": str(values[-1:]),
        "guess: nothing": "[]",
        "repeat the first output": outputs[0],
        "repeat the last output": outputs[-1],
        "guess: twice the last": str([2 * values[-1]]),
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
        "circuit_logic": circuit_logic,
        "codeio": codeio,
        "course_schedule": course_schedule,
        "figlet_font": figlet_font,
        "game_of_life_halting": game_of_life_halting,
        "isomorphic_strings": isomorphic_strings,
        "knights_knaves": knights_knaves,
        "list_functions": list_functions,
        "mahjong_puzzle": mahjong_puzzle,
        "needle_haystack": needle_haystack,
        "number_sequence": number_sequence,
        "ransom_note": ransom_note,
        "self_reference": self_reference,
        "syllogism": syllogism,
        "zebra_puzzles": zebra_puzzles,
    }
)
