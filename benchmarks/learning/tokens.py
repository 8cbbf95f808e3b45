"""The tokens of the learners: one for each character, and one for each piece of fixed wording.

    tokens = Tokens(["spell_backward"])
    tokens.prompt("spell_backward", question)     # <spell_backward> s u n <end>
    tokens.decode(tokens.encode("<answer>nus</answer>"))

The wording of a question is replaced by one token that stands for its task, as if the whole text
were one token; only what differs between the problems of a task is spelled. The tags, the end and
some frequent pieces are one token each.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

END = 0
OPEN, CLOSE = "<answer>", "</answer>"
SPECIAL = ("<end>", OPEN, CLOSE)
PIECES = (
    *(f" {operator} " for operator in "+-*/×"),
    *("A#", "#A", "B#", "#B", " A#", " #A", " B#", " #B"),
    *("base-", " number ", " to ", "hexadecimal", "binary", "\\frac{", "}{", "}$", ", "),
    *(f" {digit}" for digit in "0123456789_"),
    *("True", "False", "Yes", "No"),
)
CHARACTERS = (*(chr(number) for number in range(32, 127)), "\n", "×")
WORDING: dict[str, str] = {
    "ab": r"program:\n\n(.*)\n\nReturn",
    "chain_sum": r"problem: (.*) =",
    "count_bits": r"number (\d+)\?",
    "dice": r"dice: (.*)\. What.*rolling (\d+) or",
    "gcd": r"numbers: (.*)\. Give",
    "isomorphic_strings": r"otherwise:\n(\w+) (\w+)",
    "lcm": r"numbers: (.*)",
    "prime_factorization": r"factorization of (\d+)",
    "rotate_matrix": r"by (\d+) degrees clockwise:\n(.*)",
    "spell_backward": r"nus\): (\w+)",
    "spiral_matrix": r"in spiral order\?\n(.*)",
}
"""Task -> a pattern whose groups are the parts of a question that differ between problems."""


class Tokens:
    """The vocabulary for some tasks, all of which `WORDING` has."""

    def __init__(self, tasks: Sequence[str]) -> None:
        self._texts = [*SPECIAL, *PIECES, *CHARACTERS]
        self._numbers = {text: number for number, text in enumerate(self._texts)}
        self._tasks = {task: len(self._texts) + number for number, task in enumerate(tasks)}
        longest_first = sorted(self._texts, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def __len__(self) -> int:
        return len(self._texts) + len(self._tasks)

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text; characters without a token are left out."""
        return [self._numbers[piece] for piece in self._pattern.findall(text)]

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of a completion, without the end token."""
        known = range(1, len(self._texts))
        return "".join(self._texts[token] for token in tokens if token in known)

    def prompt(self, task: str, question: str) -> list[int]:
        """Return the tokens of a question.

        Raises:
            ValueError: it has not the wording of its task.
        """
        found = re.search(WORDING[task], question, re.DOTALL)
        if found is None:
            raise ValueError(f"the pattern of {task} misses {question!r}")
        return [self._tasks[task], *self.encode(" ".join(found.groups())), END]
