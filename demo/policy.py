"""The stand-in policy: a text in, completions out, from the prompt's text alone.

    policy = Policy(seed=7, error_rate=0.0, format_error_rate=0.0, overlong_rate=0.0)
    policy.complete("Find the Greatest Common Divisor (GCD) of these numbers: 12, 18. ...", 1, 100)
    [Completion(text='<think>\\n...</think>\\n<answer>6</answer>', finish_reason='stop')]

What the rules know it answers, the rest it guesses. It errs, breaks the format and runs over
length at the chosen rates. The same seed, prompt and count of earlier calls with that prompt give
the same completions, in any process.

Not here: tokens. An overlong text has more words, so more tokens, than `max_tokens`; whoever owns
the tokenizer cuts it.
"""

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from .rules import answer
from .tokenizer import END, START

USER_TURN = re.compile(re.escape(START) + r"user\n(.*?)" + re.escape(END), re.DOTALL)
OPPOSITES = {"True": "False", "False": "True", "infeasible": "up"}
GUESS = "I do not know"
WELL_FORMED = "<think>\n{thought}\n</think>\n<answer>{given}</answer>"
BROKEN = (
    "{thought}\nSo it is {given}.",
    "<think>\n{thought}\n</think>\n<answer>{given}</answer>\n<answer>{given}</answer>",
    "<think>\n{thought}\n<answer>{given}</answer>",
    "<think>\n{thought}\n<answer>{given}</answer>\n</think>",
)
KNOWN = "I recognise this kind of question, so I can compute the answer."
UNKNOWN = "I do not know how to solve this, so this is a guess."
DOUBT = "Wait, let me check that once more."


class Completion(NamedTuple):
    text: str
    finish_reason: str


@dataclass
class Policy:
    seed: int = 0
    error_rate: float = 0.25
    format_error_rate: float = 0.06
    overlong_rate: float = 0.04
    asked: Counter[str] = field(default_factory=Counter, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("error_rate", "format_error_rate", "overlong_rate"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} is {getattr(self, name)}, not between 0 and 1")

    def complete(self, prompt_text: str, n: int, max_tokens: int) -> list[Completion]:
        """`n` completions; each either ends by itself or is longer than `max_tokens` tokens."""
        known = answer(user_message(prompt_text))
        call = self.asked[prompt_text]
        self.asked[prompt_text] += 1
        return [
            self.write(known, random.Random(f"{self.seed} {call} {i} {prompt_text}"), max_tokens)
            for i in range(n)
        ]

    def write(self, known: str | None, rng: random.Random, max_tokens: int) -> Completion:
        if rng.random() < self.overlong_rate:
            return Completion(ramble(max_tokens), "length")
        thought = " ".join([UNKNOWN if known is None else KNOWN] + [DOUBT] * rng.randrange(4))
        given = GUESS if known is None else known
        if known is not None and rng.random() < self.error_rate:
            given = perturb(known, rng)
        form = rng.choice(BROKEN) if rng.random() < self.format_error_rate else WELL_FORMED
        return Completion(form.format(thought=thought, given=given), "stop")


def user_message(prompt_text: str) -> str:
    """The last user turn between the template's markers; a text without them as it is."""
    turns = USER_TURN.findall(prompt_text)
    return turns[-1] if turns else prompt_text


def perturb(right: str, rng: random.Random) -> str:
    """Another answer of the same look: one digit changed, words reversed, a letter doubled."""
    if right in OPPOSITES:
        return OPPOSITES[right]
    if digits := [place for place, sign in enumerate(right) if sign in "0123456789"]:
        place = rng.choice(digits)
        wrong = rng.choice([digit for digit in "0123456789" if digit != right[place]])
        return right[:place] + wrong + right[place + 1 :]
    turned = " ".join(reversed(right.split(" ")))
    return turned if turned != right else right + (right[-1:] or GUESS)


def ramble(max_tokens: int) -> str:
    """A thought that never ends: every word is at least one token."""
    doubts = max_tokens // len(DOUBT.split()) + 1
    return "<think>\n" + " ".join([DOUBT] * doubts)
