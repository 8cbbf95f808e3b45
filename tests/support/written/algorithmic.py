"""The kinds of answers that only tasks of algorithmic have."""

import json
import random
import re

from rgenv.tasks.algorithmic import (
    ab,
    base_conversion,
    cryptarithm,
    game_of_life,
    graph_color,
    group_anagrams,
    number_sorting,
    palindrome_partitioning,
    pool_matrix,
    word_ladder,
)
from rgenv.tasks.answers.grids import NumberGrid, spaced
from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.answers.lists import QuotedNumbers
from tests.support.written.base import Forms, changes, may_be_right, other_forms
from tests.support.written.parts import compact_json, items, separated_forms, split_rows


@other_forms.register
def _(kind: ab.Tokens, reference: str, question: str) -> Forms:
    return separated_forms(reference)


@changes.register
def _(kind: ab.Tokens, reference: str, question: str, rng: random.Random) -> Forms:
    tokens = reference.split()
    changes = {"added": [*tokens, rng.choice(["A#", "#A", "B#", "#B"])]}
    if len(tokens) > 1:
        changes["left out"] = tokens[:-1]
    if tokens != tokens[::-1]:
        changes["reversed"] = tokens[::-1]
    return {name: " ".join(changed) for name, changed in changes.items()}


@other_forms.register
def _(kind: base_conversion.DigitsOfBase, reference: str, question: str) -> Forms:
    [base] = re.findall(r"number \w+ to (?:base-)?(\w+)", question)
    base = {"binary": "2", "hexadecimal": "16"}.get(base, base)
    forms = {"index": f"{reference}_{base}", "LaTeX index": f"{reference}_{{{base}}}"}
    forms["low digits"] = reference + base.translate(base_conversion._LOW_DIGITS)
    return forms | {"base": f"{reference} (base {base})"}


@changes.register
def _(
    kind: base_conversion.DigitsOfBase, reference: str, question: str, rng: random.Random
) -> Forms:
    last = rng.choice([digit for digit in "0123456789" if digit != reference[-1]])
    return {"last digit": reference[:-1] + last, "longer": f"{reference}0"}


@other_forms.register
def _(kind: cryptarithm.LetterDigits, reference: str, question: str) -> Forms:
    found = reference.split(",")
    return {
        "spaces": ", ".join(found),
        "spaces around =": ", ".join(found).replace("=", " = "),
        "reversed": ",".join(found[::-1]),
        "lines": "\n".join(found),
    }


@changes.register
def _(kind: cryptarithm.LetterDigits, reference: str, question: str, rng: random.Random) -> Forms:
    found = reference.split(",")
    place = rng.randrange(len(found))
    letter, digit = found[place].split("=")
    other = rng.choice([other for other in "0123456789" if other != digit])
    return {"digit": reference.replace(f"{letter}={digit}", f"{letter}={other}")}


@may_be_right.register
def _(kind: cryptarithm.LetterDigits, text: str, question: str) -> bool:
    """Another assignment of digits may make the sum right."""
    digits, words = dict(pair.split("=") for pair in text.split(",")), cryptarithm._words(question)
    if len(set(digits.values())) < len(digits) or any(digits[w[0]] == "0" for w in words):
        return False
    *parts, total = (int("".join(digits[letter] for letter in word)) for word in words)
    return sum(parts) == total


@other_forms.register
def _(kind: game_of_life.LifeBoard, reference: str, question: str) -> Forms:
    found = json.loads(reference)
    return other_forms.dispatch(JsonValue)(kind, reference, question) | {
        "JSON on lines": "[" + ",\n ".join(map(json.dumps, found)) + "]",
        "lines": "\n".join(" ".join(map(str, row)) for row in found),
    }


@changes.register
def _(kind: game_of_life.LifeBoard, reference: str, question: str, rng: random.Random) -> Forms:
    found = json.loads(reference)
    row = rng.choice(found)
    column = rng.randrange(len(row))
    row[column] = 1 - row[column]
    return {"cell": compact_json(found), "row left out": compact_json(found[:-1])}


@changes.register
def _(kind: graph_color.Colours, reference: str, question: str, rng: random.Random) -> Forms:
    value = json.loads(reference)
    vertex = rng.choice(list(value))
    changes = {
        "left out": {key: colour for key, colour in value.items() if key != vertex},
        "impossible": value | {vertex: 99},
    }
    if edges := graph_color._graph(question)[1]:
        one, other = rng.choice(edges)
        changes["neighbours"] = value | {one: value[other]}
    return {name: json.dumps(changed) for name, changed in changes.items()}


@changes.register
def _(kind: group_anagrams.Anagrams, reference: str, question: str, rng: random.Random) -> Forms:
    value = json.loads(reference)
    changes = {
        "group left out": value[:-1] or [["q"]],
        "word left out": [value[0][1:], *value[1:]],
    }
    if len(value) > 1:
        one, other, *rest = value
        changes["exchanged"] = [[other[0], *one[1:]], [one[0], *other[1:]], *rest]
        changes["merged"] = [one + other, *rest]
    return {name: json.dumps(changed) for name, changed in changes.items()}


@other_forms.register
def _(kind: number_sorting.SortedNumbers, reference: str, question: str) -> Forms:
    found = items(reference)[0]
    short = [item.rstrip("0").rstrip(".") if "." in item else item for item in found]
    return other_forms.dispatch(QuotedNumbers)(kind, reference, question) | {
        "no zeros at the end": str(short)
    }


@changes.register
def _(
    kind: palindrome_partitioning.Partitions, reference: str, question: str, rng: random.Random
) -> Forms:
    value = json.loads(reference)
    changes = {
        "left out": value[:-1],
        "added": [*value, ["q", *value[0]]],
        "changed": [[*value[0], "q"], *value[1:]],
    }
    return {name: json.dumps(changed) for name, changed in changes.items()}


@other_forms.register
def _(kind: pool_matrix.PooledMatrix, reference: str, question: str) -> Forms:
    padded = [[f"{float(cell):.2f}" for cell in row] for row in split_rows(reference)]
    return other_forms.dispatch(NumberGrid)(kind, reference, question) | {
        "two decimals": spaced(padded)
    }


@other_forms.register
def _(kind: word_ladder.Ladder, reference: str, question: str) -> Forms:
    return separated_forms(reference, arrows=True)


@changes.register
def _(kind: word_ladder.Ladder, reference: str, question: str, rng: random.Random) -> Forms:
    steps = reference.split(",")
    changes = {"no last word": steps[:-1], "no first word": steps[1:]}
    if len(steps) > 2:
        place = rng.randrange(1, len(steps) - 1)
        changes["left out"] = steps[:place] + steps[place + 1 :]
        changes["no word"] = [steps[0], "XQZJVXQZJV"[: len(steps[0])], *steps[2:]]
    return {name: ",".join(words) for name, words in changes.items()}


@may_be_right.register
def _(kind: word_ladder.Ladder, text: str, question: str) -> bool:
    """A shorter ladder may be right as long as each step changes one letter."""
    steps = text.split(",")
    return [steps[0], steps[-1]] == word_ladder._ends(
        question
    ) and word_ladder._changes_a_letter_each(steps)
