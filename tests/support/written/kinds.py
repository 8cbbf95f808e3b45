"""The kinds of answers that several tasks have."""

import json
import random
import re
from fractions import Fraction

from rgenv.tasks.answers import (
    expressions,
    fractions,
    grids,
    json_values,
    lists,
    moves,
    numbers,
    texts,
    words,
)
from rgenv.tasks.answers.expressions import Expression
from rgenv.tasks.answers.grids import NumberGrid
from rgenv.tasks.answers.json_values import JsonValue
from rgenv.tasks.answers.words import Word
from tests.support.written.base import Forms, changes, other_forms
from tests.support.written.parts import (
    SHORT_NUMBER,
    changed_letters,
    changed_numbers,
    changed_words,
    fraction_forms,
    items,
    minus_sign,
    near_decimals,
    other_cell,
    separated_forms,
    signs_and_digits,
    spaced_forms,
    split_rows,
    with_term,
)


@other_forms.register
def _(kind: expressions.Arithmetic, reference: str, question: str) -> Forms:
    forms = {"no spaces": reference.replace(" ", ""), "brackets": f"({reference})"}
    return forms | minus_sign(reference)


@changes.register
def _(kind: expressions.Arithmetic, reference: str, question: str, rng: random.Random) -> Forms:
    number = rng.choice(list(re.finditer(r"\d+", reference)))
    other = str(int(number[0]) + rng.randint(1, 9))
    return {
        "number": reference[: number.start()] + other + reference[number.end() :],
        "added": f"{reference} + {number[0]} - {number[0]}",
        "target": f"({reference}) - 1",
    }


@other_forms.register
def _(kind: expressions.Expression, reference: str, question: str) -> Forms:
    forms = {"no spaces": reference.replace(" ", "")} | minus_sign(reference)
    first, *others = re.split(r" ([-+]) ", reference)
    signed = [f"- {first[1:]}" if first.startswith("-") else f"+ {first}"]
    signed += [f"{sign} {term}" for sign, term in zip(others[::2], others[1::2], strict=True)]
    if len(signed) > 1 and "(" not in reference:
        head, *rest = signed[::-1]
        forms["reversed"] = " ".join([head.removeprefix("+ ").replace("- ", "-"), *rest])
    return forms


@changes.register
def _(kind: expressions.Expression, reference: str, question: str, rng: random.Random) -> Forms:
    return with_term(kind, "1", reference, rng)


@other_forms.register
def _(kind: expressions.Antiderivative, reference: str, question: str) -> Forms:
    forms = other_forms.dispatch(Expression)(kind, reference, question)
    before = re.sub(r"\b(sin|cos)(\([^()]*\))\*\*(\d)", r"\1**\3\2", reference)
    inline = re.sub(r"(?<![\w/*)])(\d+)/(\d+)(?![\w*])", r"\\frac{\1}{\2}", reference)
    return forms | {"power of a function": before, "LaTeX fraction": inline}


@changes.register
def _(kind: expressions.Antiderivative, reference: str, question: str, rng: random.Random) -> Forms:
    variables = set(re.findall(r"\b([A-Za-z])\b", reference)) - {"C", "E"}
    return with_term(kind, min(variables), reference, rng) if variables else {}


@other_forms.register
def _(kind: fractions.ReducedFraction, reference: str, question: str) -> Forms:
    parts = fractions.read_fraction(reference.strip("$"))
    return fraction_forms(*parts) if parts else {}


@changes.register
def _(kind: fractions.ReducedFraction, reference: str, question: str, rng: random.Random) -> Forms:
    parts = fractions.read_fraction(reference.strip("$"))
    if parts is None:
        return {}
    top, bottom = parts
    changed = {
        "numerator": Fraction(top + rng.randint(1, 5), bottom),
        "denominator": Fraction(top, bottom + rng.randint(1, 5)),
        "exchanged": Fraction(bottom, top or 1),
        "complement": Fraction(bottom - top, bottom),
    }
    factor = rng.randint(2, 9)
    return {"not reduced": f"{factor * top}/{factor * bottom}"} | {
        name: f"{value.numerator}/{value.denominator}"
        for name, value in changed.items()
        if value != Fraction(top, bottom)
    }


@other_forms.register
def _(kind: grids.NumberGrid, reference: str, question: str) -> Forms:
    return spaced_forms(reference)


@changes.register
def _(kind: grids.NumberGrid, reference: str, question: str, rng: random.Random) -> Forms:
    found = split_rows(reference)
    row = rng.randrange(len(found))
    column = rng.randrange(len(found[row]))
    changed = [[*cells] for cells in found]
    changed[row][column] = other_cell(kind, found[row][column], rng)
    changes = {
        "cell": changed,
        "row repeated": [*found, found[-1]],
        "turned": [list(cells) for cells in zip(*found, strict=True)],
        "in one row": [[cell for cells in found for cell in cells]],
        "row left out": found[:-1],
        "rows exchanged": [found[-1], *found[1:-1], found[0]][-len(found) :],
    }
    return {name: grids.spaced(new) for name, new in changes.items()}


@other_forms.register
def _(kind: grids.Grid, reference: str, question: str) -> Forms:
    return other_forms.dispatch(NumberGrid)(kind, reference, question) | {
        "compact rows": reference.replace(" ", "")
    }


@other_forms.register
def _(kind: grids.Groups, reference: str, question: str) -> Forms:
    quoted = {"curly quotes": r"“\1”", "LaTeX text": r"\\text{\1}"}
    written = {name: re.sub('"([^"]*)"', new, reference) for name, new in quoted.items()}
    return other_forms.dispatch(JsonValue)(kind, reference, question) | written


@other_forms.register
def _(kind: json_values.JsonValue, reference: str, question: str) -> Forms:
    try:
        value = json.loads(reference)
    except ValueError:
        return {}
    forms = {
        "no spaces": json.dumps(value, separators=(",", ":")),
        "pretty": json.dumps(value, indent=2),
        "spaces": json.dumps(value, separators=(" , ", " : ")),
    }
    if kind.single_quotes:
        forms["single quotes"] = str(value)
    if kind.any_order and isinstance(value, list):
        forms["reversed"] = json.dumps(value[::-1])
    if isinstance(value, dict) and len(value) > 1:
        forms["reversed keys"] = json.dumps(dict(reversed(value.items())))
    return forms


@other_forms.register
def _(kind: lists.Numbers, reference: str, question: str) -> Forms:
    return separated_forms(reference, int)


@changes.register
def _(kind: lists.Numbers, reference: str, question: str, rng: random.Random) -> Forms:
    return changed_numbers(reference.split(), " ".join, rng)


@other_forms.register
def _(kind: lists.BracketedNumbers, reference: str, question: str) -> Forms:
    found, shown = items(reference)
    if not found:
        return {"space inside": "[ ]"}
    forms = {
        "no spaces": f"[{','.join(shown)}]",
        "space inside": f"[ {', '.join(shown)} ]",
        "brackets on lines": "[\n  " + ",\n  ".join(shown) + "\n]",
        "no quotes": f"[{', '.join(found)}]",
        "double quotes": "[" + ", ".join(f'"{item}"' for item in found) + "]",
    }
    if len(found) > 1:  # one item without brackets is not a list
        forms |= {"no brackets": ", ".join(found), "lines": "\n".join(found)}
    return forms | minus_sign(reference)


@changes.register
def _(kind: lists.BracketedNumbers, reference: str, question: str, rng: random.Random) -> Forms:
    quote = "'" if "'" in reference else ""
    changes = changed_numbers(items(reference)[0], f"{quote}, {quote}".join, rng)
    return {name: f"[{quote}{text}{quote}]" if text else "[]" for name, text in changes.items()}


@other_forms.register
def _(kind: lists.Words, reference: str, question: str) -> Forms:
    return separated_forms(reference)


@changes.register
def _(kind: lists.Words, reference: str, question: str, rng: random.Random) -> Forms:
    return changed_words(reference)


@other_forms.register
def _(kind: moves.Moves, reference: str, question: str) -> Forms:
    separators = {"commas": ", ", "lines": "\n", "two spaces": "  "}
    return {name: between.join(reference.split()) for name, between in separators.items()}


@changes.register
def _(kind: moves.Moves, reference: str, question: str, rng: random.Random) -> Forms:
    between = kind.separator
    parts = reference.split(between) if between else list(reference)
    changes = {"left out": between.join(parts[:-1])} if len(parts) > 1 else {}
    return changes | ({"added": between.join([*parts, kind.extra])} if kind.extra else {})


@changes.register
def _(kind: moves.JsonMoves, reference: str, question: str, rng: random.Random) -> Forms:
    if not reference.startswith("["):
        return {"moves": json.dumps([kind.impossible])}
    parts = json.loads(reference)
    return {
        "left out": json.dumps(parts[:-1]),
        "impossible": json.dumps([kind.impossible, *parts]),
    }


@other_forms.register
def _(kind: numbers.Number, reference: str, question: str) -> Forms:
    if not re.fullmatch(r"-?\d+", reference):
        return {}
    grouped = f"{int(reference):,}"
    forms = {"point zero": f"{reference}.0", "two zeros": f"{reference}.00"}
    if len(grouped) > len(reference):
        forms |= {"thousands": grouped, "thousands, point zero": f"{grouped}.0"}
    return forms | signs_and_digits(reference)


@changes.register
def _(kind: numbers.Number, reference: str, question: str, rng: random.Random) -> Forms:
    if not re.fullmatch(r"-?\d+", reference):
        return near_decimals(reference, rng)
    value, digits = int(reference), reference.lstrip("-")
    place = rng.randrange(len(digits))
    digit = str((int(digits[place]) + rng.randint(1, 9)) % 10)
    changed = int(digits[:place] + digit + digits[place + 1 :])
    changes = {
        "next": str(value + 1),
        "near": str(value - rng.randint(2, 9)),
        "digit": str(-changed if value < 0 else changed),
        "ten times": str(value * 10 or 10),
    }
    return changes | ({"sign": str(-value)} if value else {})


@other_forms.register
def _(kind: numbers.DecimalNumber, reference: str, question: str) -> Forms:
    whole, point, places = reference.partition(".")
    forms: Forms = {}
    if SHORT_NUMBER.fullmatch(reference):
        sign, digits = reference[: whole.startswith("-")], whole.removeprefix("-")
        forms = {
            "no zeros at the end": f"{whole}.{places}".rstrip("0").rstrip("."),
            "thousands": f"{sign}{int(digits):,}{point}{places}",
            **signs_and_digits(reference),
        }
    return forms | ({"zero at the end": f"{whole}.{places}0"} if kind._padded else {})


@changes.register
def _(kind: numbers.DecimalNumber, reference: str, question: str, rng: random.Random) -> Forms:
    last = str((int(reference[-1]) + rng.randint(1, 9)) % 10)
    return {"last digit": reference[:-1] + last} | near_decimals(reference, rng)


@changes.register
def _(kind: texts.Text, reference: str, question: str, rng: random.Random) -> Forms:
    return changed_letters(reference, rng)


@other_forms.register
def _(kind: texts.Sentence, reference: str, question: str) -> Forms:
    words = reference.split()
    return {"single spaces": " ".join(words), "two spaces": "  ".join(words)}


@changes.register
def _(kind: texts.Sentence, reference: str, question: str, rng: random.Random) -> Forms:
    return changed_words(reference)


@other_forms.register
def _(kind: words.Word, reference: str, question: str) -> Forms:
    return {
        "lower case": reference.lower(),
        "upper case": reference.upper(),
        "capitalized": reference.capitalize(),
    }


@changes.register
def _(kind: words.Choice, reference: str, question: str, rng: random.Random) -> Forms:
    others = [word for word in kind._words if word.lower() != reference.lower()]
    return {f"other {number}": word for number, word in enumerate(others[:4], 1)}


@other_forms.register
def _(kind: words.WordOfQuestion, reference: str, question: str) -> Forms:
    return other_forms.dispatch(Word)(kind, reference, question) if kind._any_case else {}


@changes.register
def _(kind: words.WordOfQuestion, reference: str, question: str, rng: random.Random) -> Forms:
    found = sorted(set(re.findall(kind._pattern, question)) - {reference})
    return {f"other {n}": word for n, word in enumerate(rng.sample(found, min(3, len(found))))}
