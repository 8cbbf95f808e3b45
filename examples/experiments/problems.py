"""Problems as a small learner reads them: short rows of words, and scores that are kept.

    bank = Bank(("gcd",), problems="hardened")
    problem = bank.train[0]                        # a problem of rgenv, its words and its answer's
    bank.scores("library", [problem], ["12"])      # as the library's verifier and labels have it

The words that begin or end all questions of a task are left out. Both verifiers score the same
problems that our streams serve. Cheap programs answer many of the library's problems from what a
learner reads.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from os.path import commonprefix
from typing import Any, Literal, NamedTuple

from rgenv import ReasoningGym
from rgenv.types import SOLVED, Problem

Verifier = Literal["ours", "library"]
TRAINING, HELD_OUT = 1000, 150


class Form(NamedTuple):
    """How a task is asked and read: parameters, and patterns of the words of both sides."""

    config: dict[str, Any]
    asked: str
    answered: str = r"[\d-]"
    larger: dict[str, Any] | None = None


FORMS = {
    "complex_arithmetic": Form(
        {"min_real": 1, "max_real": 4, "min_imag": 1, "max_imag": 4}
        | {"operations_weights": [1, 0, 0, 0]},
        r"[\d.i+-]",
        r"[\d.i+-]",
    ),
    "aiw": Form({}, r"\d+|(?:fe)?male|colleagues|friends?|brothers?|sisters?|Matilda|many"),
    "syllogism": Form({}, r"\w+", r"\w+"),
    "prime_factorization": Form({"min_value": 2, "max_value": 199}, r"\d", r"[\d×]"),
    "coin_flip": Form({"min_trials": 2, "max_trials": 9}, r"\d|exactly|least", r"[\d.]"),
    "spell_backward": Form({"min_word_len": 3, "max_word_len": 5}, r"\w", r"\w"),
    "chain_sum": Form(
        {"min_terms": 2, "max_terms": 3, "min_digits": 1, "max_digits": 1}, r"[\d+*-]"
    ),
    "isomorphic_strings": Form(
        {"min_string_length": 5, "max_string_length": 9},
        r"[a-z ]",
        r"\w+",
        larger={"min_string_length": 10, "max_string_length": 12},
    ),
    "gcd": Form(
        {"min_numbers": 2, "max_numbers": 2, "min_value": 10, "max_value": 199},
        r"[\d,]",
        larger={"min_numbers": 2, "max_numbers": 2, "min_value": 200, "max_value": 399},
    ),
    "basic_arithmetic": Form(
        {"min_terms": 3, "max_terms": 3, "min_digits": 1, "max_digits": 1},
        r"[\d()+*/-]",
        larger={"min_terms": 4, "max_terms": 4, "min_digits": 1, "max_digits": 1},
    ),
}


@dataclass(frozen=True, eq=False)
class Short:
    """The words of a question and of its answer, and the problem as either verifier knows it."""

    problems: dict[Verifier, Problem]
    words: list[str]
    answer: list[str]


class Bank:
    """Problems of some tasks, for training and held out, and both verifiers with what they said."""

    def __init__(self, tasks: Sequence[str], problems: str, larger: bool = False) -> None:
        self._known: dict[tuple[Verifier, Short, str], float] = {}
        self.train, self.held_out = list[Short](), list[Short]()
        configs = {task: (larger and FORMS[task].larger) or FORMS[task].config for task in tasks}
        options: Any = {"task_configs": configs, "problems": problems, "workers": 1}
        self._gyms: dict[Verifier, ReasoningGym] = {
            verifier: ReasoningGym(tasks, strict_verifiers=verifier == "ours", **options)
            for verifier in ("ours", "library")
        }
        for task in tasks:
            asked = 0 if larger else TRAINING // len(tasks)
            options["task_configs"] = {task: configs[task]}
            with ReasoningGym([task], **options) as alone:
                made = list(alone.problems(asked, level=None)) if asked else []
            known = self._short(task, made + self._gyms["ours"].held_out(task, HELD_OUT))
            seen = {" ".join(short.words) for short in known[:asked]}
            self.train += known[:asked]
            self.held_out += [s for s in known[asked:] if " ".join(s.words) not in seen]

    def _short(self, task: str, made: Sequence[Problem]) -> list[Short]:
        others = self._gyms["library"].make_many([problem.recipe for problem in made])
        form = FORMS[task]
        words = [re.findall(form.asked, problem.question) for problem in made]
        return [
            Short(
                {"ours": problem, "library": other},
                [task, *asked],
                re.findall(form.answered, str(problem.answer)),
            )
            for problem, other, asked in zip(made, others, _trimmed(words), strict=True)
        ]

    def scores(
        self, verifier: Verifier, shorts: Sequence[Short], texts: Sequence[str]
    ) -> list[float]:
        """Return the score of each answer; ask the verifier only for what it has not said yet."""
        pairs = [(verifier, *pair) for pair in zip(shorts, texts, strict=True)]
        asked = sorted(set(pairs) - self._known.keys(), key=lambda pair: id(pair[1]))  # by problem
        written = [
            (short.problems[verifier], f"<answer>{text}</answer>") for _, short, text in asked
        ]
        for pair, score in zip(asked, self._gyms[verifier].score_many(written), strict=True):
            self._known[pair] = min(1.0, max(0.0, score))
        return [self._known[pair] for pair in pairs]

    def solved(self, shorts: Sequence[Short], texts: Sequence[str]) -> list[float]:
        """Return 1 for each answer that our verifier pays in full, else 0."""
        return [float(score >= SOLVED) for score in self.scores("ours", shorts, texts)]

    def close(self) -> None:
        for gym in self._gyms.values():
            gym.close()


def _trimmed(rows: list[list[str]]) -> list[list[str]]:
    """Leave out the words with which all rows begin, and those with which all end."""
    for _ in range(2):
        begin = len(commonprefix(rows))  # noqa: RUF071 - of words
        rows = [row[begin:][::-1] for row in rows]
    return rows


def frequencies(words: str) -> str:
    """Compare how often letters come, not where."""
    one, other = (sorted(Counter(part).values()) for part in words.split())
    return str(one == other)


def small_divisor(words: str) -> str:
    """Return the largest common divisor up to ten."""
    numbers = [int(number) for number in words.split(",")]
    return str(max(d for d in range(1, 11) if all(number % d == 0 for number in numbers)))


def without_brackets(words: str) -> str:
    """Calculate as if no bracket were there."""
    total, product = Fraction(0), Fraction(0)
    for sign, number in re.findall(r"([+*/-]?)(-?\d+)", re.sub(r"[()]", "", words)):
        value = Fraction(number)
        if sign in ("*", "/"):
            product = product * value if sign == "*" else product / value if value else product
        else:
            total, product = total + product, -value if sign == "-" else value
    return str(total + product)


def last_number(words: str) -> str:
    """Return the last number and one, for the woman of the story."""
    return str(int(re.findall(r"\d+", words)[-1]) + 1)


PROGRAMS: Mapping[str, Callable[[str], str]] = {
    "isomorphic_strings": frequencies,
    "gcd": small_divisor,
    "basic_arithmetic": without_brackets,
    "aiw": last_number,
}
