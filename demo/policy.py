"""The stand-in policy: it writes completions from the text of a prompt alone.

    policy = Policy(seed=7, error_rate=0.0, format_error_rate=0.0, overlong_rate=0.0)
    policy.complete("Find the Greatest Common Divisor (GCD) of these numbers: 12, 18. ...", 1, 100)
    [Completion(text='<think>\\n...</think>\\n<answer>6</answer>', finish_reason='stop')]

It answers questions that its rules know and guesses at others. At the chosen rates it gives wrong
answers, breaks the answer format, or exceeds the token limit. Completions depend only on the seed,
the prompt and the number of earlier calls with that prompt, in any process.
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
WELL_FORMED = "<think>\n{thought}\n</think>\n<answer>{answer}</answer>"
BROKEN = (
    "{thought}\nSo it is {answer}.",
    "<think>\n{thought}\n</think>\n<answer>{answer}</answer>\n<answer>{answer}</answer>",
    "<think>\n{thought}\n<answer>{answer}</answer>",
    "<think>\n{thought}\n<answer>{answer}</answer>\n</think>",
)
KNOWN = "I recognise this kind of question, so I can compute the answer."
UNKNOWN = "I do not know how to solve this, so this is a guess."
DOUBT = "Wait, let me check that once more."


class Completion(NamedTuple):
    text: str
    finish_reason: str


@dataclass
class Policy:
    """A policy that makes mistakes at random.

    Args:
        error_rate: the share of wrong answers, where a rule knows the right one.
        format_error_rate: the share of completions that break the answer format.
        overlong_rate: the share of completions that exceed the token limit.

    Raises:
        ValueError: a rate is not between 0 and 1.
    """

    seed: int = 0
    error_rate: float = 0.25
    format_error_rate: float = 0.06
    overlong_rate: float = 0.04
    _calls: Counter[str] = field(default_factory=Counter, init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("error_rate", "format_error_rate", "overlong_rate"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise ValueError(f"{name} is {getattr(self, name)}, not between 0 and 1")

    def complete(self, prompt_text: str, n: int, max_tokens: int) -> list[Completion]:
        """Write `n` completions; each either ends or has more than `max_tokens` tokens."""
        known = answer(user_message(prompt_text))
        call = self._calls[prompt_text]
        self._calls[prompt_text] += 1
        return [
            self._write(known, random.Random(f"{self.seed} {call} {i} {prompt_text}"), max_tokens)
            for i in range(n)
        ]

    def _write(self, known: str | None, rng: random.Random, max_tokens: int) -> Completion:
        if rng.random() < self.overlong_rate:
            return Completion(overlong_text(max_tokens), "length")
        thought = " ".join([UNKNOWN if known is None else KNOWN] + [DOUBT] * rng.randrange(4))
        given = GUESS if known is None else known
        if known is not None and rng.random() < self.error_rate:
            given = wrong_answer(known, rng)
        form = rng.choice(BROKEN) if rng.random() < self.format_error_rate else WELL_FORMED
        return Completion(form.format(thought=thought, answer=given), "stop")


def user_message(prompt_text: str) -> str:
    """Return the last user turn of a chat prompt, or the whole text if it has no turns."""
    turns: list[str] = USER_TURN.findall(prompt_text)
    return turns[-1] if turns else prompt_text


def wrong_answer(right: str, rng: random.Random) -> str:
    """Change an answer: another digit, words in reverse order, or a doubled letter."""
    if right in OPPOSITES:
        return OPPOSITES[right]
    if digits := [place for place, character in enumerate(right) if character in "0123456789"]:
        place = rng.choice(digits)
        digit = rng.choice([digit for digit in "0123456789" if digit != right[place]])
        return right[:place] + digit + right[place + 1 :]
    reversed_words = " ".join(reversed(right.split(" ")))
    return reversed_words if reversed_words != right else right + (right[-1:] or GUESS)


def overlong_text(max_tokens: int) -> str:
    """Write a thought that does not end and has more than `max_tokens` words."""
    repetitions = max_tokens // len(DOUBT.split()) + 1
    return "<think>\n" + " ".join([DOUBT] * repetitions)
