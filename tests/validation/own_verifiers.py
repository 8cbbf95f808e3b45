"""Tasks of a user whose verifiers are right, or wrong in one way each; validate tells which."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any

from reasoning_gym.factory import ProceduralDataset, register_dataset

from rgenv.tasks import Number, Task


@dataclass
class Config:
    seed: int = 0
    size: int = 500


def number(rng: Random) -> tuple[str, str]:
    """Return a question whose answer is a number around 0."""
    low = rng.randrange(1000)
    n = sum(all(k % d for d in range(2, 40)) for k in range(low + 40, low + 240)) - 40
    return f"How many primes are from {low + 40} to {low + 239}, minus 40?", str(n)


DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()


def weekday(rng: Random) -> tuple[str, str]:
    start, days = rng.choice(DAYS), rng.randrange(3, 400)
    return f"Which day is {days} days after {start}?", DAYS[(DAYS.index(start) + days) % 7]


def words(rng: Random) -> tuple[str, str]:
    found = rng.sample("kiwi lime plum pear fig date nut yam bean corn".split(), 5)
    return f"Sort these words, with commas: {' '.join(found)}.", ", ".join(sorted(found))


def ratio(rng: Random) -> tuple[str, str]:
    a, b = rng.randrange(1, 1000), rng.randrange(1, 300)
    return f"What is {a} / {b}, with three decimals?", f"{a / b:.3f}"


def same(rng: Random) -> tuple[str, str]:
    return "How many legs has a bee?", "6"


def five(rng: Random) -> tuple[str, str]:
    return f"How many letters has {' '.join(rng.sample(DAYS, 3))}?", "5"


def half(rng: Random) -> tuple[str, str]:
    n = rng.randrange(2, 5000)
    return f"What is the half of {2 * n}/{2 * n + 1}?", f"{n}/{2 * n + 1}"


def grid(rng: Random) -> tuple[str, str]:
    rows = [[str(rng.randrange(10)) for _ in range(3)] for _ in range(3)]
    asked, answer = ("\n".join(map(" ".join, one)) for one in (rows, zip(*rows, strict=True)))
    return f"Transpose this grid:\n{asked}\nWrite the grid only.", answer


def dots(rng: Random) -> tuple[str, str]:
    asked = " ".join("".join(rng.choices(".-*", k=rng.randrange(1, 5))) for _ in range(5))
    return f"Write this backwards, sign by sign: {asked}", asked[::-1]


def backwards(rng: Random) -> tuple[str, str]:
    rows = [rng.sample(range(100), 2) for _ in range(2)]
    return f"Reverse the rows of {rows}, please.", str([row[::-1] for row in rows])


def quotient(rng: Random) -> tuple[str, str]:
    a, b = rng.sample(range(2, 900), 2)
    return f"Write {a} / {b} in LaTeX.", rf"\frac{{{a}}}{{{b}}}"


def morse(rng: Random) -> tuple[str, str]:
    asked = "".join(rng.choices(["-", "--", "-.", ".", "`", '"'], k=rng.randrange(1, 5)))
    return f"Write this backwards, {rng.randrange(999)} times if it has an x: {asked}", asked[::-1]


def amount(rng: Random) -> tuple[str, str]:
    cents = rng.randrange(150, 90_000)
    return f"What is a third of {3 * cents} cents, in euros?", f"{cents / 100:.2f}"


def code(rng: Random) -> tuple[str, str]:
    word = "".join(rng.choice([letter, letter.upper()]) for letter in rng.choices("abcdef", k=6))
    return f"Write this backwards, letter by letter: {word}", word[::-1]


def point(rng: Random) -> tuple[str, str]:
    x, y, dx, dy = (rng.randint(-20, 20) for _ in range(4))
    return f"Move ({x}, {y}) by ({dx}, {dy}).", f"({x + dx}, {y + dy})"


def letters(rng: Random) -> tuple[str, str]:
    word = "".join(rng.choices("abcd", k=30))
    counts = {letter: word.count(letter) for letter in sorted(set(word))}
    return f"How often is each letter in {word}? Answer in JSON.", json.dumps(counts)


def length(rng: Random) -> tuple[str, str]:
    n, unit = rng.randrange(2, 900), rng.choice(["m", "km"])
    return f"What is twice {n} {unit}?", f"{2 * n} {unit}"


def day(rng: Random) -> tuple[str, str]:
    start = date(2000, 1, 1) + timedelta(rng.randrange(9000))
    return f"Which day follows {start}?", str(start + timedelta(1))


def within(share: float, least: float = 0.0) -> Callable[[str, str], bool]:
    def verify(answer: str, right: str) -> bool:
        try:
            return abs(float(answer) - float(right)) <= max(least, share * abs(float(right)))
        except ValueError:
            return False

    return verify


def hangs(answer: str, right: str) -> bool:
    while answer != right:
        pass
    return True


def listed(text: str) -> list[str]:
    return re.split(r",\s*", text.strip())


def elsewhere(rng: Random) -> tuple[str, str]:
    """Return a question that is another one in each worker."""
    question, answer = number(rng)
    return f"{question} You are {os.getpid()}.", answer


def mapping(text: str) -> dict[str, int]:
    """Return a mapping of letters to numbers; an empty one if a text is none."""
    try:
        read = json.loads(text)
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def exact(answer: str, right: str) -> bool:
    return answer == right


ANY_ORDER = Task(accepted=dict.fromkeys(("wrong", "blind"), "the words may come in any order"))
RIGHT: dict[str, tuple[Any, ...]] = {
    "good": (number, exact),
    "floor": (number, lambda a, right: max(float(a == right), 0.01)),
    "by_value": (amount, within(1e-9)),
    "in_any_case": (weekday, lambda a, right: a.lower() == right.lower()),
    "read_by_its_kind": (number, exact, Task(answer=Number())),
    "rounded": (amount, within(0.01)),
    "grid": (grid, exact),
    "quotient": (quotient, exact),
    "backwards": (backwards, exact),
    "morse": (morse, exact, Task(accepted={"blind": "some are frequent"})),
    "dots": (dots, exact, Task(family=lambda entry: entry["question"])),
    "exact_words": (words, lambda a, right: listed(a) == listed(right)),
    "counts": (letters, lambda a, right: mapping(a) == mapping(right)),
    "date": (day, lambda a, right: re.findall(r"\d+", a) == re.findall(r"\d+", right)),
    "any_order": (words, lambda a, right: sorted(listed(a)) == listed(right), ANY_ORDER),
}
WRONG: dict[str, tuple[Any, ...]] = {
    "contains": (number, lambda a, right: right in a),
    "ten_percent": (number, within(0.1)),
    "set_of_words": (words, lambda a, right: set(listed(a)) == set(listed(right))),
    "case": (code, lambda a, right: a.lower() == right.lower()),
    "zero": (number, lambda a, right: a in (right, "0")),
    "nan": (number, lambda a, right: a in (right, "nan")),
    "ends_with": (weekday, lambda a, right: a.endswith(right)),
    "three_decimals": (ratio, within(0.0, 0.05)),
    "same": (same, exact),
    "five": (five, exact),
    "upside_down": (half, lambda a, right: a in (right, "/".join(right.split("/")[::-1]))),
    "copies_rows": (
        backwards,
        lambda a, right: a in (right, re.sub(r"(\d+), (\d+)", r"\2, \1", right)),
    ),
    "turned_over": (
        quotient,
        lambda a, right: a in (right, re.sub(r"({\d+})({\d+})", r"\2\1", right)),
    ),
    "copies": (grid, lambda a, right: sorted(a) == sorted(right)),
    "hangs": (number, hangs),
    "elsewhere": (elsewhere, exact),
    "unsigned": (point, lambda a, right: a.replace("-", "") == right.replace("-", "")),
    "any_key": (letters, lambda a, right: [*mapping(a).values()] == [*mapping(right).values()]),
    "any_unit": (length, lambda a, right: re.sub("k?m", "m", a) == re.sub("k?m", "m", right)),
    "half_refused": (number, lambda a, right: a == right and int(a) % 2),
    "never_right": (number, lambda a, right: False),
    "one_family": (number, exact, Task(family=lambda entry: "one")),
    "unknown_rule": (number, exact, Task(accepted={"blindly": "why"})),
}


def register(name: str, make: Any, verify: Any) -> None:
    class Dataset(ProceduralDataset):
        def __init__(self, config: Config) -> None:
            super().__init__(config=config, seed=config.seed, size=config.size)

        def __getitem__(self, idx: int) -> dict[str, Any]:
            question, answer = make(Random(self.seed + idx))
            return {"question": question, "answer": answer, "metadata": {}}

        def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
            return float(verify(answer, entry["answer"])) if answer else 0.0

    register_dataset(name, Dataset, Config)


for name, (make, verify, *_) in {**RIGHT, **WRONG}.items():
    register(f"own_{name}", make, verify)
TASKS = {f"own_{name}": parts[2] for name, parts in {**RIGHT, **WRONG}.items() if len(parts) > 2}
