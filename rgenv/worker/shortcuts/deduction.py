"""Rules for conclusions from premises."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType

Answers = dict[str, str]


def propositional_logic(question: str) -> Answers:
    """Answer with a literal that the premises repeat, or with two."""
    premises = re.findall(r"\d+\. (.+)", question.split("Given:", 1)[1])
    text = " ".join(premises)
    amount = Counter(re.findall(r"\b[P-Z]\b", text))
    variables = sorted(amount)
    answers = {}
    alone = {premise.strip("¬") for premise in premises}
    rarest_first = sorted(variables, key=lambda name: (amount[name], name))
    by_amount = [name for name in rarest_first if name not in alone] or rarest_first
    # As it is written, as it is meant, affirmed, denied:
    names = {
        "the rarest variable": rarest_first[0],  # .43 .32 .16 .14
        "the rarest variable that is not given": by_amount[0],  # .46 .38 .17 .15
        "the second rarest variable that is not given": (  # .44 .35 .10 .13
            by_amount[min(1, len(by_amount) - 1)]
        ),
        "the most frequent variable that is not given": by_amount[-1],  # .45 .39 .08 .12
    }
    affirmed = _affirmed(premises)
    for rule, name in names.items():
        written = amount[name] - 2 * text.count(f"¬{name}")
        for way, balance in (("written", written), ("meant", affirmed[name])):
            if balance:
                answers[f"{rule}, as it is {way} most often"] = "¬" * (balance < 0) + name
            else:
                answers |= {f"{rule}, affirmed": name, f"{rule}, denied": f"¬{name}"}
    for way, balances in (
        ("affirmed", amount),  # .28
        ("as they are meant most often", affirmed),  # .31
    ):
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


RULES: Mapping[str, Callable[[str], Answers]] = MappingProxyType(
    {"propositional_logic": propositional_logic}
)
"""Task -> its rules: a function from the question to answers by the name of the rule."""
