"""Rules for conclusions from premises, and for relations in a family."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType

Answers = dict[str, str]


def propositional_logic(question: str) -> Answers:
    """Answer with a variable, the first ones joined, or a literal that the premises repeat."""
    premises = re.findall(r"\d+\. (.+)", question.split("Given:", 1)[1])
    text = " ".join(premises)
    amount = Counter(re.findall(r"\b[P-Z]\b", text))
    variables = sorted(amount)
    answers = {f"guess: the variable {name}": name for name in variables[:2]}
    if len(variables) > 1:
        answers["guess: join two variables by or"] = f"({variables[0]} ∨ {variables[1]})"
        answers["guess: join all variables by or"] = " ∨ ".join(variables)
    alone = {premise.strip("¬") for premise in premises}
    rarest_first = sorted(variables, key=lambda name: (amount[name], name))
    by_amount = [name for name in rarest_first if name not in alone] or rarest_first
    names = {
        "the rarest variable": rarest_first[0],
        "the rarest variable that is not given": by_amount[0],
        "the second rarest variable that is not given": by_amount[min(1, len(by_amount) - 1)],
        "the most frequent variable that is not given": by_amount[-1],
    }
    affirmed = _affirmed(premises)
    for rule, name in names.items():
        written = amount[name] - 2 * text.count(f"¬{name}")
        for way, balance in (("written", written), ("meant", affirmed[name])):
            if balance:
                answers[f"{rule}, as it is {way} most often"] = "¬" * (balance < 0) + name
            else:
                answers |= {f"{rule}, affirmed": name, f"{rule}, denied": f"¬{name}"}
    for way, balances in (("affirmed", amount), ("as they are meant most often", affirmed)):
        literals = ["¬" * (balances[name] < 0) + name for name in rarest_first[:2]]
        answers[f"the two rarest variables, {way}"] = " ∨ ".join(literals)
    return answers


def _affirmed(premises: list[str]) -> Counter[str]:
    """Return how much more often each variable is affirmed than denied, by → and by all ¬ before.

    A formula has brackets around each connective but ¬.
    """
    balance: Counter[str] = Counter()

    def read(text: str, sign: int) -> None:
        if text.startswith("¬"):
            read(text[1:], -sign)
        elif text.startswith("("):
            depth = 0
            for place, letter in enumerate(text):
                depth += (letter == "(") - (letter == ")")
                if depth == 1 and letter in "∧∨→":
                    read(text[1:place].strip(), -sign if letter == "→" else sign)
                    read(text[place + 1 : -1].strip(), sign)
        else:
            balance[text] += sign

    for premise in premises:
        read(premise.strip(), 1)
    return balance


def family_relationships(question: str) -> Answers:
    """Go by the order in which two people are named, and by the sentence that names both."""
    story, asked = question.split("\n\n", 1)
    one, other = re.findall(r"\b[A-Z][a-z]+\b", asked.split("?", 1)[0])[1:3]
    first = re.search(rf"\b({one}|{other})\b", story)
    older = first is not None and first[1] == one
    both = [text for text in story.split(".") if {one, other} <= set(re.findall(r"\w+", text))]
    married = any("married" in text for text in both)
    guesses = {
        "parent or child": ("father", "son"),
        "mother or daughter": ("mother", "daughter"),
        "grandparents or grandchildren": ("grandfather", "grandson"),
        "in-laws": ("mother-in-law", "daughter-in-law"),
    }
    answers = {f"guess: {name}": words[not older] for name, words in guesses.items()}
    couple = "husband" if older else "wife"
    answers["guess: one of a couple, or a son"] = couple if married else "son"
    answers["guess: one of a couple, a brother, or a parent"] = (
        couple if married else "brother" if both else "father" if older else "mother"
    )
    return answers


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {"family_relationships": family_relationships, "propositional_logic": propositional_logic}
)
"""Task -> its rules: a function from the question to answers by the name of the rule."""
